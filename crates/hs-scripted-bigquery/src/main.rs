//! The scripted server as a program: it says on one line where it is, and serves until its standard input ends.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hs_scripted_bigquery::{Options, Server};
use serde_json::{Value, json};

const USAGE: &str = "usage: scripted-bigquery [--port N] [--dir FOLDER] [--options JSON]";

fn main() -> ExitCode {
    let done =
        arguments(std::env::args().skip(1)).and_then(|(options, folder)| run(options, folder));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            // Nobody may listen.
            let _ = writeln!(io::stderr(), "scripted-bigquery: {why}");
            ExitCode::from(2)
        }
    }
}

fn arguments(
    mut words: impl Iterator<Item = String>,
) -> Result<(Options, Option<PathBuf>), String> {
    let (mut options, mut folder) = (Options::default(), None);
    while let Some(word) = words.next() {
        let value = words
            .next()
            .ok_or_else(|| format!("{word} needs a value\n{USAGE}"))?;
        match word.as_str() {
            "--port" => {
                options.port = value
                    .parse()
                    .map_err(|_| format!("--port: expected a number, found {value:?}"))?;
            }
            "--dir" => folder = Some(PathBuf::from(value)),
            "--options" => {
                let fields = serde_json::from_str::<Value>(&value)
                    .map_err(|wrong| format!("--options: {wrong}"))?;
                options.change(&fields)?;
            }
            _ => return Err(format!("there is no {word}\n{USAGE}")),
        }
    }
    Ok((options, folder))
}

fn run(options: Options, folder: Option<PathBuf>) -> Result<(), String> {
    let server = Server::start(options).map_err(|wrong| format!("127.0.0.1: {wrong}"))?;
    let own = folder.is_none();
    let folder = folder.unwrap_or_else(|| {
        std::env::temp_dir().join(format!("scripted-bigquery-{}", std::process::id()))
    });
    let served = serve(&server, &folder).map_err(|wrong| format!("{}: {wrong}", folder.display()));
    if own {
        let removed = std::fs::remove_dir_all(&folder);
        return served.and(removed.map_err(|wrong| wrong.to_string()));
    }
    served
}

fn serve(server: &Server, folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let line = json!({
        "url": server.url(),
        "project": "p1",
        "service_account": server.service_account(folder)?,
        "wrong_key": server.wrong_key(folder)?,
        "authorized_user": server.authorized_user(folder)?,
        "external_account": server.external_account(folder, false, false)?,
        "external_account_json": server.external_account(folder, true, false)?,
        "external_account_impersonating": server.external_account(folder, false, true)?,
        "external_account_json_impersonating": server.external_account(folder, true, true)?,
        "impersonated": server.impersonated(folder)?,
    });
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()?;
    // What comes in is not read, only its end.
    let mut buffer = [0; 256];
    while io::stdin().lock().read(&mut buffer)? > 0 {}
    Ok(())
}
