//! The toml reader: a document is an object in the order of the file; `at` takes an array of tables
//! out of it as a table.

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toml::value::{Datetime, Offset, Time};

use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result, quoted};
use crate::format::document::table_at;
use crate::format::json::number::Number;
use crate::format::{Document, Loaded, ReadOptions};
use crate::note::{Note, Topic};
use crate::source::Source;
use crate::text;
use crate::value::Value;

const NANOS_PER_SECOND: i64 = 1_000_000_000;
const MICROS_PER_DAY: i64 = 86_400_000_000;

/// Reads a TOML document.
///
/// # Errors
/// [`ErrorKind::Format`] with line and column for what is not TOML, also for whole numbers beyond 64 bits;
/// [`ErrorKind::Argument`] when `options.at` names no array of tables.
pub fn read(source: Source, options: &ReadOptions, control: &Control) -> Result<Loaded> {
    let bytes = source.read(control)?;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let input = std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line = memchr::memchr_iter(b'\n', before).count() as u64 + 1;
        Error::new(ErrorKind::Format, "expected UTF-8 text, found other bytes")
            .at(Place::default().row(line))
            .hint("write the file again as UTF-8")
    })?;
    // The parser would take a second mark for the first.
    if input.starts_with('\u{feff}') {
        let message = "expected one byte order mark at the start, found two";
        return Err(refuse(input, 0, message).hint("save the file again as UTF-8"));
    }
    let root = DeTable::parse(input).map_err(|error| {
        let message = error.message().trim_end().replace('\n', ", ");
        refuse(input, error.span().map_or(0, |span| span.start), &message)
    })?;
    let mut reader = Reader {
        input,
        kept: 0,
        first_kept: None,
        rounded: 0,
        first_rounded: None,
    };
    let value = reader.table(root.into_inner())?;
    let notes = reader.notes();
    match &options.at {
        Some(path) => table_at(&value, path, notes).map(Loaded::Table),
        None => Ok(Loaded::Value(Document::new(value, notes))),
    }
}

/// True when the text is TOML as far as it goes; what may be cut off is given the benefit.
pub(super) fn is_document(head: &[u8]) -> bool {
    const LONG: usize = 32 << 10;
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let text = std::str::from_utf8(head);
    head.len() >= LONG || text.is_ok_and(|text| DeTable::parse(text).is_ok())
}

/// The error for the byte `index` of the text.
fn refuse(input: &str, index: usize, message: &str) -> Error {
    let (line, column) = position(input, index);
    Error::new(ErrorKind::Format, format!("{message} (at letter {column})"))
        .at(Place::default().row(line))
}

/// Line and letter in it, both from 1.
fn position(input: &str, index: usize) -> (u64, usize) {
    let index = (0..=index.min(input.len()))
        .rev()
        .find(|at| input.is_char_boundary(*at))
        .unwrap_or_default();
    let (before, _) = input.split_at(index);
    let line = before.matches('\n').count() as u64 + 1;
    let column = before
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .chars()
        .count()
        + 1;
    (line, column)
}

struct Reader<'i> {
    input: &'i str,
    /// Datetimes that no type holds, kept as text: count, and text and byte of the first.
    kept: u64,
    first_kept: Option<(String, usize)>,
    /// Floats with more digits than one holds: count, and byte of the first.
    rounded: u64,
    first_rounded: Option<usize>,
}

