//! What `hs kernel run` shows of a cell: its output as it comes, the result as one object, or the lines as they are.

use std::io::{self, ErrorKind as Io, Write};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hs_core::{Error, ErrorKind, Place};
use serde_json::Value;

use super::find::text;
use crate::args::{AnswerArgs, AnswerFormat};
use crate::exit::{DIFFERS, Failure, USAGE};

/// What a line means for the call.
pub enum Ending {
    /// More lines come.
    GoesOn,
    /// The cell is done.
    Done,
    /// It raised or was interrupted, or its kernel is lost: the exit code.
    Raised(u8),
    /// There is no result.
    Refused,
}

/// Shows the lines of one cell.
pub struct Shown {
    format: AnswerFormat,
    quiet: bool,
    folder: Option<PathBuf>,
    figures: usize,
    /// The reader of our output went away; the cell goes on to its end.
    unread: bool,
}

impl Shown {
    /// As the command line says.
    ///
    /// # Errors
    /// For a format in which a cell has no form, and for a file: the shell has `>` for it.
    pub fn new(answer: &AnswerArgs, images: Option<&Path>) -> Result<Self, Failure> {
        let format = answer.format.unwrap_or(AnswerFormat::Table);
        if matches!(format, AnswerFormat::Csv | AnswerFormat::Md) || answer.output.is_some() {
            let message = "expected the output of a cell as it is, or --format json or jsonl, found another format or -o";
            return Err(Error::new(ErrorKind::Argument, message).into());
        }
        if let Some(folder) = images {
            std::fs::create_dir_all(folder).map_err(|error| not_written(folder, &error))?;
        }
        Ok(Self {
            format,
            quiet: answer.quiet,
            folder: images.map(Path::to_owned),
            figures: 0,
            unread: false,
        })
    }

    /// Shows a line.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn show(&mut self, line: &Value) -> Result<Ending, Failure> {
        let kind = text(line, "type");
        if self.format == AnswerFormat::Jsonl {
            self.out(&format!("{line}\n"))?;
        }
        match kind {
            "output" if self.format == AnswerFormat::Table => self.output(line)?,
            "image" => self.figure(line)?,
            "result" => return self.result(line),
            // The result has them all at the end.
            "error" => return Ok(Ending::Refused),
            _ => {}
        }
        Ok(Ending::GoesOn)
    }

    /// Shows a result whose events nobody heard.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn whole(&mut self, line: &Value) -> Result<Ending, Failure> {
        if self.format == AnswerFormat::Table {
            self.out(text(line, "output"))?;
        }
        for figure in line["images"].as_array().into_iter().flatten() {
            self.figure(figure)?;
        }
        self.show(line)
    }

    fn output(&mut self, line: &Value) -> Result<(), Failure> {
        let shown = text(line, "text");
        match text(line, "kind") {
            "stderr" | "error" => {
                // With nobody there to read it the cell goes on.
                let _ = io::stderr().lock().write_all(shown.as_bytes());
                Ok(())
            }
            _ => self.out(shown),
        }
    }

    fn figure(&mut self, line: &Value) -> Result<(), Failure> {
        self.figures += 1;
        let Some(folder) = &self.folder else {
            return Ok(());
        };
        let extension = match text(line, "mime") {
            "image/jpeg" => "jpg",
            "image/svg+xml" => "svg",
            _ => "png",
        };
        let bytes = STANDARD.decode(text(line, "data")).map_err(|error| {
            Error::new(
                ErrorKind::Internal,
                format!("a figure that is no base64: {error}"),
            )
        })?;
        let path = write_new(folder, extension, &bytes)?;
        self.say(&format!("figure: {}", path.display()));
        Ok(())
    }

    fn result(&mut self, line: &Value) -> Result<Ending, Failure> {
        if self.format == AnswerFormat::Json {
            self.out(&format!("{line}\n"))?;
        }
        if self.format == AnswerFormat::Table {
            for notice in line["notices"].as_array().into_iter().flatten() {
                self.say(text(notice, "text"));
            }
            if line["truncated"] == true {
                self.say(&format!(
                    "all of the output: {}",
                    text(line, "full_output_path")
                ));
            }
            match self.figures {
                _ if self.folder.is_some() => {}
                0 => {}
                1 => self.say("1 figure; --images FOLDER saves it"),
                many => self.say(&format!("{many} figures; --images FOLDER saves them")),
            }
        }
        Ok(match (text(line, "status"), text(line, "state")) {
            (_, "lost") => Ending::Raised(USAGE),
            ("ok", _) => Ending::Done,
            _ => Ending::Raised(DIFFERS),
        })
    }

    fn out(&mut self, shown: &str) -> Result<(), Failure> {
        if self.unread {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        match out.write_all(shown.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() == Io::BrokenPipe => {
                self.unread = true;
                Ok(())
            }
            done => Ok(done?),
        }
    }

    /// A line besides the output.
    pub fn say(&self, line: &str) {
        if !self.quiet {
            let _ = writeln!(io::stderr().lock(), "hs: {line}");
        }
    }
}

/// Writes a figure under a name that is free.
fn write_new(folder: &Path, extension: &str, bytes: &[u8]) -> Result<PathBuf, Failure> {
    let mut number = 1;
    loop {
        let path = folder.join(format!("figure-{number}.{extension}"));
        match std::fs::File::create_new(&path) {
            Ok(mut file) => {
                let written = file.write_all(bytes);
                written.map_err(|error| not_written(&path, &error))?;
                return Ok(path);
            }
            Err(error) if error.kind() == Io::AlreadyExists => number += 1,
            Err(error) => return Err(not_written(&path, &error)),
        }
    }
}

fn not_written(path: &Path, error: &io::Error) -> Failure {
    let message = format!("cannot be written: {error}");
    let place = Place::source(path.display().to_string());
    Error::new(ErrorKind::Io, message).at(place).into()
}
