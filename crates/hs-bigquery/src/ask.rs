//! The course of a question: the dry run, the decision, and only then the query.

use hs_core::{Control, Error, ErrorKind, Fix, Note, Table, Topic};

use crate::bytes;
use crate::cap::Cap;
use crate::estimate::{Estimate, Price};
use crate::job::Running;
use crate::settings::Settings;
use crate::transport::{Service, pause, until_stopped};
use crate::unfinished::Unfinished;
use crate::wire::Job;

/// Jobs that are tried for a query that only reads, when the service fails in them.
const JOBS: u32 = 3;

/// How to ask.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InterrogeOptions {
    /// What the query may be billed at most; without it nothing runs but the dry run.
    pub cap: Option<Cap>,
    /// What a TiB costs, to tell what the query costs.
    pub price: Option<Price>,
    /// Whether the rows go where bytes have no place: a query that gives some is refused before it runs.
    pub without_bytes: bool,
}

/// What came of a question.
#[derive(Debug)]
pub struct Answer {
    /// What the dry run says.
    pub estimate: Estimate,
    /// What came of the query; `None` when only its dry run ran.
    pub run: Option<Run>,
    /// What it costs by the estimate, in US dollars, where a price was given.
    pub dollars: Option<f64>,
    /// The same in lines for the user, without the rows.
    pub notes: Vec<Note>,
}

/// A query that ran.
#[derive(Debug)]
pub struct Run {
    /// Its rows; `None` for statements that give none.
    pub table: Option<Table>,
    /// Rows that were inserted, changed or deleted.
    pub changed: Option<u64>,
    /// Bytes that were read.
    pub processed: Option<u64>,
    /// Bytes that are billed.
    pub billed: Option<u64>,
    /// Whether the result was there already, which is free.
    pub cache_hit: Option<bool>,
    /// The id of the job.
    pub job: String,
}

/// Asks BigQuery. Without `cap` only the dry run, which is free; with it the query, too, if the estimate fits.
///
/// Who asks, and where, stands in the environment: GOOGLE_APPLICATION_CREDENTIALS, CLOUDSDK_CORE_PROJECT, and
/// BIGQUERY_EMULATOR_HOST for another place than Google's own.
///
/// # Errors
/// [`ErrorKind::Credentials`] for what is not set or not accepted; [`ErrorKind::Query`] for a query that is refused or
/// fails; [`ErrorKind::Cap`] for one that would be billed more than the cap, with the figures `required` and `cap`;
/// [`ErrorKind::Argument`] for an empty query and for scripts with a cap; [`ErrorKind::Service`] when nobody answers;
/// [`ErrorKind::Interrupted`] after the job was cancelled, when `control` says stop.
pub fn interroge(
    sql: &str,
    options: &InterrogeOptions,
    control: &Control,
) -> Result<Answer, Error> {
    not_empty(sql)?;
    let settings = Settings::from_environment()?;
    interroge_with(&settings, sql, options, control, &mut |_| ())
}

fn not_empty(sql: &str) -> Result<(), Error> {
    if sql.trim().is_empty() {
        let hint = "\"SELECT name FROM dataset.table\"";
        return Err(Error::new(ErrorKind::Argument, "expected a query, found nothing").hint(hint));
    }
    Ok(())
}

/// The same as somebody else, or somewhere else, than the environment says; `estimated` hears of the dry run as soon as
/// it is there.
///
/// # Errors
/// As [`interroge`].
pub fn interroge_with(
    settings: &Settings,
    sql: &str,
    options: &InterrogeOptions,
    control: &Control,
    estimated: &mut dyn FnMut(&Estimate),
) -> Result<Answer, Error> {
    let sql = sql.strip_prefix('\u{feff}').unwrap_or(sql);
    not_empty(sql)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.map_err(|error| {
        Error::new(ErrorKind::Internal, format!("cannot start: {error}")).because(error)
    })?;
    let answer = runtime.block_on(async {
        let service = Service::new(settings, control)?;
        control.start_input("BigQuery", 1, 1);
        control.start("dry run", 0);
        let estimate = Estimate::ask(&service, sql).await?;
        estimated(&estimate);
        match options.cap {
            None => Ok(only_estimated(estimate, options)),
            Some(cap) => ran(&service, sql, cap, estimate, options).await,
        }
    });
    // A name that is still being looked up is not waited for.
    runtime.shutdown_background();
    answer
}

