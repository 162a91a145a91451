//! The form of a single value in which equal values are equal, as text: a function of the value alone, never of the
//! column or the library that it came in. It is compared and counted, and never shown.
//!
//! - Numbers by their exact value, whatever holds them: 1, 1.0 and the decimal 1.00 are `1`, 2^63 as a float is
//!   `9223372036854775808`; a float that is not whole has its shortest digits (`5e-1`).
//! - Text in quotes, as JSON has it; `true` and `false` are no numbers.
//! - What JSON has no type for has a tag with a control character, which JSON text never holds as it is: bytes, times,
//!   lengths of time, points in time (a day is its midnight; those with an offset are instants, apart from wall clocks),
//!   and objects of other classes by class and text.
//! - Lists item by item, sets whatever their order. Objects by their keys, whatever their order: a key without a value is
//!   as good as none, and keys that are no text have forms of their own.

use std::fmt::Write as _;

use polars::prelude::{
    AnyValue, BinaryChunked, Column, Field, IntoSeries, NewChunkedArray, PlSmallStr, Series,
};

use super::digits;
use crate::text;
use crate::value::{Value, write_json_text};

/// What a tag stands between.
pub(super) const TAG: char = '\u{2}';
pub(super) const END: char = '\u{3}';
const NANOS_PER_DAY: i128 = 86_400_000_000_000;

/// The form of a missing value inside another one.
pub const MISSING: &str = "null";

/// Appends the form of a value of a column.
pub fn write(out: &mut String, value: &AnyValue<'_>) {
    match value {
        AnyValue::Null => out.push_str(MISSING),
        AnyValue::Boolean(flag) => out.push_str(if *flag { "true" } else { "false" }),
        AnyValue::String(text) => write_json_text(out, text),
        AnyValue::StringOwned(text) => write_json_text(out, text),
        AnyValue::Float32(float) => digits::write_float(out, f64::from(*float)),
        AnyValue::Float64(float) => digits::write_float(out, *float),
        AnyValue::Date(days) => moment(out, i128::from(*days) * NANOS_PER_DAY, false),
        AnyValue::Datetime(value, unit, zone) => {
            moment(out, text::nanos(*value, *unit), zone.is_some());
        }
        AnyValue::DatetimeOwned(value, unit, zone) => {
            moment(out, text::nanos(*value, *unit), zone.is_some());
        }
        AnyValue::Duration(value, unit) => duration(out, text::nanos(*value, *unit)),
        AnyValue::Time(nanos) => counted(out, "time", i128::from(*nanos)),
        AnyValue::Binary(bytes) => tagged(out, "bytes", &text::hex(bytes)),
        AnyValue::BinaryOwned(bytes) => tagged(out, "bytes", &text::hex(bytes)),
        AnyValue::List(items) | AnyValue::Array(items, _) => {
            Items::list(out).all(out, items.iter(), |out, item| write(out, &item));
        }
        AnyValue::Struct(_, _, fields) => {
            let values: Vec<AnyValue<'_>> = value._iter_struct_av().collect();
            let names = fields.iter().map(Field::name);
            object(out, names.zip(&values));
        }
        AnyValue::StructOwned(owned) => {
            let (values, fields) = owned.as_ref();
            object(out, fields.iter().map(Field::name).zip(values));
        }
        other => digits::write(out, &text::plain(other)),
    }
}

fn object<'a>(out: &mut String, fields: impl Iterator<Item = (&'a PlSmallStr, &'a AnyValue<'a>)>) {
    let key = |out: &mut String, name: &PlSmallStr| write_json_text(out, name);
    Items::object(out).entries(out, fields, key, write);
}

/// Appends the form of a single value.
pub fn write_value(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str(MISSING),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Int(number) => drop(write!(out, "{number}")),
        Value::UInt(number) => drop(write!(out, "{number}")),
        Value::BigInt(digits) | Value::Decimal(digits) => digits::write(out, digits),
        Value::Float(float) => digits::write_float(out, *float),
        Value::Text(text) => write_json_text(out, text),
        Value::Bytes(bytes) => tagged(out, "bytes", &text::hex(bytes)),
        Value::Date(days) => moment(out, i128::from(*days) * NANOS_PER_DAY, false),
        Value::Datetime { micros, utc } => moment(out, i128::from(*micros) * 1000, *utc),
        Value::Time(nanos) => counted(out, "time", i128::from(*nanos)),
        Value::Duration(micros) => duration(out, i128::from(*micros) * 1000),
        Value::List(items) => {
            Items::list(out).all(out, items.iter(), write_value);
        }
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| (name, value));
            let key = |out: &mut String, name: &String| write_json_text(out, name);
            Items::object(out).entries(out, fields, key, write_value);
        }
        Value::Form(form) => out.push_str(form),
    }
}

fn of(make: impl FnOnce(&mut String)) -> Value {
    let mut out = String::new();
    make(&mut out);
    Value::Form(out)
}

/// A point in time that needs nanoseconds; an instant when `utc`.
pub fn fine_moment(nanos: i128, utc: bool) -> Value {
    of(|out| moment(out, nanos, utc))
}

