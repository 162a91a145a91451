//! Cuts SQL into words with their places, and finds the tables that are named in it. It understands no expression.

use crate::credentials::PROJECT;
use crate::errors::Refused;
use crate::tables::{TABLES, Table};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name or a keyword, with its dots: `SELECT`, `d.names`; without backticks.
    Word,
    Number,
    /// Its text is what stands between the quotes.
    Text,
    Symbol,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    pub kind: Kind,
    pub text: String,
    line: usize,
    column: usize,
}

impl Token {
    pub fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Word | Kind::Symbol) && self.text.eq_ignore_ascii_case(text)
    }

    pub fn place(&self) -> String {
        format!("[{}:{}]", self.line, self.column)
    }
}

/// An error of the text itself.
pub fn invalid(message: impl Into<String>) -> Refused {
    Refused::new(400, "invalidQuery", message)
}

/// The words of a text, without comments and blanks.
pub fn tokens(sql: &str) -> Result<Vec<Token>, Refused> {
    let letters: Vec<char> = sql.chars().collect();
    let (mut at, mut line, mut begin) = (0, 1, 0);
    let mut tokens: Vec<Token> = Vec::new();
    while at < letters.len() {
        let letter = letters[at];
        let next = letters.get(at + 1).copied().unwrap_or(' ');
        let start = at;
        let while_from = |from: usize, fits: &dyn Fn(char) -> bool| {
            letters[from..]
                .iter()
                .position(|&other| !fits(other))
                .map_or(letters.len(), |length| from + length)
        };
        let place = format!("[{line}:{}]", start - begin + 1);
        let kind = if letter == '\n' {
            at += 1;
            line += 1;
            begin = at;
            continue;
        } else if letter.is_whitespace() {
            at += 1;
            continue;
        } else if letter == '#' || (letter == '-' && next == '-') {
            at = while_from(at, &|other| other != '\n');
            continue;
        } else if letter == '/' && next == '*' {
            let close = (at + 2..letters.len())
                .find(|&end| letters[end] == '*' && letters.get(end + 1) == Some(&'/'));
            let close = close
                .ok_or_else(|| invalid(format!("Syntax error: Unclosed comment at {place}")))?;
            for (back, _) in letters[at..close]
                .iter()
                .enumerate()
                .filter(|(_, other)| **other == '\n')
            {
                line += 1;
                begin = at + back + 1;
            }
            at = close + 2;
            continue;
        } else if letter == '`' || letter == '\'' || letter == '"' {
            let close = (at + 1..letters.len())
                .find(|&end| letters[end] == letter && letters[end - 1] != '\\');
            let what = if letter == '`' {
                "identifier"
            } else {
                "string"
            };
            let close = close.ok_or_else(|| {
                invalid(format!("Syntax error: Unclosed {what} literal at {place}"))
            })?;
            at = close + 1;
            if letter == '`' {
                Kind::Word
            } else {
                Kind::Text
            }
        } else if letter.is_ascii_digit() {
            at = while_from(at, &|other| other.is_ascii_digit() || other == '.');
            Kind::Number
        } else if letter.is_alphabetic() || letter == '_' || letter == '@' {
            at = while_from(at, &|other| {
                other.is_alphanumeric() || matches!(other, '_' | '.' | '@')
            });
            Kind::Word
        } else {
            at += 1;
            Kind::Symbol
        };
        let whole: String = letters[start..at].iter().collect();
        let quoted = matches!(letter, '`' | '\'' | '"');
        let text = if quoted {
            whole[1..whole.len() - 1].to_owned()
        } else {
            whole
        };
        tokens.push(Token {
            kind,
            text,
            line,
            column: start - begin + 1,
        });
    }
    join_dots(&mut tokens);
    Ok(tokens)
}

/// `d` `.` `names`, and `` `p1`.d.names ``, as one name.
fn join_dots(tokens: &mut Vec<Token>) {
    let mut joined: Vec<Token> = Vec::with_capacity(tokens.len());
    for token in tokens.drain(..) {
        match joined.last_mut() {
            Some(last)
                if last.kind == Kind::Word
                    && (last.text.ends_with('.') && token.kind == Kind::Word
                        || token.text == "." && token.kind == Kind::Symbol) =>
            {
                last.text.push_str(&token.text);
            }
            _ => joined.push(token),
        }
    }
    *tokens = joined;
}

/// The tables that are read or changed, in order, as often as they are named.
pub fn tables_of(tokens: &[Token], location: &str) -> Result<Vec<&'static Table>, Refused> {
    const BEFORE_A_TABLE: [&str; 6] = ["FROM", "JOIN", "INTO", "UPDATE", "MERGE", "USING"];
    let mut tables = Vec::new();
    let mut expected = false;
    for (at, token) in tokens.iter().enumerate() {
        if token.kind == Kind::Word && BEFORE_A_TABLE.iter().any(|word| token.is(word)) {
            expected = true;
            continue;
        }
        // `DELETE d.names`, without FROM.
        let target = at == 1 && (tokens[0].is("DELETE") || tokens[0].is("INSERT"));
        let call =
            tokens.get(at + 1).is_some_and(|next| next.text == "(") && !token.text.contains('.');
        if (expected || target) && token.kind == Kind::Word && !call {
            tables.push(table(&token.text, location)?);
        }
        expected = in_list(tokens, at, &tables);
    }
    Ok(tables)
}

