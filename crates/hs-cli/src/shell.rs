//! One run of the program: parse, work, report. Never ends the process itself.

use std::ffi::OsString;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

use clap::Parser;
use hs_core::{Control, Error, ErrorKind, Face};

use crate::args::{Arguments, FIRST};
use crate::complete;
use crate::elsewhere;
use crate::exit::{self, Failure};
use crate::inside::Running;

/// Runs `hs` with the given arguments, the program's name first, and gives its exit code:
/// 0 done (also when the reader of a pipe went away), 1 a difference or a failed check, 2 wrong usage
/// or unreadable input, 130 interrupted.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    run_inside(arguments, &|| None)
}

/// The same inside of a Python, which is asked for only by commands that need it.
pub fn run_inside(arguments: impl IntoIterator<Item = OsString>, inside: Running<'_>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if complete::answered(&arguments) {
        return exit::DONE;
    }
    if arguments.len() == 1 {
        // With standard error gone there is nobody to tell.
        let _ = std::io::stderr().lock().write_all(FIRST.as_bytes());
        return exit::USAGE;
    }
    let arguments = conditions_apart(arguments);
    let arguments = match Arguments::try_parse_from(&arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            let error = elsewhere::told(error, &arguments);
            // Help and version come this way, too. A reader that went away is no failure.
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(exit::USAGE);
        }
    };
    let work = AssertUnwindSafe(|| crate::command::run(&arguments, inside));
    let result = catch_unwind(work).unwrap_or_else(|_| Err(Failure::Error(panicked())));
    match result {
        Ok(()) | Err(Failure::ReaderGone) => exit::DONE,
        Err(Failure::Differs) => exit::DIFFERS,
        Err(Failure::Ended(code)) => code,
        Err(Failure::Failed(text)) => {
            let _ = writeln!(std::io::stderr().lock(), "hs: {text}");
            exit::DIFFERS
        }
        // Whoever pressed Ctrl-C knows.
        Err(Failure::Error(error)) if error.message() == Control::STOPPED => {
            exit::code(error.kind())
        }
        Err(Failure::Error(error)) => {
            // With standard error gone there is nobody left to tell.
            let _ = writeln!(std::io::stderr().lock(), "hs: {}", error.told(Face::Shell));
            exit::code(error.kind())
        }
    }
}

/// The arguments, with a space before what begins with a minus and would be taken for options: a condition of `hs
/// verifie`, a query of `hs interroge` that begins with a comment.
fn conditions_apart(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let is = |argument: &OsString, words: &[&str]| words.iter().any(|word| argument == word);
    let conditions = |argument: &OsString| is(argument, &["verifie", "check"]);
    let queries = |argument: &OsString| is(argument, &["interroge", "query"]);
    let command = arguments
        .iter()
        .position(|argument| conditions(argument) || queries(argument));
    let Some(command) = command else {
        return arguments;
    };
    let is_query = queries(&arguments[command]);
    for place in command + 1..arguments.len() {
        let before = &arguments[place - 1];
        if is(before, &["--"]) {
            break;
        }
        let text = arguments[place].to_str().unwrap_or_default();
        let apart = if is_query {
            // No option has a line end, or a blank right behind its dashes.
            text.starts_with('-') && (text.contains('\n') || text.starts_with("-- "))
        } else {
            // What no option has, -o=FILE left out.
            text.starts_with('-')
                && !text.starts_with("--")
                && !text.starts_with("-o=")
                && text.contains([' ', '<', '>', '=', '('])
        };
        if apart && !is(before, &["--sheet", "-o", "--output"]) {
            arguments[place] = format!(" {text}").into();
        }
    }
    arguments
}

fn panicked() -> Error {
    Error::new(ErrorKind::Internal, "headstart itself failed on this input")
        .hint("please report it with the file, if you can")
}
