//! A Markdown table, as GitHub and most others read it.

use std::io::{self, Write};

use hs_core::{Kind, Table, text};

use super::rows::each_row;

/// Writes a table as a Markdown table. Missing is an empty cell.
///
/// # Errors
/// When the stream does not take it.
pub fn markdown(out: &mut (dyn Write + Send), table: &Table) -> io::Result<()> {
    let mut names = String::from("|");
    let mut rule = String::from("|");
    for column in table.columns() {
        push_cell(&mut names, &column.name);
        rule.push_str(match column.kind {
            Kind::Int | Kind::Float | Kind::Decimal => " ---: |",
            _ => " --- |",
        });
    }
    writeln!(out, "{names}\n{rule}")?;
    let mut line = String::new();
    each_row(table.frame(), |row| {
        line.clear();
        line.push('|');
        for value in row {
            push_cell(&mut line, &text::plain(value));
        }
        writeln!(out, "{line}")
    })
}

fn push_cell(line: &mut String, text: &str) {
    line.push(' ');
    for letter in text.chars() {
        match letter {
            '|' => line.push_str("\\|"),
            '\\' => line.push_str("\\\\"),
            '<' => line.push_str("&lt;"),
            '\n' => line.push_str("<br>"),
            '\r' => {}
            letter => line.push(letter),
        }
    }
    line.push_str(" |");
}
