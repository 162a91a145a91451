//! What a shell is told once: a script that asks `hs` whenever a word is to be completed.

use clap::ValueEnum;

/// A shell that completions are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// GNU Bash.
    Bash,
    /// The Z shell.
    Zsh,
    /// The fish shell.
    Fish,
}

/// The script for a shell.
pub fn script(shell: Shell) -> &'static str {
    match shell {
        Shell::Bash => include_str!("hs.bash"),
        Shell::Zsh => include_str!("hs.zsh"),
        Shell::Fish => include_str!("hs.fish"),
    }
}
