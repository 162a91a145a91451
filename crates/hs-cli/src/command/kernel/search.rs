//! `hs kernel search`: cells and messages of a session in which words occur.

use serde_json::Value;

use super::ago::ago;
use super::find::text;
use super::memory::memory;
use crate::args::SearchArgs;
use crate::exit::{DIFFERS, Failure};
use crate::output::{Facts, Output};

/// What is shown on a screen.
const SHOWN: [&str; 5] = ["what", "when", "ended", "checkpoint", "line"];
/// What programs get.
const GIVEN: [&str; 10] = [
    "kind",
    "cell",
    "generation",
    "role",
    "session",
    "time",
    "status",
    "checkpoint",
    "in",
    "snippet",
];
/// Digits of a checkpoint that are shown.
pub const DIGITS: usize = 8;

/// Runs the command.
///
/// # Errors
/// When there is no such session; [`Failure::Ended`] when nothing is found.
pub fn run(args: &SearchArgs, output: &Output) -> Result<(), Failure> {
    let query: Vec<String> = args.words.iter().map(|word| quoted(word)).collect();
    let mut memory = memory(&args.session)?;
    let found = memory.search(&args.session, &query.join(" "), args.limit)?;
    let hits: &[Value] = found["hits"].as_array().map_or(&[], Vec::as_slice);
    let of = found["of"].as_u64().unwrap_or_default();
    if of > hits.len() as u64 {
        let count = hits.len();
        output.tell(&format!("the first {count} of {of}; -n COUNT shows more"));
    }
    let shown: Vec<Facts> = hits.iter().map(shown).collect();
    let given: Vec<Facts> = hits.iter().map(given).collect();
    output.give_rows((&SHOWN, &shown), (&GIVEN, &given))?;
    if hits.is_empty() {
        output.tell("nothing found");
        return Err(Failure::Ended(DIFFERS));
    }
    Ok(())
}

/// The shell took the quotes away that held words together.
fn quoted(word: &str) -> String {
    if word.contains(char::is_whitespace) && !word.contains('"') {
        format!("\"{word}\"")
    } else {
        word.to_owned()
    }
}

fn shown(hit: &Value) -> Facts {
    let what = match text(hit, "kind") {
        "cell" => hit["cell"]
            .as_i64()
            .map_or_else(|| "cell".to_owned(), |number| format!("cell {number}")),
        _ => text(hit, "role").to_owned(),
    };
    let checkpoint = hit["checkpoint"].as_str().and_then(|id| id.get(..DIGITS));
    Facts::new("")
        .with("what", what)
        .with("when", hit["time"].as_f64().map(ago))
        .with("ended", hit["status"].as_str())
        .with("checkpoint", checkpoint)
        .with("line", text(hit, "snippet"))
}

fn given(hit: &Value) -> Facts {
    let mut facts = Facts::new("").with("time", hit["time"].as_f64());
    for name in [
        "kind",
        "role",
        "session",
        "status",
        "checkpoint",
        "in",
        "snippet",
    ] {
        facts = facts.with(name, hit[name].as_str());
    }
    facts
        .with("cell", hit["cell"].as_i64())
        .with("generation", hit["generation"].as_i64())
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_argument_with_blanks_is_one_text() {
        assert_eq!(super::quoted("two words"), "\"two words\"");
        assert_eq!(super::quoted("df.x"), "df.x");
        assert_eq!(super::quoted("say \"two words\""), "say \"two words\"");
    }
}
