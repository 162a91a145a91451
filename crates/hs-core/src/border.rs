//! The Arrow border: tables leave and enter as Arrow C streams, without copying values.
//!
//! The only file of this crate with unsafe code: the C data interface is made of raw pointers.
#![expect(
    unsafe_code,
    reason = "the Arrow C data interface is made of raw pointers"
)]

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::SchemaRef;
use polars::prelude::{
    ArrowDataType, ArrowField, BinaryOffsetChunked, Column, CompatLevel, DataFrame, IdxCa, IdxSize,
    IntoSeries, NamedFrom, PlSmallStr, Series,
};
use polars_arrow::array::{
    Array, BinaryArray, DictionaryArray, PrimitiveArray, StructArray, Utf8Array, Utf8ViewArray,
    View,
};
use polars_arrow::datatypes::TimeUnit;
pub use polars_arrow::ffi::{ArrowArray, ArrowArrayStream, ArrowSchema};
use polars_arrow::ffi::{
    ArrowArrayStreamReader as StreamReader, export_iterator, import_array_from_c,
    import_field_from_c,
};
use polars_arrow::offset::OffsetsBuffer;
use rayon::prelude::*;

use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::table::{ColumnInfo, Kind, Table};

/// Hands a table out as an Arrow C stream of record batches (as struct arrays), sharing its buffers.
///
/// Text and bytes leave as view types (`Utf8View`, `BinaryView`), lists as `LargeList`.
/// Category and mixed columns leave as plain text; [`Table::columns`] says which they are.
///
/// # Errors
/// [`ErrorKind::Type`] for a name with a NUL byte, also inside structs: the interface ends names there.
pub fn export(table: &Table) -> Result<ArrowArrayStream> {
    let frame = aligned(table);
    let level = CompatLevel::newest();
    let fields: Vec<ArrowField> = frame
        .columns()
        .iter()
        .map(|column| column.field().to_arrow(level))
        .collect();
    fields.iter().try_for_each(refuse_nul)?;
    let dtype = ArrowDataType::Struct(fields);
    let batches: Vec<_> = frame
        .iter_chunks(level, false)
        .map(|batch| {
            let height = batch.len();
            Ok(StructArray::new(dtype.clone(), height, batch.into_arrays(), None).boxed())
        })
        .collect();
    let field = ArrowField::new(PlSmallStr::EMPTY, dtype.clone(), false);
    Ok(export_iterator(Box::new(batches.into_iter()), field))
}

/// The columns in parts of the same rows.
fn aligned(table: &Table) -> DataFrame {
    let mut frame = table.frame().clone();
    frame.align_chunks_par();
    // A column that polars keeps as one value has one part, and polars does not count it.
    let parts = |column: &Column| column.as_materialized_series().n_chunks();
    let first = frame.columns().first().map(parts);
    if frame
        .columns()
        .iter()
        .any(|column| Some(parts(column)) != first)
    {
        frame.rechunk_mut_par();
    }
    frame
}

fn refuse_nul(field: &ArrowField) -> Result<()> {
    if field.name.contains('\0') {
        let message = "expected a name without NUL bytes, which no frame library takes";
        return Err(Error::new(ErrorKind::Type, message)
            .at(Place::default().column(field.name.as_str()))
            .hint("rename it in the file"));
    }
    match field.dtype() {
        ArrowDataType::Struct(fields) => fields.iter().try_for_each(refuse_nul),
        ArrowDataType::List(field)
        | ArrowDataType::LargeList(field)
        | ArrowDataType::FixedSizeList(field, _) => refuse_nul(field),
        _ => Ok(()),
    }
}

