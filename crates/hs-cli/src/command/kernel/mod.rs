//! `hs kernel` and `hs ipython`: one file a command. What forks does so before a thread exists, so [`Output`] is made after.

mod ago;
mod checkpoints;
mod console;
mod diff;
mod export;
mod find;
mod install;
mod interrupt;
mod list;
mod log;
mod memory;
mod release;
mod restart;
mod restore;
mod run;
mod search;
mod serve;
mod setup;
mod show;
mod start;

use std::sync::Arc;

use hs_core::{Control, Error, ErrorKind};

use crate::args::{AnswerArgs, KernelArgs, KernelCommand};
use crate::exit::Failure;
use crate::inside::Running;
use crate::output::{Output, refuse_format};

pub use checkpoints::offered as offered_checkpoints;
pub use console::ipython;

/// Runs `hs kernel`.
///
/// # Errors
/// Whatever keeps the command from its end.
pub fn run(args: &KernelArgs, answer: &AnswerArgs, inside: Running<'_>) -> Result<(), Failure> {
    match &args.command {
        KernelCommand::Serve(args) => {
            refuse_format(answer, "hs kernel serve")?;
            serve::run(args, inside)
        }
        KernelCommand::Start(args) => start::run(args, answer, inside),
        KernelCommand::Run(args) => run::run(args, answer),
        KernelCommand::Wait(args) => interrupt::wait(args, answer),
        KernelCommand::Interrupt(args) => interrupt::run(args, &output(answer)?),
        KernelCommand::Console(args) => console::run(args, answer),
        KernelCommand::Search(args) => search::run(args, &output(answer)?),
        KernelCommand::Export(args) => export::run(args, &output(answer)?),
        KernelCommand::Import(args) => export::import(args, &output(answer)?),
        KernelCommand::Log(args) => log::run(args, &output(answer)?),
        KernelCommand::Diff(args) => diff::run(args, &output(answer)?),
        KernelCommand::Checkpoint(args) => restore::checkpoint(args, &output(answer)?),
        KernelCommand::Restore(args) => restore::run(args, &output(answer)?),
        KernelCommand::List => list::run(&output(answer)?),
        KernelCommand::Release(args) => release::run(args, &output(answer)?),
        KernelCommand::Restart(args) => restart::run(args, &output(answer)?),
        KernelCommand::Install(args) => install::run(args, &output(answer)?, inside),
        KernelCommand::Setup(args) => setup::run(args, &output(answer)?, inside),
    }
}

/// Where answers go. It may start a thread that draws.
fn output(answer: &AnswerArgs) -> Result<Output, Failure> {
    Output::new(answer, &Arc::new(Control::default()))
}

/// What the kernel's side says in one text: a message, and behind `hint: ` what to do.
fn told(text: &str) -> Failure {
    let (message, hint) = match text.split_once("\nhint: ") {
        Some((message, hint)) => (message, Some(hint)),
        None => (text, None),
    };
    let error = Error::new(ErrorKind::Service, message);
    match hint {
        Some(hint) => error.hint(hint).into(),
        None => error.into(),
    }
}
