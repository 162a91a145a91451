//! What a cell gives: text as a model wants it, within limits that are told, and figures.
//!
//! `escapes` takes terminal sequences out, `text` honours carriage returns and cleared output, `limits` says what is
//! shown of it, `images` which figures. Nothing here reads from a kernel.

mod escapes;
mod images;
mod limits;
mod text;

pub use escapes::Escapes;
pub use images::Images;
pub use limits::{Shown, shown};
pub use text::{FLOOD, Text};