fn only_estimated(estimate: Estimate, options: &InterrogeOptions) -> Answer {
    let mut notes = notes(&estimate, options);
    notes.push(match estimate.uncappable() {
        Some(error) => Note::new(Topic::Result, error.message()),
        None => {
            let fix = Fix::text("cap", estimate.roomy_cap());
            let text = if estimate.is_open() {
                format!(
                    "nothing was run: {fix} runs it if that is enough, which only BigQuery knows"
                )
            } else {
                format!("nothing was run: {fix} runs it")
            };
            Note::new(Topic::Result, text).fix(fix)
        }
    });
    Answer {
        dollars: options.price.map(|price| estimate.dollars(price)),
        estimate,
        run: None,
        notes,
    }
}

async fn ran(
    service: &Service<'_>,
    sql: &str,
    cap: Cap,
    estimate: Estimate,
    options: &InterrogeOptions,
) -> Result<Answer, Error> {
    if let Some(error) = estimate.uncappable().or_else(|| estimate.beyond(cap)) {
        return Err(error);
    }
    if options.without_bytes && estimate.has_bytes {
        let message = "the result has a column of BYTES, which has no place there; nothing was run";
        return Err(Error::new(ErrorKind::Type, message)
            .hint("TO_HEX(column) AS column, or a file of another format"));
    }
    let mut tries = 0;
    let run = loop {
        tries += 1;
        let job = Running::new(service, sql, cap, &estimate);
        match whole(&job).await {
            Ok(run) => break run,
            // What changes tables is not tried again.
            Err(Unfinished::Again(_)) if tries < JOBS && job.selects => {
                until_stopped(service.control(), tokio::time::sleep(pause(tries))).await?;
            }
            Err(unfinished) => return Err(given_up(&job, unfinished).await),
        }
    };
    let mut notes = notes(&estimate, options);
    notes.push(Note::new(Topic::Result, billed(&run, cap)));
    if let Some(changed) = run.changed {
        let noun = if changed == 1 { "row" } else { "rows" };
        notes.push(Note::new(
            Topic::Result,
            format!("{changed} {noun} changed"),
        ));
    }
    notes.extend(
        run.table
            .iter()
            .flat_map(|table| table.notes.iter().cloned()),
    );
    Ok(Answer {
        dollars: options.price.map(|price| estimate.dollars(price)),
        estimate,
        run: Some(run),
        notes,
    })
}

/// The error of a job that gave no result. One that may run is cancelled first.
async fn given_up(job: &Running<'_>, unfinished: Unfinished) -> Error {
    let error = match unfinished {
        Unfinished::Unknown(error) => error,
        other => return other.told(&job.id, job.selects),
    };
    let cancelled = job.cancel().await;
    if error.kind() != ErrorKind::Interrupted {
        return Unfinished::Unknown(error).told(&job.id, job.selects);
    }
    let told = if cancelled {
        "BigQuery stops"
    } else {
        "BigQuery did not confirm that it stops"
    };
    Error::new(error.kind(), format!("stopped; {told} job {}", job.id))
}

async fn whole(job: &Running<'_>) -> Result<Run, Unfinished> {
    job.start().await?;
    let (rows, page) = job.rows().await?;
    // The rows are there; that nobody tells their bill does not take them away.
    let told = match job.bill().await {
        Err(error) if error.kind() == ErrorKind::Interrupted => {
            return Err(Unfinished::Billed(error));
        }
        told => told.unwrap_or_default(),
    };
    // Statements that change something may have the columns of what they made, but no rows.
    let gives_rows = rows.has_columns() && (job.selects || rows.height() > 0);
    let table = if gives_rows {
        Some(rows.table().map_err(Unfinished::Billed)?)
    } else {
        None
    };
    Ok(run(job, &told, &page, table))
}

fn run(job: &Running<'_>, told: &Job, page: &crate::rows::Page, table: Option<Table>) -> Run {
    Run {
        table,
        changed: told.changed().or(page.changed_rows),
        processed: told.processed().or(page.processed),
        billed: told.billed(),
        cache_hit: told.cache_hit().or(page.cache_hit),
        job: job.id.clone(),
    }
}

fn notes(estimate: &Estimate, options: &InterrogeOptions) -> Vec<Note> {
    let lines = estimate.lines(options.price).into_iter();
    lines.map(|line| Note::new(Topic::Result, line)).collect()
}

fn billed(run: &Run, cap: Cap) -> String {
    let told = |bytes: Option<u64>| {
        bytes.map_or_else(|| "an unknown number of bytes".to_owned(), bytes::told)
    };
    let cache = match run.cache_hit {
        Some(true) => "from the cache",
        Some(false) => "not from the cache",
        None => "from the cache or not",
    };
    format!(
        "billed {}, at most {} allowed; processed {}, {cache}; job {}",
        told(run.billed),
        bytes::told(cap.bytes()),
        told(run.processed),
        run.job
    )
}
