//! Where answers go: data to standard output or a file, everything else to standard error.
//!
//! The only file that writes to either; `-o` replaces a file as a whole or leaves it as it was.

mod file;
mod sheets;

use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;

use hs_core::format::Document;
use hs_core::op::montre::{MontreOptions, montre};
use hs_core::{Control, Face, Sheets, Table};

use crate::args::{AnswerArgs, AnswerFormat};
use crate::document;
use crate::exit::Failure;
use crate::progress::Watch;
use crate::render::{self, Lost};
use crate::screen::Screen;

pub use sheets::one_of;

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
    /// All sheets of a workbook: a view of each on a screen, every row in JSON and Markdown.
    Sheets(&'a Sheets, MontreOptions),
    /// A document that is no table, from the source of this name.
    Document(&'a str, &'a Document),
    /// The front and end of such a document.
    DocumentExcerpt(&'a str, &'a Document),
}

/// Takes answers to where the user wants them.
pub struct Output {
    format: AnswerFormat,
    path: Option<PathBuf>,
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
        let by_name = args.output.as_deref().map(file::format_of);
        let format = match (args.format, by_name) {
            (Some(format), _) => format,
            (None, Some(by_name)) => by_name?,
            (None, None) => AnswerFormat::Table,
        };
        let quiet = std::env::var_os("HEADSTART_QUIET").is_some_and(|value| value == "1");
        let quiet = args.quiet || quiet;
        Ok(Self {
            format,
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

    /// Gives an answer: its notes first, then its data.
    ///
    /// # Errors
    /// When the answer does not fit the format, or cannot be written.
    pub fn give(&self, answer: &Answer<'_>) -> Result<(), Failure> {
        self.progress.end();
        match answer {
            Answer::Sheets(sheets, options) => self.give_sheets(sheets, *options),
            Answer::Document(name, document) => self.give_document(name, document, usize::MAX),
            Answer::DocumentExcerpt(name, document) => {
                self.give_document(name, document, render::BUDGET)
            }
            Answer::Loaded(table) | Answer::Excerpt(table, _) | Answer::Result { table, .. } => {
                self.give_table(table, answer)
            }
        }
    }

    fn give_table(&self, table: &Table, answer: &Answer<'_>) -> Result<(), Failure> {
        self.say(table.account_for(Face::Shell))?;
        let Screen {
            width,
            result_width,
            colour,
        } = self.screen;
        let frames = match answer {
            Answer::Excerpt(_, options) => {
                let hidden = options.hidden(table.height());
                let (head, tail) = (hidden.start, table.height() - hidden.end);
                vec![
                    table.frame().head(Some(head)),
                    table.frame().tail(Some(tail)),
                ]
            }
            _ => vec![table.frame().clone()],
        };
        let notes = table.notes.iter();
        let mut notes: Vec<String> = notes.map(|note| note.line("", Face::Shell)).collect();
        if let Answer::Excerpt(_, options) = answer {
            let hidden = options.hidden(table.height());
            if !hidden.is_empty() && self.format != AnswerFormat::Table {
                let line = render::hidden_line("row", &hidden);
                self.say([line.clone()])?;
                notes.push(line);
            }
        }
        let mut lost = Lost::default();
        self.write(|out| {
            match self.format {
                AnswerFormat::Table => {
                    let text = match answer {
                        Answer::Excerpt(_, options) => {
                            render::view(&montre(table, *options), width, colour)
                        }
                        Answer::Result { shares, .. } => {
                            render::table(table, shares, result_width, colour)
                        }
                        _ => {
                            let view = montre(table, MontreOptions::default());
                            render::view(&view, width, colour)
                        }
                    };
                    out.write_all(text.as_bytes())?;
                }
                AnswerFormat::Csv => render::csv(out, table.columns(), &frames)?,
                AnswerFormat::Md => render::markdown(out, table.columns(), &frames)?,
                AnswerFormat::Jsonl => lost = render::jsonl(out, table.columns(), &frames)?,
                AnswerFormat::Json => {
                    lost = render::json(out, table, &frames, &notes)?;
                }
            }
            Ok(())
        })?;
        self.say(lost.line())
    }

    fn give_document(&self, name: &str, document: &Document, budget: usize) -> Result<(), Failure> {
        if !matches!(self.format, AnswerFormat::Table | AnswerFormat::Json) {
            return Err(document::not_a_table(name, document).into());
        }
        self.say(
            document
                .notes
                .iter()
                .map(|note| format!("{name}: {}", note.told(Face::Shell))),
        )?;
        let (text, lost) = document::indented(document);
        let text = document::shortened(text, budget);
        self.write(|out| Ok(out.write_all(text.as_bytes())?))?;
        self.say(lost.line())
    }

    /// Lines for the user, on standard error.
    fn say(&self, lines: impl IntoIterator<Item = String>) -> Result<(), Failure> {
        if self.quiet {
            return Ok(());
        }
        let mut stderr = std::io::stderr().lock();
        for line in lines {
            writeln!(stderr, "{line}")?;
        }
        Ok(())
    }

    fn write(
        &self,
        work: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        const BLOCK: usize = 1 << 16;
        if let Some(path) = &self.path {
            return file::replace(path, work);
        }
        let mut out = BufWriter::with_capacity(BLOCK, std::io::stdout().lock());
        work(&mut out)?;
        Ok(out.flush()?)
    }
}
