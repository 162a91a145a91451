//! The memory that tables of other libraries lie in, to be looked at where it is: nothing is copied or turned into a table.

use arrow_array::{Array, RecordBatch};
use arrow_data::ArrayData;

use crate::border::{self, ArrowArrayStream};
use crate::error::Result;

/// Looks at an Arrow C stream: at what it says of itself (names, types, lengths), and at every piece of memory that its values
/// are in. A slice is looked at with what lies around it.
///
/// # Errors
/// The stream is broken, or has a type that nobody knows.
pub fn look<Seen>(
    stream: ArrowArrayStream,
    look: impl FnOnce(&str, &[&[u8]]) -> Seen,
) -> Result<Seen> {
    let (schema, batches) = border::into_arrow_rs(stream)?;
    let arrays: Vec<ArrayData> = batches
        .iter()
        .flat_map(RecordBatch::columns)
        .map(Array::to_data)
        .collect();
    let mut said = format!("{schema:?}");
    let mut pieces = Vec::new();
    for array in &arrays {
        gather(array, &mut said, &mut pieces);
    }
    Ok(look(&said, &pieces))
}

fn gather<'a>(array: &'a ArrayData, said: &mut String, pieces: &mut Vec<&'a [u8]>) {
    use std::fmt::Write as _;
    let _ = write!(said, "|{} {}", array.len(), array.offset());
    if let Some(nulls) = array.nulls() {
        let _ = write!(said, " {}", nulls.offset());
        pieces.push(nulls.validity());
    }
    pieces.extend(array.buffers().iter().map(arrow_buffer::Buffer::as_slice));
    for child in array.child_data() {
        gather(child, said, pieces);
    }
}

#[cfg(test)]
mod tests {
    use polars::prelude::{DataFrame, IntoColumn, NamedFrom, Series};

    use super::*;
    use crate::table::Table;

    fn seen(numbers: &[i64], texts: &[Option<&str>]) -> (String, Vec<Vec<u8>>) {
        let columns = vec![
            Series::new("n".into(), numbers).into_column(),
            Series::new("t".into(), texts).into_column(),
        ];
        let table = Table::new(DataFrame::new(numbers.len(), columns).expect("a frame"));
        let stream = border::export(&table).expect("a stream");
        let owned = |said: &str, pieces: &[&[u8]]| {
            (
                said.to_owned(),
                pieces.iter().map(|piece| piece.to_vec()).collect(),
            )
        };
        look(stream, owned).expect("readable")
    }

    #[test]
    fn the_same_values_look_the_same_and_each_change_shows() {
        let (numbers, texts) = (
            [1, 2, 3],
            [Some("a text that is long enough"), None, Some("b")],
        );
        assert_eq!(seen(&numbers, &texts), seen(&numbers, &texts));
        let others = [
            seen(&[1, 2, 4], &texts),
            seen(
                &numbers,
                &[Some("a text that is long enougH"), None, Some("b")],
            ),
            seen(
                &numbers,
                &[Some("a text that is long enough"), Some(""), Some("b")],
            ),
            seen(&numbers[..2], &texts[..2]),
        ];
        for other in others {
            assert_ne!(other, seen(&numbers, &texts));
        }
    }
}
