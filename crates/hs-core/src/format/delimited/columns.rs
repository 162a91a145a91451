//! Pieces of chunks to whole polars columns, part by part.
//!
//! It copies buffers; it never looks at a value again.

use polars::prelude::{
    BinaryOffsetChunked, BooleanChunked, Column, Float64Chunked, Int32Chunked, Int64Chunked,
    IntoSeries, PlSmallStr, Series, StringChunked, TimeUnit, TimeZone, UInt64Chunked,
};
use polars_arrow::array::{BinaryArray, BooleanArray, PrimitiveArray, Utf8ViewArray, View};
use polars_arrow::bitmap::{Bitmap, BitmapBuilder};
use polars_arrow::datatypes::ArrowDataType;
use polars_arrow::offset::OffsetsBuffer;
use polars_arrow::types::NativeType;

use super::build::{Piece, Values};
use super::texts::{Text, TextLayout};
use super::types::ColumnType;
use crate::error::{Error, ErrorKind, Result};

/// Long texts of a piece stay in their own buffer from so many bytes on; less is gathered.
const OWN: usize = 64 << 10;
/// How many buffers of its own a column may have, about.
const BUFFERS: usize = 1024;

/// Pieces of fewer rows are gathered; larger ones become parts of the column as they are.
const ROWS: usize = 4096;

/// Joins the pieces of a column, each built as `kind` or all missing. The parts of the column are
/// the pieces, but for small ones: copying them once more would cost as much as building them.
///
/// # Errors
/// [`ErrorKind::Internal`] for a piece of another type; [`ErrorKind::Io`] when memory runs out.
pub fn join(
    name: &str,
    kind: ColumnType,
    layout: TextLayout,
    pieces: Vec<Piece>,
) -> Result<Column> {
    let name = PlSmallStr::from_str(name);
    let groups = grouped(pieces);
    macro_rules! numbers {
        ($variant:ident, $chunked:ty) => {{
            let arrays = groups.into_iter().map(|pieces| {
                let rows = rows(&pieces);
                let validity = validity(&pieces, rows);
                let values = gather(pieces, rows, |values| match values {
                    Values::$variant(values) => Some(values),
                    _ => None,
                })?;
                Ok(primitive(values, validity))
            });
            <$chunked>::from_chunk_iter(name, arrays.collect::<Result<Vec<_>>>()?)
        }};
    }
    let series: Series = match kind {
        ColumnType::Empty => {
            // In the parts of the other columns: else the whole table is copied at the border.
            let mut nulls = groups
                .iter()
                .map(|pieces| Series::new_null(name.clone(), rows(pieces)));
            let mut all = nulls
                .next()
                .unwrap_or_else(|| Series::new_null(name.clone(), 0));
            for part in nulls {
                all.append(&part).map_err(|error| {
                    Error::new(ErrorKind::Internal, "missing values that do not join")
                        .because(error)
                })?;
            }
            all
        }
        ColumnType::Int | ColumnType::Grouped { .. } => numbers!(Int, Int64Chunked).into_series(),
        ColumnType::Unsigned => numbers!(Unsigned, UInt64Chunked).into_series(),
        ColumnType::Float | ColumnType::CommaFloat => numbers!(Float, Float64Chunked).into_series(),
        ColumnType::Date | ColumnType::Day { .. } => {
            numbers!(Date, Int32Chunked).into_date().into_series()
        }
        ColumnType::Time => numbers!(Int, Int64Chunked).into_time().into_series(),
        ColumnType::Datetime { zoned, nanos } => {
            let unit = if nanos {
                TimeUnit::Nanoseconds
            } else {
                TimeUnit::Microseconds
            };
            let zone = zoned.then_some(TimeZone::UTC);
            numbers!(Int, Int64Chunked)
                .into_datetime(unit, zone)
                .into_series()
        }
        ColumnType::Bool => {
            let arrays = groups.into_iter().map(|pieces| {
                let rows = rows(&pieces);
                let validity = validity(&pieces, rows);
                let values = gather(pieces, rows, |values| match values {
                    Values::Bool(values) => Some(values),
                    _ => None,
                })?;
                let values = Bitmap::from_iter(values);
                Ok(BooleanArray::new(ArrowDataType::Boolean, values, validity))
            });
            BooleanChunked::from_chunk_iter(name, arrays.collect::<Result<Vec<_>>>()?).into_series()
        }
        ColumnType::Text if layout == TextLayout::Flat => {
            let arrays = groups.into_iter().map(|pieces| {
                let rows = rows(&pieces);
                let validity = validity(&pieces, rows);
                flat_texts(pieces, rows, validity)
            });
            BinaryOffsetChunked::from_chunk_iter(name, arrays.collect::<Result<Vec<_>>>()?)
                .into_series()
        }
        ColumnType::Text => {
            let arrays = groups.into_iter().map(|pieces| {
                let rows = rows(&pieces);
                let validity = validity(&pieces, rows);
                texts(pieces, rows, validity)
            });
            StringChunked::from_chunk_iter(name, arrays.collect::<Result<Vec<_>>>()?).into_series()
        }
    };
    Ok(series.into())
}