/// Hands some columns of a table out as [`export`] does, with text and bytes in `LargeUtf8` and
/// `LargeBinary`, which every Arrow library's functions take.
///
/// Text is copied from its views, side by side, unless it lies flat already
/// (`TextLayout::Flat` of the reader); everything else shares the table's buffers.
///
/// # Errors
/// As [`export`], and a stop request.
pub fn export_plain(
    table: &Table,
    positions: &[usize],
    control: &Control,
) -> Result<ArrowArrayStream> {
    let wanted = |position: &usize| Some((table.columns().get(*position)?, *position));
    let chosen = positions.iter().filter_map(wanted).map(|(info, position)| {
        let column = table.frame().columns()[position].clone();
        (info.clone(), column)
    });
    let chosen = Table::from_columns(table.height(), chosen)?;
    let frame = aligned(&chosen);
    let level = CompatLevel::oldest();
    let first = frame.columns().first();
    let parts = first.map_or(0, |column| column.as_materialized_series().n_chunks());
    let mut fields = Vec::with_capacity(frame.width());
    for (info, column) in chosen.iter() {
        let mut field = column.field().to_arrow(level);
        if info.kind == Kind::Text {
            field.dtype = ArrowDataType::LargeUtf8;
        }
        fields.push(field);
    }
    fields.iter().try_for_each(refuse_nul)?;
    let dtype = ArrowDataType::Struct(fields);
    let batches: Vec<_> = (0..parts)
        .into_par_iter()
        .map(|part| {
            control.check()?;
            let arrays: Vec<Box<dyn Array>> = frame
                .columns()
                .iter()
                .zip(chosen.columns())
                .map(|(column, info)| {
                    let series = column.as_materialized_series();
                    let array = series.chunks()[part].as_any();
                    if let Some(views) = array.downcast_ref::<Utf8ViewArray>() {
                        return flat_text(views).boxed();
                    }
                    match array.downcast_ref::<BinaryArray<i64>>() {
                        Some(bytes) if info.kind == Kind::Text => text_of(bytes).boxed(),
                        _ => series.to_arrow(part, level),
                    }
                })
                .collect();
            let height = arrays.first().map_or(0, |array| array.len());
            Ok(StructArray::new(dtype.clone(), height, arrays, None).boxed())
        })
        .collect::<Result<_>>()?;
    let field = ArrowField::new(PlSmallStr::EMPTY, dtype.clone(), false);
    let batches = batches.into_iter().map(Ok).collect::<Vec<_>>();
    Ok(export_iterator(Box::new(batches.into_iter()), field))
}

/// Texts from their views.
fn flat_text(views: &Utf8ViewArray) -> Utf8Array<i64> {
    // As much as a view holds inside is always copied, and counted only as far as it is text.
    const INSIDE: usize = View::MAX_INLINE_SIZE as usize;
    let total = views.total_bytes_len();
    let mut bytes = vec![0; total + INSIDE];
    let mut offsets = Vec::with_capacity(views.len() + 1);
    let mut end = 0;
    offsets.push(0);
    for view in views.views().iter() {
        let length = view.length as usize;
        if length <= INSIDE {
            let inside = &view.as_u128().to_le_bytes()[4..];
            bytes[end..end + INSIDE].copy_from_slice(inside);
        } else {
            let from = view.offset as usize;
            let long = &views.data_buffers()[view.buffer_idx as usize][from..from + length];
            bytes[end..end + length].copy_from_slice(long);
        }
        end += length;
        offsets.push(end as i64);
    }
    bytes.truncate(end);
    // SAFETY: offsets grow from 0 to the length of the bytes, and between two of them are the
    // bytes of one text of an array that holds UTF-8.
    unsafe {
        Utf8Array::new_unchecked(
            ArrowDataType::LargeUtf8,
            OffsetsBuffer::new_unchecked(offsets.into()),
            bytes.into(),
            views.validity().cloned(),
        )
    }
}

/// Bytes that are known to be texts.
fn text_of(bytes: &BinaryArray<i64>) -> Utf8Array<i64> {
    // SAFETY: a column of kind text that is stored as bytes was made by the reader of delimited text,
    // field by field from text that was checked to be UTF-8 (`delimited::columns::text_array`), or
    // of an array of texts (`flat_bytes`).
    unsafe {
        Utf8Array::new_unchecked(
            ArrowDataType::LargeUtf8,
            bytes.offsets().clone(),
            bytes.values().clone(),
            bytes.validity().cloned(),
        )
    }
}

