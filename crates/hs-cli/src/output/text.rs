//! Text that is no answer about data, such as a script: it has one form, and goes where `-o` says.

use std::io::Write;

use hs_core::sink::{self, SinkOptions};
use hs_core::{Control, Error, ErrorKind};

use crate::args::{AnswerArgs, AnswerFormat};
use crate::exit::Failure;

/// Gives a text.
///
/// # Errors
/// For a format of data, and when it cannot be written.
pub fn give_text(answer: &AnswerArgs, text: &str) -> Result<(), Failure> {
    if answer
        .format
        .is_some_and(|format| format != AnswerFormat::Table)
    {
        let message = "expected no --format, found one: this is text and has no other form";
        return Err(Error::new(ErrorKind::Argument, message).into());
    }
    let work = |out: &mut (dyn Write + Send)| -> Result<(), Failure> {
        Ok(out.write_all(text.as_bytes())?)
    };
    match &answer.output {
        Some(path) => {
            sink::save(path, SinkOptions::default(), &Control::default(), work)?;
            Ok(())
        }
        None => {
            let mut out = std::io::stdout();
            work(&mut out)
                .and_then(|()| Ok(out.flush()?))
                .map_err(Failure::of_stream)
        }
    }
}

/// Refuses a format and a file where a command speaks in a form of its own.
///
/// # Errors
/// [`ErrorKind::Argument`] when there is one.
pub fn refuse_format(answer: &AnswerArgs, command: &str) -> Result<(), Failure> {
    let option = match (answer.format, &answer.output) {
        (None, None) => return Ok(()),
        (Some(_), _) => "--format",
        (None, Some(_)) => "-o",
    };
    let message = format!("{command}: expected no {option}, found one: it has a form of its own");
    let hint = format!("leave out {option}");
    Err(Error::new(ErrorKind::Argument, message).hint(hint).into())
}

/// Says what was done, unless the user wants quiet.
pub fn tell(answer: &AnswerArgs, line: &str) {
    if !super::is_quiet(answer) {
        // With nobody there to read it the work is done all the same.
        let _ = writeln!(std::io::stderr().lock(), "{line}");
    }
}
