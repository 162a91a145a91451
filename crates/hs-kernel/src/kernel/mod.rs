//! One kernel: its process, its sockets, and what it says, as values.
//!
//! `process` starts it, `channels` carries messages, `message` reads them, `bundle` chooses what is shown of a value.
//! Nothing here knows cells, hosts or sessions.

mod bundle;
mod channels;
mod message;
mod process;
mod start;

pub use bundle::{Piece, pieces};
pub use channels::{Channels, Incoming, hidden, shutdown, visible};
pub use message::{Message, Reply, Said};
pub use process::{Kernel, Spawn, ended};
pub use start::{Started, start};
