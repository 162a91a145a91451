//! Options as other programs call them: the error of one that hs does not have says how it is written here.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, Error};

/// Other programs' words, and what to write instead.
const KEYS: (&[&str], &str) = (
    &["--on", "--key", "--keys", "--by", "--left-on", "--right-on"],
    "the key stands behind the files: `A.csv B.csv id`, or `id=customer_id` where the names differ",
);
const OPTIONS: [(&[&str], &str); 8] = [
    (&["--sep", "--separator", "--delim"], "--delimiter ';'"),
    (
        &["--skiprows", "--skip-rows", "--skip"],
        "--header 3 says in which line the header is",
    ),
    (&["--usecols", "--select", "--cols"], "--columns id,name"),
    (&["--nrows", "--limit", "--head"], "--rows 100"),
    (&["--dtype", "--dtypes", "--schema"], "--types zip=text"),
    (&["--sheet-name", "--tab"], "--sheet Jan"),
    (
        &["--where", "--filter", "--sort", "--order-by"],
        "hs does not filter or sort files; in `hs ipython`, hs.charge gives a frame that does",
    ),
    (&["--maximum-bytes-billed", "--max-bytes"], "--cap '20 GB'"),
];

/// The error with the word of this program for an option of another, where there is one.
pub fn told(mut error: Error, arguments: &[OsString]) -> Error {
    let found = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(found)) => found.clone(),
        _ => return error,
    };
    let keyed = ["joins", "join", "compare", "diff"];
    let is_keyed = arguments
        .iter()
        .any(|argument| keyed.iter().any(|word| argument == word));
    let lists = is_keyed.then_some(KEYS).into_iter().chain(OPTIONS);
    let mut here = lists.filter(|(words, _)| words.contains(&found.as_str()));
    if let Some((_, written)) = here.next() {
        // clap offers the option that looks most alike.
        error.remove(ContextKind::SuggestedArg);
        let tip = written.to_owned().into();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    error
}