/// Takes over an Arrow C stream of record batches.
///
/// Column names may repeat. Dictionary columns become their values, marked [`Kind::Category`]. When
/// `flat`, texts of `LargeUtf8` stay as they lie, bytes with offsets, which not every function takes;
/// else they become views.
///
/// # Errors
/// [`ErrorKind::Type`] names the first column whose Arrow type has no place in a table (unions,
/// intervals, dictionaries inside other types ...) or when the stream is not one of record batches.
///
/// # Safety
/// The stream must fulfil the contract of the Arrow C stream interface.
pub unsafe fn import(stream: Box<ArrowArrayStream>, flat: bool) -> Result<Table> {
    // SAFETY: the caller vouches for the stream.
    let mut reader = unsafe { StreamReader::try_new(stream) }.map_err(not_imported)?;
    let ArrowDataType::Struct(fields) = reader.field().dtype().clone() else {
        let found = format!(
            "expected record batches, found a stream of {:?}",
            reader.field().dtype()
        );
        return Err(Error::new(ErrorKind::Type, found));
    };
    let mut height = 0;
    let mut chunks: Vec<Vec<Box<dyn Array>>> = vec![Vec::new(); fields.len()];
    // SAFETY: as above; the reader checks every array against the schema.
    while let Some(batch) = unsafe { reader.next() } {
        let batch = batch.map_err(not_imported)?;
        let batch = batch
            .as_any()
            .downcast_ref::<StructArray>()
            .ok_or_else(|| Error::new(ErrorKind::Internal, "a batch that is no struct"))?;
        height += batch.len();
        for (column, array) in chunks.iter_mut().zip(batch.values()) {
            column.push(array.clone());
        }
    }
    let columns: Vec<(ColumnInfo, Column)> = fields
        .iter()
        .zip(chunks)
        .map(|(field, chunks)| import_column(field, chunks, flat))
        .collect::<Result<_>>()?;
    Table::from_columns(height, columns)
}

/// Takes over one Arrow C array: a record batch, as a struct array.
///
/// # Errors
/// As [`import`].
///
/// # Safety
/// Schema and array must fulfil the contract of the Arrow C data interface and belong together.
pub unsafe fn import_array(schema: &ArrowSchema, array: ArrowArray) -> Result<Table> {
    // SAFETY: the caller vouches for both.
    let field = unsafe { import_field_from_c(schema) }.map_err(not_imported)?;
    let array =
        unsafe { import_array_from_c(array, field.dtype().clone()) }.map_err(not_imported)?;
    let stream = export_iterator(Box::new(std::iter::once(Ok(array))), field);
    // SAFETY: the stream was just made here.
    unsafe { import(Box::new(stream), false) }
}

/// Takes over what a reader of the `arrow` crates gives, as [`import`] does.
///
/// # Errors
/// As [`import`].
pub fn from_arrow_rs(reader: Box<dyn RecordBatchReader + Send>, flat: bool) -> Result<Table> {
    let stream = Box::into_raw(Box::new(FFI_ArrowArrayStream::new(reader)));
    // SAFETY: both types are the `struct ArrowArrayStream` of the C stream interface, laid out by
    // `repr(C)`; ownership moves from one box to the other.
    unsafe { import(Box::from_raw(stream.cast::<ArrowArrayStream>()), flat) }
}

/// The schema and the batches of a stream that this crate exported, for the writers of the `arrow`
/// crates. Shares the buffers.
///
/// # Errors
/// [`ErrorKind::Internal`] when the crates do not know the stream.
pub fn into_arrow_rs(stream: ArrowArrayStream) -> Result<(SchemaRef, Vec<RecordBatch>)> {
    let unknown = |error: arrow_schema::ArrowError| {
        let message = format!("cannot hand out the table: {error}");
        Error::new(ErrorKind::Internal, message).because(error)
    };
    let stream = Box::into_raw(Box::new(stream)).cast::<FFI_ArrowArrayStream>();
    // SAFETY: both types are the `struct ArrowArrayStream` of the C stream interface, laid out by
    // `repr(C)`; ownership moves from one box to the other.
    let stream = *unsafe { Box::from_raw(stream) };
    let reader = RecordBatchStreamReader::try_new(stream).map_err(unknown)?;
    let schema = reader.schema();
    let batches = reader.collect::<Result<Vec<_>, _>>().map_err(unknown)?;
    Ok((schema, batches))
}

