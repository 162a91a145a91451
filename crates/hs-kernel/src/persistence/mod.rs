//! What of a session outlives its kernel, as the supervisor sees it: whether checkpoints are wanted (`switches`), where they
//! lie (`place`), on which of them the session stands (`line`), and what a kernel says of them (`told`). Values are never
//! here: the kernel saves and restores them.

mod line;
mod place;
mod switches;
mod told;

pub use line::{Head, Line};
pub use place::store;
pub use switches::{Mode, Switches, switches};
pub use told::{Restored, Saved};
