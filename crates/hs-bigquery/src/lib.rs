//! Questions to BigQuery: a dry run first, always, and a cap that holds.
//!
//! The only crate that touches the network. Never prints, never ends the process, and no secret stands in any
//! of its errors. [`interroge`] is the way in; `ask` is its course. `estimate` and `cap` are what is decided before
//! anything is billed, `job` and `result` what runs and gives `rows`, `unfinished` what is told when it does not;
//! `transport` brings every request there and back, `credentials` says who asks.
//!
//! Without a cap only the dry run is sent, which is free. With one the query follows if what BigQuery would bill at
//! least fits, and the request itself forbids BigQuery to bill more. Who asks and where stands in the environment
//! ([`Settings`]).
//!
//! ```no_run
//! use hs_bigquery::{Cap, InterrogeOptions, interroge};
//! use hs_core::Control;
//!
//! let control = Control::default();
//! let sql = "SELECT name FROM dataset.people";
//! let asked = interroge(sql, &InterrogeOptions::default(), &control)?;
//! println!("{} bytes, and nothing was run", asked.estimate.bytes);
//!
//! let options = InterrogeOptions { cap: Some(Cap::parse("1 GB")?), ..InterrogeOptions::default() };
//! if let Some(table) = interroge(sql, &options, &control)?.run.and_then(|run| run.table) {
//!     println!("{} rows", table.height());
//! }
//! # Ok::<(), hs_core::Error>(())
//! ```

mod ask;
mod bytes;
mod cap;
mod credentials;
mod doctor;
mod estimate;
mod interrupt;
mod job;
mod refusal;
mod result;
pub mod rows;
mod settings;
mod summary;
mod transport;
mod unfinished;
mod wire;

pub use ask::{Answer, InterrogeOptions, Run, interroge, interroge_with};
pub use cap::Cap;
pub use doctor::{Checked, doctor};
pub use estimate::{Accuracy, Estimate, Price};
pub use interrupt::stop_on_interrupt;
pub use settings::Settings;
