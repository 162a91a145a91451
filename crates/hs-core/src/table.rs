//! The one value that travels: a polars frame with the names and kinds its columns have for the
//! user, where it came from, and what there is to say about it.

use std::collections::BTreeMap;

use polars::prelude::{Column, DataFrame, DataType, PlSmallStr};

use crate::error::{Error, ErrorKind, Place, Result, close_names};
use crate::explanation::Explanation;
use crate::fix::Face;
use crate::format::Format;
use crate::note::{self, Note};

/// What a column holds, in the words shown to users.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Whole numbers, signed or unsigned, of any width.
    Int,
    /// Floating-point numbers.
    Float,
    /// True or false.
    Bool,
    /// Text.
    Text,
    /// Calendar days.
    Date,
    /// Points in time, with or without zone.
    Datetime,
    /// Times of day.
    Time,
    /// Lengths of time.
    Duration,
    /// Exact decimal numbers.
    Decimal,
    /// Raw bytes.
    Bytes,
    /// Lists.
    List,
    /// Objects with named fields.
    Struct,
    /// Text from a fixed set (pandas categorical, Arrow dictionary). Stored as its values.
    Category,
    /// Values of several kinds. Stored as JSON text, so that `1` and `"1"` stay apart.
    Mixed,
    /// Nothing but missing values.
    Empty,
}

impl Kind {
    /// The word shown to users.
    pub fn word(self) -> &'static str {
        match self {
            Self::Int => "int",
            Self::Float => "float",
            Self::Bool => "bool",
            Self::Text => "text",
            Self::Date => "date",
            Self::Datetime => "datetime",
            Self::Time => "time",
            Self::Duration => "duration",
            Self::Decimal => "decimal",
            Self::Bytes => "bytes",
            Self::List => "list",
            Self::Struct => "struct",
            Self::Category => "category",
            Self::Mixed => "mixed",
            Self::Empty => "empty",
        }
    }

    /// The kind that a stored type has when nothing else is known.
    pub fn of(dtype: &DataType) -> Self {
        match dtype {
            DataType::Boolean => Self::Bool,
            DataType::Date => Self::Date,
            DataType::Datetime(..) => Self::Datetime,
            DataType::Time => Self::Time,
            DataType::Duration(_) => Self::Duration,
            DataType::Decimal(..) => Self::Decimal,
            DataType::Binary | DataType::BinaryOffset => Self::Bytes,
            DataType::List(_) | DataType::Array(..) => Self::List,
            DataType::Struct(_) => Self::Struct,
            DataType::Null => Self::Empty,
            dtype if dtype.is_float() => Self::Float,
            dtype if dtype.is_integer() => Self::Int,
            _ => Self::Text,
        }
    }
}

/// Where a table came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// File name as the user gave it; empty for data that came from memory.
    pub name: String,
    /// The format it was read as.
    pub format: Option<Format>,
    /// Sheet of a workbook, or path inside a document.
    pub part: Option<String>,
}

/// How a column presents itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnInfo {
    /// The name the user knows. Unlike the names inside the polars frame it may repeat.
    pub name: String,
    /// What it holds.
    pub kind: Kind,
}

/// A frame on its way from a source to a sink, a screen or another library.
#[derive(Clone, Debug)]
pub struct Table {
    frame: DataFrame,
    columns: Vec<ColumnInfo>,
    exact: BTreeMap<usize, (ColumnInfo, Column)>,
    /// Where it came from.
    pub origin: Origin,
    /// What there is to say about it, most important first.
    pub notes: Vec<Note>,
    /// How it was read. What it says of columns goes by their position.
    pub explanation: Explanation,
    /// Rows of the source that were not read, because only so many were wanted.
    pub left_out: usize,
}

impl Table {
    /// A table whose names and kinds follow from the frame.
    pub fn new(frame: DataFrame) -> Self {
        let columns = frame
            .columns()
            .iter()
            .map(|column| ColumnInfo {
                name: column.name().to_string(),
                kind: Kind::of(column.dtype()),
            })
            .collect();
        Self {
            frame,
            columns,
            exact: BTreeMap::new(),
            origin: Origin::default(),
            notes: Vec::new(),
            explanation: Explanation::default(),
            left_out: 0,
        }
    }

    /// A table of `height` rows from columns whose names may repeat.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`] when a column has another height.
    pub fn from_columns(
        height: usize,
        columns: impl IntoIterator<Item = (ColumnInfo, Column)>,
    ) -> Result<Self> {
        let (infos, columns): (Vec<ColumnInfo>, Vec<Column>) = columns.into_iter().unzip();
        let names = unique_names(infos.iter().map(|info| info.name.as_str()));
        let columns = columns
            .into_iter()
            .zip(names)
            .map(|(column, name)| column.with_name(PlSmallStr::from_string(name)))
            .collect();
        let frame = DataFrame::new(height, columns).map_err(|error| {
            Error::new(ErrorKind::Internal, "columns of different heights").because(error)
        })?;
        Ok(Self {
            frame,
            columns: infos,
            exact: BTreeMap::new(),
            origin: Origin::default(),
            notes: Vec::new(),
            explanation: Explanation::default(),
            left_out: 0,
        })
    }