/// A length of time that needs nanoseconds.
pub fn fine_duration(nanos: i128) -> Value {
    of(|out| duration(out, nanos))
}

/// An object of a class that has no type of its own. The class has its module in front (`uuid.UUID`), which keeps it
/// apart from the tags of other types.
pub fn foreign(class: &str, text: &str) -> Value {
    of(|out| tagged(out, class, text))
}

/// A set.
pub fn set(items: &[Value]) -> Value {
    of(|out| {
        tag(out, "set");
        Items::set(out).all(out, items.iter(), write_value);
    })
}

/// A dict whose keys are not all text.
pub fn dict(pairs: &[(Value, Value)]) -> Value {
    of(|out| {
        let pairs = pairs.iter().map(|(key, value)| (key, value));
        Items::object(out).entries(out, pairs, write_value, write_value);
    })
}

fn moment(out: &mut String, nanos: i128, utc: bool) {
    let class = if utc {
        "datetime with offset"
    } else {
        "datetime"
    };
    counted(out, class, nanos);
}

fn duration(out: &mut String, nanos: i128) {
    counted(out, "duration", nanos);
}

/// Appends what is no JSON text after all.
pub(super) fn write_raw(out: &mut String, text: &str) {
    tagged(out, "mixed", text);
}

fn counted(out: &mut String, class: &str, nanos: i128) {
    tag(out, class);
    // Most fit, and are written in half the time.
    let written = match i64::try_from(nanos) {
        Ok(nanos) => write!(out, "{nanos}"),
        Err(_) => write!(out, "{nanos}"),
    };
    written.expect("writing to a String cannot fail");
}

fn tagged(out: &mut String, class: &str, text: &str) {
    tag(out, class);
    write_json_text(out, text);
}

fn tag(out: &mut String, class: &str) {
    out.push(TAG);
    out.push_str(class);
    out.push(END);
}

/// Items of a list or entries of an object, each with a comma behind it. What is written lies in the text that all
/// methods are given.
pub(super) struct Items {
    close: char,
    /// Where the first begins.
    start: usize,
    /// Where each begins, unless they come in an order that counts.
    places: Option<Vec<usize>>,
}

impl Items {
    pub fn list(out: &mut String) -> Self {
        out.push('[');
        Self {
            close: ']',
            start: out.len(),
            places: None,
        }
    }

    fn set(out: &mut String) -> Self {
        Self {
            places: Some(Vec::new()),
            ..Self::list(out)
        }
    }

    pub fn object(out: &mut String) -> Self {
        out.push('{');
        Self {
            close: '}',
            start: out.len(),
            places: Some(Vec::new()),
        }
    }

    /// Writes all items.
    fn all<T>(
        mut self,
        out: &mut String,
        items: impl Iterator<Item = T>,
        write: impl Fn(&mut String, T),
    ) {
        for item in items {
            let place = out.len();
            write(out, item);
            self.add(out, place);
        }
        self.end(out);
    }

    /// Writes all entries.
    fn entries<K, V>(
        mut self,
        out: &mut String,
        entries: impl Iterator<Item = (K, V)>,
        write_key: impl Fn(&mut String, K),
        write: impl Fn(&mut String, V),
    ) {
        for (key, value) in entries {
            let place = out.len();
            write_key(out, key);
            out.push(':');
            let start = out.len();
            write(out, value);
            self.add_entry(out, place, start);
        }
        self.end(out);
    }

    /// Ends the item, or the entry, that was written from `place` on.
    pub fn add(&mut self, out: &mut String, place: usize) {
        out.push(',');
        if let Some(places) = &mut self.places {
            places.push(place);
        }
    }

    /// As [`Items::add`] for an entry whose value was written from `value` on: nothing stays of a key without one.
    pub fn add_entry(&mut self, out: &mut String, place: usize, value: usize) {
        if &out[value..] == MISSING {
            out.truncate(place);
        } else {
            self.add(out, place);
        }
    }

    pub fn end(self, out: &mut String) {
        if let Some(places) = self.places.filter(|places| places.len() > 1) {
            let ends = places.iter().skip(1).copied().chain([out.len()]);
            let mut ranges: Vec<(usize, usize)> = places.iter().copied().zip(ends).collect();
            let text = |range: &(usize, usize)| &out[range.0..range.1];
            if !ranges.is_sorted_by(|one, other| text(one) <= text(other)) {
                ranges.sort_unstable_by(|one, other| text(one).cmp(text(other)));
                let ordered: String = ranges.iter().map(text).collect();
                out.truncate(self.start);
                out.push_str(&ordered);
            }
        }
        out.push(self.close);
    }
}

/// A growing column of forms.
#[derive(Debug, Default)]
pub struct Forms {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    valid: Vec<bool>,
    form: String,
}

