//! The columns and rows that a SELECT gives: columns of tables by name, a few literals, COUNT(*). It evaluates nothing
//! else, and says so.

use serde_json::Value;

use crate::errors::Refused;
use crate::options::Options;
use crate::sql::{Kind, Token, invalid};
use crate::tables::{Column, Table, column, text};

/// A column of a result.
#[derive(Clone, Debug)]
pub struct Output {
    pub name: String,
    pub column: Column,
    pub source: Source,
}

#[derive(Clone, Debug)]
pub enum Source {
    Table(&'static Table, usize),
    Literal(Value),
}

impl Output {
    pub fn cell(&self, row: usize) -> Value {
        match &self.source {
            Source::Table(table, column) => (table.cell)(row, *column),
            Source::Literal(value) => value.clone(),
        }
    }
}

/// What a SELECT gives.
#[derive(Debug, Default)]
pub struct Selected {
    pub outputs: Vec<Output>,
    pub rows: usize,
    /// It only counts rows, which reads no bytes.
    pub only_counts: bool,
    /// What goes wrong once it runs.
    pub failure: Option<Refused>,
}

/// All columns and rows of a table.
pub fn whole(table: &'static Table, options: &Options) -> Selected {
    Selected {
        outputs: columns_of(table).collect(),
        rows: table.rows(options),
        ..Selected::default()
    }
}

fn columns_of(table: &'static Table) -> impl Iterator<Item = Output> {
    let columns = table.columns.iter().enumerate();
    columns.map(move |(at, column)| Output {
        name: column.name.to_owned(),
        column: *column,
        source: Source::Table(table, at),
    })
}

/// Reads the words behind SELECT.
pub fn select(
    tokens: &[Token],
    tables: &[&'static Table],
    options: &Options,
) -> Result<Selected, Refused> {
    let mut selected = Selected {
        rows: tables
            .iter()
            .map(|table| table.rows(options))
            .min()
            .unwrap_or(1),
        ..Selected::default()
    };
    let list = list(tokens);
    if list.iter().all(|item| item.is_empty()) {
        return Err(invalid(
            "Syntax error: Unexpected end of statement; a SELECT names at least one column",
        ));
    }
    let mut unnamed = 0;
    for item in list {
        let (expression, alias) = alias(item);
        let Some(first) = expression.first() else {
            return Err(invalid(
                "Syntax error: Unexpected \",\" or end of the list of SELECT",
            ));
        };
        if expression.len() <= 2 && expression.last().is_some_and(|last| last.text == "*") {
            for output in tables.iter().flat_map(|table| columns_of(table)) {
                // The key of a join with USING stands once.
                if !selected
                    .outputs
                    .iter()
                    .any(|other| other.name == output.name)
                {
                    selected.outputs.push(output);
                }
            }
            continue;
        }
        let (name, column, source) = if let Some((column, value)) = literal(expression) {
            (None, column, Source::Literal(value))
        } else if counts(expression) {
            let value = text(std::mem::replace(&mut selected.rows, 1));
            selected.only_counts = true;
            (None, column("", "INTEGER"), Source::Literal(value))
        } else if let [above, slash, below] = expression
            && slash.text == "/"
        {
            let (value, failure) = divided(above, below)?;
            selected.failure = failure;
            (None, column("", "FLOAT"), Source::Literal(value))
        } else if expression.len() == 1 && first.kind == Kind::Word {
            let (table, at) = find(first, tables)?;
            (
                Some(table.columns[at].name),
                table.columns[at],
                Source::Table(table, at),
            )
        } else {
            let shown: Vec<&str> = expression.iter().map(|token| token.text.as_str()).collect();
            return Err(invalid(format!(
                "scripted server: it evaluates no such expression: {}",
                shown.join(" ")
            )));
        };
        let name = alias
            .or_else(|| name.map(str::to_owned))
            .unwrap_or_else(|| {
                unnamed += 1;
                format!("f{}_", unnamed - 1)
            });
        if selected
            .outputs
            .iter()
            .any(|other| other.name.eq_ignore_ascii_case(&name))
        {
            return Err(invalid(format!(
                "Duplicate column names in the result are not supported when a destination table is present. Found duplicate(s): {name}"
            )));
        }
        selected.outputs.push(Output {
            name,
            column,
            source,
        });
    }
    if let Some(limit) = limit(tokens) {
        selected.rows = selected.rows.min(limit);
    }
    Ok(selected)
}

/// The items between SELECT and FROM.
fn list(tokens: &[Token]) -> Vec<&[Token]> {
    let distinct = usize::from(
        tokens
            .get(1)
            .is_some_and(|token| token.is("DISTINCT") || token.is("ALL")),
    );
    let words = tokens.get(1 + distinct..).unwrap_or_default();
    let ends = ["FROM", "WHERE", "LIMIT", "ORDER", "UNION"];
    let end = words
        .iter()
        .position(|token| token.kind == Kind::Word && ends.iter().any(|end| token.is(end)));
    let words = &words[..end.unwrap_or(words.len())];
    let mut depth = 0;
    let items = words.split(|token| {
        match token.text.as_str() {
            "(" if token.kind == Kind::Symbol => depth += 1,
            ")" if token.kind == Kind::Symbol => depth -= 1,
            _ => {}
        }
        depth == 0 && token.kind == Kind::Symbol && token.text == ","
    });
    items.collect()
}

/// `expression AS name`, `expression name`.
fn alias(item: &[Token]) -> (&[Token], Option<String>) {
    match item {
        [expression @ .., word, name] if word.is("AS") => (expression, Some(name.text.clone())),
        [expression @ .., name] if !expression.is_empty() && name.kind == Kind::Word => {
            match expression.last() {
                Some(last) if last.kind != Kind::Symbol || last.text == ")" => {
                    (expression, Some(name.text.clone()))
                }
                _ => (item, None),
            }
        }
        _ => (item, None),
    }
}

fn literal(expression: &[Token]) -> Option<(Column, Value)> {
    let number = |token: &Token, sign: &str| {
        let kind = if token.text.contains('.') {
            "FLOAT"
        } else {
            "INTEGER"
        };
        (column("", kind), text(format_args!("{sign}{}", token.text)))
    };
    match expression {
        [one] if one.kind == Kind::Number => Some(number(one, "")),
        [minus, one] if minus.text == "-" && one.kind == Kind::Number => Some(number(one, "-")),
        [one] if one.kind == Kind::Text => Some((column("", "STRING"), text(&one.text))),
        [one] if one.is("TRUE") || one.is("FALSE") => {
            Some((column("", "BOOLEAN"), text(one.text.to_ascii_lowercase())))
        }
        [one] if one.is("NULL") => Some((column("", "INTEGER"), Value::Null)),
        _ => None,
    }
}

fn counts(expression: &[Token]) -> bool {
    matches!(expression, [count, open, star, close]
        if count.is("COUNT") && open.text == "(" && star.text == "*" && close.text == ")")
}

fn divided(above: &Token, below: &Token) -> Result<(Value, Option<Refused>), Refused> {
    let number = |token: &Token| {
        let number = token.text.parse::<f64>().ok();
        number.ok_or_else(|| {
            invalid(format!(
                "scripted server: it divides numbers only, found {} at {}",
                token.text,
                token.place()
            ))
        })
    };
    let (above, below) = (number(above)?, number(below)?);
    if below == 0.0 {
        let failure = invalid(format!("division by zero: {above} / {below}")).at("query");
        return Ok((Value::Null, Some(failure)));
    }
    Ok((text(format_args!("{:?}", above / below)), None))
}

/// The column that a word names, in any of the tables.
fn find(word: &Token, tables: &[&'static Table]) -> Result<(&'static Table, usize), Refused> {
    let name = word.text.rsplit('.').next().unwrap_or_default();
    for table in tables {
        let at = table
            .columns
            .iter()
            .position(|column| column.name.eq_ignore_ascii_case(name));
        if let Some(at) = at {
            return Ok((table, at));
        }
    }
    let near = tables.iter().flat_map(|table| table.columns);
    let near = near
        .map(|column| column.name)
        .find(|known| known.starts_with(name) || name.starts_with(known));
    let guess = near.map_or_else(String::new, |near| format!("; Did you mean {near}?"));
    Err(invalid(format!(
        "Unrecognized name: {name}{guess} at {}",
        word.place()
    )))
}

fn limit(tokens: &[Token]) -> Option<usize> {
    let at = tokens.iter().rposition(|token| token.is("LIMIT"))?;
    tokens.get(at + 1)?.text.parse().ok()
}
