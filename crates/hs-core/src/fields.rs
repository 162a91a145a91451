//! The fields of records as columns: `req.path` is the field `path` of the column `req`.

use polars::prelude::{Column, DataType, Series};

use crate::error::{Error, ErrorKind, Result};
use crate::table::{ColumnInfo, Kind, Table};

/// The table with the fields of its records, at any depth, as columns behind the others. A field of a record that is
/// missing is missing. Names that are there already keep their column.
///
/// ```
/// use hs_core::{Table, fields::with_fields};
/// use polars::prelude::{Column, IntoSeries, StructChunked};
/// let path = Column::new("path".into(), ["/a", "/b"]);
/// let records = StructChunked::from_columns("req".into(), 2, &[path]).unwrap().into_series();
/// let table = Table::from_columns(2, [])?;
/// let table = Table::new(table.frame().hstack(&[records.into()]).unwrap());
/// let names: Vec<String> = with_fields(table)?.columns().iter().map(|info| info.name.clone()).collect();
/// assert_eq!(names, ["req", "req.path"]);
/// # Ok::<(), hs_core::Error>(())
/// ```
///
/// # Errors
/// [`ErrorKind::Internal`] where a column is not what its type says.
pub fn with_fields(table: Table) -> Result<Table> {
    let mut more = Vec::new();
    for (info, column) in table.iter() {
        spread(&info.name, column.as_materialized_series(), &mut more)?;
    }
    more.retain(|(info, _)| {
        table
            .columns()
            .iter()
            .all(|column| column.name != info.name)
    });
    if more.is_empty() {
        return Ok(table);
    }
    table.with_columns(more)
}

fn spread(name: &str, series: &Series, more: &mut Vec<(ColumnInfo, Column)>) -> Result<()> {
    if !matches!(series.dtype(), DataType::Struct(_)) {
        return Ok(());
    }
    let wrong = |error| Error::new(ErrorKind::Internal, "records that are none").because(error);
    let series = series.rechunk();
    let validity = series.chunks()[0].validity().cloned();
    // Gives each field the gaps of its record.
    let records = series.struct_().map_err(wrong)?.clone();
    for field in records.with_outer_validity(validity).fields_as_series() {
        let name = format!("{name}.{}", field.name());
        let kind = Kind::of(field.dtype());
        more.push((
            ColumnInfo {
                name: name.clone(),
                kind,
            },
            field.clone().into(),
        ));
        spread(&name, &field, more)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use polars::prelude::{IntoSeries, StructChunked};

    use super::*;

    #[test]
    fn fields_at_any_depth_have_the_gaps_of_their_records() -> Result<()> {
        let record = |name: &str, fields: &[Column]| {
            let records = StructChunked::from_columns(name.into(), 3, fields);
            records.expect("fields of one height")
        };
        let code = Column::new("code".into(), [Some(1i64), None, Some(3)]);
        let inner = record("inner", &[code]).into_series();
        let flat = Column::new("x.inner".into(), ["a", "b", "c"]);
        let outer = record("x", &[inner.into()]);
        let outer = outer.with_outer_validity(Some([true, true, false].into_iter().collect()));
        let infos = ["x", "x.inner"].map(|name| ColumnInfo {
            name: name.to_owned(),
            kind: Kind::Text,
        });
        let columns = infos.into_iter().zip([outer.into_series().into(), flat]);
        let table = with_fields(Table::from_columns(3, columns)?)?;
        let names: Vec<&str> = table
            .columns()
            .iter()
            .map(|info| info.name.as_str())
            .collect();
        assert_eq!(names, ["x", "x.inner", "x.inner.code"]);
        let codes = table.frame().columns()[2].i64().expect("whole numbers");
        assert_eq!(codes.iter().collect::<Vec<_>>(), [Some(1), None, None]);
        Ok(())
    }
}
