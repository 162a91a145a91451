//! The operations: one file or folder each, with its options, its result and its function.

pub mod catalogue;
pub mod charge;
pub mod decris;
pub mod explain;
mod keyed;
pub mod montre;
pub mod sauve;
pub mod verifie;

mod look;
