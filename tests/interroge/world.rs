//! A server and somebody who asks it.

use std::path::PathBuf;
use std::time::Duration;

use hs_bigquery::{Answer, Cap, InterrogeOptions, Settings, interroge_with};
use hs_core::{Control, Error};
use hs_scripted_bigquery::{Logged, Options, Server};
use tempfile::TempDir;

/// A server and the credentials of somebody whom it knows.
pub struct World {
    pub server: Server,
    pub folder: TempDir,
    pub credentials: PathBuf,
    pub project: String,
    pub deadline: Option<Duration>,
}

impl World {
    /// As BigQuery is on a good day.
    pub fn new() -> Self {
        Self::with(Options::default())
    }

    /// With a server of these options.
    pub fn with(options: Options) -> Self {
        let server = Server::start(options).expect("a free port");
        let folder = tempfile::tempdir().expect("a folder");
        let credentials = server
            .service_account(folder.path())
            .expect("a folder that can be written");
        Self {
            server,
            folder,
            credentials,
            project: "p1".to_owned(),
            deadline: None,
        }
    }

    /// Asks; `cap` as text, none when empty.
    pub fn ask(&self, sql: &str, cap: &str) -> Result<Answer, Error> {
        self.ask_until(sql, cap, &Control::default())
    }

    /// The same, until `control` says stop.
    pub fn ask_until(&self, sql: &str, cap: &str, control: &Control) -> Result<Answer, Error> {
        let url = self.server.url();
        let credentials = self.credentials.clone();
        let settings = Settings::new(credentials, &self.project, Some(url), self.deadline)?;
        let cap = match cap {
            "" => None,
            cap => Some(Cap::parse(cap)?),
        };
        let options = InterrogeOptions {
            cap,
            ..InterrogeOptions::default()
        };
        interroge_with(&settings, sql, &options, control, &mut |_| ())
    }

    /// Requests whose method and end of path are these.
    pub fn sent(&self, method: &str, end: &str) -> Vec<Logged> {
        let log = self.server.log().into_iter();
        log.filter(|logged| logged.method == method && logged.path.ends_with(end))
            .collect()
    }

    /// The requests that start a job.
    pub fn inserted(&self) -> Vec<Logged> {
        let posted = self.sent("POST", "/jobs").into_iter();
        posted
            .filter(|logged| logged.body["configuration"]["dryRun"] != true)
            .collect()
    }
}

/// The lines for the user.
pub fn lines(answer: &Answer) -> Vec<&str> {
    answer.notes.iter().map(|note| note.text.as_str()).collect()
}

/// A column of the rows that came back, as text.
pub fn column(answer: &Answer, name: &str) -> Vec<String> {
    let run = answer.run.as_ref().expect("it ran");
    let table = run.table.as_ref().expect("it has rows");
    let position = table.position(name).expect("the column is there");
    let column = &table.frame().columns()[position];
    let values = column.as_materialized_series().iter();
    values.map(|value| value.str_value().into_owned()).collect()
}
