//! One column of one chunk: fields to a typed buffer, straight from the text.
//!
//! Text goes into its final layout, numbers into vectors; there is no list of strings in between.

use polars_arrow::bitmap::MutableBitmap;

use super::index::{Content, Fields, content};
use super::local;
use super::scalar::{self, Number};
use super::texts::{Text, TextLayout};
use super::types::{
    ColumnType, Seen, classify, in_nanos, seen_float, seen_int, seen_ints, seen_moment,
};

/// The largest guess at the size of a column's texts; they may be more.
const LARGEST: usize = 8 << 20;

/// The values of one column in one chunk. Missing values hold the type's default.
#[derive(Debug)]
pub enum Values {
    /// All missing.
    Missing,
    /// i64, also datetimes and times.
    Int(Vec<i64>),
    /// u64.
    Unsigned(Vec<u64>),
    /// f64.
    Float(Vec<f64>),
    /// Bools.
    Bool(Vec<bool>),
    /// Days.
    Date(Vec<i32>),
    /// Text.
    Text(Text),
}

/// A column of a chunk.
#[derive(Debug)]
pub struct Piece {
    /// The type it was built as.
    pub kind: ColumnType,
    /// Number of values.
    pub rows: usize,
    /// The values.
    pub values: Values,
    /// Which are there; `None` when all are.
    pub validity: Option<MutableBitmap>,
    /// True for whole numbers that are written in the text just as they are written back, so that
    /// the text need not be walked again when the column turns out to be of another type.
    pub exact: bool,
}

/// Finds out what a column of a chunk holds and builds it as the type that follows for the chunk.
///
/// `hint` is a type to try first; it changes how fast this is, never the outcome.
pub fn first_piece(
    fields: Fields<'_>,
    hint: Option<ColumnType>,
    layout: TextLayout,
) -> (Seen, Piece) {
    if let Some(built) = hint.and_then(|kind| build(fields, kind, layout)) {
        return built;
    }
    let mut seen = Seen::NOTHING;
    for field in fields.iter() {
        seen |= classify_field(field);
        if seen.settles_text() {
            break;
        }
    }
    match build(fields, seen.resolve(), layout) {
        Some((_, piece)) => (seen, piece),
        None => (Seen::TEXT, text(fields, layout).1),
    }
}

/// What a field as it stands in the text is.
pub fn classify_field(field: &[u8]) -> Seen {
    match content(field) {
        Content::Plain(bytes) => classify(bytes),
        Content::Escaped(_) => Seen::TEXT,
    }
}

