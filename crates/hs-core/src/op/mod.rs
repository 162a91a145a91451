//! The operations: one file or folder each, with its options, its result and its function.

pub mod catalogue;
pub mod charge;
pub mod combien;
pub mod compare;
pub mod decris;
pub mod explain;
pub mod joins;
pub mod montre;
pub mod named;
pub mod rows;
pub mod sauve;
pub mod verifie;

mod keyed;
mod look;
mod taken;

pub use keyed::form;
