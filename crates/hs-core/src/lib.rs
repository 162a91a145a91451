//! The data library of headstart: load any table, say truthfully what was done, and answer
//! questions about it.
//!
//! Data goes one way: [`source`] -> [`mod@format`] -> [`table`] -> [`op`]. Nothing here prints, exits,
//! reads the environment or touches the network.
//!
//! A [`Source`] is a file, a stream or bytes, unpacked on the fly. [`op::charge`] finds its format and gives a
//! [`Table`]: a polars frame with the names and kinds that the user knows, and notes, which say what was done.
//! Every other operation is a function of tables and an options struct. A [`Control`] stops a long one from
//! another thread, and says how far it is. An [`Error`] has a kind, a place, a message and a hint.
//!
//! ```
//! use hs_core::op::charge::{ChargeOptions, charge};
//! use hs_core::op::combien::{CombienOptions, combien};
//! use hs_core::{Control, Loaded, Source};
//!
//! let control = Control::default();
//! let text = "code;city\n00042;Oslo\n00079;Rome\n10001;Oslo\n";
//! let source = Source::bytes("cities.csv", text.into())?;
//! let Loaded::Table(table) = charge(source, &ChargeOptions::default(), &control)? else {
//!     panic!("a csv file is a table");
//! };
//! // One code with a leading zero keeps the whole column text.
//! assert_eq!(table.columns()[0].kind.word(), "text");
//! assert_eq!(
//!     table.account(),
//!     ["cities.csv: 3 rows x 2 columns", "cities.csv: delimiter: \";\""]
//! );
//!
//! let city = table.position("city")?;
//! let counted = combien(&table, &[city], CombienOptions { n: Some(1) }, &control)?;
//! assert_eq!(counted.table.account(), ["and 1 other group, 1 row (33.3 %)"]);
//! # Ok::<(), hs_core::Error>(())
//! ```

pub mod border;
pub mod builder;
pub mod control;
pub mod error;
pub mod explanation;
pub mod fields;
pub mod fix;
pub mod flat;
pub mod format;
pub mod memory;
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
