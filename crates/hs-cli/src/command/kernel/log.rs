//! `hs kernel log`: the checkpoints of a session, the newest first, and which was made on which.

use std::collections::{BinaryHeap, HashMap, HashSet};

use hs_kernel::store::Listed;
use hs_kernel::{Client, registry};
use serde_json::{Value, json};

use super::ago::ago;
use super::find::{absent, ask, text};
use super::list::first_line;
use super::search::DIGITS;
use super::{checkpoints, find};
use crate::args::LogArgs;
use crate::exit::Failure;
use crate::output::{Facts, Output};
use crate::render;

/// Runs the command.
///
/// # Errors
/// When there is no such session, or the store cannot be read.
pub fn run(args: &LogArgs, output: &Output) -> Result<(), Failure> {
    let session = Standing::of(&args.session)?;
    let found = checkpoints::list(output)?;
    let mut own = session.own(found);
    if own.is_empty() {
        if !session.lives {
            return Err(absent(&args.session));
        }
        output.tell("no checkpoints");
    }
    own = ordered(own);
    own.truncate(args.limit.unwrap_or(usize::MAX));
    let lines = lines(&own, session.held.as_deref(), args.graph);
    let rows: Vec<Facts> = own
        .iter()
        .zip(lines)
        .map(|(listed, line)| facts(listed, line, session.held.as_deref()))
        .collect();
    output.give_facts_of(&GIVEN, &rows)
}

const GIVEN: [&str; 11] = [
    "id", "parent", "held", "time", "session", "cell", "status", "code", "names", "skipped",
    "bytes",
];

/// Where a session stands.
struct Standing {
    /// What it calls itself: the session `main` of several hosts is several sessions.
    name: String,
    detached: bool,
    lives: bool,
    /// The checkpoint that its kernel holds.
    held: Option<String>,
}

impl Standing {
    fn of(session: &str) -> Result<Self, Failure> {
        if Client::connect(session).is_err() {
            return Ok(Self {
                name: session.to_owned(),
                detached: true,
                lives: false,
                held: None,
            });
        }
        let found = registry::sessions()?.into_iter();
        let about = found
            .filter(|found| found.session == session)
            .map(|found| found.about)
            .next()
            .unwrap_or_else(|| json!({}));
        let mut client = find::connect(session)?;
        let status = ask(&mut client, session, json!({"type": "status"}))?;
        Ok(Self {
            name: text(&about, "name").to_owned(),
            detached: about["host_pid"].is_null(),
            lives: true,
            held: status["checkpoint"].as_str().map(str::to_owned),
        })
    }

    /// The checkpoints of the session. Names of hosts' sessions are not their own: theirs are those that hang together with
    /// the one that is held.
    fn own(&self, found: Vec<Listed>) -> Vec<Listed> {
        let named = found
            .into_iter()
            .filter(|listed| listed.session == self.name);
        let named: Vec<Listed> = named.collect();
        if self.detached {
            return named;
        }
        let Some(held) = &self.held else {
            return Vec::new();
        };
        let mut neighbours: HashMap<String, Vec<String>> = HashMap::new();
        for listed in &named {
            if let Some(parent) = listed.parent {
                let (id, parent) = (listed.id.to_string(), parent.to_string());
                neighbours
                    .entry(id.clone())
                    .or_default()
                    .push(parent.clone());
                neighbours.entry(parent).or_default().push(id);
            }
        }
        let mut reached = HashSet::from([held.clone()]);
        let mut open = vec![held.clone()];
        while let Some(id) = open.pop() {
            for next in neighbours.get(&id).into_iter().flatten() {
                if reached.insert(next.clone()) {
                    open.push(next.clone());
                }
            }
        }
        let together = named.into_iter();
        together
            .filter(|listed| reached.contains(&listed.id.to_string()))
            .collect()
    }
}

