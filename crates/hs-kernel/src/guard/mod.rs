//! The guard: a small process between a host and its sessions, with one thread and no runtime. It passes lines on, starts
//! a supervisor for each session, and sees to it that nothing is left when the host goes away, however that comes about.
//!
//! `start` begins one, `relay` is its loop, `member` a process that it started, `outlet` what the host has not read yet. It
//! knows no kernels.

mod member;
mod outlet;
mod relay;
mod start;

pub use member::OVER;
pub use start::{Launcher, launch, serve, start_detached};
