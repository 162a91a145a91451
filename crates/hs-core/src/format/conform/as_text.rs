//! The values of a column as text, exactly, for the step that reads them as another type.

use polars::prelude::{AnyValue, Column, DataType, Series, StringChunked, StringChunkedBuilder};

use super::wanted::{Form, Wanted};
use crate::error::{Error, ErrorKind, Result};
use crate::table::Kind;
use crate::text;

/// The values of a column as text; for a type that is no text, not-a-number is missing.
///
/// # Errors
/// [`ErrorKind::Internal`] only.
pub fn texts(column: &Column, kind: Kind, wanted: &Wanted) -> Result<StringChunked> {
    let series = column.as_materialized_series();
    let name = series.name().clone();
    let not_text =
        |error| Error::new(ErrorKind::Internal, "a text column that holds no text").because(error);
    match (kind, series.dtype()) {
        (_, DataType::Null) => {
            let texts = Series::full_null(name, series.len(), &DataType::String);
            texts.str().cloned().map_err(not_text)
        }
        (Kind::Mixed, DataType::String) => {
            let texts = series.str().map_err(not_text)?;
            let mut out = StringChunkedBuilder::new(name, texts.len());
            for text in texts.iter() {
                out.append_option(text.map(|text| mixed(text, wanted)));
            }
            Ok(out.finish())
        }
        (_, DataType::String) => series.str().cloned().map_err(not_text),
        _ => {
            let mut out = StringChunkedBuilder::new(name, series.len());
            for value in series.rechunk().iter() {
                out.append_option(shown(&value, wanted));
            }
            Ok(out.finish())
        }
    }
}

/// A value as text. A whole float is written without decimals: `1`, not `1.0`, for `1` is what
/// stood in most files that a column of floats came from.
fn shown(value: &AnyValue<'_>, wanted: &Wanted) -> Option<String> {
    let float = match value {
        AnyValue::Null => return None,
        AnyValue::Float64(float) => *float,
        AnyValue::Float32(float) => f64::from(*float),
        other => return Some(text::plain(other)),
    };
    if float.is_nan() && wanted.form != Form::Text {
        return None;
    }
    let whole = float.fract() == 0.0 && float.abs() < 9.2e18;
    if whole && (float != 0.0 || float.is_sign_positive()) {
        return Some((float as i64).to_string());
    }
    Some(text::plain(value))
}

/// A value of a mixed column, which holds JSON text: texts without their quotes, numbers with the
/// marks that the wanted type reads.
fn mixed(json: &str, wanted: &Wanted) -> String {
    let Some(body) = json
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
    else {
        return match wanted.marks() {
            Some(marks) => marks.written(json),
            None => json.to_owned(),
        };
    };
    let mut out = String::with_capacity(body.len());
    let mut rest = body.chars();
    while let Some(character) = rest.next() {
        if character != '\\' {
            out.push(character);
            continue;
        }
        match rest.next() {
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some('u') => {
                let digits: String = rest.by_ref().take(4).collect();
                let code = u32::from_str_radix(&digits, 16)
                    .ok()
                    .and_then(char::from_u32);
                out.extend(code);
            }
            other => out.extend(other),
        }
    }
    out
}
