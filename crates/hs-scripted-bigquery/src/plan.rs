//! What a statement is, reads, costs and gives: all that is known of it before it runs. It runs nothing.

use std::time::Duration;

use serde_json::{Value, json};

use crate::billing::billed;
use crate::credentials::PROJECT;
use crate::errors::Refused;
use crate::options::Options;
use crate::select::{Output, Selected, select, whole};
use crate::sql::{Kind, Token, invalid, not_found, table, tables_of, tokens};
use crate::tables::Table;

/// A statement, understood.
#[derive(Debug)]
pub struct Plan {
    /// As `statementType` has it.
    pub statement: &'static str,
    /// As often as they are named.
    pub tables: Vec<&'static Table>,
    pub estimate: u64,
    pub accuracy: Option<&'static str>,
    /// What the cap must allow.
    pub needed: u64,
    pub processed: u64,
    pub billed: u64,
    pub outputs: Vec<Output>,
    /// None: a statement that gives no rows at all.
    pub rows: Option<usize>,
    pub page: usize,
    pub affected: Option<u64>,
    pub run: Duration,
    pub failure: Option<Refused>,
    /// Its first job fails with `backendError`.
    pub flaky: bool,
    pub location: String,
    /// What a statement of DDL does, and to which table.
    pub ddl: Option<(&'static str, Value)>,
}

/// A statement before its tables are looked at.
#[derive(Default)]
struct Draft {
    statement: &'static str,
    selected: Option<Selected>,
    affected: Option<u64>,
    run: Duration,
    flaky: bool,
    free: bool,
    ddl: Option<(&'static str, Value)>,
}

/// Reads the statement, for a job in this location if one is asked for.
pub fn plan(sql: &str, asked: Option<&str>, options: &Options) -> Result<Plan, Refused> {
    let asked = asked.filter(|location| !location.is_empty());
    let location = asked.unwrap_or(&options.location);
    let tokens = tokens(sql)?;
    let parts = tokens.split(|token| token.kind == Kind::Symbol && token.text == ";");
    let parts: Vec<&[Token]> = parts.filter(|part| !part.is_empty()).collect();
    let Some((first, last)) = parts.first().zip(parts.last()) else {
        return Err(invalid("Syntax error: Unexpected end of statement"));
    };
    let functions = parts
        .iter()
        .take_while(|part| begins(part, &["CREATE", "TEMP", "FUNCTION"]))
        .count();
    let is_script = [
        "DECLARE", "BEGIN", "IF", "FOR", "WHILE", "LOOP", "SET", "EXECUTE",
    ]
    .iter()
    .any(|word| first[0].is(word));
    if is_script || parts.len() - functions > 1 {
        let mut draft = Draft {
            statement: "SCRIPT",
            ..Draft::default()
        };
        let tables = tables_of(&tokens, location)?;
        if last[0].is("SELECT") {
            draft.selected = Some(select(last, &tables_of(last, location)?, options)?);
        }
        // How exact the service says such an estimate is, is documented nowhere.
        return finish(draft, tables, None, asked, options);
    }
    let (draft, tables) = single(last, location, options)?;
    let accuracy = if draft.statement == "CALL" {
        "LOWER_BOUND"
    } else {
        accuracy_of(&tables)
    };
    finish(draft, tables, Some(accuracy), asked, options)
}

fn begins(tokens: &[Token], words: &[&str]) -> bool {
    tokens.len() >= words.len() && words.iter().zip(tokens).all(|(word, token)| token.is(word))
}

/// One statement that is no script.
fn single(
    tokens: &[Token],
    location: &str,
    options: &Options,
) -> Result<(Draft, Vec<&'static Table>), Refused> {
    let first = &tokens[0];
    let mut draft = Draft::default();
    if first.is("SELECT") {
        draft.statement = "SELECT";
        if let Some((name, run)) = named_select(tokens) {
            let known = table(name, location)?;
            draft.run = run;
            draft.flaky = tokens[1].is("flaky");
            draft.selected = Some(whole(known, options));
            return Ok((draft, vec![known]));
        }
        let tables = tables_of(tokens, location)?;
        let selected = select(tokens, &tables, options)?;
        draft.free = selected.only_counts;
        draft.selected = Some(selected);
        return Ok((draft, tables));
    }
    let mut tables = Vec::new();
    match first.text.to_ascii_uppercase().as_str() {
        kind @ ("INSERT" | "UPDATE" | "DELETE" | "MERGE") => {
            tables = tables_of(tokens, location)?;
            let Some(target) = tables.first().copied() else {
                return Err(invalid(format!(
                    "Syntax error: Expected a table behind {kind} at {}",
                    first.place()
                )));
            };
            draft.flaky = target.name == "flaky";
            draft.statement = match kind {
                "INSERT" => "INSERT",
                "UPDATE" => "UPDATE",
                "DELETE" => "DELETE",
                _ => "MERGE",
            };
            let mut changed = target.rows(options);
            if kind == "INSERT" {
                // The target is not read; its new rows are those of VALUES or of the query.
                tables.remove(0);
                changed = tables
                    .first()
                    .map_or_else(|| values(tokens), |source| source.rows(options));
            }
            draft.affected = Some(changed as u64);
        }
        "CREATE" => create(tokens, &mut draft, &mut tables, location, options)?,
        "DROP" | "ALTER" => {
            let drops = first.is("DROP");
            draft.statement = if drops { "DROP_TABLE" } else { "ALTER_TABLE" };
            draft.ddl = Some((if drops { "DROP" } else { "ALTER" }, target(tokens)));
        }
        "TRUNCATE" => draft.statement = "TRUNCATE_TABLE",
        "EXPORT" => {
            draft.statement = "EXPORT_DATA";
            tables = tables_of(tokens, location)?;
        }
        "CALL" => {
            draft.statement = "CALL";
            let name = tokens.get(1).map_or("", |token| token.text.as_str());
            if !matches!(name, "d.refresh" | "p1.d.refresh") {
                let message = format!(
                    "Not found: Routine {PROJECT}:{name} was not found in location {location}"
                );
                return Err(Refused::new(404, "notFound", message));
            }
        }
        _ => {
            let what = match first.kind {
                Kind::Word => "identifier ",
                Kind::Number => "integer literal ",
                Kind::Text => "string literal ",
                Kind::Symbol => "",
            };
            let message = format!(
                "Syntax error: Unexpected {what}\"{}\" at {}",
                first.text,
                first.place()
            );
            return Err(invalid(message));
        }
    }
    Ok((draft, tables))
}

/// `SELECT all_types` and its like: the table that is meant, and how long it takes.
fn named_select(tokens: &[Token]) -> Option<(&'static str, Duration)> {
    let seconds = |number: f64| Duration::try_from_secs_f64(number).ok();
    match tokens {
        [_, word] if word.is("all_types") => Some(("d.types", Duration::ZERO)),
        [_, word] if word.is("flaky") => Some(("d.flaky", Duration::ZERO)),
        [_, word] if word.is("slow") => Some(("d.tiny", seconds(2.5)?)),
        [_, word] if word.is("slower") => Some(("d.tiny", seconds(11.0)?)),
        [_, word, open, number, close]
            if word.is("slow") && open.text == "(" && close.text == ")" =>
        {
            Some(("d.tiny", seconds(number.text.parse().ok()?)?))
        }
        _ => None,
    }
}

fn create(
    tokens: &[Token],
    draft: &mut Draft,
    tables: &mut Vec<&'static Table>,
    location: &str,
    options: &Options,
) -> Result<(), Refused> {
    let view = tokens.iter().take(5).any(|token| token.is("VIEW"));
    let query = tokens
        .windows(2)
        .position(|pair| pair[0].is("AS") && pair[1].is("SELECT"));
    if let Some(at) = query {
        *tables = tables_of(&tokens[at + 1..], location)?;
        select(&tokens[at + 1..], tables, options)?;
    }
    draft.statement = match (view, query) {
        (true, _) => "CREATE_VIEW",
        (_, Some(_)) => "CREATE_TABLE_AS_SELECT",
        _ => "CREATE_TABLE",
    };
    draft.free = view;
    draft.ddl = Some(("CREATE", target(tokens)));
    Ok(())
}

/// The table that a statement of DDL names.
fn target(tokens: &[Token]) -> Value {
    let name = tokens
        .iter()
        .find(|token| token.kind == Kind::Word && token.text.contains('.'));
    let mut parts = name.map_or("d.", |token| token.text.as_str()).rsplit('.');
    let (table, dataset) = (parts.next().unwrap_or(""), parts.next().unwrap_or("d"));
    json!({"projectId": PROJECT, "datasetId": dataset, "tableId": table})
}

/// How many rows stand behind VALUES.
fn values(tokens: &[Token]) -> usize {
    let behind = tokens.iter().skip_while(|token| !token.is("VALUES"));
    let mut depth = 0;
    let mut rows = 0;
    for token in behind.filter(|token| token.kind == Kind::Symbol) {
        match token.text.as_str() {
            "(" => {
                rows += usize::from(depth == 0);
                depth += 1;
            }
            ")" => depth -= 1,
            _ => {}
        }
    }
    rows
}

fn accuracy_of(tables: &[&Table]) -> &'static str {
    let order = ["UNKNOWN", "LOWER_BOUND", "UPPER_BOUND"];
    let worst = order
        .into_iter()
        .find(|accuracy| tables.iter().any(|table| table.accuracy == *accuracy));
    worst.unwrap_or("PRECISE")
}

fn finish(
    draft: Draft,
    tables: Vec<&'static Table>,
    accuracy: Option<&'static str>,
    asked: Option<&str>,
    options: &Options,
) -> Result<Plan, Refused> {
    let home = |table: &Table| table.location.unwrap_or(&options.location).to_owned();
    let location = match (asked, tables.first()) {
        (Some(asked), _) => asked.to_owned(),
        (None, Some(table)) => home(table),
        (None, None) => options.location.clone(),
    };
    if let Some(far) = tables
        .iter()
        .find(|table| !home(table).eq_ignore_ascii_case(&location))
    {
        return Err(not_found(
            &format!("{PROJECT}:{}.{}", far.dataset, far.name),
            &location,
        ));
    }
    let mut once: Vec<&Table> = Vec::new();
    for table in tables.iter().copied().filter(|_| !draft.free) {
        if !once.iter().any(|other| other.name == table.name) {
            once.push(table);
        }
    }
    let pages = tables.iter().map(|table| table.page_rows(options));
    let selected = draft.selected;
    Ok(Plan {
        statement: draft.statement,
        estimate: once.iter().map(|table| table.estimate).sum(),
        accuracy,
        needed: billed(once.iter().map(|table| table.bound)),
        processed: once.iter().map(|table| table.actual).sum(),
        billed: billed(once.iter().map(|table| table.actual)),
        page: pages.filter(|&rows| rows > 0).min().unwrap_or(0),
        rows: selected.as_ref().map(|selected| selected.rows),
        failure: selected
            .as_ref()
            .and_then(|selected| selected.failure.clone()),
        outputs: selected
            .map(|selected| selected.outputs)
            .unwrap_or_default(),
        affected: draft.affected,
        run: draft.run,
        flaky: draft.flaky,
        location,
        ddl: draft.ddl,
        tables,
    })
}

#[cfg(test)]
mod tests {
    use super::{Plan, plan};
    use crate::options::Options;

