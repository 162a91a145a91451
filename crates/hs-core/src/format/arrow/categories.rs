//! Columns of categories as one dictionary for the whole file, which Arrow files want, and where each
//! row is in it.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, Int32Array, LargeStringArray, make_array};
use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_schema::DataType;

use crate::error::Place;
use crate::note::{Note, Topic};

/// The parts of a column as dictionary arrays that share their dictionary, in the order in which its
/// values are first seen. `None` for types whose values have no plain bytes, or too many of them.
pub(super) fn encoded(parts: &[ArrayRef], dtype: &DataType) -> Option<Vec<ArrayRef>> {
    let data: Vec<ArrayData> = parts.iter().map(Array::to_data).collect();
    let mut known: HashMap<&[u8], i32> = HashMap::new();
    let mut values: Vec<&[u8]> = Vec::new();
    let mut keys: Vec<Int32Array> = Vec::with_capacity(parts.len());
    for (part, data) in parts.iter().zip(&data) {
        let mut of_part: Vec<Option<i32>> = Vec::with_capacity(part.len());
        for row in 0..part.len() {
            if part.is_null(row) {
                of_part.push(None);
                continue;
            }
            let value = bytes(part, data, row)?;
            let next = i32::try_from(values.len()).ok()?;
            let key = *known.entry(value).or_insert_with(|| {
                values.push(value);
                next
            });
            of_part.push(Some(key));
        }
        keys.push(of_part.into());
    }
    let values = dictionary(&values, dtype)?;
    let encoded = keys.into_iter().map(|keys| {
        let array = DictionaryArray::<Int32Type>::try_new(keys, values.clone()).ok()?;
        Some(Arc::new(array) as ArrayRef)
    });
    if parts.is_empty() {
        let none = DictionaryArray::<Int32Type>::try_new(Int32Array::new_null(0), values).ok()?;
        return Some(vec![Arc::new(none)]);
    }
    encoded.collect()
}

fn bytes<'a>(part: &'a ArrayRef, data: &'a ArrayData, row: usize) -> Option<&'a [u8]> {
    match part.data_type() {
        DataType::LargeUtf8 => Some(part.as_string::<i64>().value(row).as_bytes()),
        dtype => {
            let width = dtype.primitive_width()?;
            let start = (data.offset() + row) * width;
            data.buffers().first()?.as_slice().get(start..start + width)
        }
    }
}

fn dictionary(values: &[&[u8]], dtype: &DataType) -> Option<ArrayRef> {
    if *dtype == DataType::LargeUtf8 {
        let texts = values.iter().map(|value| std::str::from_utf8(value).ok());
        let texts = texts.collect::<Option<Vec<&str>>>()?;
        return Some(Arc::new(LargeStringArray::from(texts)));
    }
    let data = ArrayData::builder(dtype.clone())
        .len(values.len())
        .add_buffer(Buffer::from_vec(values.concat()))
        .align_buffers(true);
    Some(make_array(data.build().ok()?))
}

/// The note of a column whose values have no dictionary.
pub(super) fn plain(name: &str) -> Note {
    let text = format!("column {name:?}: the categories are written as plain values");
    Note::new(Topic::Types, text).counted(1, Place::default().column(name))
}