fn import_column(
    field: &ArrowField,
    chunks: Vec<Box<dyn Array>>,
    flat: bool,
) -> Result<(ColumnInfo, Column)> {
    let refuse = |reason: String| {
        Error::new(
            ErrorKind::Type,
            format!("cannot take Arrow type {:?}: {reason}", field.dtype()),
        )
        .at(Place::default().column(field.name.as_str()))
    };
    // polars panics on some types that it does not know inside others.
    let work = AssertUnwindSafe(|| match field.dtype() {
        ArrowDataType::Dictionary(..) => unpack_dictionary(field, chunks),
        _ if chunks.is_empty() => Ok(Series::new_empty(
            field.name.clone(),
            &polars::prelude::DataType::from_arrow_field(field),
        )),
        ArrowDataType::LargeUtf8 if flat => flat_bytes(field, &chunks),
        ArrowDataType::Timestamp(TimeUnit::Second, zone) => {
            let millis = ArrowDataType::Timestamp(TimeUnit::Millisecond, zone.clone());
            in_milliseconds(field, chunks, millis)
        }
        ArrowDataType::Duration(TimeUnit::Second) => in_milliseconds(
            field,
            chunks,
            ArrowDataType::Duration(TimeUnit::Millisecond),
        ),
        _ => Series::try_from((field, chunks)).map_err(|error| error.to_string()),
    });
    let series = catch_unwind(work)
        .unwrap_or_else(|_| Err("not supported".to_owned()))
        .map_err(refuse)?;
    let kind = match field.dtype() {
        ArrowDataType::Dictionary(..) => Kind::Category,
        ArrowDataType::LargeUtf8 => Kind::Text,
        _ => Kind::of(series.dtype()),
    };
    Ok((
        ColumnInfo {
            name: field.name.to_string(),
            kind,
        },
        series.into(),
    ))
}

/// Texts as bytes with offsets, where they are.
fn flat_bytes(field: &ArrowField, chunks: &[Box<dyn Array>]) -> Result<Series, String> {
    let parts = chunks.iter().map(|chunk| {
        let texts = chunk.as_any().downcast_ref::<Utf8Array<i64>>();
        Ok(texts.ok_or("texts that are none")?.to_binary())
    });
    let parts = parts.collect::<Result<Vec<_>, String>>()?;
    Ok(BinaryOffsetChunked::from_chunk_iter(field.name.clone(), parts).into_series())
}

/// Seconds as milliseconds: polars has no seconds, and its own conversion drops the zone and wraps.
fn in_milliseconds(
    field: &ArrowField,
    chunks: Vec<Box<dyn Array>>,
    millis: ArrowDataType,
) -> Result<Series, String> {
    let mut converted: Vec<Box<dyn Array>> = Vec::with_capacity(chunks.len());
    for chunk in chunks {
        let seconds = chunk
            .as_any()
            .downcast_ref::<PrimitiveArray<i64>>()
            .ok_or("seconds that are no i64")?;
        let values = seconds.iter().map(|value| match value.copied() {
            None => Ok(None),
            Some(value) => match value.checked_mul(1000) {
                Some(millis) => Ok(Some(millis)),
                None => Err(format!("{value} seconds are beyond what a table can hold")),
            },
        });
        let values = values.collect::<Result<Vec<Option<i64>>, String>>()?;
        converted.push(PrimitiveArray::from(values).to(millis.clone()).boxed());
    }
    let field = ArrowField::new(field.name.clone(), millis, true);
    Series::try_from((&field, converted)).map_err(|error| error.to_string())
}