    fn of(sql: &str) -> Plan {
        plan(sql, None, &Options::default()).unwrap()
    }

    fn shape(sql: &str) -> (&'static str, u64, Option<&'static str>) {
        let plan = of(sql);
        (plan.statement, plan.estimate, plan.accuracy)
    }

    #[test]
    fn statements_and_their_estimates() {
        let precise = Some("PRECISE");
        assert_eq!(
            shape("SELECT name FROM d.names;"),
            ("SELECT", 65_935_918, precise)
        );
        assert_eq!(shape("SELECT 1 AS x"), ("SELECT", 0, precise));
        assert_eq!(
            shape("SELECT id FROM d.clustered"),
            ("SELECT", 53_687_091_200, Some("UPPER_BOUND"))
        );
        assert_eq!(
            shape("SELECT * FROM d.ext"),
            ("SELECT", 0, Some("LOWER_BOUND"))
        );
        assert_eq!(
            shape("CREATE TABLE d.new (x INT64)"),
            ("CREATE_TABLE", 0, precise)
        );
        assert_eq!(
            shape("DELETE FROM d.names WHERE true"),
            ("DELETE", 65_935_918, precise)
        );
        assert_eq!(
            shape("DECLARE x INT64; SELECT name FROM d.names"),
            ("SCRIPT", 65_935_918, None)
        );
        assert_eq!(shape("SELECT 1; SELECT 2"), ("SCRIPT", 0, None));
        assert_eq!(
            shape("CREATE TEMP FUNCTION f() AS (1); SELECT name FROM d.names"),
            ("SELECT", 65_935_918, precise)
        );
        assert_eq!(
            shape("SELECT a.id, b.label FROM d.a JOIN d.b USING (id)"),
            ("SELECT", 163_595_928, precise)
        );
        assert_eq!(
            shape("CREATE TABLE d.x AS SELECT id FROM d.tiny"),
            ("CREATE_TABLE_AS_SELECT", 12, precise)
        );
        assert_eq!(
            shape("MERGE d.names n USING d.tiny t ON true WHEN MATCHED THEN DELETE"),
            ("MERGE", 65_935_930, precise)
        );
        assert_eq!(shape("CALL d.refresh()"), ("CALL", 0, Some("LOWER_BOUND")));
        assert_eq!(
            shape("SELECT COUNT(*) FROM d.names"),
            ("SELECT", 0, precise)
        );
        assert_eq!(shape("SELECT all_types"), ("SELECT", 400, precise));
    }

