//! The store of checkpoints for Python: classes over `hs_kernel::store`. The GIL is given up for everything that hashes,
//! copies, writes or reads.
//!
//! `buffers` looks into the memory of Python's objects, `save` makes checkpoints, `opened` is the store itself;
//! `plain` looks at values without asking them.

mod buffers;
mod error;
mod opened;
mod plain;
mod save;

pub use buffers::{change, digest, frame_change};
pub use error::StoreError;
pub use opened::{Group, Store};
pub use plain::{memo_shared, plain_digest};
pub use save::Save;
