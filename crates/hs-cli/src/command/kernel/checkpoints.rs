//! The store of checkpoints as the commands see it: its list, ids that are cut short, and its faults.

use std::cmp::Reverse;
use std::collections::HashMap;

use hs_core::{Error, ErrorKind};
use hs_kernel::checkpoints_folder;
use hs_kernel::store::{self, Id, Kind, Listed, Options, Store};

use super::ago::ago;
use super::find::text;
use super::list::first_line;
use super::search::DIGITS;
use crate::exit::Failure;
use crate::output::Output;

/// The store of this user; none while nothing was saved.
///
/// # Errors
/// When it is not only this user's.
pub fn store() -> Result<Option<Store>, Failure> {
    match checkpoints_folder().filter(|path| path.exists()) {
        Some(path) => {
            let store = Store::open(&path, Options::default());
            store.map(Some).map_err(|error| failure(&error))
        }
        None => Ok(None),
    }
}

/// All checkpoints; those that cannot be read are told.
///
/// # Errors
/// When the store cannot be read.
pub fn list(output: &Output) -> Result<Vec<Listed>, Failure> {
    let Some(store) = store()? else {
        return Ok(Vec::new());
    };
    let (found, faults) = store.list().map_err(|error| failure(&error))?;
    for (_, text) in faults {
        output.tell(&text);
    }
    Ok(found)
}

/// The newest checkpoints, of a session or of all, for shells: their ids cut short, and what describes them.
pub fn offered(session: Option<&str>) -> Vec<(String, String)> {
    const MOST: usize = 50;
    let store = store().ok().flatten();
    let mut found = store
        .and_then(|store| store.list().ok())
        .map_or_else(Vec::new, |(found, _)| found);
    found.retain(|listed| session.is_none_or(|session| listed.session == session));
    found.sort_by_key(|listed| Reverse(listed.created));
    found.truncate(MOST);
    let described = found.iter().map(|listed| {
        let id = listed.id.to_string();
        let code = first_line(text(&listed.cell, "code"));
        let when = ago(listed.created as f64 / 1000.0);
        (id[..DIGITS].to_owned(), format!("{when}  {code}"))
    });
    described.collect()
}

/// The store, and the checkpoint whose id begins so.
///
/// # Errors
/// When there is none, or more than one.
pub fn find(beginning: &str) -> Result<(Store, Id), Failure> {
    let Some(store) = store()? else {
        let message = format!("there is no checkpoint {beginning}");
        return Err(Error::new(ErrorKind::Missing, message).into());
    };
    let id = store.find(beginning).map_err(|error| failure(&error))?;
    Ok((store, id))
}

/// A checkpoint and those that it was made on, the newest first.
pub fn branch(found: &[Listed], id: Id) -> Vec<String> {
    let by_id: HashMap<String, &Listed> = found
        .iter()
        .map(|listed| (listed.id.to_string(), listed))
        .collect();
    let mut branch = vec![id.to_string()];
    while let Some(parent) = by_id
        .get(&branch[branch.len() - 1])
        .and_then(|listed| listed.parent)
    {
        let parent = parent.to_string();
        // Ids are chosen by whoever saves: a circle must not hang this.
        if branch.contains(&parent) || branch.len() >= 200 {
            break;
        }
        branch.push(parent);
    }
    branch
}

/// A fault of the store.
pub fn failure(error: &store::Error) -> Failure {
    let kind = match error.kind() {
        Kind::Id | Kind::Misuse => ErrorKind::Argument,
        Kind::Missing => ErrorKind::Missing,
        Kind::Exists => ErrorKind::Exists,
        _ => ErrorKind::Io,
    };
    let told = Error::new(kind, error.to_string());
    match error.kind() {
        Kind::Id | Kind::Missing => told.hint("hs kernel log -s NAME shows those of a session"),
        _ => told,
    }
    .into()
}
