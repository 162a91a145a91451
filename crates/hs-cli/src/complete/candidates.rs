//! The words that could follow a line: commands, options and fixed values as clap knows them, and names that its files and
//! sessions have. What the shell can complete better itself, paths, is left to it.

use std::iter::once;
use std::sync::{Arc, Mutex, PoisonError};

use clap::{Arg, ArgMatches, Command, CommandFactory};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, complete};
use hs_core::op::joins::{How, Validate};

use super::files::{Files, Which};
use super::names;
use super::words::Line;
use crate::args::Arguments;

/// What stands in the line before the word at the cursor.
pub struct Given {
    matches: Option<ArgMatches>,
    /// What the shell is to complete itself.
    left_to_shell: Mutex<Option<&'static str>>,
}

impl Given {
    fn of(words: &[String]) -> Self {
        let line = once("hs").chain(words.iter().map(String::as_str));
        let command = Arguments::command().ignore_errors(true);
        let mut matches = command.try_get_matches_from(line).ok();
        // Of the innermost command: options of all commands are known there, too.
        while let Some((_, inner)) = matches.as_mut().and_then(ArgMatches::remove_subcommand) {
            matches = Some(inner);
        }
        Self {
            matches,
            left_to_shell: Mutex::default(),
        }
    }

    /// The values of an argument, as they are typed.
    pub fn texts(&self, id: &str) -> Vec<String> {
        let matches = self.matches.as_ref();
        let values = matches.and_then(|matches| matches.try_get_raw(id).ok().flatten());
        let values = values.into_iter().flatten();
        values
            .map(|value| value.to_string_lossy().into_owned())
            .collect()
    }

    /// The value of an argument, as it was understood.
    pub fn value<T: Clone + Send + Sync + 'static>(&self, id: &str) -> Option<T> {
        let matches = self.matches.as_ref()?;
        matches.try_get_one::<T>(id).ok().flatten().cloned()
    }

    fn leave(&self, what: &'static str) -> Vec<Name> {
        let left = self.left_to_shell.lock();
        *left.unwrap_or_else(PoisonError::into_inner) = Some(what);
        Vec::new()
    }
}

/// A candidate, and what describes it.
pub type Name = (String, Option<String>);

/// The answer for a script: in the first line what the shell is to do, then a candidate a line.
pub fn of(line: &Line) -> String {
    let Some((current, before)) = line.words.split_last() else {
        return String::new();
    };
    let given = Arc::new(Given::of(before));
    let mut command = offering(Arguments::command(), &given);
    let words = once("hs").chain(line.words.iter().map(String::as_str));
    let words: Vec<_> = words.map(Into::into).collect();
    let at = words.len() - 1;
    let found = complete(&mut command, words, at, None).unwrap_or_default();
    let mut found: Vec<Name> = found.iter().filter_map(shown).collect();
    if before.is_empty() {
        own_names(&command, current, &mut found);
    }
    let left = *given
        .left_to_shell
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    // Options are offered to those who begin one, and where nothing else can stand.
    if !current.starts_with('-') {
        let is_option = |(value, _): &Name| value.starts_with('-');
        if left.is_some() || !found.iter().all(is_option) {
            found.retain(|name| !is_option(name));
        }
    }
    let unfinished = !found.is_empty() && found.iter().all(|(value, _)| value.ends_with('='));
    let what = match left.filter(|_| found.is_empty()) {
        Some(left) => left,
        None if unfinished => "words unfinished",
        None => "words",
    };
    let mut answer = format!("{what}\n");
    for (value, help) in found {
        if value.get(..line.kept) != current.get(..line.kept) {
            continue;
        }
        answer += &value[line.kept..];
        if let Some(help) = help.filter(|_| line.described) {
            answer += "\t";
            answer += &help;
        }
        answer.push('\n');
    }
    answer
}

/// Gives commands their own names where an alias was found that nobody has begun to type.
fn own_names(command: &Command, current: &str, found: &mut [Name]) {
    for (value, _) in found {
        let inner = command.find_subcommand(&*value).map(Command::get_name);
        if let Some(name) = inner.filter(|name| name.starts_with(current)) {
            name.clone_into(value);
        }
    }
}