/// Groups of neighbours with enough rows for a part of their own; at least one group, and the same
/// groups for all columns of a table.
fn grouped(pieces: Vec<Piece>) -> Vec<Vec<Piece>> {
    let mut groups: Vec<Vec<Piece>> = vec![Vec::new()];
    let mut last = 0;
    for piece in pieces {
        if last >= ROWS {
            groups.push(Vec::new());
            last = 0;
        }
        last += piece.rows;
        if let Some(group) = groups.last_mut() {
            group.push(piece);
        }
    }
    groups
}

fn rows(pieces: &[Piece]) -> usize {
    pieces.iter().map(|piece| piece.rows).sum()
}

fn primitive<T: NativeType>(values: Vec<T>, validity: Option<Bitmap>) -> PrimitiveArray<T> {
    PrimitiveArray::from_vec(values).with_validity(validity)
}

fn gather<T: Copy + Default>(
    pieces: Vec<Piece>,
    rows: usize,
    take: impl Fn(Values) -> Option<Vec<T>>,
) -> Result<Vec<T>> {
    let mut all: Vec<T> = Vec::new();
    for piece in pieces {
        let values = match piece.values {
            Values::Missing => None,
            values => Some(take(values).ok_or_else(wrong_type)?),
        };
        match values {
            Some(values) if values.len() == rows => return Ok(values),
            _ if all.is_empty() => all
                .try_reserve_exact(rows)
                .map_err(|error| no_memory(&error))?,
            _ => {}
        }
        match values {
            Some(values) => all.extend_from_slice(&values),
            None => all.resize(all.len() + piece.rows, T::default()),
        }
    }
    Ok(all)
}

fn texts(pieces: Vec<Piece>, rows: usize, validity: Option<Bitmap>) -> Result<Utf8ViewArray> {
    let mut views: Vec<View> = Vec::new();
    let long = |piece: &Piece| match &piece.values {
        Values::Text(Text::Views(_, bytes)) => bytes.len(),
        _ => 0,
    };
    let total: usize = pieces.iter().map(long).sum();
    let own = OWN.max(total / BUFFERS);
    let mut buffers: Vec<Vec<u8>> = Vec::new();
    for piece in pieces {
        let (part, bytes) = match piece.values {
            Values::Missing => {
                reserve(&mut views, rows)?;
                views.resize(views.len() + piece.rows, View::default());
                continue;
            }
            Values::Text(Text::Views(part, bytes)) => (part, bytes),
            _ => return Err(wrong_type()),
        };
        if part.len() == rows {
            // The only piece: its views point into its own buffer already.
            let buffers = if bytes.is_empty() {
                Vec::new()
            } else {
                vec![bytes]
            };
            return Ok(text_array(part, buffers, validity));
        }
        reserve(&mut views, rows)?;
        if bytes.is_empty() {
            views.extend_from_slice(&part);
            continue;
        }
        let base = match buffers.last_mut() {
            Some(last) if last.len() < own && bytes.len() < own => {
                last.try_reserve(bytes.len())
                    .map_err(|error| no_memory(&error))?;
                let base = last.len() as u32;
                last.extend_from_slice(&bytes);
                base
            }
            _ => {
                buffers.push(bytes);
                0
            }
        };
        let number = buffers.len() as u32 - 1;
        views.extend(part.into_iter().map(|mut view| {
            if !view.is_inline() {
                view.buffer_idx = number;
                view.offset += base;
            }
            view
        }));
    }
    Ok(text_array(views, buffers, validity))
}

