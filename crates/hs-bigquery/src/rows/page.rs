//! Replies of `queries.getResults`, page by page: what each says of the job, and its rows into the columns. Their
//! keys come in any order; those that are not known are passed over.

use hs_core::{Control, Error, ErrorKind, Place, Result, Table};

use super::column::{Column, row};
use super::finish;
use super::reader::Reader;
use super::schema::{self, Field};

/// Rows that a table can count.
const MOST_ROWS: usize = u32::MAX as usize - 1;
/// Bytes between two looks at the stop request.
const STEP: usize = 1 << 18;

/// What a reply says besides its rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// False while the job runs: ask again.
    pub complete: bool,
    /// What to ask the next page with; `None` on the last one.
    pub token: Option<String>,
    /// Rows of the whole result, as BigQuery counts them.
    pub total_rows: Option<u64>,
    /// Rows that DML changed.
    pub changed_rows: Option<u64>,
    /// Whether the result came from the cache, which costs nothing.
    pub cache_hit: Option<bool>,
    /// Bytes that the query read.
    pub processed: Option<u64>,
}

/// The rows of all pages so far. After an error from [`Rows::page`] they are of no use any more, and every
/// later call says so.
#[derive(Debug, Default)]
pub struct Rows {
    schema: Option<Vec<Field>>,
    columns: Vec<Column>,
    height: usize,
    broken: bool,
}

impl Rows {
    /// No rows, and no columns yet: the first complete page brings them.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads one reply and adds its rows.
    ///
    /// # Errors
    /// [`ErrorKind::Format`] for what is no such reply, with its byte; for a cell that is not what its type says, with its
    /// column and row; for a schema other than that of the pages before. [`ErrorKind::Interrupted`] on a stop
    /// request.
    pub fn page(&mut self, body: &[u8], control: &Control) -> Result<Page> {
        self.usable()?;
        self.broken = true;
        let text = simdutf8::compat::from_utf8(body).map_err(|error| {
            Error::new(
                ErrorKind::Format,
                "expected a reply in UTF-8, found other bytes",
            )
            .at(Place::default().byte(error.valid_up_to() as u64))
        })?;
        let page = self.read(Reader::new(text), control)?;
        self.broken = false;
        Ok(page)
    }

    /// False as long as no schema came, and for statements without a result.
    pub fn has_columns(&self) -> bool {
        !self.columns.is_empty()
    }

    /// Rows so far.
    pub fn height(&self) -> usize {
        self.height
    }

    /// The table of all rows, with notes on what is not of the type that one might expect.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`] after an error of [`Rows::page`].
    pub fn table(self) -> Result<Table> {
        self.usable()?;
        finish::table(self.height, self.columns)
    }

    fn usable(&self) -> Result<()> {
        if self.broken {
            let message = "expected no use of rows after a page that could not be read";
            return Err(Error::new(ErrorKind::Internal, message));
        }
        Ok(())
    }

    fn read(&mut self, mut reader: Reader<'_>, control: &Control) -> Result<Page> {
        const KEYS: [&str; 8] = [
            "jobComplete",
            "schema",
            "rows",
            "pageToken",
            "totalRows",
            "numDmlAffectedRows",
            "cacheHit",
            "totalBytesProcessed",
        ];
        let mut page = Page::default();
        let mut seen = [false; KEYS.len()];
        let (mut added, mut waiting) = (0, None);
        let mut more = reader.open(b'{', b'}')?;
        while more {
            let key = reader.key(&KEYS)?;
            if key.is_some_and(|key| std::mem::replace(&mut seen[key], true)) {
                return Err(reader.fault("every key once in a reply"));
            }
            match key {
                Some(0) => page.complete = truth(&mut reader)?.unwrap_or_default(),
                Some(1) => {
                    let fields = schema::read(&mut reader)?;
                    self.take(fields)?;
                }
                Some(2) if self.schema.is_none() => {
                    waiting = Some(reader.at());
                    reader.skip()?;
                }
                Some(2) => added = self.rows(&mut reader, control)?,
                Some(3) => {
                    let token = reader.words()?.filter(|token| !token.is_empty());
                    page.token = token.map(str::to_owned);
                }
                Some(4) => page.total_rows = count(&mut reader)?,
                Some(5) => page.changed_rows = count(&mut reader)?,
                Some(6) => page.cache_hit = truth(&mut reader)?,
                Some(_) => page.processed = count(&mut reader)?,
                None => reader.skip()?,
            }
            more = reader.more(b'}')?;
        }
        reader.end()?;
        if let Some(at) = waiting {
            added = self.rows(&mut reader.from(at), control)?;
        }
        if !seen[0] {
            let message =
                "expected a reply that says whether the job is complete, found none (jobComplete)";
            return Err(Error::new(ErrorKind::Format, message));
        }
        if !page.complete && added > 0 {
            let message = format!("expected no rows of a job that is not complete, found {added}");
            return Err(Error::new(ErrorKind::Format, message));
        }
        Ok(page)
    }

    /// Takes the schema of a page: the first one makes the columns, the others have to be the same.
    fn take(&mut self, fields: Vec<Field>) -> Result<()> {
        match &self.schema {
            None => {
                self.columns = fields.iter().map(Column::new).collect();
                self.schema = Some(fields);
                Ok(())
            }
            Some(known) if *known == fields => Ok(()),
            Some(known) => Err(other_schema(known, &fields)),
        }
    }

    /// Reads the list of rows and says how many there are.
    fn rows(&mut self, reader: &mut Reader<'_>, control: &Control) -> Result<usize> {
        let before = self.height;
        if reader.null() {
            return Ok(0);
        }
        let mut checked = reader.at();
        let mut more = reader.open(b'[', b']')?;
        while more {
            if self.columns.is_empty() {
                return Err(reader.fault("no rows where there are no columns"));
            }
            if self.height == MOST_ROWS {
                let message = format!("expected at most {MOST_ROWS} rows, found more");
                return Err(Error::new(ErrorKind::Format, message));
            }
            let number = self.height as u64 + 1;
            row(reader, &mut self.columns)
                .map_err(|error| error.at(Place::default().row(number)))?;
            self.height += 1;
            if reader.at() - checked > STEP {
                checked = reader.at();
                control.check()?;
            }
            more = reader.more(b']')?;
        }
        Ok(self.height - before)
    }
}

/// A count in quotes, as the API has 64-bit numbers, or without.
fn count(reader: &mut Reader<'_>) -> Result<Option<u64>> {
    let start = reader.at();
    match reader.words()?.map(str::parse::<u64>) {
        None => Ok(None),
        Some(Ok(count)) => Ok(Some(count)),
        Some(Err(_)) => Err(reader.from(start).fault("a count")),
    }
}

fn truth(reader: &mut Reader<'_>) -> Result<Option<bool>> {
    let start = reader.at();
    match reader.words()? {
        None => Ok(None),
        Some("true") => Ok(Some(true)),
        Some("false") => Ok(Some(false)),
        Some(_) => Err(reader.from(start).fault("true or false")),
    }
}

#[cold]
fn other_schema(known: &[Field], fields: &[Field]) -> Error {
    let column = known.iter().zip(fields).find(|(one, other)| one != other);
    let (what, place) = match column {
        Some((one, _)) => ("another column", Place::default().column(&one.name)),
        None => ("another number of columns", Place::default()),
    };
    let message = format!("expected the columns of the pages before, found {what}");
    Error::new(ErrorKind::Format, message).at(place)
}