    /// The data. Column names inside are unique; [`Table::columns`] has the user's names.
    pub fn frame(&self) -> &DataFrame {
        &self.frame
    }

    /// Names and kinds, in order; as many as the frame has columns.
    pub fn columns(&self) -> &[ColumnInfo] {
        &self.columns
    }

    /// Columns with their names and kinds, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&ColumnInfo, &Column)> {
        self.columns.iter().zip(self.frame.columns())
    }

    /// Says what the values of column `index` are in the forms in which they are compared (`op/keyed/form.rs`), where
    /// its stored values do not tell all of them apart: a date beside text is stored as text, too. Forms are never shown
    /// or saved, and stay with the column as long as it keeps its rows.
    ///
    /// # Panics
    /// When there is no such column.
    pub fn set_exact(&mut self, index: usize, forms: Column) {
        let name = self.columns[index].name.clone();
        let kind = Kind::Mixed;
        self.exact.insert(index, (ColumnInfo { name, kind }, forms));
    }

    /// The forms that [`Table::set_exact`] gave column `index`.
    pub fn exact(&self, index: usize) -> Option<&Column> {
        self.exact.get(&index).map(|(_, forms)| forms)
    }

    /// Column `index` as it is compared: its forms where it has some, else its stored values.
    ///
    /// # Panics
    /// When there is no such column.
    pub fn compared(&self, index: usize) -> (&ColumnInfo, &Column) {
        match self.exact.get(&index) {
            Some((info, forms)) => (info, forms),
            None => (&self.columns[index], &self.frame.columns()[index]),
        }
    }

    /// Gives the columns the forms of those at these positions of another table.
    fn exact_of(&mut self, other: &Self, positions: &[usize]) {
        for (index, position) in positions.iter().enumerate() {
            if let Some(exact) = other.exact.get(position) {
                self.exact.insert(index, exact.clone());
            }
        }
    }

    /// The notes as lines for a Python user, each with the file's name in front; at most six.
    pub fn account(&self) -> Vec<String> {
        self.account_for(Face::Python)
    }

    /// As [`Table::account`], with options as the face writes them.
    pub fn account_for(&self, face: Face) -> Vec<String> {
        note::lines(&self.notes, &self.origin.name, face)
    }

    /// Number of rows.
    pub fn height(&self) -> usize {
        self.frame.height()
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// Says that column `index` holds something its stored type does not tell (category, mixed).
    ///
    /// # Panics
    /// When there is no such column.
    pub fn set_kind(&mut self, index: usize, kind: Kind) {
        self.columns[index].kind = kind;
    }

    /// The table with only the named columns, in the given order.
    ///
    /// # Errors
    /// [`ErrorKind::Column`] for a name that no column has, with the close ones.
    pub fn select(self, names: &[String]) -> Result<Self> {
        let mut chosen = Vec::with_capacity(names.len());
        let mut positions = Vec::with_capacity(names.len());
        for name in names {
            let index = self.position(name)?;
            positions.push(index);
            chosen.push((
                self.columns[index].clone(),
                self.frame.columns()[index].clone(),
            ));
        }
        let mut selected = Self::from_columns(self.height(), chosen)?;
        selected.exact_of(&self, &positions);
        Ok(Self {
            origin: self.origin,
            notes: self.notes,
            explanation: self.explanation.select(&positions),
            left_out: self.left_out,
            ..selected
        })
    }

    /// The table with more columns behind its own.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`] when a column has another height.
    pub fn with_columns(
        self,
        more: impl IntoIterator<Item = (ColumnInfo, Column)>,
    ) -> Result<Self> {
        let own = self.iter();
        let own: Vec<_> = own
            .map(|(info, column)| (info.clone(), column.clone()))
            .collect();
        let whole = Self::from_columns(self.height(), own.into_iter().chain(more))?;
        Ok(Self {
            frame: whole.frame,
            columns: whole.columns,
            ..self
        })
    }

    /// Only the columns at these positions, in the given order; without origin and notes.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`] for a position that no column has.
    pub fn pick(&self, positions: &[usize]) -> Result<Self> {
        let column = |position: &usize| {
            let column = self.iter().nth(*position);
            let column = column.map(|(info, column)| (info.clone(), column.clone()));
            column.ok_or_else(|| Error::new(ErrorKind::Internal, format!("no column {position}")))
        };
        let columns: Vec<(ColumnInfo, Column)> =
            positions.iter().map(column).collect::<Result<_>>()?;
        let mut picked = Self::from_columns(self.height(), columns)?;
        picked.exact_of(self, positions);
        Ok(picked)
    }

    /// The table with only `length` rows from `offset` (from 0) on.
    #[must_use]
    pub fn slice(mut self, offset: usize, length: usize) -> Self {
        self.frame = self.frame.slice(offset as i64, length);
        for (_, forms) in self.exact.values_mut() {
            *forms = forms.slice(offset as i64, length);
        }
        self
    }

    /// Position of the column called `name`.
    ///
    /// # Errors
    /// [`ErrorKind::Column`] when there is none, with the close names.
    pub fn position(&self, name: &str) -> Result<usize> {
        self.columns
            .iter()
            .position(|column| column.name == name)
            .ok_or_else(|| {
                let place = Place::source(&self.origin.name);
                unknown_column(name, self.columns.iter().map(|column| column.name.as_str())).at(
                    if self.origin.name.is_empty() {
                        Place::default()
                    } else {
                        place
                    },
                )
            })
    }
}

