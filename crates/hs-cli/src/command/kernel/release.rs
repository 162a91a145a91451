//! `hs kernel release`: the end of sessions.

use hs_kernel::registry;

use super::find::{connect, gone};
use crate::args::ReleaseArgs;
use crate::exit::Failure;
use crate::output::{Facts, Output};

/// Runs the command. All that can be released are, before it says which cannot.
///
/// # Errors
/// When a session that is named is not there, or does not end.
pub fn run(args: &ReleaseArgs, output: &Output) -> Result<(), Failure> {
    let names = if args.all {
        let found = registry::sessions()?.into_iter();
        found.map(|found| found.session).collect()
    } else {
        args.names.clone()
    };
    let (mut released, mut failed) = (Vec::new(), None);
    for name in &names {
        let done = connect(name).and_then(|mut client| {
            let ended = client.release();
            ended.map_err(|error| gone(name, &error.to_string()))
        });
        match done {
            Ok(()) => {
                let line = format!("released {name}");
                released.push(Facts::new(line).with("session", name.as_str()));
            }
            Err(failure) => failed = failed.or(Some(failure)),
        }
    }
    if names.is_empty() {
        output.tell("no sessions");
    }
    output.give_facts_of(&["session"], &released)?;
    failed.map_or(Ok(()), Err)
}
