//! verifie: conditions in SQL, each on every row of a table or on all of it.
//!
//! `check` reads what the user wrote, `parse` knows SQL, `compile` gives every part a type (`tree`,
//! `leaf`, `types`, `function`). `evaluate` works on batches of rows (`vector`, `number`, `choose`,
//! `like`), `aggregate` on all of them. Values never change on the way: whole numbers and decimals stay
//! exact (`exact`), an int is compared with a float as it is.

mod aggregate;
mod batch;
mod check;
mod choose;
mod compile;
mod evaluate;
mod exact;
mod fault;
mod function;
mod leaf;
mod like;
mod literal;
mod number;
mod outcome;
mod parse;
mod run;
mod tree;
mod types;
mod vector;

pub use outcome::{Outcome, Verified};
pub use run::verifie;

#[cfg(test)]
mod tests;
