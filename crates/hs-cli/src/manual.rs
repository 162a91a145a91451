//! The manual pages: the help of each command in the form of `man`. What stands in `--help` stands here, in its sections.

use clap::{Command, CommandFactory};
use clap_mangen::Man;
use hs_core::error::did_you_mean;
use hs_core::{Error, ErrorKind, Result};
use roff::{Roff, bold, roman};

use crate::args::Arguments;

/// What stands behind options in `--help`, by the word it begins with, and the section it gets here.
const SECTIONS: [(&str, &str); 2] = [
    ("Exit code: ", "EXIT STATUS"),
    ("Environment: ", "ENVIRONMENT"),
];

/// The page of a command, named as on a command line; of `hs` itself without a name.
///
/// # Errors
/// [`ErrorKind::Argument`] when there is no such command; it names the close ones.
pub fn page(names: &[String]) -> Result<String> {
    let mut command = whole();
    for name in names.iter().flat_map(|name| name.split_whitespace()) {
        let found = command.find_subcommand(name).cloned();
        command = found.ok_or_else(|| unknown(&command, name))?;
    }
    written(&command)
}

/// All pages, with the names of their files.
///
/// # Errors
/// Only where writing into memory fails.
pub fn pages() -> Result<Vec<(String, String)>> {
    fn collect(command: &Command, pages: &mut Vec<(String, String)>) -> Result<()> {
        pages.push((format!("{}.1", title(command)), written(command)?));
        command
            .get_subcommands()
            .try_for_each(|inner| collect(inner, pages))
    }
    let mut pages = Vec::new();
    collect(&whole(), &mut pages)?;
    Ok(pages)
}

/// The command line with the names that only a whole one gives to its parts.
fn whole() -> Command {
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    command
}

fn unknown(command: &Command, name: &str) -> Error {
    let names = || command.get_subcommands().map(Command::get_name);
    let place = command.get_bin_name().unwrap_or_default();
    let message = format!("expected a command of {place}, found {name:?}");
    let all = || {
        format!(
            "the commands are {}",
            names().collect::<Vec<_>>().join(", ")
        )
    };
    let hint = match names().next() {
        None => format!("{place} has no commands"),
        Some(_) => did_you_mean(name, names()).unwrap_or_else(all),
    };
    Error::new(ErrorKind::Argument, message).hint(hint)
}

fn title(command: &Command) -> &str {
    command
        .get_display_name()
        .unwrap_or_else(|| command.get_name())
}

fn written(command: &Command) -> Result<String> {
    let version = env!("CARGO_PKG_VERSION");
    let man = Man::new(command.clone())
        .title(title(command).to_uppercase())
        .source(format!("headstart {version}"))
        .manual("headstart");
    let mut page = Vec::new();
    let mut write = || -> std::io::Result<()> {
        man.render_title(&mut page)?;
        man.render_name_section(&mut page)?;
        man.render_synopsis_section(&mut page)?;
        examples(command).to_writer(&mut page)?;
        man.render_options_section(&mut page)?;
        if command.has_subcommands() {
            man.render_subcommands_section(&mut page)?;
        }
        after(command).to_writer(&mut page)?;
        see_also(command).to_writer(&mut page)
    };
    write().map_err(|error| {
        Error::new(ErrorKind::Internal, "a page that cannot be written").because(error)
    })?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

/// What stands before the usage: examples, a command a line.
fn examples(command: &Command) -> Roff {
    let mut roff = Roff::new();
    let Some(help) = command.get_before_help() else {
        return roff;
    };
    roff.control("SH", ["EXAMPLES"]).control("nf", []);
    for line in help.to_string().lines().skip(1) {
        roff.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
    }
    roff.control("fi", []);
    roff
}

/// What stands behind the options: exit codes, variables of the environment, other remarks.
fn after(command: &Command) -> Roff {
    let mut roff = Roff::new();
    let help = command.get_after_help().map(ToString::to_string);
    let help = help.unwrap_or_default();
    for part in help.split("\n\n").filter(|part| !part.is_empty()) {
        let known = SECTIONS
            .iter()
            .find_map(|(word, section)| Some((*section, part.strip_prefix(word)?)));
        let (section, text) = known.unwrap_or(("NOTES", part));
        roff.control("SH", [section]);
        let text: Vec<&str> = text.split_whitespace().collect();
        roff.text([roman(text.join(" "))]);
    }
    roff
}

/// The command above it, or those below.
fn see_also(command: &Command) -> Roff {
    let name = title(command);
    let mut roff = Roff::new();
    if let Some((above, _)) = name.rsplit_once('-') {
        roff.control("SH", ["SEE ALSO"]);
        roff.text([bold(above), roman("(1)")]);
    }
    roff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_with_its_examples() {
        let pages = pages().unwrap();
        let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
        for name in ["hs.1", "hs-charge.1", "hs-kernel-run.1", "hs-completions.1"] {
            assert!(names.contains(&name), "{names:?}");
        }
        for (name, page) in &pages {
            assert!(page.contains(".SH EXAMPLES"), "{name}");
        }
    }

    #[test]
    fn commands_are_found_by_name_and_alias_and_others_are_asked_about() {
        let of = |names: &[&str]| page(&names.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(
            of(&["kernel", "run"]).unwrap(),
            of(&["kernel run"]).unwrap()
        );
        assert_eq!(of(&["count"]).unwrap(), of(&["combien"]).unwrap());
        assert!(of(&["compare"]).unwrap().contains(".SH \"EXIT STATUS\""));
        let told = |names: &[&str]| of(names).unwrap_err().to_string();
        assert_eq!(
            told(&["combine"]),
            "expected a command of hs, found \"combine\"\nhint: did you mean \"combien\"?"
        );
        assert!(told(&["charge", "x"]).ends_with("hs charge has no commands"));
    }
}
