//! The kernel as tools of the Model Context Protocol, for hosts such as coding agents: `hs mcp`.
//!
//! `serve` runs the server on standard input and output until its host goes. `handler` is what the official SDK calls;
//! `tools` describes the tools, `ipython`, `control` and `search` do what they say, `answer` makes results of the protocol into
//! results of tools. `link` speaks the protocol with the launcher, which is a process of its own, and `memory` holds
//! what a model must still be told. Nothing here starts a process or knows a kernel.

mod answer;
mod control;
mod handler;
mod ipython;
mod link;
mod memory;
mod search;
mod serve;
mod tools;

pub use serve::serve;