/// A dictionary column as its values: polars itself takes only text in dictionaries.
fn unpack_dictionary(field: &ArrowField, chunks: Vec<Box<dyn Array>>) -> Result<Series, String> {
    let ArrowDataType::Dictionary(_, inner, _) = field.dtype() else {
        return Err("no dictionary".to_owned());
    };
    let inner = ArrowField::new(field.name.clone(), inner.as_ref().clone(), true);
    let mut result = Series::new_empty(
        field.name.clone(),
        &polars::prelude::DataType::from_arrow_field(&inner),
    );
    for chunk in chunks {
        let (keys, values) = dictionary_parts(chunk.as_ref()).ok_or("unknown key type")?;
        let values = Series::try_from((&inner, vec![values])).map_err(|error| error.to_string())?;
        let keys = IdxCa::new(PlSmallStr::EMPTY, keys);
        let part = values.take(&keys).map_err(|error| error.to_string())?;
        result.append(&part).map_err(|error| error.to_string())?;
    }
    Ok(result)
}

/// Positions into the values, and the values.
type DictionaryParts = (Vec<Option<IdxSize>>, Box<dyn Array>);

fn dictionary_parts(array: &dyn Array) -> Option<DictionaryParts> {
    macro_rules! of_key {
        ($($key:ty),*) => {
            $(if let Some(array) = array.as_any().downcast_ref::<DictionaryArray<$key>>() {
                let keys = array.keys_iter().map(|key| key.map(|key| key as IdxSize)).collect();
                return Some((keys, array.values().clone()));
            })*
        };
    }
    of_key!(i8, i16, i32, i64, u8, u16, u32, u64);
    None
}