    #[test]
    fn a_table_that_is_named_twice_is_read_once() {
        let plan = of("SELECT x.name FROM d.names x JOIN d.names y ON true");
        assert_eq!(
            (plan.tables.len(), plan.estimate, plan.billed),
            (2, 65_935_918, 66_060_288)
        );
    }

    #[test]
    fn names_of_columns() {
        let names = |sql: &str| {
            of(sql)
                .outputs
                .into_iter()
                .map(|output| output.name)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            names("SELECT 1, 'a, b' AS x, COUNT(*), - 2.5 y"),
            ["f0_", "x", "f1_", "y"]
        );
        assert_eq!(
            names("SELECT * FROM d.a JOIN d.b USING (id)"),
            ["id", "amount", "label"]
        );
        assert_eq!(names("SELECT n.NAME FROM d.names n"), ["name"]);
        let refused = |sql: &str| plan(sql, None, &Options::default()).unwrap_err().message;
        assert_eq!(
            refused("SELECT nam FROM d.names"),
            "Unrecognized name: nam; Did you mean name? at [1:8]"
        );
        assert!(refused("SELECT 1 AS x, 2 AS X").contains("duplicate(s): X"));
        assert_eq!(
            refused("\n -- c\n SELEC 1"),
            "Syntax error: Unexpected identifier \"SELEC\" at [3:2]"
        );
        assert_eq!(
            refused("SELECT"),
            "Syntax error: Unexpected end of statement; a SELECT names at least one column"
        );
    }

