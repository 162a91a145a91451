//! Where answers go: data to standard output or a file, everything else to standard error.
//!
//! The only place that writes to either; `-o` replaces a file as a whole or leaves it as it was.

mod excerpt;
mod facts;
mod file;
mod sheets;
mod text;

use std::borrow::Cow;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;

use hs_core::format::json::value::document as as_json;
use hs_core::format::json::write::{self as json, infinities_note};
use hs_core::format::{Document, delimited, jsonl};
use hs_core::op::montre::{MontreOptions, montre};
use hs_core::op::sauve::{Data, SauveOptions, Saved, Target, sauve};
use hs_core::sink::{self, SinkOptions};
use hs_core::{Control, Error, ErrorKind, Face, Format, Sheets, Table};

use crate::args::{AnswerArgs, AnswerFormat};
use crate::document;
use crate::exit::Failure;
use crate::progress::Watch;
use crate::render;
use crate::screen::{Screen, output_is_file};

pub use facts::Facts;
pub use sheets::{named, one_of};
pub use text::{give_text, refuse_format, tell};

/// What a command found out.
pub enum Answer<'a> {
    /// A file as a table: a view on a screen, every row in a data format.
    Loaded(&'a Table),
    /// The first and last rows of a table, in every format.
    Excerpt(&'a Table, MontreOptions),
    /// The result of an operation, in full in every format.
    Result {
        /// The result.
        table: &'a Table,
        /// Columns of shares between 0 and 1, read as percentages on a screen.
        shares: &'a [&'a str],
    },
    /// What decris says of columns: in full, its texts as they are.
    Described(&'a Table),
    /// What came of checks: a line each on a screen, unless the user wants quiet; else the table.
    Checked {
        /// The result.
        table: &'a Table,
        /// The same in words.
        lines: &'a [String],
    },
    /// What is told in lines: those on a screen, else the table.
    Told {
        /// The same as a table.
        table: &'a Table,
        /// The lines.
        lines: &'a [String],
    },
    /// All sheets of a workbook: a view of each on a screen, every row in JSON and Markdown.
    Sheets(&'a Sheets, MontreOptions),
    /// A document that is no table, from the source of this name.
    Document(&'a str, &'a Document),
    /// The front and end of such a document.
    DocumentExcerpt(&'a str, &'a Document),
}

/// Takes answers to where the user wants them.
pub struct Output {
    /// None for a file in one of the formats that data is saved in.
    format: Option<AnswerFormat>,
    /// Whether the user named the format.
    named: bool,
    path: Option<PathBuf>,
    control: Arc<Control>,
    quiet: bool,
    screen: Screen,
    progress: Watch,
}

impl Output {
    /// As the command line says. Unless the user wants quiet, the work that uses `control` is shown
    /// to go on until there is an answer.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] when the format of the output file is not known.
    pub fn new(args: &AnswerArgs, control: &Arc<Control>) -> Result<Self, Failure> {
        if let (Some(path), Some(_)) = (&args.output, args.format) {
            file::refuse_other_format(path)?;
        }
        let by_name = args.output.as_deref().map(file::format_of);
        let format = match (args.format, by_name) {
            (Some(format), _) => Some(format),
            (None, Some(by_name)) => by_name?,
            (None, None) => Some(AnswerFormat::Table),
        };
        let quiet = is_quiet(args);
        Ok(Self {
            format,
            named: args.format.is_some(),
            control: Arc::clone(control),
            path: args.output.clone(),
            quiet,
            progress: if quiet {
                Watch::none()
            } else {
                Watch::start(control)
            },
            screen: match &args.output {
                Some(_) => Screen::of_file(),
                None => Screen::of_output(args.color),
            },
        })
    }

    /// True when the user wants to hear of nothing but errors.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Gives an answer: its notes first, then its data. A reader that goes away before the end, as `head`
    /// does, has what it wanted: what the command found out stays as it is, and so does its exit code.
    ///
    /// # Errors
    /// When the answer does not fit the format, or cannot be written.
    pub fn give(&self, answer: &Answer<'_>) -> Result<(), Failure> {
        self.progress.end();
        match self.given(answer) {
            Err(Failure::ReaderGone) => Ok(()),
            done => done,
        }
    }

    fn given(&self, answer: &Answer<'_>) -> Result<(), Failure> {
        match answer {
            Answer::Sheets(sheets, options) => self.give_sheets(sheets, *options),
            Answer::Document(name, document) => self.give_document(name, document, usize::MAX),
            Answer::DocumentExcerpt(name, document) => {
                self.give_document(name, document, render::BUDGET)
            }
            Answer::Loaded(table)
            | Answer::Excerpt(table, _)
            | Answer::Result { table, .. }
            | Answer::Described(table)
            | Answer::Checked { table, .. }
            | Answer::Told { table, .. } => self.give_table(table, answer),
        }
    }

    fn give_table(&self, table: &Table, answer: &Answer<'_>) -> Result<(), Failure> {
        self.say(table.account_for(Face::Shell))?;
        let Screen {
            width,
            result_width,
            colour,
        } = self.screen;
        let shown = match answer {
            Answer::Excerpt(_, options) => {
                Cow::Owned(excerpt::of(table, &options.hidden(table.height()))?)
            }
            _ => Cow::Borrowed(table),
        };
        let notes = table.notes.iter();
        let mut notes: Vec<String> = notes.map(|note| note.line("", Face::Shell)).collect();
        if let Answer::Excerpt(_, options) = answer {
            let hidden = options.hidden(table.height());
            if !hidden.is_empty() && self.format != Some(AnswerFormat::Table) {
                let line = render::hidden_line("row", &hidden);
                self.say([line.clone()])?;
                notes.push(line);
            }
        }
        let (Some(format), control) = (self.format, &*self.control) else {
            return self.save(&shown);
        };
        let lost = self.write(|out| {
            let mut lost = None;
            match format {
                AnswerFormat::Table => {
                    let text = match answer {
                        Answer::Excerpt(_, options) => {
                            render::view(&montre(table, *options), width, colour)
                        }
                        Answer::Result { shares, .. } => {
                            render::table(table, shares, &[], result_width, colour)
                        }
                        Answer::Described(_) => {
                            // Values in `top` stand in quotes already where they need them.
                            let words = ["top", "note"];
                            render::table(table, &["missing"], &words, result_width, colour)
                        }
                        Answer::Checked { .. } if self.quiet && self.path.is_none() => {
                            String::new()
                        }
                        Answer::Told { lines: [], .. } => String::new(),
                        Answer::Checked { lines, .. } | Answer::Told { lines, .. } => {
                            format!("{}\n", lines.join("\n"))
                        }
                        _ => {
                            let view = montre(table, MontreOptions::default());
                            render::view(&view, width, colour)
                        }
                    };
                    out.write_all(text.as_bytes())?;
                }
                AnswerFormat::Csv => {
                    delimited::write::write_answer(&shown, b',', out, control)?;
                }
                AnswerFormat::Md => render::markdown(out, &shown)?,
                AnswerFormat::Jsonl => {
                    let lines = jsonl::write::LINES;
                    lost = infinities_note(json::write_rows(&shown, lines, out, control)?);
                }
                AnswerFormat::Json => {
                    lost = render::json(out, &shown, table.height(), &notes, control)?;
                }
            }
            Ok(lost)
        })?;
        self.say(lost.map(|note| note.text))?;
        if matches!(answer, Answer::Loaded(_)) && self.is_view_in_file() {
            self.tell("hs: a file got a view of the table, for reading; `hs sauve IN OUT` and --format csv give every row");
        }
        Ok(())
    }

    /// Whether what is meant for eyes went behind a `>`.
    fn is_view_in_file(&self) -> bool {
        self.format == Some(AnswerFormat::Table)
            && self.path.is_none()
            && !self.named
            && output_is_file()
    }

    /// Saves a table in the format that the name of the output file asks for.
    fn save(&self, table: &Table) -> Result<(), Failure> {
        let path = self.path.as_deref().unwrap_or(std::path::Path::new(""));
        let options = SauveOptions::default();
        let saved = sauve(path, Data::Table(table), &options, &self.control)?;
        self.say(saved.account(Face::Shell))
    }

    fn give_document(&self, name: &str, document: &Document, budget: usize) -> Result<(), Failure> {
        if !matches!(self.format, Some(AnswerFormat::Table | AnswerFormat::Json)) {
            return Err(document::not_a_table(name, document).into());
        }
        self.say(
            document
                .notes
                .iter()
                .map(|note| format!("{name}: {}", note.told(Face::Shell))),
        )?;
        let (text, lost) = as_json(document);
        let text = document::shortened(text, budget);
        self.write(|out| Ok(out.write_all(text.as_bytes())?))?;
        self.say(infinities_note(lost).map(|note| note.text))
    }

    /// Whether a column of bytes has a place there; text has one only on a screen and in answers.
    pub fn holds_bytes(&self) -> bool {
        let target = self.path.as_deref().and_then(|path| Target::of(path).ok());
        self.format.is_some()
            || target.is_none_or(|target| matches!(target.format, Format::Parquet | Format::Arrow))
    }

    /// Refuses a file of `-o` whose folder is not there or takes no files, before anything is paid for.
    ///
    /// # Errors
    /// As writing it would.
    pub fn refuse_unwritable(&self) -> Result<(), Failure> {
        if let Some(path) = &self.path {
            sink::try_place(path, SinkOptions::default())?;
        }
        Ok(())
    }

    /// Refuses `-o` where the command itself names what it writes.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] when there is one.
    pub fn refuse_path(&self) -> Result<(), Failure> {
        let Some(path) = &self.path else {
            return Ok(());
        };
        let message = format!(
            "expected the file to write as the last FILE, found -o {}",
            path.display()
        );
        let hint = "leave out -o: hs sauve IN OUT";
        Err(Error::new(ErrorKind::Argument, message).hint(hint).into())
    }

    /// Says what was loaded and saved; as data only where a format is asked for.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn saved(&self, loaded: Vec<String>, saved: &Saved) -> Result<(), Failure> {
        self.progress.end();
        self.say(loaded)?;
        let lines = saved.account(Face::Shell);
        if !self.named {
            return self.say(lines);
        }
        self.say(lines.into_iter().take(1))?;
        let table = saved.table()?;
        self.give_table(
            &table,
            &Answer::Result {
                table: &table,
                shares: &[],
            },
        )
    }

    /// Says what a command did: the lines on a screen, else the values.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn give_facts(&self, rows: &[Facts]) -> Result<(), Failure> {
        let names = rows.first().map(Facts::names).unwrap_or_default();
        self.give_facts_of(&names, rows)
    }

    /// The same, where there may be none.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn give_facts_of(&self, names: &[&str], rows: &[Facts]) -> Result<(), Failure> {
        let lines: Vec<String> = rows.iter().map(|row| row.line.clone()).collect();
        self.give(&Answer::Told {
            table: &Facts::table(rows, names)?,
            lines: &lines,
        })
    }

    /// Gives rows as words, aligned, on a screen, and as values elsewhere.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn give_rows(
        &self,
        (shown_names, shown): (&[&str], &[Facts]),
        (names, rows): (&[&str], &[Facts]),
    ) -> Result<(), Failure> {
        let Screen {
            result_width,
            colour,
            ..
        } = self.screen;
        let mut lines = Vec::new();
        if !shown.is_empty() {
            let words = Facts::table(shown, shown_names)?;
            let text = render::table(&words, &[], shown_names, result_width, colour);
            lines.extend(text.lines().map(str::to_owned));
        }
        self.give(&Answer::Told {
            table: &Facts::table(rows, names)?,
            lines: &lines,
        })
    }

    /// Says what goes on, unless the user wants quiet.
    pub fn tell(&self, line: &str) {
        // With nobody there to read it the work goes on.
        let _ = self.say([line.to_owned()]);
    }

    /// Lines for the user, on standard error. With nobody there to read them the data still goes out.
    fn say(&self, lines: impl IntoIterator<Item = String>) -> Result<(), Failure> {
        if self.quiet {
            return Ok(());
        }
        let mut stderr = std::io::stderr().lock();
        let told: std::io::Result<()> = lines
            .into_iter()
            .try_for_each(|line| writeln!(stderr, "{line}"));
        match told.map_err(Failure::from) {
            Err(Failure::ReaderGone) => Ok(()),
            told => told,
        }
    }

    fn write<T>(
        &self,
        work: impl FnOnce(&mut (dyn Write + Send)) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        const BLOCK: usize = 1 << 16;
        if let Some(path) = &self.path {
            let options = SinkOptions {
                compression: file::compression_of(path)?,
                ..SinkOptions::default()
            };
            return Ok(sink::save(path, options, &self.control, work)?.0);
        }
        let mut out = BufWriter::with_capacity(BLOCK, std::io::stdout());
        let done = work(&mut out).and_then(|done| Ok((out.flush()?, done)));
        done.map(|((), done)| done).map_err(Failure::of_stream)
    }
}

fn is_quiet(args: &AnswerArgs) -> bool {
    args.quiet || std::env::var_os("HEADSTART_QUIET").is_some_and(|value| value == "1")
}
