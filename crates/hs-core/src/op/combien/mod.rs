//! combien: the most common values of a column, or combinations of several, with counts and shares.

use std::cmp::Reverse;

use polars::prelude::{Column, NamedFrom, Series};

use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::note::{Note, Topic};
use crate::op::keyed::{self, Counts, Part};
use crate::op::named::OwnNames;
use crate::op::taken::taken;
use crate::table::{ColumnInfo, Kind, Table};
use crate::text;

/// How much to give.
#[derive(Clone, Copy, Debug)]
pub struct CombienOptions {
    /// How many groups, the most common first; `None` for all.
    pub n: Option<usize>,
}

impl Default for CombienOptions {
    fn default() -> Self {
        Self { n: Some(20) }
    }
}

/// The groups of a table's rows.
#[derive(Debug)]
pub struct Counted {
    /// A row for each group: the keys, `n` (its rows) and `share` (of all rows, 0 to 1).
    pub table: Table,
    /// The first row of each of these groups, for callers that take the keys from elsewhere.
    pub rows: Vec<u32>,
}

/// Counts the rows of each combination of values that the columns at the positions `keys` have.
///
/// The most common group comes first, among equals the one that appears first. Missing values (null
/// and NaN) are a group of their own, apart from empty text; what is one value in one column is one in
/// every other ([`crate::op::form`]). Keys come as they are in the first row of their group. The last note
/// says what is not in the result: `and 1,204 other groups, 31,220 rows (12.4 %)`.
///
/// # Errors
/// [`ErrorKind::Interrupted`] on a stop request; [`ErrorKind::Argument`] without a key.
pub fn combien(
    table: &Table,
    keys: &[usize],
    options: CombienOptions,
    control: &Control,
) -> Result<Counted> {
    let there = || keys.iter().filter(|position| **position < table.width());
    let parts: Vec<Part<'_>> = there()
        .filter_map(|position| table.iter().nth(*position))
        .collect();
    if parts.is_empty() {
        let message = "key: expected a column or more, found none";
        return Err(Error::new(ErrorKind::Argument, message));
    }
    let height = table.height();
    let compared: Vec<Part<'_>> = there().map(|position| table.compared(*position)).collect();
    let groups = keyed::counts(&compared, control)?;
    let shown = most_common(&groups, options.n.unwrap_or(usize::MAX));
    let rows: Vec<u32> = shown
        .iter()
        .map(|group| groups.first[*group as usize])
        .collect();
    let counts: Vec<u32> = shown
        .iter()
        .map(|group| groups.count[*group as usize])
        .collect();
    let mut names = OwnNames::beside(parts.iter().map(|(info, _)| info.name.as_str()));
    let mut columns: Vec<(ColumnInfo, Column)> = Vec::with_capacity(parts.len() + 2);
    for (info, column) in &parts {
        columns.push(((*info).clone(), taken((info, column), &rows)?));
    }
    let shares: Vec<f64> = counts
        .iter()
        .map(|count| f64::from(*count) / height as f64)
        .collect();
    let numbers: Vec<i64> = counts.iter().map(|count| i64::from(*count)).collect();
    columns.push(own(
        names.name("n"),
        Kind::Int,
        Series::new("".into(), numbers),
    ));
    columns.push(own(
        names.name("share"),
        Kind::Float,
        Series::new("".into(), shares),
    ));
    let mut result = Table::from_columns(rows.len(), columns)?;
    result.notes.extend(names.note());
    let counted: u64 = counts.iter().map(|count| u64::from(*count)).sum();
    let hidden = groups.count.len() - rows.len();
    result
        .notes
        .extend(others(hidden as u64, height as u64 - counted, height));
    Ok(Counted {
        table: result,
        rows,
    })
}

/// The `most` groups with the highest counts, the highest first; among equals the one that appears first.
fn most_common(counts: &Counts, most: usize) -> Vec<u32> {
    let Counts { count, first, .. } = counts;
    let rank = |group: &u32| (Reverse(count[*group as usize]), first[*group as usize]);
    let mut groups: Vec<u32> = (0..count.len() as u32).collect();
    if most < groups.len() {
        if most > 0 {
            groups.select_nth_unstable_by_key(most - 1, rank);
        }
        groups.truncate(most);
    }
    groups.sort_unstable_by_key(rank);
    groups
}

/// What is not in the result; none when everything is.
fn others(groups: u64, rows: u64, height: usize) -> Option<Note> {
    if height == 0 {
        return Some(
            Note::new(Topic::Result, "no rows to count").counted(0, crate::Place::default()),
        );
    }
    if groups == 0 {
        return None;
    }
    let text = format!(
        "and {}, {} ({})",
        text::counted(groups, "other group"),
        text::counted(rows, "row"),
        text::percent(rows as f64 / height as f64)
    );
    let mut note = Note::new(Topic::Result, text);
    note.count = Some(groups);
    Some(note)
}