    #[test]
    fn a_job_runs_where_its_tables_are() {
        assert_eq!(of("SELECT id FROM d.west").location, "europe-west9");
        assert_eq!(of("SELECT 1").location, "US");
        let far = plan("SELECT id FROM d.west", Some("US"), &Options::default()).unwrap_err();
        assert_eq!(
            far.message,
            "Not found: Table p1:d.west was not found in location US"
        );
        assert_eq!(
            plan("SELECT 1", Some("EU"), &Options::default())
                .unwrap()
                .location,
            "EU"
        );
    }

    #[test]
    fn statements_that_take_their_time() {
        let seconds = |sql: &str| of(sql).run.as_secs_f64();
        assert!((seconds("SELECT slow") - 2.5).abs() < 1e-9);
        assert!((seconds("select SLOWER") - 11.0).abs() < 1e-9);
        assert!((seconds("SELECT slow(0.25)") - 0.25).abs() < 1e-9);
        assert!(seconds("SELECT name FROM d.names") == 0.0);
    }

    #[test]
    fn rows_that_change() {
        assert_eq!(of("DELETE FROM d.names WHERE true").affected, Some(25));
        assert_eq!(
            of("INSERT INTO d.tiny (id, name) VALUES (1, f(2)), (3, 'x')").affected,
            Some(2)
        );
        assert_eq!(
            of("INSERT d.tiny SELECT id, name FROM d.a").affected,
            Some(3)
        );
        assert_eq!(of("SELECT name FROM d.names LIMIT 5").rows, Some(5));
        assert_eq!(of("SELECT name FROM d.empty").rows, Some(0));
    }
}