/// The error for a column that is not there: names the close ones, else the first few.
pub fn unknown_column<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str> + Clone) -> Error {
    let close = close_names(wanted, names.clone());
    let error = Error::new(ErrorKind::Column, format!("no column {wanted:?}"));
    if close.is_empty() {
        let all: Vec<&str> = names.into_iter().collect();
        let shown: Vec<String> = all
            .iter()
            .take(12)
            .map(|name| format!("{name:?}"))
            .collect();
        if all.is_empty() {
            return error.hint("there are no columns");
        }
        let more = if all.len() > 12 { ", ..." } else { "" };
        return error.hint(format!("the columns are {}{more}", shown.join(", ")));
    }
    let shown: Vec<String> = close.iter().map(|name| format!("{name:?}")).collect();
    error.hint(format!("did you mean {}?", shown.join(" or ")))
}

/// Names made unique: blank ones become `column_<position>`, repeated ones `a.1`, `a.2` ...,
/// never one that another column already has.
pub fn unique_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut result: Vec<String> = names
        .into_iter()
        .enumerate()
        .map(|(index, name)| {
            if name.is_empty() {
                format!("column_{}", index + 1)
            } else {
                name.to_owned()
            }
        })
        .collect();
    let mut taken: std::collections::HashSet<String> = result.iter().cloned().collect();
    let mut seen = std::collections::HashSet::new();
    let mut next: std::collections::HashMap<String, usize> = std::collections::HashMap::new();
    for name in &mut result {
        if seen.insert(name.clone()) {
            continue;
        }
        let counter = next.entry(name.clone()).or_insert(1);
        let fresh = loop {
            let candidate = format!("{name}.{counter}");
            *counter += 1;
            if taken.insert(candidate.clone()) {
                break candidate;
            }
        };
        seen.insert(fresh.clone());
        *name = fresh;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_never_clash_with_a_name_that_is_there() {
        assert_eq!(
            unique_names(["a", "a", "a.1", "", "a"]),
            ["a", "a.2", "a.1", "column_4", "a.3"]
        );
    }

    #[test]
    fn repeated_names_stay_visible_to_the_user() -> Result<()> {
        let info = |name: &str| ColumnInfo {
            name: name.into(),
            kind: Kind::Int,
        };
        let column = || Column::new("x".into(), [1i64, 2]);
        let table = Table::from_columns(2, [(info("a"), column()), (info("a"), column())])?;
        assert_eq!(table.columns()[1].name, "a");
        assert_eq!(table.frame().get_column_names(), ["a", "a.1"]);
        Ok(())
    }

    #[test]
    fn forms_go_where_their_column_goes() -> Result<()> {
        let info = |name: &str| ColumnInfo {
            name: name.into(),
            kind: Kind::Text,
        };
        let column = || Column::new("x".into(), ["a", "b"]);
        let mut table = Table::from_columns(2, [(info("a"), column()), (info("b"), column())])?;
        table.set_exact(1, Column::new("".into(), [1i64, 2]));
        assert!(table.exact(0).is_none());
        let picked = table.pick(&[1, 0])?;
        assert_eq!(picked.compared(0).0.name, "b");
        assert_eq!(picked.compared(0).0.kind, Kind::Mixed);
        assert!(picked.exact(1).is_none());
        let selected = table.clone().select(&["b".to_owned()])?;
        assert!(selected.exact(0).is_some());
        let last = table.slice(1, 1);
        assert_eq!(last.compared(1).1.len(), 1);
        assert_eq!(last.compared(0).1.len(), 1);
        Ok(())
    }

    #[test]
    fn an_unknown_column_names_the_close_ones() -> Result<()> {
        let info = ColumnInfo {
            name: "amount".into(),
            kind: Kind::Int,
        };
        let table = Table::from_columns(1, [(info, Column::new("x".into(), [1i64]))])?;
        let error = table.position("amuont").err();
        assert_eq!(
            error.map(|error| error.to_string()).as_deref(),
            Some("no column \"amuont\"\nhint: did you mean \"amount\"?")
        );
        Ok(())
    }
}
