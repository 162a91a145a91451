//! A type that a value does fit, for hints. It only proposes; the user decides.

use super::marks::Marks;
use super::read::{self, Reading};
use super::wanted::{Form, Wanted};
use crate::table::Kind;

/// The type, in its written form, that fits a value which does not fit the wanted one; `None` when
/// there is nothing better than text.
pub fn form(value: &str, wanted: &Wanted, kind: Kind) -> Option<String> {
    if kind != Kind::Text {
        return None;
    }
    match wanted.form {
        Form::Int(None) if Marks::of_example(value, true).is_some() => Some(format!("int:{value}")),
        Form::Int(None) if read::float(value, None) != Reading::Misfit => Some("float".to_owned()),
        Form::Int(None) | Form::Float(None) => local(value, "float"),
        Form::Decimal(None) => local(value, "decimal"),
        Form::Date(None) => {
            let (pattern, clock) = day(value)?;
            let word = if clock { "datetime" } else { "date" };
            Some(format!("{word}:{pattern}"))
        }
        Form::Datetime(None) => day(value).map(|(pattern, _)| format!("datetime:{pattern}")),
        _ => None,
    }
}

fn local(value: &str, word: &str) -> Option<String> {
    Marks::of_example(value, false).map(|_| format!("{word}:{value}"))
}

/// The pattern of a value like `31/12/2026` or `31.12.26 18:05`, and whether it has a clock. The day
/// comes first unless the value proves that it does not.
fn day(value: &str) -> Option<(String, bool)> {
    let (day, clock) = value.split_once(' ').unwrap_or((value, ""));
    let mark = day.chars().find(|character| !character.is_ascii_digit())?;
    let parts: Vec<&str> = day.split(mark).collect();
    let [first, second, year] = parts[..] else {
        return None;
    };
    let (first, second): (u32, u32) = (first.parse().ok()?, second.parse().ok()?);
    let order = match (first, second) {
        (1..=31, 1..=12) => format!("%d{mark}%m"),
        (1..=12, 13..=31) => format!("%m{mark}%d"),
        _ => return None,
    };
    let digits = year.bytes().all(|byte| byte.is_ascii_digit());
    let year = match year.len() {
        4 if digits => "%Y",
        2 if digits => "%y",
        _ => return None,
    };
    let clock = match (clock.len(), clock.matches(':').count()) {
        (0, _) => "",
        (_, 1) => " %H:%M",
        (_, 2) => " %H:%M:%S",
        _ => return None,
    };
    Some((format!("{order}{mark}{year}{clock}"), !clock.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_that_fits_is_proposed() {
        let rules = [
            ("int", "1,204", Some("int:1,204")),
            ("int", "1.5", Some("float")),
            ("int", "1,5", Some("float:1,5")),
            ("int", "abc", None),
            ("float", "1.299,99", Some("float:1.299,99")),
            ("float", "12 %", None),
            ("decimal", "0,5", Some("decimal:0,5")),
            ("date", "31/12/2026", Some("date:%d/%m/%Y")),
            ("date", "12/31/2026", Some("date:%m/%d/%Y")),
            ("date", "1.2.26", Some("date:%d.%m.%y")),
            ("date", "1.2.26 18:05", Some("datetime:%d.%m.%y %H:%M")),
            (
                "datetime",
                "1.2.26 18:05:01",
                Some("datetime:%d.%m.%y %H:%M:%S"),
            ),
            ("date", "31/31/2026", None),
            ("date", "soon", None),
            ("bool", "1,5", None),
        ];
        for (wanted, value, proposed) in rules {
            let wanted = Wanted::parse(wanted).expect("a type");
            let found = form(value, &wanted, Kind::Text);
            assert_eq!(found.as_deref(), proposed, "{wanted} {value}");
            if let Some(found) = found {
                assert!(Wanted::parse(&found).is_ok(), "{found}");
            }
        }
    }
}
