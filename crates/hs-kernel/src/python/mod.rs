//! Which Python runs the kernel, and the environment that `hs kernel setup` builds for it.
//!
//! - `choose`: the one choice, made at each start by looking at files; no Python is started for it
//! - `managed`: the folder of the managed environment, and whether what is there can be used
//! - `setup`: builds it: beside the one that is there, in whose place it comes in one step
//! - `base`: the Python that it is built on
//! - `packages`: what is installed in an environment, by its files
//! - `installer`: uv, or venv and pip; `tool`: one run of a program
//! - `place`: the folder while a setup has it

mod base;
mod choose;
mod installer;
mod managed;
mod packages;
mod place;
mod setup;
mod tool;

pub use choose::choose;
pub use managed::{Managed, State};
pub use setup::{Built, Setup, setup};
