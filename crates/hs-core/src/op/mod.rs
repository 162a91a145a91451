//! The operations: one file or folder each, with its options, its result and its function.

pub mod catalogue;
pub mod charge;
pub mod decris;
pub mod montre;

mod look;