/// Builds a column of a chunk as the given type, with what was seen on the way; `None` when a
/// field does not fit.
pub fn build(fields: Fields<'_>, kind: ColumnType, layout: TextLayout) -> Option<(Seen, Piece)> {
    let mut exact = false;
    let (seen, values, validity) = match kind {
        ColumnType::Empty => {
            let empty = fields
                .iter()
                .all(|field| classify_field(field) == Seen::EMPTY);
            empty.then_some((Seen::EMPTY, Values::Missing, None))?
        }
        ColumnType::Text => return Some(text(fields, layout)),
        ColumnType::Int => {
            exact = true;
            // "-0" is the one number here that is not written back as it stands.
            let quick =
                |bytes: &[u8]| scalar::int(bytes).filter(|value| *value != 0 || bytes.len() == 1);
            let (mut seen, values, validity) =
                typed_quickly(fields, Seen::NOTHING, quick, |bytes, _| {
                    exact = false;
                    match scalar::number(bytes)? {
                        Number::Int(value) => Some(value),
                        _ => None,
                    }
                })?;
            let missing = validity.as_ref().map_or(0, MutableBitmap::unset_bits);
            if missing < values.len() {
                seen |= seen_ints(&values);
            }
            (seen, Values::Int(values), validity)
        }
        ColumnType::Unsigned => {
            let (seen, values, validity) =
                typed(fields, |bytes, seen| match scalar::number(bytes)? {
                    Number::Int(value) => {
                        *seen |= seen_int(value);
                        u64::try_from(value).ok()
                    }
                    Number::Unsigned(value) => {
                        *seen |= Seen::UNSIGNED;
                        Some(value)
                    }
                    _ => None,
                })?;
            (seen, Values::Unsigned(values), validity)
        }
        ColumnType::Float => {
            // A point between thousands has three digits behind it: those are looked at.
            let quick = |bytes: &[u8]| {
                let (value, three) = scalar::decimal(bytes)?;
                (!three).then_some(value)
            };
            let usual = Seen::FLOAT | Seen::POINT;
            let (seen, values, validity) = typed_quickly(fields, usual, quick, float)?;
            (seen, Values::Float(values), validity)
        }
        ColumnType::Bool => {
            let (seen, values, validity) =
                typed_quickly(fields, Seen::BOOL, scalar::boolean, |bytes, seen| {
                    *seen |= Seen::BOOL;
                    scalar::boolean(bytes)
                })?;
            (seen, Values::Bool(values), validity)
        }
        ColumnType::Date => {
            let (seen, values, validity) =
                typed_quickly(fields, Seen::DATE, scalar::date, |bytes, seen| {
                    *seen |= Seen::DATE;
                    scalar::date(bytes)
                })?;
            (seen, Values::Date(values), validity)
        }
        ColumnType::Time => {
            let (seen, values, validity) = typed(fields, |bytes, seen| {
                *seen |= Seen::TIME;
                scalar::time(bytes)
            })?;
            (seen, Values::Int(values), validity)
        }
        ColumnType::CommaFloat => {
            let mut scratch = Vec::new();
            let (seen, values, validity) = typed(fields, |bytes, seen| {
                *seen |= classify(bytes);
                match local::decimal(bytes, &mut scratch)? {
                    Number::Int(value) => Some(value as f64),
                    Number::Float(value, _) => Some(value),
                    _ => None,
                }
            })?;
            (seen, Values::Float(values), validity)
        }
        ColumnType::Grouped { dot } => {
            let mut scratch = Vec::new();
            let (seen, values, validity) = typed(fields, |bytes, seen| {
                *seen |= classify(bytes);
                local::grouped_int(bytes, dot, &mut scratch)
            })?;
            (seen, Values::Int(values), validity)
        }
        ColumnType::Day { month_first } => {
            let (seen, values, validity) = typed(fields, |bytes, seen| {
                *seen |= classify(bytes);
                local::Day::read(bytes)?.days(month_first)
            })?;
            (seen, Values::Date(values), validity)
        }
        ColumnType::Datetime { zoned, nanos } => {
            let quick = |bytes: &[u8]| {
                let moment = scalar::moment(bytes)?;
                let usual = moment.zoned == zoned && moment.nanos == 0 && !nanos;
                (usual && in_nanos(moment).is_some()).then_some(moment.micros)
            };
            let usual = if zoned { Seen::ZONED } else { Seen::NAIVE };
            let (seen, values, validity) = typed_quickly(fields, usual, quick, |bytes, seen| {
                let moment = scalar::moment(bytes).filter(|moment| moment.zoned == zoned)?;
                *seen |= seen_moment(moment);
                if nanos {
                    in_nanos(moment)
                } else {
                    Some(moment.micros)
                }
            })?;
            (seen, Values::Int(values), validity)
        }
    };
    let rows = fields.rows();
    Some((
        seen,
        Piece {
            kind,
            rows,
            values,
            validity,
            exact,
        },
    ))
}

/// Turns a piece of whole numbers into the type that the column has in the end, without its text,
/// where the numbers tell what stands there.
pub fn turn(piece: &mut Piece, kind: ColumnType, layout: TextLayout) {
    let Values::Int(values) = &piece.values else {
        return;
    };
    if !piece.exact {
        return;
    }
    let turned = match kind {
        ColumnType::Float => Values::Float(values.iter().map(|value| *value as f64).collect()),
        ColumnType::Text => {
            let mut text = Text::with_capacity(layout, values.len(), values.len() * 8);
            for (row, value) in values.iter().enumerate() {
                let there = piece.validity.as_ref().is_none_or(|bits| bits.get(row));
                if there {
                    text.push_int(*value);
                } else {
                    text.push_missing();
                }
            }
            Values::Text(text)
        }
        _ => return,
    };
    piece.kind = kind;
    piece.values = turned;
    piece.exact = false;
}

#[inline]
fn float(bytes: &[u8], seen: &mut Seen) -> Option<f64> {
    if let Some((value, _)) = scalar::decimal(bytes) {
        *seen |= seen_float(bytes, false);
        return Some(value);
    }
    match scalar::number(bytes) {
        Some(Number::Float(value, rounded)) => {
            *seen |= seen_float(bytes, rounded);
            Some(value)
        }
        Some(Number::Int(value)) => {
            *seen |= seen_int(value);
            let value = value as f64;
            Some(if bytes[0] == b'-' && value == 0.0 {
                -value
            } else {
                value
            })
        }
        Some(_) => None,
        None => {
            let value = scalar::infinity(bytes)?;
            *seen |= Seen::INFINITY;
            Some(value)
        }
    }
}

