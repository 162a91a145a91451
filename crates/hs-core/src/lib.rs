//! The data library of headstart: load any table, say truthfully what was done, and answer
//! questions about it.
//!
//! Data goes one way: [`source`] -> [`mod@format`] -> [`table`] -> [`op`]. Nothing here prints, exits,
//! reads the environment or touches the network.

pub mod border;
pub mod builder;
pub mod control;
pub mod error;
pub mod explanation;
pub mod fix;
pub mod flat;
pub mod format;
pub mod note;
pub mod op;
pub mod sink;
pub mod source;
pub mod table;
pub mod text;
pub mod value;

pub use control::Control;
pub use error::{Error, ErrorKind, Place, Result};
pub use explanation::Explanation;
pub use fix::{Face, Fix};
pub use format::{Format, Loaded, ReadOptions, SheetChoice, Sheets, Types, Wanted};
pub use note::{Note, Topic};
pub use source::Source;
pub use table::{ColumnInfo, Kind, Origin, Table};
pub use value::Value;