/// Whether the comma at this place separates tables: the word before it, or the one before its alias, names one.
fn in_list(tokens: &[Token], at: usize, tables: &[&Table]) -> bool {
    let named = |token: &Token| {
        let name = token.text.to_ascii_lowercase();
        let tail = tables
            .last()
            .map(|table| format!("{}.{}", table.dataset, table.name));
        token.kind == Kind::Word && tail.is_some_and(|tail| name.ends_with(&tail))
    };
    match &tokens[..at] {
        _ if tokens[at].text != "," => false,
        [.., table, word, _] if word.is("AS") => named(table),
        [.., table, alias] => named(alias) || (alias.kind == Kind::Word && named(table)),
        _ => false,
    }
}

/// The scripted table of this name.
pub fn table(name: &str, location: &str) -> Result<&'static Table, Refused> {
    let parts: Vec<&str> = name.split('.').collect();
    let (project, dataset, table) = match parts[..] {
        [project, dataset, table] => (project, dataset, table),
        [dataset, table] => (PROJECT, dataset, table),
        _ => {
            return Err(invalid(format!(
                "Table \"{name}\" must be qualified with a dataset (e.g. dataset.table)."
            )));
        }
    };
    let full = format!("{project}:{dataset}.{table}");
    if project != PROJECT || dataset == "secret" {
        let message = format!(
            "Access Denied: Table {full}: User does not have permission to query table {full}, or perhaps it does not exist."
        );
        return Err(Refused {
            bare: table == "bare",
            ..Refused::new(403, "accessDenied", message)
        });
    }
    if dataset != "d" {
        let message =
            format!("Not found: Dataset {project}:{dataset} was not found in location {location}");
        return Err(Refused::new(404, "notFound", message));
    }
    let found = TABLES
        .iter()
        .find(|known| known.name.eq_ignore_ascii_case(table));
    found.ok_or_else(|| not_found(&full, location))
}

pub fn not_found(full: &str, location: &str) -> Refused {
    Refused::new(
        404,
        "notFound",
        format!("Not found: Table {full} was not found in location {location}"),
    )
}

#[cfg(test)]
mod tests {
    use super::{tables_of, tokens};

    fn names(sql: &str) -> Vec<&'static str> {
        let tokens = tokens(sql).unwrap();
        let tables = tables_of(&tokens, "US").unwrap();
        tables.iter().map(|table| table.name).collect()
    }

    #[test]
    fn tables_wherever_they_are_named() {
        assert_eq!(
            names("select name from `p1.d.names` -- FROM d.tiny\nlimit 5"),
            ["names"]
        );
        assert_eq!(
            names("SELECT x.id FROM d.a AS x, d.b y, `d`.`tiny` WHERE x.id = 1, 2"),
            ["a", "b", "tiny"]
        );
        assert_eq!(names("SELECT * FROM d.a JOIN d.b USING (id)"), ["a", "b"]);
        assert_eq!(
            names("MERGE d.names n USING d.tiny t ON n.id = t.id WHEN MATCHED THEN DELETE"),
            ["names", "tiny"]
        );
        assert_eq!(names("DELETE d.names WHERE true"), ["names"]);
        assert_eq!(
            names("INSERT INTO d.tiny (id) SELECT id FROM d.a"),
            ["tiny", "a"]
        );
        assert_eq!(names("SELECT 'FROM d.zzz' /* FROM d.zzz */"), [""; 0]);
    }

    #[test]
    fn places_count_lines_and_letters() {
        let tokens = tokens("/* a\n b */ SELECT -- x\n  é.é 'o\\'k' 1.5").unwrap();
        let shown: Vec<String> = tokens
            .iter()
            .map(|token| format!("{} {}", token.text, token.place()))
            .collect();
        assert_eq!(
            shown,
            ["SELECT [2:7]", "é.é [3:3]", "o\\'k [3:7]", "1.5 [3:14]"]
        );
        assert!(
            super::tokens("SELECT 'a")
                .unwrap_err()
                .message
                .ends_with("at [1:8]")
        );
    }

    #[test]
    fn tables_that_are_refused() {
        let refused = |sql: &str| tables_of(&tokens(sql).unwrap(), "US").unwrap_err();
        let zzz = refused("SELECT 1 FROM d.zzz");
        assert_eq!(
            (zzz.code, zzz.message.as_str()),
            (
                404,
                "Not found: Table p1:d.zzz was not found in location US"
            )
        );
        assert_eq!(
            refused("SELECT 1 FROM zz.t").message,
            "Not found: Dataset p1:zz was not found in location US"
        );
        assert_eq!(refused("SELECT 1 FROM secret.t").code, 403);
        assert!(refused("SELECT 1 FROM secret.bare").bare);
        assert_eq!(
            refused("SELECT 1 FROM `bigquery-public-data.x.y`").code,
            403
        );
        assert_eq!(refused("SELECT 1 FROM names").code, 400);
    }
}