impl Reader<'_> {
    fn notes(&self) -> Vec<Note> {
        let mut notes = Vec::new();
        if let Some(index) = self.first_rounded {
            let (line, _) = position(self.input, index);
            let message = format!(
                "{} of more digits than a float keeps rounded (first: line {line})",
                text::counted(self.rounded, "number"),
            );
            let place = Place::default().row(line);
            notes.push(Note::new(Topic::Types, message).counted(self.rounded, place));
        }
        let Some((first, index)) = &self.first_kept else {
            return notes;
        };
        let (line, _) = position(self.input, *index);
        let message = format!(
            "{} kept as text, finer than microseconds or in a leap second (first: {} on line {line})",
            text::counted(self.kept, "time"),
            quoted(first),
        );
        let place = Place::default().row(line);
        notes.push(Note::new(Topic::Types, message).counted(self.kept, place));
        notes
    }

    /// The parser sorts the keys by name; their places in the text give back the order of the file.
    fn table(&mut self, table: DeTable<'_>) -> Result<Value> {
        let mut fields: Vec<_> = table.into_iter().collect();
        fields.sort_by_key(|(key, _)| key.span().start);
        fields
            .into_iter()
            .map(|(key, value)| Ok((key.into_inner().into_owned(), self.value(value)?)))
            .collect::<Result<_>>()
            .map(Value::Object)
    }

    fn value(&mut self, value: Spanned<DeValue<'_>>) -> Result<Value> {
        let span = value.span();
        Ok(match value.into_inner() {
            DeValue::String(text) => Value::Text(text.into_owned()),
            DeValue::Boolean(value) => Value::Bool(value),
            DeValue::Integer(digits) => {
                let value = i64::from_str_radix(digits.as_str(), digits.radix());
                Value::Int(value.map_err(|_| {
                    let message = format!(
                        "expected a whole number within 64 bits, found {}",
                        quoted(digits.as_str())
                    );
                    refuse(self.input, span.start, &message)
                        .hint("TOML has no larger ones: write it as text, in quotes")
                })?)
            }
            DeValue::Float(digits) => match digits.as_str().trim_start_matches('+') {
                special if special.ends_with(['f', 'n']) => {
                    Value::Float(special.parse().map_err(|_| {
                        let message = format!("expected a float, found {}", quoted(special));
                        refuse(self.input, span.start, &message)
                    })?)
                }
                digits => {
                    let number = Number::read(digits);
                    if matches!(number, Number::Float { rounded: true, .. }) {
                        self.rounded += 1;
                        self.first_rounded.get_or_insert(span.start);
                    }
                    number.value()
                }
            },
            DeValue::Datetime(value) => {
                let written = self.input.get(span.clone()).unwrap_or_default();
                exact_datetime(&value, written).unwrap_or_else(|| {
                    self.kept += 1;
                    self.first_kept
                        .get_or_insert_with(|| (written.to_owned(), span.start));
                    Value::Text(written.to_owned())
                })
            }
            DeValue::Array(items) => Value::List(
                items
                    .into_iter()
                    .map(|item| self.value(item))
                    .collect::<Result<_>>()?,
            ),
            DeValue::Table(table) => self.table(table)?,
        })
    }
}

/// A date, time or datetime, or `None` when its type cannot hold it exactly.
fn exact_datetime(value: &Datetime, written: &str) -> Option<Value> {
    let days = match value.date {
        Some(date) => Some(text::days(
            date.year.into(),
            date.month.into(),
            date.day.into(),
        )?),
        None => None,
    };
    // The parser cuts fractions off after nine digits.
    let fraction = written.split_once('.').map_or("", |(_, rest)| rest);
    let fraction = fraction
        .split(|letter: char| !letter.is_ascii_digit())
        .next()?;
    let digits = fraction.trim_end_matches('0').len();
    match (days, &value.time) {
        (Some(days), None) => Some(Value::Date(i32::try_from(days).ok()?)),
        (None, Some(time)) => (digits <= 9).then(|| nanos(time).map(Value::Time))?,
        (Some(days), Some(time)) if digits <= 6 => {
            let minutes = match value.offset {
                None | Some(Offset::Z) => 0,
                Some(Offset::Custom { minutes }) => i64::from(minutes),
            };
            let micros = days * MICROS_PER_DAY + nanos(time)? / 1000 - minutes * 60_000_000;
            let utc = value.offset.is_some();
            Some(Value::Datetime { micros, utc })
        }
        _ => None,
    }
}

