//! The persistent kernel: one IPython process that stays attached to a session, and what keeps it alive and honest.
//!
//! A host talks to the `guard`, a small process that ends everything when the host goes away. The guard starts a
//! supervisor for each session (`session`), which starts a kernel and talks to it (`kernel`, `process`). `protocol` is what
//! hosts say and hear, `output` what a cell gives, `registry` where sessions are found, `control` how others talk to them,
//! `python` which Python runs a kernel, `mcp` the kernel as tools for coding agents, `store` what a session keeps on the
//! disk, `persistence` when it does, `context` what it did, to be found again. Never prints; knows no data.
//!
//! A host speaks lines of JSON; `docs/hosts.md` is the protocol for its authors, and [`protocol`] the one place that
//! reads and writes it. [`launch`] starts a guard of one's own, [`serve`] is one on standard input and output,
//! [`start_detached`] a session without a host, which a [`Client`] talks to by its name.
//!
//! ```no_run
//! use hs_kernel::Client;
//! use serde_json::json;
//!
//! // A session that `hs kernel start demo` made.
//! let mut session = Client::connect("demo")?;
//! session.send(&json!({"type": "run", "id": 1, "code": "6 * 7"}))?;
//! while let Some(event) = session.receive()? {
//!     if event["type"] == "result" {
//!         assert_eq!(event["output"], "42\n");
//!         assert_eq!(event["state"], "kept"); // the variables are still there
//!         break;
//!     }
//! }
//! # Ok::<(), std::io::Error>(())
//! ```

pub mod context;
mod control;
mod guard;
mod home;
mod interrupt;
mod kernel;
pub mod mcp;
pub mod output;
mod persistence;
mod process;
pub mod protocol;
pub mod python;
pub mod registry;
pub mod session;
mod settings;
pub mod store;

pub use control::Client;
pub use guard::{Launcher, launch, serve, start_detached};
pub use interrupt::on_interrupt;
pub use persistence::store as checkpoints_folder;
pub use settings::Settings;