/// Texts as bytes and offsets; the bytes are UTF-8 as those of [`text_array`] are.
fn flat_texts(
    pieces: Vec<Piece>,
    rows: usize,
    validity: Option<Bitmap>,
) -> Result<BinaryArray<i64>> {
    let mut offsets: Vec<i64> = Vec::new();
    let mut bytes: Vec<u8> = Vec::new();
    for piece in pieces {
        let (part, more) = match piece.values {
            Values::Missing => (vec![0; piece.rows + 1], Vec::new()),
            Values::Text(Text::Flat(part, more)) => (part, more),
            _ => return Err(wrong_type()),
        };
        if part.len() == rows + 1 {
            (offsets, bytes) = (part, more);
            break;
        }
        let base = bytes.len() as i64;
        if offsets.is_empty() {
            offsets
                .try_reserve_exact(rows + 1)
                .map_err(|error| no_memory(&error))?;
            offsets.push(0);
        }
        bytes
            .try_reserve(more.len())
            .map_err(|error| no_memory(&error))?;
        bytes.extend_from_slice(&more);
        offsets.extend(part.iter().skip(1).map(|end| base + end));
    }
    if offsets.is_empty() {
        offsets.push(0);
    }
    // SAFETY: `Text::Flat` starts with a zero and adds the length of its bytes after each text, so
    // they never fall; those of later pieces go on from there.
    #[expect(unsafe_code, reason = "the check would read all of them once more")]
    let offsets = unsafe { OffsetsBuffer::new_unchecked(offsets.into()) };
    let dtype = ArrowDataType::LargeBinary;
    Ok(BinaryArray::new(dtype, offsets, bytes.into(), validity))
}

/// Makes room for all rows, at the first need.
fn reserve(views: &mut Vec<View>, rows: usize) -> Result<()> {
    views
        .try_reserve_exact(rows - views.len())
        .map_err(|error| no_memory(&error))
}

/// Views and their buffers as an array, without the check of every view and every text that
/// `Utf8ViewArray::try_new` makes: it takes a tenth of the time of a whole load.
#[expect(unsafe_code, reason = "the check would be made a second time")]
fn text_array(views: Vec<View>, buffers: Vec<Vec<u8>>, validity: Option<Bitmap>) -> Utf8ViewArray {
    let size = buffers.iter().map(Vec::len).sum();
    let buffers: Vec<_> = buffers.into_iter().map(Into::into).collect();
    // SAFETY: every view was made from the bytes of a field (`word::view`, `word::int_view`) and either
    // holds them or points to where they were put; `texts` moved both together. Fields lie in text that was
    // checked to be UTF-8, between line ends, quotes and delimiters, all of which are whole
    // characters, and unescaping takes out quotes only: so each is UTF-8 as well. `texts` gave
    // one view for each row, as `validity` has one bit.
    unsafe {
        Utf8ViewArray::new_unchecked(
            ArrowDataType::Utf8View,
            views.into(),
            buffers.into(),
            validity,
            None,
            size,
        )
    }
}

fn validity(pieces: &[Piece], rows: usize) -> Option<Bitmap> {
    let whole = pieces
        .iter()
        .all(|piece| piece.validity.is_none() && !matches!(piece.values, Values::Missing));
    if whole {
        return None;
    }
    let mut bits = BitmapBuilder::with_capacity(rows);
    for piece in pieces {
        match &piece.validity {
            Some(part) => bits.extend_from_slice(part.as_slice(), 0, part.len()),
            None => bits.extend_constant(piece.rows, !matches!(piece.values, Values::Missing)),
        }
    }
    bits.into_opt_validity()
}

fn wrong_type() -> Error {
    Error::new(ErrorKind::Internal, "a piece of a column has another type")
}

fn no_memory(error: &std::collections::TryReserveError) -> Error {
    Error::new(
        ErrorKind::Io,
        format!("the table does not fit into memory: {error}"),
    )
}
