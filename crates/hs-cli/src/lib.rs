//! The shell face of headstart: arguments in, data on standard output, everything else on standard
//! error. The only crate that prints.
//!
//! One file in `command` for each command: read, call the library, give the result to `render`, the only formatting code.
//! [`run`] is a whole run of the program, for the native binary and for the script of the wheel alike. It never ends the
//! process itself.
//!
//! ```
//! let folder = std::env::temp_dir();
//! let file = folder.join("hs-cli-example.csv");
//! std::fs::write(&file, "code,n\n00042,1\n00079,2\n")?;
//! let check = |condition: &str| hs_cli::run(["hs".into(), "verifie".into(), file.clone().into(), condition.into()]);
//! assert_eq!(check("n > 0"), 0);
//! assert_eq!(check("code = '00042'"), 1); // a check that fails
//! assert_eq!(check("cod = 1"), 2); // no such column
//! # std::fs::remove_file(file)?;
//! # Ok::<(), std::io::Error>(())
//! ```

mod args;
mod command;
mod complete;
mod document;
mod elsewhere;
mod exit;
mod input;
mod inside;
mod installed;
mod interrupts;
mod manual;
mod output;
pub mod progress;
mod query;
pub mod render;
mod screen;
mod shell;

pub use inside::Inside;
pub use shell::{run, run_inside};
