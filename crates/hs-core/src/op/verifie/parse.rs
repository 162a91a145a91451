//! From a text to an expression in SQL; the parser's errors as ours, with their place.

use std::ops::Range;

use sqlparser::ast::Expr;
use sqlparser::dialect::SQLiteDialect;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Location, Span, Token, Tokenizer};

use super::fault;
use crate::error::{Error, ErrorKind, Result, quoted};

/// Operators, words and parentheses that a condition may have: its parts lie inside one another, and
/// each level takes room on the stack. Lists of values may be longer.
const MOST_WORDS: usize = 1000;
/// Levels of parentheses, as the parser counts them.
const MOST_LEVELS: usize = 50;
/// The expression that a text is.
///
/// # Errors
/// [`ErrorKind::Argument`] for what is none, or too long.
pub fn parse(text: &str) -> Result<Expr> {
    let dialect = SQLiteDialect {};
    let wrong = |error: &dyn std::fmt::Display| told(text, &error.to_string());
    let tokens = Tokenizer::new(&dialect, text)
        .tokenize_with_location()
        .map_err(|error| wrong(&error))?;
    let words = tokens.iter().filter(|token| {
        !matches!(
            token.token,
            Token::Comma | Token::Whitespace(_) | Token::Number(..) | Token::SingleQuotedString(_)
        )
    });
    if words.count() > MOST_WORDS {
        let message = format!("expected at most {MOST_WORDS} words and operators, found more");
        return Err(Error::new(ErrorKind::Argument, message).hint("make several checks of it"));
    }
    let mut parser = Parser::new(&dialect)
        .with_recursion_limit(MOST_LEVELS)
        .with_tokens_with_locations(tokens);
    let parsed = parser.parse_expr().map_err(|error| wrong(&error))?;
    let rest = parser.peek_token();
    if rest.token == Token::EOF {
        return Ok(parsed);
    }
    let range = range(text, rest.span);
    let message = format!(
        "expected an operator or the end, found {}",
        quoted(&rest.token.to_string())
    );
    Err(fault::at(ErrorKind::Argument, text, &range, &message))
}

/// An error of the parser as ours: `Expected: an expression, found: ) at Line: 1, Column: 10`.
fn told(text: &str, error: &str) -> Error {
    let error = error
        .trim_start_matches("sql parser error: ")
        .trim_start_matches("Expected: ");
    if error.contains("recursion limit") {
        let message = format!("expected at most {MOST_LEVELS} levels of parentheses, found more");
        return Error::new(ErrorKind::Argument, message).hint("make several checks of it");
    }
    let (message, place) = match error.split_once(" at Line: ") {
        Some((message, place)) => (message, Some(place)),
        None => (error, None),
    };
    let end = text.chars().count();
    let start = place.and_then(|place| {
        let (line, column) = place.split_once(", Column: ")?;
        let (line, column) = (line.trim().parse().ok()?, column.trim().parse().ok()?);
        Some(position(text, Location { line, column }))
    });
    let start = start.unwrap_or(end);
    let message = match message.split_once(", found: ") {
        Some((wanted, "EOF")) => format!("expected {wanted}, found the end"),
        Some((wanted, found)) => format!("expected {wanted}, found {}", quoted(found.trim())),
        None => {
            let mut letters = message.chars();
            let first = letters.next().map(|first| first.to_ascii_lowercase());
            let message: String = first.into_iter().chain(letters).collect();
            let found = if message.starts_with("un") {
                ", found an "
            } else {
                ": "
            };
            format!("expected a condition in SQL{found}{message}")
        }
    };
    fault::at(ErrorKind::Argument, text, &(start..start + 1), &message)
}

/// Position of a place in characters from 0.
fn position(text: &str, place: Location) -> usize {
    let before: usize = text
        .split('\n')
        .take((place.line as usize).saturating_sub(1))
        .map(|line| line.chars().count() + 1)
        .sum();
    before + (place.column as usize).saturating_sub(1)
}

/// Where an expression stands, in characters from 0.
pub fn range(text: &str, span: Span) -> Range<usize> {
    if span.start.line == 0 {
        return 0..text.chars().count();
    }
    position(text, span.start)..position(text, span.end)
}
