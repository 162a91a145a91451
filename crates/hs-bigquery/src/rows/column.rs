//! Rows and cells of a page into columns, one after another. It checks that every row has a cell for every
//! column, and knows no types.

use hs_core::{Error, ErrorKind, Place, Result};

use super::reader::{Reader, Scalar};
use super::schema::Field;
use super::values::{Lists, Records, Strangers, Values};

/// A column, or a field of a record.
#[derive(Debug)]
pub struct Column {
    pub name: String,
    pub values: Values,
}

impl Column {
    /// An empty column.
    pub fn new(field: &Field) -> Self {
        Self {
            name: field.name.clone(),
            values: Values::of(field),
        }
    }

    #[inline]
    fn cell(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        self.values.cell(reader).map_err(|error| self.inside(error))
    }

    /// The error with the name of this column before those inside it.
    #[cold]
    fn inside(&self, error: Error) -> Error {
        let path = match &error.place().column {
            Some(inside) => format!("{}.{inside}", self.name),
            None => self.name.clone(),
        };
        error.at(Place::default().column(path))
    }
}

/// Reads `{"f":[...]}`, with a cell for each column.
///
/// # Errors
/// For anything else, with the path of the column where it is one cell.
pub fn row(reader: &mut Reader<'_>, columns: &mut [Column]) -> Result<()> {
    let mut seen = false;
    let mut more = reader.open(b'{', b'}')?;
    while more {
        if reader.letter(*b"\"f\":")? {
            if std::mem::replace(&mut seen, true) {
                return Err(reader.fault("one list of cells \"f\" in a row"));
            }
            cells(reader, columns)?;
        } else {
            reader.skip()?;
        }
        more = reader.more(b'}')?;
    }
    if seen {
        Ok(())
    } else {
        Err(wrong(
            "a row with a list of cells \"f\", found none".to_owned(),
        ))
    }
}

fn cells(reader: &mut Reader<'_>, columns: &mut [Column]) -> Result<()> {
    let width = columns.len();
    let mut columns = columns.iter_mut();
    let mut more = reader.open(b'[', b']')?;
    while more {
        let Some(column) = columns.next() else {
            return Err(wrong(format!(
                "{width} cells in the row, one for each column, found more"
            )));
        };
        column.cell(reader)?;
        more = reader.more(b']')?;
    }
    match columns.len() {
        0 => Ok(()),
        missing => {
            let found = width - missing;
            Err(wrong(format!(
                "{width} cells in the row, one for each column, found {found}"
            )))
        }
    }
}

impl Values {
    /// Reads `{"v":...}`.
    #[inline]
    fn cell(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        let mut seen = false;
        let mut more = reader.open(b'{', b'}')?;
        while more {
            if reader.letter(*b"\"v\":")? {
                if std::mem::replace(&mut seen, true) {
                    return Err(reader.fault("one value \"v\" in a cell"));
                }
                self.value(reader)?;
            } else {
                reader.skip()?;
            }
            more = reader.more(b'}')?;
        }
        if seen {
            Ok(())
        } else {
            Err(wrong("a cell with a value \"v\", found none".to_owned()))
        }
    }

    #[inline]
    fn value(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        if reader.null() {
            self.push_null();
            return Ok(());
        }
        match self {
            Self::Record(records) => return records.value(reader),
            Self::List(lists) => return lists.value(reader),
            Self::Unknown(strangers) if !reader.at_text() => return strangers.value(reader),
            _ => {}
        }
        match reader.scalar()? {
            Scalar::Text(text) => self.push(text),
            Scalar::Bare(word) if self.takes_bare() => self.push(word),
            Scalar::Bare(word) => Err(wrong(format!("text or null, found {word}"))),
            Scalar::Null => {
                self.push_null();
                Ok(())
            }
        }
    }
}

impl Records {
    fn value(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        row(reader, &mut self.fields)?;
        self.validity.valid();
        self.len += 1;
        Ok(())
    }
}

impl Lists {
    fn value(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        let mut more = reader.open(b'[', b']')?;
        while more {
            self.items.cell(reader)?;
            self.count += 1;
            more = reader.more(b']')?;
        }
        self.validity.valid();
        self.ends.push(self.count);
        Ok(())
    }
}

impl Strangers {
    /// What is no text is kept as its JSON.
    fn value(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        let start = reader.at();
        reader.skip()?;
        self.texts.push_value(reader.between(start, reader.at()));
        Ok(())
    }
}

#[cold]
fn wrong(expected: String) -> Error {
    Error::new(ErrorKind::Format, expected).prefixed("expected ")
}
