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
        AnyValue::Time(nanos) => tagged(out, "time", &text::time(*nanos)),
        AnyValue::Binary(bytes) => tagged(out, "bytes", &text::hex(bytes)),
        AnyValue::BinaryOwned(bytes) => tagged(out, "bytes", &text::hex(bytes)),
        AnyValue::List(items) | AnyValue::Array(items, _) => {
            let mut list = Items::list(out);
            for item in items.iter() {
                let place = out.len();
                write(out, &item);
                list.add(out, place);
            }
            list.end(out);
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
    let mut entries = Items::object(out);
    for (name, value) in fields {
        let place = out.len();
        write_json_text(out, name);
        out.push(':');
        let start = out.len();
        write(out, value);
        entries.add_entry(out, place, start);
    }
    entries.end(out);
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
        Value::Time(nanos) => tagged(out, "time", &text::time(*nanos)),
        Value::Duration(micros) => duration(out, i128::from(*micros) * 1000),
        Value::List(items) => {
            let mut list = Items::list(out);
            for item in items {
                let place = out.len();
                write_value(out, item);
                list.add(out, place);
            }
            list.end(out);
        }
        Value::Object(fields) => {
            let mut entries = Items::object(out);
            for (name, value) in fields {
                let place = out.len();
                write_json_text(out, name);
                out.push(':');
                let start = out.len();
                write_value(out, value);
                entries.add_entry(out, place, start);
            }
            entries.end(out);
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
        let mut set = Items::set(out);
        for item in items {
            let place = out.len();
            write_value(out, item);
            set.add(out, place);
        }
        set.end(out);
    })
}

/// A dict whose keys are not all text.
pub fn dict(pairs: &[(Value, Value)]) -> Value {
    of(|out| {
        let mut entries = Items::object(out);
        for (key, value) in pairs {
            let place = out.len();
            write_value(out, key);
            out.push(':');
            let start = out.len();
            write_value(out, value);
            entries.add_entry(out, place, start);
        }
        entries.end(out);
    })
}

fn moment(out: &mut String, nanos: i128, utc: bool) {
    let class = if utc {
        "datetime with offset"
    } else {
        "datetime"
    };
    tagged(out, class, &text::datetime(nanos, utc));
}

fn duration(out: &mut String, nanos: i128) {
    tagged(out, "duration", &text::duration(nanos));
}

/// Appends what is no JSON text after all.
pub(super) fn write_raw(out: &mut String, text: &str) {
    tagged(out, "mixed", text);
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