fn own(name: String, kind: Kind, series: Series) -> (ColumnInfo, Column) {
    (ColumnInfo { name, kind }, series.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use polars::prelude::{BinaryOffsetChunked, IntoSeries};
    use polars_arrow::array::BinaryArray;

    fn counted(series: Vec<Series>, n: Option<usize>) -> Counted {
        let height = series.first().map_or(0, |series| series.len());
        let columns = series.into_iter().map(|series| {
            let info = ColumnInfo {
                name: series.name().to_string(),
                kind: Kind::of(series.dtype()),
            };
            (info, Column::from(series))
        });
        let table = Table::from_columns(height, columns).unwrap();
        let keys: Vec<usize> = (0..table.width()).collect();
        combien(&table, &keys, CombienOptions { n }, &Control::default()).unwrap()
    }

    fn numbers(counted: &Counted) -> Vec<i64> {
        let column = &counted.table.frame().columns()[counted.table.width() - 2];
        column.i64().unwrap().iter().flatten().collect()
    }

    #[test]
    fn order_is_by_count_then_by_first_appearance() {
        let values = ["d", "b", "a", "b", "c", "c", "e", "a"];
        let all = counted(vec![Series::new("x".into(), values)], None);
        assert_eq!(all.rows, [1, 2, 4, 0, 6]);
        assert_eq!(numbers(&all), [2, 2, 2, 1, 1]);
        assert!(all.table.notes.is_empty());
        for n in 0..5 {
            let some = counted(vec![Series::new("x".into(), values)], Some(n));
            assert_eq!(some.rows, all.rows[..n]);
        }
    }

    #[test]
    fn what_is_not_shown_is_told() {
        let values: Vec<i64> = (0..1300).map(|row| row.min(1290)).collect();
        let counted = counted(vec![Series::new("x".into(), values)], Some(2));
        assert_eq!(numbers(&counted), [10, 1]);
        let notes: Vec<&str> = counted.table.notes.iter().map(|note| &*note.text).collect();
        assert_eq!(notes, ["and 1,289 other groups, 1,289 rows (99.2 %)"]);
    }

    #[test]
    fn groups_are_those_that_numbering_every_row_gives() {
        let rows = 100_000usize;
        let text = |row: usize| match row * 7919 % 11 {
            0 => None,
            1 => Some(String::new()),
            number => Some("x".repeat(number * 3)),
        };
        let texts: Vec<Option<String>> = (0..rows).map(text).collect();
        let floats: Vec<Option<f64>> = (0..rows)
            .map(|row| match row * 31 % 7 {
                0 => None,
                1 => Some(f64::NAN),
                2 => Some(-0.0),
                number => Some((number - 3) as f64),
            })
            .collect();
        let bytes = texts.iter().map(|text| text.as_ref().map(String::as_bytes));
        let flat: BinaryArray<i64> = bytes.collect();
        let flat = BinaryOffsetChunked::from_chunk_iter("".into(), [flat]).into_series();
        let flags: Vec<Option<bool>> = (0..rows).map(|row| Some(row % 3 == 0)).collect();
        let small: Vec<i8> = (0..rows).map(|row| (row / 1000 % 100) as i8).collect();
        let many: Vec<i64> = (0..rows).map(|row| row as i64 / 2).collect();
        let kinds = [
            Kind::Text,
            Kind::Text,
            Kind::Float,
            Kind::Bool,
            Kind::Int,
            Kind::Int,
        ];
        let series = [
            flat,
            Series::new("".into(), texts),
            Series::new("".into(), floats),
            Series::new("".into(), flags),
            Series::new("".into(), small),
            Series::new("".into(), many),
        ];
        let columns: Vec<(ColumnInfo, Column)> = kinds
            .into_iter()
            .zip(series)
            .map(|(kind, series)| {
                (
                    ColumnInfo {
                        name: String::new(),
                        kind,
                    },
                    series.into(),
                )
            })
            .collect();
        let control = Control::default();
        for keys in [
            &[0][..],
            &[1],
            &[2],
            &[3],
            &[4],
            &[2, 0],
            &[1, 3, 4],
            &[5],
            &[3, 5],
        ] {
            let parts: Vec<Part<'_>> = keys
                .iter()
                .map(|key| (&columns[*key].0, &columns[*key].1))
                .collect();
            let found = keyed::counts(&parts, &control).unwrap();
            let mut found: Vec<_> = found.first.into_iter().zip(found.count).collect();
            found.sort_unstable();
            let side = keyed::two(&parts, &parts, keyed::Missing::Value, &control)
                .unwrap()
                .left;
            let expected: Vec<_> = side.first.into_iter().zip(side.count).collect();
            assert_eq!(found, expected, "{keys:?}");
        }
    }

    #[test]
    fn missing_is_a_group_and_empty_text_another() {
        let texts = [Some(""), None, Some(" "), None];
        let counted_texts = counted(vec![Series::new("x".into(), texts)], None);
        assert_eq!(counted_texts.rows, [1, 0, 2]);
        let floats = [Some(f64::NAN), None, Some(0.0), Some(-0.0)];
        let counted_floats = counted(vec![Series::new("x".into(), floats)], None);
        assert_eq!(counted_floats.rows, [0, 2]);
        assert_eq!(numbers(&counted_floats), [2, 2]);
    }

    #[test]
    fn own_columns_give_way_to_keys_of_their_name() {
        let keys = vec![
            Series::new("n".into(), [1i64, 1]),
            Series::new("share".into(), [2i64, 2]),
        ];
        let counted = counted(keys, None);
        let names: Vec<&str> = counted
            .table
            .columns()
            .iter()
            .map(|info| &*info.name)
            .collect();
        assert_eq!(names, ["n", "share", "n_", "share_"]);
        assert_eq!(counted.table.notes.len(), 1);
    }

    #[test]
    fn without_rows_there_are_no_groups() {
        let counted = counted(vec![Series::new("x".into(), Vec::<i64>::new())], Some(20));
        assert_eq!((counted.table.height(), counted.table.width()), (0, 3));
        assert_eq!(counted.table.notes[0].text, "no rows to count");
    }
}
