//! `hs kernel console` and `hs ipython`: a console of Jupyter's on a session. The first shows what ran so far; the second
//! starts the session if it is not there.

use std::io::{IsTerminal, Write, copy, stdin, stdout};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use hs_core::{Error, ErrorKind};
use hs_kernel::Client;
use serde_json::{Value, json};

use super::find::{ask, connect, gone, text};
use super::{output, start};
use crate::args::{AnswerArgs, IpythonArgs, NamedArgs};
use crate::exit::Failure;
use crate::inside::Running;
use crate::output::refuse_format;

/// `hs kernel console`. The console takes the place of this program.
///
/// # Errors
/// When there is no such session, or the console cannot be had.
pub fn run(args: &NamedArgs, answer: &AnswerArgs) -> Result<(), Failure> {
    let name = &args.name;
    refuse_format(answer, "hs kernel console")?;
    refuse_without_terminal(name)?;
    let mut client = connect(name)?;
    let ready = ask(&mut client, name, json!({"type": "open"}))?;
    let marker = match history(
        &mut client,
        name,
        Path::new(text(&ready, "connection_file")),
    ) {
        Ok(0) => "nothing ran yet".to_owned(),
        Ok(1) => "1 cell or message so far".to_owned(),
        Ok(count) => format!("{count} cells and messages so far"),
        // A session that remembers nothing has a console all the same.
        Err(why) => why,
    };
    // With nobody there to read it the console tells.
    let _ = writeln!(
        stdout().lock(),
        "---- {marker}; from here on it is live ----"
    );
    attach(&mut client, name, &ready, "is attached to", answer)
}

/// `hs ipython`. The console takes the place of this program.
///
/// # Errors
/// When the kernel does not start, or the console cannot be had.
pub fn ipython(
    args: &IpythonArgs,
    answer: &AnswerArgs,
    inside: Running<'_>,
) -> Result<(), Failure> {
    let name = &args.name;
    refuse_format(answer, "hs ipython")?;
    refuse_without_terminal(name)?;
    let word = if Client::connect(name).is_ok() {
        "is attached to"
    } else {
        start::begin(name, &args.begin, false, inside)?;
        "is started"
    };
    let mut client = connect(name)?;
    let ready = ask(&mut client, name, json!({"type": "open"}))?;
    attach(&mut client, name, &ready, word, answer)
}

fn refuse_without_terminal(name: &str) -> Result<(), Failure> {
    if stdin().is_terminal() {
        return Ok(());
    }
    let message = "expected a terminal for the console, found none";
    let hint = format!("hs kernel run -s {name} - runs what stands on standard input");
    Err(Error::new(ErrorKind::Argument, message).hint(hint).into())
}

/// Shows what ran so far; how many cells and messages that were, or why there is nothing to show.
fn history(client: &mut Client, name: &str, connection: &Path) -> Result<u64, String> {
    // Beside the connection file, where nobody else looks, and gone with the session at the latest.
    let path = connection.with_file_name(format!("history-{}.txt", std::process::id()));
    let request = json!({"type": "export", "id": "ask", "session": name, "format": "text", "path": path, "overwrite": true});
    let lost = |error: std::io::Error| error.to_string();
    client.send(&request).map_err(lost)?;
    let answer = loop {
        match client.receive().map_err(lost)? {
            Some(line) if line["id"] == "ask" => break line,
            Some(_) => {}
            None => return Err("the session ended".to_owned()),
        }
    };
    if answer["type"] == "error" {
        return Err(text(&answer, "message").to_owned());
    }
    let shown =
        std::fs::File::open(&path).and_then(|mut file| copy(&mut file, &mut stdout().lock()));
    let _ = std::fs::remove_file(&path);
    match shown {
        Ok(_) => Ok(answer["rows"].as_u64().unwrap_or_default()),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}

fn attach(
    client: &mut Client,
    name: &str,
    ready: &Value,
    word: &str,
    answer: &AnswerArgs,
) -> Result<(), Failure> {
    let status = ask(client, name, json!({"type": "status"}))?;
    let python = text(&status, "python");
    output(answer)?.tell(&format!(
        "session {name} {word}; leaving the console keeps it, hs kernel release {name} ends it"
    ));
    let mut console = Command::new(python);
    // Without the working folder, whose files may have the names of modules.
    console.args(["-P", "-m", "headstart.kernel.console"]);
    console.arg(text(ready, "connection_file"));
    // Comes back only if it cannot be started.
    let error = console.exec();
    Err(gone(name, &format!("{python}: {error}")))
}
