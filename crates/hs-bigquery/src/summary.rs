//! What came of a question as a table of one row, for the formats that programs read.

use hs_core::{Result, Table};
use polars::prelude::{Column, IntoColumn, NamedFrom, Series};

use crate::ask::Answer;

impl Answer {
    /// One row: `statement`, `bytes` (estimated), `accuracy` (precise, at most, at least, unknown), `tables`,
    /// `location`, `usd` where a price was given, and of a query that ran `billed`, `processed`, `cache_hit`, `changed` and `job`.
    ///
    /// # Errors
    /// Only when a table is not what it should be.
    pub fn summary(&self) -> Result<Table> {
        let estimate = &self.estimate;
        let tables = Series::new("".into(), &estimate.tables);
        let mut columns = vec![
            column("statement", [estimate.statement.as_str()]),
            column("bytes", [estimate.bytes]),
            column("accuracy", [estimate.accuracy.word()]),
            column("tables", [tables]),
            column("location", [estimate.location.as_deref()]),
        ];
        if let Some(dollars) = self.dollars {
            columns.push(column("usd", [dollars]));
        }
        if let Some(run) = &self.run {
            columns.extend([
                column("billed", [run.billed]),
                column("processed", [run.processed]),
                column("cache_hit", [run.cache_hit]),
                column("changed", [run.changed]),
                column("job", [run.job.as_str()]),
            ]);
        }
        let columns = columns.into_iter().map(|column| {
            let info = hs_core::ColumnInfo {
                name: column.name().to_string(),
                kind: hs_core::Kind::of(column.dtype()),
            };
            (info, column)
        });
        Table::from_columns(1, columns)
    }
}

fn column<T, P: ?Sized>(name: &str, value: T) -> Column
where
    Series: NamedFrom<T, P>,
{
    Series::new(name.into(), value).into_column()
}
