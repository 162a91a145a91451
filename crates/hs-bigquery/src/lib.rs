//! Questions to BigQuery: a dry run first, always, and a cap that holds.
//!
//! The only crate that touches the network. Never prints, never ends the process.