impl Forms {
    /// Adds the form of a value; a missing value stays one.
    pub fn push(&mut self, value: &Value) {
        self.form.clear();
        write_value(&mut self.form, value);
        self.valid.push(self.form != MISSING);
        self.bytes.extend_from_slice(self.form.as_bytes());
        self.ends.push(self.bytes.len());
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The column.
    pub fn finish(self) -> Column {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        let ranges = starts.zip(&self.ends).zip(&self.valid);
        let forms = ranges.map(|((start, end), valid)| valid.then(|| &self.bytes[start..*end]));
        let series: Series =
            BinaryChunked::from_iter_options(PlSmallStr::EMPTY, forms).into_series();
        series.into()
    }
}

#[cfg(test)]
mod tests {
    use polars::prelude::{IntoSeries, NamedFrom, StructChunked, TimeUnit};

    use super::*;

    fn form(value: &Value) -> String {
        let mut out = String::new();
        write_value(&mut out, value);
        out
    }

    fn stored(value: &AnyValue<'_>) -> String {
        let mut out = String::new();
        write(&mut out, value);
        out
    }

    fn object(fields: &[(&str, Value)]) -> Value {
        let fields = fields.iter();
        Value::Object(
            fields
                .map(|(name, value)| ((*name).to_owned(), value.clone()))
                .collect(),
        )
    }

    #[test]
    fn a_value_has_one_form_whatever_holds_it() {
        let day = 19_000;
        let micros = i64::from(day) * 86_400_000_000;
        let moment = |utc| Value::Datetime { micros, utc };
        for (value, other) in [
            (Value::Int(7), AnyValue::UInt8(7)),
            (Value::Float(7.0), AnyValue::Int64(7)),
            (Value::Decimal("7.00".into()), AnyValue::Float32(7.0)),
            (
                Value::BigInt("18446744073709551616".into()),
                AnyValue::Float64(18_446_744_073_709_551_616.0),
            ),
            (Value::Decimal("0.5".into()), AnyValue::Decimal(50, 38, 2)),
            (Value::Text("é\n".into()), AnyValue::String("é\n")),
            (Value::Bytes(vec![1, 255]), AnyValue::Binary(&[1, 255])),
            (Value::Date(day), AnyValue::Date(day)),
            (moment(false), AnyValue::Date(day)),
            (
                moment(false),
                AnyValue::Datetime(micros / 1000, TimeUnit::Milliseconds, None),
            ),
            (
                fine_moment(i128::from(micros) * 1000, false),
                AnyValue::Date(day),
            ),
            (Value::Time(5), AnyValue::Time(5)),
            (
                Value::Duration(2000),
                AnyValue::Duration(2, TimeUnit::Milliseconds),
            ),
            (
                fine_duration(5),
                AnyValue::Duration(5, TimeUnit::Nanoseconds),
            ),
        ] {
            assert_eq!(form(&value), stored(&other), "{value:?}");
        }
        assert_ne!(form(&moment(false)), form(&moment(true)));
    }

    #[test]
    fn objects_have_no_order_and_no_keys_without_a_value() {
        let fields = [
            Series::new("b".into(), [1i64, 2]),
            Series::new("a".into(), [Some("x"), None]),
            Series::new("nan".into(), [f64::NAN, f64::NAN]),
        ];
        let objects = StructChunked::from_series("s".into(), 2, fields.iter()).expect("a struct");
        let objects = objects.into_series();
        let expected = [
            object(&[("a", Value::Text("x".into())), ("b", Value::Float(1.0))]),
            object(&[("c", Value::Null), ("b", Value::Int(2))]),
        ];
        for (row, expected) in expected.iter().enumerate() {
            assert_eq!(stored(&objects.get(row).expect("a row")), form(expected));
        }
        let one = Value::Int(1);
        let keyed = |key: Value| form(&dict(&[(key, one.clone())]));
        assert_eq!(
            keyed(Value::Text("1".into())),
            form(&object(&[("1", one.clone())]))
        );
        assert_ne!(keyed(Value::Int(1)), keyed(Value::Text("1".into())));
        assert_eq!(keyed(Value::Int(1)), keyed(Value::Float(1.0)));
    }

    #[test]
    fn sets_have_no_order_and_are_no_lists() {
        let items = |numbers: &[i64]| {
            numbers
                .iter()
                .map(|one| Value::Int(*one))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            form(&set(&items(&[10, 9, 1]))),
            form(&set(&items(&[1, 10, 9])))
        );
        assert_ne!(form(&set(&items(&[1]))), form(&Value::List(items(&[1]))));
        assert_ne!(
            form(&Value::List(items(&[1, 2]))),
            form(&Value::List(items(&[2, 1])))
        );
    }

    #[test]
    fn objects_are_apart_by_class_and_from_what_looks_like_their_form() {
        let id = foreign("uuid.UUID", "5");
        assert_ne!(form(&id), form(&foreign("other.UUID", "5")));
        assert_ne!(form(&id), form(&Value::Text("5".into())));
        assert_ne!(form(&id), form(&Value::Text(form(&id))));
        assert_ne!(form(&Value::List(vec![id.clone()])), form(&id));
    }

    #[test]
    fn missing_values_have_no_form_of_their_own() {
        let mut forms = Forms::default();
        for value in [Value::Int(1), Value::Null, Value::Text(String::new())] {
            forms.push(&value);
        }
        let column = forms.finish();
        assert_eq!((column.len(), column.null_count()), (3, 1));
        assert!(column.get(1).expect("a row").is_null());
    }
}