/// Nanoseconds since midnight; `None` in a leap second.
fn nanos(time: &Time) -> Option<i64> {
    let second = i64::from(time.second.unwrap_or_default());
    let seconds = i64::from(time.hour) * 3600 + i64::from(time.minute) * 60 + second;
    (second < 60)
        .then(|| seconds * NANOS_PER_SECOND + i64::from(time.nanosecond.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::table::Kind;

    fn load(text: impl AsRef<[u8]>, at: Option<&str>) -> Result<Loaded> {
        let options = ReadOptions {
            at: at.map(str::to_owned),
            ..ReadOptions::default()
        };
        let source = Source::bytes("a.toml", text.as_ref().to_vec())?;
        read(source, &options, &Control::default())
    }

    fn document(text: &str) -> Document {
        match load(text, None) {
            Ok(Loaded::Value(document)) => document,
            other => panic!("expected a document, found {other:?}"),
        }
    }

    #[test]
    fn a_document_keeps_the_order_of_the_file() {
        let document = document(
            "\u{feff}z = 1\na.y = 'x'\n[server.b]\nport = 0xff\n[server.a]\nratio = 1e3\n[m]\nlist = [true, [2]]\n",
        );
        assert_eq!(
            document.to_json(),
            "{\"z\":1,\"a\":{\"y\":\"x\"},\"server\":{\"b\":{\"port\":255},\"a\":{\"ratio\":1000.0}},\
             \"m\":{\"list\":[true,[2]]}}"
        );
        assert!(document.notes.is_empty());
    }

    #[test]
    fn dates_and_times_are_exact() {
        let document = document(
            "d = 1979-05-27\nt = 07:32:00.999999999\nw = 1979-05-27 00:32:00.5\ni = 1979-05-27T00:32:00.999999-07:00\n",
        );
        // Computed with Python's datetime.
        assert_eq!(document.field("d"), Some(&Value::Date(3433)));
        assert_eq!(document.field("t"), Some(&Value::Time(27_120_999_999_999)));
        let wall = Value::Datetime {
            micros: 296_613_120_500_000,
            utc: false,
        };
        assert_eq!(document.field("w"), Some(&wall));
        let instant = Value::Datetime {
            micros: 296_638_320_999_999,
            utc: true,
        };
        assert_eq!(document.field("i"), Some(&instant));
    }

    #[test]
    fn times_that_no_type_holds_are_kept_as_text_and_told() {
        let document =
            document("a = 1\nb = 1990-12-31T23:59:60Z\nc = 1979-05-27T00:32:00.1234567Z\n");
        assert_eq!(
            document.field("b"),
            Some(&Value::Text("1990-12-31T23:59:60Z".into()))
        );
        assert_eq!(
            document.field("c"),
            Some(&Value::Text("1979-05-27T00:32:00.1234567Z".into()))
        );
        assert_eq!(
            document.notes[0].text,
            "2 times kept as text, finer than microseconds or in a leap second \
             (first: \"1990-12-31T23:59:60Z\" on line 2)"
        );
    }

    #[test]
    fn floats_never_become_zero_or_infinite_and_rounding_is_told() {
        let document = document(
            "a = 1e400\nb = -1e-400\nc = +inf\nd = -0.0\ne = 1_000.5\nf = nan\ng = 0.1234567890123456789\nh = +2.5\n",
        );
        assert_eq!(document.field("a"), Some(&Value::Decimal("1e400".into())));
        assert_eq!(document.field("b"), Some(&Value::Decimal("-1e-400".into())));
        assert_eq!(document.field("c"), Some(&Value::Float(f64::INFINITY)));
        assert!(matches!(document.field("d"), Some(Value::Float(zero)) if zero.is_sign_negative()));
        assert_eq!(document.field("e"), Some(&Value::Float(1000.5)));
        assert!(matches!(document.field("f"), Some(Value::Float(number)) if number.is_nan()));
        assert_eq!(document.field("h"), Some(&Value::Float(2.5)));
        assert_eq!(
            document.notes[0].text,
            "1 number of more digits than a float keeps rounded (first: line 7)"
        );
    }

    #[test]
    fn an_array_of_tables_is_a_table() -> Result<()> {
        let text = "title = 'x'\n[[shop.item]]\nid = 1\n[[shop.item]]\nid = 2\nname = '007'\n";
        assert_eq!(
            document(text).notes[0].text,
            "lists of objects at shop.item: at=\"shop.item\""
        );
        let Loaded::Table(table) = load(text, Some("shop.item"))? else {
            panic!("expected a table");
        };
        assert_eq!((table.height(), table.width()), (2, 2));
        assert_eq!(table.columns()[1].kind, Kind::Text);
        assert_eq!(table.origin.part.as_deref(), Some("shop.item"));
        Ok(())
    }

    #[test]
    fn errors_name_line_and_column() {
        let error = load("a = 1\nb = 9223372036854775808\n", None).expect_err("too large");
        assert_eq!(
            error.to_string(),
            "line 2: expected a whole number within 64 bits, found \"9223372036854775808\" (at letter 5)\n\
             hint: TOML has no larger ones: write it as text, in quotes"
        );
        let error = load("a = 1\n\né = = 2\n", None).expect_err("two signs");
        assert_eq!(error.place().row, Some(3));
        assert!(error.message().contains("letter 5"), "{error}");
        assert!(load("\u{feff}\u{feff}a = 1\n", None).is_err());
        assert!(load("a =\u{feff}1\n", None).is_err());
        let error = load(b"a = 1\nb = '\xff'\n", None).expect_err("no UTF-8");
        assert_eq!(error.place().row, Some(2));
    }

    proptest! {
        #[test]
        fn broken_text_never_panics(at in 0usize..60, byte in any::<u8>()) {
            let mut bytes = b"a = 1\n[[t]]\nd = 1979-05-27T00:32:00.5Z\nx = [1, {y = 'z'}]\nf = 1.5e3\n".to_vec();
            bytes[at] = byte;
            drop(load(&bytes, None));
            drop(load(&bytes[..at.max(1)], None));
        }
    }
}
