//! How requests go out and come back: one road for all of them, with its retries, deadlines, proxies and errors.
//!
//! `client` makes the HTTP clients, `message` is one request, `sender` sends it until there is an answer, `service`
//! does so in the name of the user at BigQuery.

mod client;
mod message;
mod sender;
mod service;

pub use message::{Content, Message, NOTHING_RUNS};
pub use sender::{Sender, Stop, pause, until_stopped};
pub use service::{Call, PATIENCE, Refused, Service};