/// The newest first, but none before those that were made on it: clocks go back.
fn ordered(found: Vec<Listed>) -> Vec<Listed> {
    let places: HashMap<String, usize> = found
        .iter()
        .enumerate()
        .map(|(place, listed)| (listed.id.to_string(), place))
        .collect();
    let parent = |listed: &Listed| {
        let parent = listed.parent.map(|parent| parent.to_string());
        parent.and_then(|parent| places.get(&parent).copied())
    };
    let mut children = vec![0usize; found.len()];
    for listed in &found {
        if let Some(place) = parent(listed) {
            children[place] += 1;
        }
    }
    let key = |place: usize| (found[place].created, place);
    let free = (0..found.len()).filter(|place| children[*place] == 0);
    let mut heap: BinaryHeap<(u64, usize)> = free.map(key).collect();
    let mut order = Vec::with_capacity(found.len());
    while let Some((_, place)) = heap.pop() {
        order.push(place);
        if let Some(up) = parent(&found[place]) {
            children[up] -= 1;
            if children[up] == 0 {
                heap.push(key(up));
            }
        }
    }
    let mut found: Vec<Option<Listed>> = found.into_iter().map(Some).collect();
    order
        .iter()
        .filter_map(|place| found[*place].take())
        .collect()
}

/// What a screen shows of each, with what is drawn before it.
fn lines(own: &[Listed], held: Option<&str>, graph: bool) -> Vec<String> {
    let is_held = |listed: &Listed| held == Some(listed.id.to_string().as_str());
    let places: HashMap<String, usize> = own
        .iter()
        .enumerate()
        .map(|(place, listed)| (listed.id.to_string(), place))
        .collect();
    let nodes = own.iter().map(|listed| {
        let parent = listed.parent.filter(|_| graph);
        let parent = parent.and_then(|parent| places.get(&parent.to_string()).copied());
        (parent, if is_held(listed) { '*' } else { 'o' })
    });
    let nodes: Vec<(Option<usize>, char)> = nodes.collect();
    let drawn = render::graph(&nodes);
    let width = drawn
        .iter()
        .map(|drawn| drawn.node.len())
        .max()
        .unwrap_or(0);
    let words: Vec<[String; 4]> = own.iter().map(words).collect();
    let widest = |column: usize| {
        let widths = words.iter().map(|words| words[column].chars().count());
        widths.max().unwrap_or(0)
    };
    let (when, cell, names) = (widest(0), widest(1), widest(2));
    own.iter()
        .zip(&words)
        .zip(drawn)
        .map(|((listed, words), drawn)| {
            let mut text = String::new();
            for join in drawn.joins {
                text += &join;
                text.push('\n');
            }
            let id = listed.id.to_string();
            let line = format!(
                "{:width$}  {}  {:when$}  {:>cell$}  {:>names$}  {}",
                drawn.node,
                &id[..DIGITS],
                words[0],
                words[1],
                words[2],
                words[3]
            );
            text + line.trim_end()
        })
        .collect()
}

/// When, which cell, how many names, and the cell's first line.
fn words(listed: &Listed) -> [String; 4] {
    let number = listed.cell["number"].as_i64();
    let plural = if listed.names == 1 { "name" } else { "names" };
    let code = match first_line(text(&listed.cell, "code")) {
        code if code.is_empty() => "(saved by hand)".to_owned(),
        code => code,
    };
    [
        ago(listed.created as f64 / 1000.0),
        number.map_or_else(String::new, |number| format!("[{number}]")),
        format!("{} {plural}", listed.names),
        code,
    ]
}

fn facts(listed: &Listed, line: String, held: Option<&str>) -> Facts {
    let Value::Object(cell) = &listed.cell else {
        return common(listed, line, held);
    };
    let word = |name: &str| cell.get(name).and_then(Value::as_str);
    common(listed, line, held)
        .with("cell", cell.get("number").and_then(Value::as_i64))
        .with("status", word("status"))
        .with("code", word("code"))
}

fn common(listed: &Listed, line: String, held: Option<&str>) -> Facts {
    let id = listed.id.to_string();
    Facts::new(line)
        .with("held", held == Some(id.as_str()))
        .with("id", id)
        .with("parent", listed.parent.map(|parent| parent.to_string()))
        .with("time", listed.created as f64 / 1000.0)
        .with("session", listed.session.as_str())
        .with("names", listed.names as i64)
        .with("skipped", listed.skipped as i64)
        .with("bytes", listed.bytes as i64)
}
