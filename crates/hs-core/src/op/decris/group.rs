//! The distinct values of one column: which rows hold the same value, how often, and the extremes.

use std::cmp::Reverse;

use polars::prelude::DataType;

use crate::control::Control;
use crate::error::Result;
use crate::op::keyed::{self, Counts, Part};
use crate::table::Kind;

/// The distinct values of a column, in no order.
#[derive(Debug, Default)]
pub struct Groups {
    /// For every value the first row that has it.
    pub first: Vec<u32>,
    /// For every value how many rows have it.
    pub count: Vec<u32>,
    /// How many rows are missing (null or NaN).
    pub missing: usize,
    /// First rows of the smallest and the largest value; none for values without an order.
    pub extremes: Option<(u32, u32)>,
}

impl Groups {
    /// How many distinct values there are, missing not counted.
    pub fn distinct(&self) -> usize {
        self.count.len()
    }

    /// The `most` most frequent values; ties by first appearance.
    pub fn top(&self, most: usize) -> Vec<usize> {
        let rank = |value: usize| (Reverse(self.count[value]), self.first[value]);
        let mut top: Vec<usize> = Vec::with_capacity(most + 1);
        // No rank is higher than that of a row behind the last.
        let mut least = (Reverse(0), u32::MAX);
        for value in 0..self.count.len() {
            if rank(value) >= least {
                continue;
            }
            let place = top.partition_point(|other| rank(*other) < rank(value));
            top.insert(place, value);
            top.truncate(most);
            if top.len() == most {
                least = top
                    .last()
                    .map_or((Reverse(u32::MAX), 0), |last| rank(*last));
            }
        }
        top
    }
}

/// Groups the rows of a column by value.
///
/// `-0.0` and `0.0` are one value, NaN is missing, nested and mixed values are the same when their forms are.
///
/// # Errors
/// [`crate::ErrorKind::Interrupted`] on a stop request.
pub fn group(part: Part<'_>, control: &Control) -> Result<Groups> {
    let (info, column) = part;
    let Counts {
        mut first,
        mut count,
        missing,
        ends,
    } = keyed::counts(&[part], control)?;
    let missing = missing.map(|group| {
        first.swap_remove(group as usize);
        count.swap_remove(group as usize)
    });
    let nested = matches!(
        column.dtype(),
        DataType::List(_) | DataType::Array(..) | DataType::Struct(_)
    );
    let ordered = !nested && info.kind != Kind::Mixed;
    Ok(Groups {
        first,
        count,
        missing: missing.unwrap_or_default() as usize,
        extremes: ends.filter(|_| ordered),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::ColumnInfo;
    use polars::prelude::{Column, NamedFrom, Series};

    fn grouped(series: Series) -> Groups {
        let column: Column = series.into();
        let info = ColumnInfo {
            name: "x".to_owned(),
            kind: Kind::of(column.dtype()),
        };
        let mut groups = group((&info, &column), &Control::default()).unwrap();
        let mut pairs: Vec<_> = groups.first.iter().copied().zip(groups.count).collect();
        pairs.sort_unstable();
        (groups.first, groups.count) = pairs.into_iter().unzip();
        groups
    }

    #[test]
    fn zeros_are_one_value_and_nan_is_missing() {
        let values = [Some(0.0), Some(f64::NAN), Some(-0.0), None, Some(-1.5)];
        let groups = grouped(Series::new("x".into(), values));
        assert_eq!((groups.first, groups.count), (vec![0, 4], vec![2, 1]));
        assert_eq!(groups.missing, 2);
        assert_eq!(groups.extremes, Some((4, 0)));
    }

    #[test]
    fn big_unsigned_numbers_keep_their_order_and_identity() {
        let values = [u64::MAX, 0, u64::MAX - 1, 9_007_199_254_740_993, u64::MAX];
        let groups = grouped(Series::new("x".into(), values));
        assert_eq!(
            (groups.first, groups.count),
            (vec![0, 1, 2, 3], vec![2, 1, 1, 1])
        );
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
        assert_eq!((near.distinct(), far.distinct()), (7, 8));
        assert_eq!(
            (&*near.first, &*near.count),
            (&far.first[..7], &far.count[..7])
        );
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