fn not_imported(error: polars::prelude::PolarsError) -> Error {
    Error::new(
        ErrorKind::Type,
        format!("cannot take this Arrow stream: {error}"),
    )
    .because(error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use polars::prelude::StructChunked;

    fn there_and_back(table: &Table) -> Table {
        // SAFETY: the stream was just exported by this crate.
        unsafe { import(Box::new(export(table).expect("no NUL")), false) }
            .expect("own export is importable")
    }

    #[test]
    fn tables_survive_the_border_with_chunks_gaps_and_repeated_names() {
        let mut ints = Series::new("a".into(), [Some(1i64), None, Some(i64::MAX)]);
        ints.append(&Series::new("a".into(), [4i64])).unwrap();
        let texts = Series::new(
            "b".into(),
            [
                Some("00042"),
                None,
                Some(""),
                Some("long enough for a buffer"),
            ],
        );
        let info = |kind| ColumnInfo {
            name: "same".into(),
            kind,
        };
        let table = Table::from_columns(
            4,
            [
                (info(Kind::Int), ints.into()),
                (info(Kind::Text), texts.into()),
            ],
        )
        .unwrap();
        let back = there_and_back(&table);
        assert!(back.frame().equals_missing(table.frame()));
        assert_eq!(back.height(), 4);
    }

    #[test]
    fn plain_columns_hold_the_same_without_views() {
        let mut texts = Series::new("t".into(), [Some("00042"), None, Some("")]);
        texts
            .append(&Series::new(
                "t".into(),
                [Some("a text beyond twelve bytes")],
            ))
            .unwrap();
        let bytes = Series::new("b".into(), [&b"\xff"[..], b"", b"1", b"2"]);
        let ints = Series::new("i".into(), [1i64, 2, 3, 4]);
        let columns = vec![ints.into(), bytes.into(), texts.into()];
        let table = Table::new(DataFrame::new(4, columns).unwrap());
        let control = Control::default();
        let stream = export_plain(&table, &[2, 1], &control).unwrap();
        // SAFETY: the stream was just exported by this crate.
        let mut reader = unsafe { StreamReader::try_new(Box::new(stream)) }.unwrap();
        let ArrowDataType::Struct(fields) = reader.field().dtype().clone() else {
            panic!("no record batches");
        };
        assert_eq!(fields[0].dtype, ArrowDataType::LargeUtf8);
        assert_eq!(fields[1].dtype, ArrowDataType::LargeBinary);
        let mut found = Vec::new();
        // SAFETY: as above.
        while let Some(batch) = unsafe { reader.next() } {
            let batch = batch.unwrap();
            let batch = batch.as_any().downcast_ref::<StructArray>().unwrap();
            let texts = batch.values()[0].as_any().downcast_ref::<Utf8Array<i64>>();
            let texts = texts.unwrap().iter();
            found.extend(texts.map(|text| text.map(str::to_owned)));
        }
        let wanted = [
            Some("00042"),
            None,
            Some(""),
            Some("a text beyond twelve bytes"),
        ];
        assert_eq!(found, wanted.map(|text| text.map(str::to_owned)));
    }

    #[test]
    fn a_column_of_one_value_has_as_many_parts_as_the_others() {
        let mut parted = Series::new("a".into(), [1i64]);
        parted.append(&Series::new("a".into(), [2i64])).unwrap();
        let scalar = Column::new_scalar("b".into(), polars::prelude::Scalar::from(true), 2);
        for columns in [
            [parted.clone().into(), scalar.clone()],
            [scalar, parted.into()],
        ] {
            let table = Table::new(DataFrame::new(2, columns.to_vec()).unwrap());
            let back = there_and_back(&table);
            assert!(back.frame().equals_missing(table.frame()));
            let plain = export_plain(&table, &[0, 1], &Control::default()).unwrap();
            // SAFETY: the stream was just exported by this crate.
            assert_eq!(
                unsafe { import(Box::new(plain), false) }.unwrap().height(),
                2
            );
        }
    }

    #[test]
    fn names_with_a_nul_are_an_error_at_any_depth() {
        let inner = Series::new("a\0b".into(), [1i64]);
        let outer = StructChunked::from_series("x".into(), 1, [inner.clone()].iter()).unwrap();
        for column in [inner, outer.into_series()] {
            let table = Table::new(DataFrame::new(1, vec![column.into()]).unwrap());
            let error = export(&table).map(drop).expect_err("a NUL");
            assert_eq!(error.kind(), ErrorKind::Type);
            assert!(export_plain(&table, &[0], &Control::default()).is_err());
        }
    }

    #[test]
    fn empty_tables_keep_their_columns() {
        let empty = Table::new(
            DataFrame::new(0, vec![Column::new("a".into(), Vec::<i64>::new())]).unwrap(),
        );
        let back = there_and_back(&empty);
        assert_eq!((back.height(), back.columns()), (0, empty.columns()));
        assert_eq!(there_and_back(&Table::new(DataFrame::empty())).width(), 0);
    }

    #[test]
    fn seconds_keep_their_zone_and_never_wrap() {
        use arrow_array::{RecordBatch, RecordBatchIterator, TimestampSecondArray};
        use std::sync::Arc;
        let taken = |seconds: Vec<Option<i64>>| {
            let array = TimestampSecondArray::from(seconds).with_timezone("Europe/Paris");
            let batch = RecordBatch::try_from_iter([("t", Arc::new(array) as _)]).unwrap();
            let schema = batch.schema();
            let reader = RecordBatchIterator::new([Ok(batch)], schema);
            from_arrow_rs(Box::new(reader), false)
        };
        let table = taken(vec![Some(1), None]).unwrap();
        let column = &table.frame().columns()[0];
        assert_eq!(column.dtype().to_string(), "datetime[ms, Europe/Paris]");
        assert_eq!(column.to_physical_repr().i64().unwrap().get(0), Some(1000));
        assert_eq!(column.null_count(), 1);
        let error = taken(vec![Some(i64::MAX)]).expect_err("beyond milliseconds");
        assert_eq!(error.kind(), ErrorKind::Type);
    }

    #[test]
    fn dictionaries_become_their_values() {
        use arrow_array::types::Int8Type;
        use arrow_array::{DictionaryArray, RecordBatch, RecordBatchIterator};
        use std::sync::Arc;
        let colours: DictionaryArray<Int8Type> = [Some("red"), None, Some("red"), Some("blue")]
            .into_iter()
            .collect();
        let batch = RecordBatch::try_from_iter([("c", Arc::new(colours) as _)]).unwrap();
        let schema = batch.schema();
        let reader = RecordBatchIterator::new([Ok(batch)], schema);
        let table = from_arrow_rs(Box::new(reader), false).unwrap();
        assert_eq!(table.columns()[0].kind, Kind::Category);
        let texts: Vec<_> = table.frame().columns()[0].str().unwrap().iter().collect();
        assert_eq!(texts, [Some("red"), None, Some("red"), Some("blue")]);
    }
}
