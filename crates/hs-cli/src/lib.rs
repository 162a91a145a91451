//! The shell face of headstart: arguments in, data on standard output, everything else on standard
//! error. The only crate that prints.

mod args;
mod command;
mod document;
mod exit;
mod input;
mod output;
pub mod progress;
mod query;
pub mod render;
mod screen;
mod shell;

pub use shell::run;
