//! Decimals that may have more than the 38 digits that a table holds: in 38 when all of a column fit, else
//! as the text of their digits, told.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Decimal256Type;
use arrow_array::{Array, ArrayRef, Decimal128Array, StringViewArray};
use arrow_schema::DataType;

use crate::error::{Error, ErrorKind, Place, Result};
use crate::note::{Note, Topic};

/// Digits that a table holds.
const DIGITS: u8 = 38;

/// The parts of a column of 256-bit decimals in the type that holds their values, and a note when that
/// is text.
///
/// # Errors
/// [`ErrorKind::Internal`] when the parts are of another type.
pub(super) fn narrowed(
    name: &str,
    scale: i8,
    parts: &[ArrayRef],
) -> Result<(DataType, Vec<ArrayRef>, Option<Note>)> {
    let narrow = DataType::Decimal128(DIGITS, scale);
    let fits = (0..=DIGITS as i8).contains(&scale);
    let in_128 = parts
        .iter()
        .map(|part| in_128(part, scale).filter(|_| fits));
    if let Some(parts) = in_128.collect::<Option<Vec<ArrayRef>>>() {
        return Ok((narrow, parts, None));
    }
    let texts = parts.iter().map(|part| -> Result<ArrayRef> {
        let wide = part
            .as_primitive_opt::<Decimal256Type>()
            .ok_or_else(|| Error::new(ErrorKind::Internal, "decimals that are none"))?;
        let text = |row: usize| wide.is_valid(row).then(|| wide.value_as_string(row));
        Ok(Arc::new(
            (0..wide.len()).map(text).collect::<StringViewArray>(),
        ))
    });
    let texts = texts.collect::<Result<Vec<_>>>()?;
    let text =
        format!("column {name:?}: text, because its decimals have more than {DIGITS} digits");
    let note = Note::new(Topic::Types, text).counted(1, Place::default().column(name));
    Ok((DataType::Utf8View, texts, Some(note)))
}

fn in_128(part: &ArrayRef, scale: i8) -> Option<ArrayRef> {
    const LARGEST: i128 = 10i128.pow(DIGITS as u32) - 1;
    let wide = part.as_primitive_opt::<Decimal256Type>()?;
    let values = wide.iter().map(|value| match value {
        None => Some(None),
        Some(value) => {
            let value = value.to_i128()?;
            (-LARGEST..=LARGEST).contains(&value).then_some(Some(value))
        }
    });
    let values = values.collect::<Option<Vec<Option<i128>>>>()?;
    let array = Decimal128Array::from(values).with_precision_and_scale(DIGITS, scale);
    Some(Arc::new(array.ok()?))
}

#[cfg(test)]
mod tests {
    use arrow_array::Decimal256Array;
    use arrow_buffer::i256;

    use super::*;

    fn column(values: Vec<Option<i256>>) -> ArrayRef {
        let column = Decimal256Array::from(values).with_precision_and_scale(76, 2);
        Arc::new(column.expect("a decimal type"))
    }

    #[test]
    fn what_fits_into_38_digits_is_a_decimal() {
        let values = column(vec![
            Some(i256::from_i128(10i128.pow(38) - 1)),
            None,
            Some(i256::from(-5)),
        ]);
        let (dtype, parts, note) = narrowed("d", 2, &[values]).expect("decimals");
        assert_eq!((dtype, note), (DataType::Decimal128(38, 2), None));
        let wanted = Decimal128Array::from(vec![Some(10i128.pow(38) - 1), None, Some(-5)]);
        let wanted = wanted.with_precision_and_scale(38, 2).expect("a type");
        assert_eq!(parts[0].as_ref(), &wanted as &dyn Array);
    }

    #[test]
    fn what_does_not_is_the_text_of_its_digits() {
        let large =
            i256::from_string("123456789012345678901234567890123456789012").expect("a number");
        let values = column(vec![Some(large), None, Some(i256::from(-5))]);
        let (dtype, parts, note) = narrowed("d", 2, &[values]).expect("texts");
        assert_eq!(dtype, DataType::Utf8View);
        let texts: Vec<Option<&str>> = parts[0].as_string_view().iter().collect();
        let wanted = [
            Some("1234567890123456789012345678901234567890.12"),
            None,
            Some("-0.05"),
        ];
        assert_eq!(texts, wanted);
        assert_eq!(
            note.map(|note| note.text).as_deref(),
            Some("column \"d\": text, because its decimals have more than 38 digits")
        );
    }
}
