//! Rows as text, for the writers of text formats: the values of columns without boxing them
//! ([`cells`]), their texts ([`scalar`]), pieces that are laid out side by side and written in order
//! ([`pieces`]), and what no text format carries ([`losses`]).

pub(super) mod cells;
pub(super) mod losses;
pub(super) mod pieces;
pub(super) mod scalar;