/// The loop that all types but text share. `parse` gives `None` for what does not fit; then it
/// is asked again without the spaces around, after the words for missing are ruled out.
fn typed<T: Copy + Default>(
    fields: Fields<'_>,
    parse: impl FnMut(&[u8], &mut Seen) -> Option<T>,
) -> Option<(Seen, Vec<T>, Option<MutableBitmap>)> {
    typed_quickly(fields, Seen::NOTHING, |_| None, parse)
}

/// As [`typed`], with a way to read most fields just as they stand in the text, before anything
/// else is asked; `usual` is what was seen of those.
#[inline]
fn typed_quickly<T: Copy + Default>(
    fields: Fields<'_>,
    usual: Seen,
    quick: impl Fn(&[u8]) -> Option<T>,
    mut parse: impl FnMut(&[u8], &mut Seen) -> Option<T>,
) -> Option<(Seen, Vec<T>, Option<MutableBitmap>)> {
    let mut hit = false;
    let mut seen = Seen::NOTHING;
    let mut values = Vec::with_capacity(fields.rows());
    let mut validity = Validity::default();
    for field in fields.iter() {
        if let Some(value) = quick(field) {
            hit = true;
            validity.there();
            values.push(value);
            continue;
        }
        let Content::Plain(bytes) = content(field) else {
            return None;
        };
        if bytes.is_empty() {
            seen |= Seen::EMPTY;
            validity.missing(values.len());
            values.push(T::default());
            continue;
        }
        let mut maybe = Seen::NOTHING;
        if let Some(value) = parse(bytes, &mut maybe) {
            seen |= maybe;
            validity.there();
            values.push(value);
            continue;
        }
        let trimmed = bytes.trim_ascii();
        if trimmed.is_empty() || scalar::missing_word(trimmed) {
            seen |= Seen::WORD;
            validity.missing(values.len());
            values.push(T::default());
        } else if trimmed.len() < bytes.len() {
            values.push(parse(trimmed, &mut seen)?);
            validity.there();
        } else {
            return None;
        }
    }
    if hit {
        seen |= usual;
    }
    Some((seen, values, validity.bits))
}

/// Builds a column of a chunk as its text, exactly; only the empty field is missing.
pub fn text(fields: Fields<'_>, layout: TextLayout) -> (Seen, Piece) {
    let rows = fields.rows();
    let mut text = Text::with_capacity(layout, rows, size(fields));
    let mut validity = Validity::default();
    let mut scratch = Vec::new();
    for field in fields.iter() {
        let bytes = match content(field) {
            Content::Plain(bytes) => bytes,
            Content::Escaped(bytes) => {
                unescape(bytes, &mut scratch);
                &scratch
            }
        };
        if bytes.is_empty() {
            validity.missing(text.len());
            text.push_missing();
            continue;
        }
        validity.there();
        text.push(bytes);
    }
    let piece = Piece {
        kind: ColumnType::Text,
        rows,
        values: Values::Text(text),
        validity: validity.bits,
        exact: false,
    };
    (Seen::UNLOOKED, piece)
}

/// About how many bytes the fields have, from the first of them. A buffer that grows is copied into new
/// memory again and again; what is too much is never touched.
fn size(fields: Fields<'_>) -> usize {
    const FIRST: usize = 256;
    let first: usize = fields.iter().take(FIRST).map(<[u8]>::len).sum();
    let all = first.saturating_mul(fields.rows()) / fields.rows().clamp(1, FIRST);
    // Never more than the chunk that the fields are from by far.
    all.saturating_add(all / 8).saturating_add(64).min(LARGEST)
}

/// Turns `""` into `"`.
pub fn unescape(bytes: &[u8], out: &mut Vec<u8>) {
    out.clear();
    let mut rest = bytes;
    while let Some(found) = memchr::memchr(b'"', rest) {
        let (front, back) = rest.split_at(found + 1);
        out.extend_from_slice(front);
        rest = back.get(1..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
}

/// A validity bitmap that costs nothing until the first missing value.
#[derive(Default)]
struct Validity {
    bits: Option<MutableBitmap>,
}

impl Validity {
    #[inline]
    fn there(&mut self) {
        if let Some(bits) = &mut self.bits {
            bits.push(true);
        }
    }

    #[inline]
    fn missing(&mut self, before: usize) {
        let bits = self
            .bits
            .get_or_insert_with(|| MutableBitmap::from_len_set(before));
        bits.push(false);
    }
}
