//! What standard output is: how wide, and whether colours belong there.
//!
//! Asks the operating system and the environment only; it never sends a query to the terminal.

use std::env;
use std::fs::File;
use std::io::IsTerminal;
use std::os::fd::AsFd;

use crate::args::ColourChoice;

/// Width of output that does not go to a terminal: wide enough that few tables wrap.
const PIPE_WIDTH: usize = 120;

/// How to lay out text.
#[derive(Clone, Copy, Debug)]
pub struct Screen {
    /// Terminal cells in a line of a view.
    pub width: usize,
    /// Terminal cells in a line of a result; without bound where lines do not wrap.
    pub result_width: usize,
    /// Whether to use colours.
    pub colour: bool,
}

impl Screen {
    /// Standard output as it is.
    pub fn of_output(choice: ColourChoice) -> Self {
        let terminal = std::io::stdout().is_terminal();
        let width = columns().or_else(|| terminal.then(terminal_width).flatten());
        Self {
            width: width.unwrap_or(PIPE_WIDTH),
            result_width: width.unwrap_or(usize::MAX),
            colour: match choice {
                ColourChoice::Always => true,
                ColourChoice::Never => false,
                ColourChoice::Auto => wants_colour(terminal),
            },
        }
    }

    /// A file.
    pub fn of_file() -> Self {
        Self {
            width: PIPE_WIDTH,
            result_width: usize::MAX,
            colour: false,
        }
    }
}

/// Whether standard output is a file, as behind `>`: what stands in it will be read by more than eyes.
pub fn output_is_file() -> bool {
    let output = std::io::stdout();
    let copy = output.as_fd().try_clone_to_owned().map(File::from);
    copy.and_then(|file| file.metadata())
        .is_ok_and(|metadata| metadata.is_file())
}

/// The variables of <https://no-color.org> and <https://bixense.com/clicolors>.
fn wants_colour(terminal: bool) -> bool {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    if set("NO_COLOR").is_some() {
        return false;
    }
    if set("CLICOLOR_FORCE").is_some_and(|value| value != "0") {
        return true;
    }
    terminal && set("TERM").is_none_or(|value| value != "dumb")
}

fn columns() -> Option<usize> {
    let width: usize = env::var("COLUMNS").ok()?.parse().ok()?;
    (width > 0).then_some(width.clamp(20, 10_000))
}

fn terminal_width() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size()?;
    (width.0 > 0).then_some(usize::from(width.0).max(20))
}