/// A candidate that can be typed, with the first line of what describes it.
fn shown(found: &CompletionCandidate) -> Option<Name> {
    let value = found.get_value().to_str()?;
    let help = found.get_help().map(ToString::to_string);
    let help = help.and_then(|help| help.lines().next().map(str::to_owned));
    (!value.is_empty() && !value.contains(char::is_control)).then(|| (value.to_owned(), help))
}

/// The command with what is known of its values.
fn offering(command: Command, given: &Arc<Given>) -> Command {
    let name = command.get_name().to_owned();
    command
        .mut_args(|arg| match offer(&name, &arg) {
            None => arg,
            Some(offer) => {
                let given = Arc::clone(given);
                arg.add(ArgValueCompleter::new(move |current: &std::ffi::OsStr| {
                    let current = current.to_string_lossy();
                    fitting(&offer(&given, &current), &current)
                }))
            }
        })
        .mut_subcommands(|inner| offering(inner, given))
}

/// Those that begin as the word does; else in any case.
fn fitting(names: &[Name], current: &str) -> Vec<CompletionCandidate> {
    let exact = |(name, _): &&Name| name.starts_with(current);
    let lower = current.to_lowercase();
    let alike = |(name, _): &&Name| name.to_lowercase().starts_with(&lower);
    let mut fits: Vec<&Name> = names.iter().filter(exact).collect();
    if fits.is_empty() {
        fits = names.iter().filter(alike).collect();
    }
    let fits = fits.into_iter();
    fits.map(|(name, help)| {
        let help = help.clone().map(Into::into);
        CompletionCandidate::new(name).help(help)
    })
    .collect()
}

type Offer = fn(&Given, &str) -> Vec<Name>;

/// What could be the value of an argument of a command.
fn offer(command: &str, arg: &Arg) -> Option<Offer> {
    let offer: Offer = match (command, arg.get_id().as_str()) {
        ("interroge" | "export" | "import", "file")
        | (_, "output" | "python" | "startup" | "from") => |given, _| given.leave("files"),
        (_, "cwd" | "images" | "prefix" | "out") => |given, _| given.leave("folders"),
        ("sauve", "files") => |given, current| match Files::sheet_of(current) {
            Some(names) => names,
            None if Files::behind_a_name(current) => given.leave("files-behind"),
            None => given.leave("files"),
        },
        ("combien" | "verifie", "file") | (_, "files" | "a" | "b" | "left" | "right") => {
            |given, current| Files::sheet_of(current).unwrap_or_else(|| given.leave("files"))
        }
        ("sauve", "sheet") => return None,
        (_, "sheet") => |given, _| Files::of(given).sheets(),
        (_, "columns" | "ignore" | "only" | "key" | "checks") => {
            |given, _| Files::of(given).columns(Which::Any, "")
        }
        (_, "keys") => |given, current| Files::of(given).pairs(current),
        (_, "tol" | "rtol") => |given, _| Files::of(given).columns(Which::Any, "="),
        (_, "types") => |given, current| Files::of(given).types(current),
        (_, "at") => |given, _| Files::of(given).records(),
        (_, "encoding") => |_, _| names::fixed(&names::ENCODINGS),
        (_, "delimiter") => |_, _| names::fixed(&[";", ",", "tab", "|"]),
        (_, "how") => |_, _| names::fixed(&How::ALL.map(How::word)),
        (_, "validate") => |_, _| names::fixed(&Validate::ALL.map(Validate::word)),
        ("combien", "n") => |_, _| names::fixed(&["all"]),
        ("start", "name") => |_, _| names::released_sessions(),
        ("search" | "export" | "import" | "log", "session") => |_, _| names::all_sessions(),
        ("run", "session")
        | (
            "release" | "restart" | "interrupt" | "console" | "wait" | "checkpoint" | "restore"
            | "ipython",
            "name" | "names",
        ) => |_, _| names::sessions(),
        ("diff", "before" | "after") => |_, _| names::checkpoints(None),
        ("restore", "id") => |given, _| {
            let session = given.texts("name");
            names::checkpoints(session.first().map(String::as_str))
        },
        _ => return None,
    };
    Some(offer)
}
