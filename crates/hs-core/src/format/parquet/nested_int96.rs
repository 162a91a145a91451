//! INT96 timestamps inside lists and structs, which the crate reads in one unit at a time.
//!
//! They are read in three: in microseconds, which hold every year that people write, in nanoseconds,
//! which wrap, and in seconds, which never wrap. Together they tell whether a column has digits
//! below the microsecond, and days that no microseconds hold.

use arrow_array::Array;
use arrow_data::ArrayData;
use arrow_schema::{DataType, TimeUnit};
use parquet::basic::Type;
use parquet::schema::types::ColumnDescriptor;

use super::decode::{Batches, Plan};
use super::footer;
use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result};

/// The column in nanoseconds when it has such digits, else in microseconds; one without INT96 is
/// left as it is.
///
/// # Errors
/// [`ErrorKind::Type`] names a column that has both nanosecond digits and years that nanoseconds
/// cannot hold, or days that not even microseconds hold.
pub(super) fn settle(
    plan: &Plan,
    root: usize,
    batches: &mut Batches,
    control: &Control,
) -> Result<()> {
    let schema = plan.footer.parquet_schema();
    let mut leaves = plan.leaves[root].clone();
    if !leaves.any(|leaf| schema.column(leaf).physical_type() == Type::INT96) {
        return Ok(());
    }
    let read = |unit| -> Result<Batches> {
        let footer = footer::retyped(&plan.footer, in_unit(unit))?;
        let mut all = Batches::new();
        for group in &plan.groups {
            let columns = plan.read(&footer, *group, &[root], control)?;
            all.extend(columns.into_iter().flatten());
        }
        Ok(all)
    };
    let micros = read(TimeUnit::Microsecond)?;
    let nanos = read(TimeUnit::Nanosecond)?;
    let seconds = read(TimeUnit::Second)?;
    let mut found = Digits::default();
    for ((micros, nanos), seconds) in micros.iter().zip(&nanos).zip(&seconds) {
        found.compare(&micros.to_data(), &nanos.to_data(), &seconds.to_data());
    }
    let refused = |message: &str, hint: &str| {
        let name = plan.footer.schema().field(root).name();
        let error = Error::new(ErrorKind::Type, message);
        Err(error.at(Place::default().column(name)).hint(hint))
    };
    if found.beyond_micros {
        let message = "expected INT96 times within 290,000 years of 1970, found days that no 64-bit \
                       microseconds hold";
        return refused(message, "write the column again as text");
    }
    if found.below_micros && found.beyond_nanos {
        let message = "expected INT96 times in microseconds or within the years 1677 to 2262, found \
                       nanoseconds and other years";
        return refused(message, "write the column again as TIMESTAMP(MICROS)");
    }
    *batches = if found.below_micros { nanos } else { micros };
    Ok(())
}

/// INT96 in a unit.
fn in_unit(unit: TimeUnit) -> impl Fn(&ColumnDescriptor, &DataType, bool) -> Option<DataType> {
    move |leaf, dtype, _| match dtype {
        DataType::Timestamp(_, zone) if leaf.physical_type() == Type::INT96 => {
            Some(DataType::Timestamp(unit, zone.clone()))
        }
        _ => None,
    }
}

/// What the values of a column need.
#[derive(Default)]
struct Digits {
    below_micros: bool,
    beyond_nanos: bool,
    beyond_micros: bool,
}

impl Digits {
    /// Looks at all timestamps inside three arrays of the same values.
    fn compare(&mut self, micros: &ArrayData, nanos: &ArrayData, seconds: &ArrayData) {
        if let (
            DataType::Timestamp(TimeUnit::Microsecond, _),
            DataType::Timestamp(TimeUnit::Nanosecond, _),
            DataType::Timestamp(TimeUnit::Second, _),
        ) = (micros.data_type(), nanos.data_type(), seconds.data_type())
        {
            let all = values(micros).zip(values(nanos)).zip(values(seconds));
            for (index, ((coarse, fine), rough)) in all.enumerate() {
                if micros.is_valid(index) {
                    self.below_micros |= fine.wrapping_sub(coarse.wrapping_mul(1000)) != 0;
                    self.beyond_nanos |= coarse.checked_mul(1000).is_none();
                    // Off by one where a writer gave the time of day a sign; wrapped by thousands of years.
                    self.beyond_micros |= coarse.div_euclid(1_000_000).abs_diff(rough) > 1;
                }
            }
        }
        let children = micros.child_data().iter().zip(nanos.child_data());
        for ((micros, nanos), seconds) in children.zip(seconds.child_data()) {
            self.compare(micros, nanos, seconds);
        }
    }
}

/// The 64-bit values of an array.
fn values(data: &ArrayData) -> impl Iterator<Item = i64> + '_ {
    let all: &[i64] = data
        .buffers()
        .first()
        .map_or(&[], |buffer| buffer.typed_data());
    all.iter().skip(data.offset()).take(data.len()).copied()
}
