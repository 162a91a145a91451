//! One value of any kind, as documents (JSON, TOML) and Python objects hold them.

use std::fmt::Write as _;

/// One value. Whole numbers are exact at any size.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing there.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number above `i64::MAX`.
    UInt(u64),
    /// A whole number that no 64-bit type holds, as its digits.
    BigInt(String),
    /// A floating-point number.
    Float(f64),
    /// An exact decimal number, as its digits.
    Decimal(String),
    /// Text.
    Text(String),
    /// Raw bytes.
    Bytes(Vec<u8>),
    /// Days since 1970-01-01.
    Date(i32),
    /// Microseconds since 1970-01-01T00:00:00; an instant when `utc`, else a wall clock.
    Datetime {
        /// Microseconds since the epoch.
        micros: i64,
        /// True for an instant, false for a wall clock without zone.
        utc: bool,
    },
    /// Nanoseconds since midnight.
    Time(i64),
    /// Microseconds.
    Duration(i64),
    /// A list.
    List(Vec<Value>),
    /// Named fields in order.
    Object(Vec<(String, Value)>),
    /// What none of these is, in the form in which it is compared (`op/keyed/form.rs`): only a reader of values that
    /// are compared, and never shown or saved, gives it.
    Form(String),
}

impl Value {
    /// The field called `name` of an object.
    pub fn field(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(fields) => fields.iter().find(|(key, _)| key == name).map(|(_, v)| v),
            _ => None,
        }
    }

    /// Compact JSON text. Dates, times and durations are ISO 8601 text, bytes hexadecimal text,
    /// NaN and infinities the words `NaN`, `Infinity`, `-Infinity`.
    ///
    /// ```
    /// use hs_core::Value;
    /// let value = Value::Object(vec![("a".into(), Value::List(vec![Value::Int(1), Value::Null]))]);
    /// assert_eq!(value.to_json(), r#"{"a":[1,null]}"#);
    /// ```
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write_json(&mut out);
        out
    }

    /// Appends [`Value::to_json`] to `out`.
    pub fn write_json(&self, out: &mut String) {
        use crate::text;
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Int(value) => drop(write!(out, "{value}")),
            Self::UInt(value) => drop(write!(out, "{value}")),
            Self::BigInt(digits) | Self::Decimal(digits) => out.push_str(digits),
            Self::Float(value) if value.is_nan() => out.push_str("NaN"),
            Self::Float(value) if value.is_infinite() => {
                out.push_str(if *value > 0.0 {
                    "Infinity"
                } else {
                    "-Infinity"
                });
            }
            Self::Float(value) => text::write_float(out, *value),
            Self::Text(value) => write_json_text(out, value),
            Self::Bytes(bytes) => write_json_text(out, &text::hex(bytes)),
            Self::Date(days) => write_json_text(out, &text::date(*days)),
            Self::Datetime { micros, utc } => {
                write_json_text(out, &text::datetime(i128::from(*micros) * 1000, *utc));
            }
            Self::Time(nanos) => write_json_text(out, &text::time(*nanos)),
            Self::Duration(micros) => {
                write_json_text(out, &text::duration(i128::from(*micros) * 1000));
            }
            Self::List(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    item.write_json(out);
                }
                out.push(']');
            }
            Self::Object(fields) => {
                out.push('{');
                for (index, (name, value)) in fields.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    write_json_text(out, name);
                    out.push(':');
                    value.write_json(out);
                }
                out.push('}');
            }
            Self::Form(form) => write_json_text(out, form),
        }
    }
}

/// Appends `value` as a JSON string: quotes, backslash and control characters escaped, the rest as is.
pub fn write_json_text(out: &mut String, value: &str) {
    out.push('"');
    if !value
        .bytes()
        .any(|byte| byte < b' ' || byte == b'"' || byte == b'\\')
    {
        out.push_str(value);
        out.push('"');
        return;
    }
    for character in value.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if control < ' ' => drop(write!(out, "\\u{:04x}", control as u32)),
            other => out.push(other),
        }
    }
    out.push('"');
}
