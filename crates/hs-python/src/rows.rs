//! Positions of rows for Python: as numpy takes them, and as Arrow libraries do.

use hs_core::op;
use hs_core::{ColumnInfo, Kind};
use polars::prelude::IntoSeries;
use pyo3::prelude::*;

use crate::flat::Buffer;
use crate::table::Table;
use crate::work;

/// Some rows of a frame.
#[pyclass(frozen, module = "headstart")]
pub struct Rows(pub op::rows::Rows);

#[pymethods]
impl Rows {
    /// True for all rows in their order.
    #[getter]
    fn all(&self) -> bool {
        self.0 == op::rows::Rows::All
    }

    /// True when the frame has nothing for some of them.
    #[getter]
    fn gaps(&self) -> bool {
        matches!(self.0, op::rows::Rows::These { gaps: true, .. })
    }

    /// The positions for `numpy.asarray`, -1 where there is no row; `None` for all rows.
    fn signed(&self, py: Python<'_>) -> Option<Buffer> {
        let rows = py.detach(|| self.0.signed());
        rows.map(|rows| Buffer::of("<i8", rows))
    }

    /// The positions as a table of one column, null where there is no row; `None` for all rows.
    fn nullable(&self, py: Python<'_>) -> PyResult<Option<Table>> {
        let Some(rows) = py.detach(|| self.0.nullable()) else {
            return Ok(None);
        };
        let info = ColumnInfo {
            name: "row".to_owned(),
            kind: Kind::Int,
        };
        let column = (info, rows.into_series().into());
        let table = work::here(py, || {
            hs_core::Table::from_columns(column_height(&column), [column])
        })?;
        Ok(Some(Table::from(table)))
    }
}

fn column_height(column: &(ColumnInfo, polars::prelude::Column)) -> usize {
    column.1.len()
}
