//! The Python that the program runs in: the wheel's script has one, the native binary none. It is asked for only by the
//! commands that need it, so that others do not pay.

use std::path::PathBuf;

use hs_kernel::Settings;

use crate::args::{LaunchArgs, PythonArgs};

/// A Python that has headstart.
#[derive(Clone, Debug)]
pub struct Inside {
    /// Its program.
    pub python: PathBuf,
    /// Whether ipykernel is there, too.
    pub has_kernel: bool,
}

/// Asks for it.
pub type Running<'a> = &'a dyn Fn() -> Option<Inside>;

/// Where a kernel's Python is looked for, with the one that the user names.
pub fn settings(args: &PythonArgs, inside: Running<'_>) -> Settings {
    let own = inside().filter(|inside| inside.has_kernel);
    Settings {
        python: args.python.clone(),
        checkpoints: None,
        context: None,
        own_python: own.map(|inside| inside.python),
    }
}

/// The same with all that the launcher has to know.
pub fn launch_settings(args: &LaunchArgs, inside: Running<'_>) -> Settings {
    Settings {
        checkpoints: args.no_checkpoints.then_some(false),
        context: args.no_context.then_some(false),
        ..settings(&args.python, inside)
    }
}
