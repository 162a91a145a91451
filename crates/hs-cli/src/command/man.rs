//! `hs man`: a manual page on standard output, or all of them in a folder.

use hs_core::sink::{self, SinkOptions};
use hs_core::{Control, Error, ErrorKind, Place};

use crate::args::{AnswerArgs, ManArgs};
use crate::exit::Failure;
use crate::manual;
use crate::output::{give_text, tell};

/// Runs the command.
///
/// # Errors
/// When there is no such command, or the pages cannot be written.
pub fn run(args: &ManArgs, answer: &AnswerArgs) -> Result<(), Failure> {
    let Some(folder) = &args.out else {
        return give_text(answer, &manual::page(&args.command)?);
    };
    std::fs::create_dir_all(folder).map_err(|error| {
        let message = format!("cannot make the folder: {error}");
        Error::new(ErrorKind::Io, message)
            .at(Place::source(folder.display().to_string()))
            .because(error)
    })?;
    let pages = manual::pages()?;
    for (name, page) in &pages {
        let options = SinkOptions::default();
        let work = |out: &mut (dyn std::io::Write + Send)| -> Result<(), Failure> {
            Ok(out.write_all(page.as_bytes())?)
        };
        sink::save(&folder.join(name), options, &Control::default(), work)?;
    }
    let count = pages.len();
    tell(answer, &format!("{}: {count} pages", folder.display()));
    Ok(())
}
