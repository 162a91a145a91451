//! Questions to BigQuery: a dry run first, always, and a cap that holds.
//!
//! The only crate that touches the network. Never prints, never ends the process, and no secret stands in any
//! of its errors. [`interroge`] is the way in; `ask` is its course. `estimate` and `cap` are what is decided before
//! anything is billed, `job` and `result` what runs and gives `rows`, `unfinished` what is told when it does not; `transport` brings every request there and back, `credentials` says who asks.

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
