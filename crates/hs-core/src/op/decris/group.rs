//! The distinct values of one column: which rows hold the same value, how often, and the extremes.

use polars::prelude::{Column, DataType};

use crate::control::Control;
use crate::error::Result;
use crate::op::keyed::{self, Side};
use crate::table::{ColumnInfo, Kind};

/// The distinct values of a column.
#[derive(Debug, Default)]
pub struct Groups {
    /// Numbers of the values, row by row; missing ones (null or NaN) have none.
    pub values: Side,
    /// First rows of the smallest and the largest value; none for values without an order.
    pub extremes: Option<(u32, u32)>,
}

impl Groups {
    /// How many distinct values there are, missing not counted.
    pub fn distinct(&self) -> usize {
        self.values.count.len()
    }

    /// How many rows are missing.
    pub fn missing(&self) -> usize {
        self.values.missing as usize
    }

    /// The numbers of the `most` most frequent values; ties by first appearance.
    pub fn top(&self, most: usize) -> Vec<usize> {
        let counts = &self.values.count;
        let mut top: Vec<usize> = Vec::with_capacity(most + 1);
        for (value, count) in counts.iter().enumerate() {
            let place = top.partition_point(|other| counts[*other] >= *count);
            if place < most {
                top.insert(place, value);
                top.truncate(most);
            }
        }
        top
    }
}

/// Groups the rows of a column by value.
///
/// `-0.0` and `0.0` are one value, NaN is missing, nested and mixed values are the same when their
/// forms are.
///
/// # Errors
/// [`crate::ErrorKind::Interrupted`] on a stop request.
pub fn group(info: &ColumnInfo, column: &Column, control: &Control) -> Result<Groups> {
    let (values, extremes) = keyed::values((info, column), control)?;
    let nested = matches!(
        column.dtype(),
        DataType::List(_) | DataType::Array(..) | DataType::Struct(_)
    );
    let ordered = !nested && info.kind != Kind::Mixed;
    Ok(Groups {
        values,
        extremes: extremes.filter(|_| ordered),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::keyed::NONE;
    use polars::prelude::{NamedFrom, Series};

    fn grouped(series: Series) -> Groups {
        let column: Column = series.into();
        let info = ColumnInfo {
            name: "x".to_owned(),
            kind: Kind::of(column.dtype()),
        };
        group(&info, &column, &Control::default()).unwrap()
    }

    #[test]
    fn zeros_are_one_value_and_nan_is_missing() {
        let values = [Some(0.0), Some(f64::NAN), Some(-0.0), None, Some(-1.5)];
        let groups = grouped(Series::new("x".into(), values));
        assert_eq!(groups.values.keys, [0, NONE, 0, NONE, 1]);
        assert_eq!((groups.missing(), groups.distinct()), (2, 2));
        assert_eq!(groups.extremes, Some((4, 0)));
    }

    #[test]
    fn big_unsigned_numbers_keep_their_order_and_identity() {
        let values = [u64::MAX, 0, u64::MAX - 1, 9_007_199_254_740_993, u64::MAX];
        let groups = grouped(Series::new("x".into(), values));
        assert_eq!(groups.values.keys, [0, 1, 2, 3, 0]);
        assert_eq!(groups.extremes, Some((1, 0)));
    }

    #[test]
    fn near_and_far_numbers_group_alike() {
        let near: Vec<i64> = (0..10_000).map(|row| i64::MIN + row % 7).collect();
        let mut far = near.clone();
        far.push(i64::MAX);
        let (near, far) = (
            grouped(Series::new("x".into(), near)),
            grouped(Series::new("x".into(), far)),
        );
        assert_eq!(near.values.keys, far.values.keys[..10_000]);
        assert_eq!((near.distinct(), far.distinct()), (7, 8));
        assert_eq!(far.extremes, Some((0, 10_000)));
    }

    #[test]
    fn top_breaks_ties_by_first_appearance() {
        let groups = grouped(Series::new(
            "x".into(),
            ["d", "b", "a", "b", "c", "c", "e", "a"],
        ));
        let names = ["d", "b", "a", "c", "e"];
        let top: Vec<&str> = groups
            .top(3)
            .into_iter()
            .map(|value| names[value])
            .collect();
        assert_eq!(top, ["b", "a", "c"]);
        assert!(groups.top(0).is_empty());
    }
}
