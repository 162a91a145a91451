//! A server on this machine that answers as BigQuery does, from a script: for tests, examples and benches.
//! It reads no real SQL, holds no data but what `tables.rs` makes up, and is no part of the product.
//!
//! # In Rust
//!
//! ```
//! use hs_scripted_bigquery::{Fault, Options, Server};
//!
//! let server = Server::start(Options::default()).expect("a free port");
//! let folder = std::env::temp_dir();
//! let key_file = server.service_account(&folder).expect("a folder that can be written");
//! // BIGQUERY_EMULATOR_HOST=server.url(), GOOGLE_APPLICATION_CREDENTIALS=key_file, CLOUDSDK_CORE_PROJECT=p1
//! server.fault(Fault::new("POST", "*/jobs", 503)); // the next POST to a path that ends in /jobs
//! assert!(server.log().is_empty());
//! # std::fs::remove_file(key_file).expect("it was written");
//! ```
//!
//! It stops when it is dropped.
//!
//! # As a program
//!
//! `scripted-bigquery [--port N] [--dir FOLDER] [--options JSON]` writes the credential files into the folder (without
//! one: a folder of its own, removed at the end), prints one line of JSON with `url`, `project` and the path of each
//! file (`service_account`, `wrong_key`, `authorized_user`, `impersonated`, and four of `external_account`), and serves
//! until its standard input ends or it is killed. Its administration needs no token and is not logged:
//!
//! | request | what |
//! | --- | --- |
//! | `GET /_/log` | every request since the start or the last clear: method, path, query, headers, body, status |
//! | `GET /_/jobs` | the real jobs: id, sql, location, state, statementType, cap, processed, billed, labels |
//! | `POST /_/clear` | empties the log; with `{"all": true}` also forgets jobs, faults, tokens |
//! | `POST /_/fault` | adds a [`Fault`]: its fields by name, `{"method": "POST", "path": "*/jobs", "status": 503}` |
//! | `POST /_/options` | changes [`Options`]: its fields by name |
//! | `POST /_/revoke` | every token that was given out is refused from now on |
//!
//! # What it knows
//!
//! One project, `p1`; the account `t@p1.iam.gserviceaccount.com`. Tables of the dataset `d`, with the bytes that reading
//! each costs, whichever columns are named: see [`TABLES`]. Statements, in any case, over several lines, with comments
//! and backticks:
//!
//! - `SELECT * | column, .. | COUNT(*) | literal, .. FROM d.table [alias] [JOIN d.other ..] [LIMIT n]`. Rows of joined
//!   tables are put side by side. `WHERE`, `GROUP BY` and `ORDER BY` are read over.
//! - `SELECT all_types` is `SELECT * FROM d.types`; `SELECT slow` (2.5 s), `SELECT slower` (11 s) and
//!   `SELECT slow(SECONDS)` are `SELECT * FROM d.tiny` that takes its time; `SELECT flaky` fails with `backendError`
//!   once per server, as does any change of `d.flaky`; `SELECT 1 / 0 AS x` fails while it runs.
//! - `INSERT`, `UPDATE`, `DELETE`, `MERGE`, `TRUNCATE TABLE`, `CREATE TABLE|VIEW [.. AS SELECT]`, `DROP`, `ALTER`,
//!   `EXPORT DATA`, `CALL d.refresh()`; scripts (`DECLARE`, `BEGIN`, several statements). None of them changes a table:
//!   `GET /_/jobs` says what was run.
//! - Refused: syntax errors, unknown columns, tables and datasets (`d.zzz`), `secret.t` (403), `secret.bare` (403
//!   without `errors`), other projects.
//!
//! A job runs where its tables are: `d.west` in europe-west9, all else in `Options::location`.
//!
//! Requests of the user agent `headstart/..` are held to the letter: a dry run and a real insert with any other field
//! than the agreed ones are refused with a message that begins with `scripted server:`.

mod admin;
mod answer;
mod base64;
mod billing;
mod credentials;
mod errors;
mod http;
mod job;
mod jobs;
mod options;
mod plan;
mod results;
mod select;
mod server;
mod sql;
mod tables;
mod timestamp;
mod tokens;

pub use options::{Fault, Options, Refusal};
pub use server::{JobSeen, Logged, Server};
pub use tables::{NAMES, TABLES, Table};
