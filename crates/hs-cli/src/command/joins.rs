//! `hs joins`: two files side by side by their keys.

use hs_core::op::joins::{How, JoinsOptions, Validate, joins};
use hs_core::{Control, Error, ErrorKind, Result, Table, Topic};

use crate::args::JoinsArgs;
use crate::exit::Failure;
use crate::input;
use crate::output::{Answer, Output};

/// Runs the command.
///
/// # Errors
/// Whatever keeps the files from being loaded or joined.
pub fn run(args: &JoinsArgs, control: &Control, output: &Output) -> Result<(), Failure> {
    let options = options(args)?;
    let [left, right] = input::two([&args.left, &args.right], &args.part, control)?;
    let keys = args.keys.iter().map(|key| pair(key, &left, &right));
    let keys = keys.collect::<Result<Vec<_>>>()?;
    let mut result = joins(&left, &right, &keys, &options, control)?;
    let files = [left, right].map(|mut table| {
        // The result's headline has the rows of both.
        table.notes.retain(|note| note.topic != Topic::Loaded);
        table
    });
    input::retell(&mut result, files);
    output.give(&Answer::Loaded(&result))
}

fn options(args: &JoinsArgs) -> Result<JoinsOptions> {
    let Some((left, right)) = args.suffixes.split_once(',') else {
        let message = format!("--suffixes: expected two texts, found {:?}", args.suffixes);
        return Err(Error::new(ErrorKind::Argument, message).hint("--suffixes _x,_y"));
    };
    Ok(JoinsOptions {
        how: How::parse(&args.how)?,
        validate: args.validate.as_deref().map(Validate::parse).transpose()?,
        suffixes: (Some(left.to_owned()), Some(right.to_owned())),
        match_missing: args.match_missing,
    })
}

/// Positions of a key: of a column that both have, or of `LEFT=RIGHT`. Either name may hold `=`.
fn pair(key: &str, left: &Table, right: &Table) -> Result<(usize, usize)> {
    let both = |one: &str, other: &str| Ok((left.position(one)?, right.position(other)?));
    let whole = both(key, key);
    let marks = key.match_indices('=').map(|(at, _)| at);
    let split: Vec<Result<(usize, usize)>> =
        marks.map(|at| both(&key[..at], &key[at + 1..])).collect();
    let mut split = split.into_iter();
    match (whole, split.next()) {
        (Ok(found), _) | (Err(_), Some(Ok(found))) => Ok(found),
        (Err(error), None) => Err(error),
        (Err(_), Some(Err(error))) => split.find_map(Result::ok).ok_or(error),
    }
}
