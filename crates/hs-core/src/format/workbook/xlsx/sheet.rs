//! The cells of one sheet, in one walk over its part: values, formulas without a value, merged
//! cells. It never builds the rectangle around them.

use super::feed::{Flow, Trouble};
use super::package::{Package, no_part};
use super::plain;
use super::shared::Rich;
use super::text::decode;
use super::token::{Open, Tag, Token, Tokens};
use super::value::{self, Found};
use crate::error::{Error, Result};
use crate::format::Format;
use crate::format::workbook::area::Area;
use crate::format::workbook::cells::{Cells, Content, address};
use crate::format::workbook::number_format::Shape;
use crate::format::workbook::open::broken;

/// What a sheet part holds.
pub struct Sheet {
    /// Its cells; texts that it shares with other sheets are only numbers yet.
    pub cells: Cells,
    /// Merged cells.
    pub merged: Vec<Area>,
    /// The highest number of a shared text, and a cell that has it.
    pub highest: Option<(u32, (u32, u32))>,
}

/// Reads a sheet.
///
/// # Errors
/// [`ErrorKind::Format`](crate::ErrorKind::Format) when it is missing, broken, or no worksheet.
pub fn read(
    package: &Package<'_>,
    part: &str,
    shapes: &[Shape],
    system_1904: bool,
) -> Result<Sheet> {
    let mut reading = Reading::new(part, shapes, system_1904);
    if !package.walk(part, &mut |tokens, open| reading.take(tokens, open))? {
        return Err(no_part(part));
    }
    Ok(reading.sheet)
}

/// The area that a sheet declares to use, read from the front of its part.
pub fn declared(package: &Package<'_>, part: &str) -> Option<Area> {
    let mut area = None;
    let read = package.walk(part, &mut |tokens, open| {
        while let Some(token) = tokens.next(open)? {
            if let Token::Start(tag) = token {
                match tag.name {
                    "dimension" => area = tag.value("ref").and_then(Area::parse),
                    "sheetData" => return Ok(Flow::Stop),
                    _ => {}
                }
            }
        }
        Ok(Flow::On)
    });
    area.filter(|_| read.is_ok())
}

/// Where in the part the reading is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// Before the rows.
    Front,
    /// Between rows.
    Rows,
    /// Between the cells of a row.
    Cells,
    /// In a cell.
    Cell,
    /// Behind the rows.
    Tail,
}

/// Depth of the elements: `worksheet`, `sheetData`, `row`, `c`, and what is in a cell.
const DATA: usize = 2;
const ROW: usize = 3;
const CELL: usize = 4;
const INSIDE: usize = 5;

struct Reading<'a> {
    part: &'a str,
    shapes: &'a [Shape],
    sheet: Sheet,
    at: At,
    /// Where a cell without an address is.
    next: (u32, u32),
    cell: Cell,
}

/// A cell while it is read.
#[derive(Default)]
struct Cell {
    place: (u32, u32),
    style: u32,
    kind: String,
    /// The text of its `v`, once there is one.
    value: Option<String>,
    /// Its `is`, once there is one.
    inline: Option<String>,
    rich: Rich,
    has_formula: bool,
    in_value: bool,
}

impl<'a> Reading<'a> {
    fn new(part: &'a str, shapes: &'a [Shape], system_1904: bool) -> Self {
        Self {
            part,
            shapes,
            sheet: Sheet {
                cells: Cells::new(system_1904),
                merged: Vec::new(),
                highest: None,
            },
            at: At::Front,
            next: (0, 0),
            cell: Cell::default(),
        }
    }

    fn take(
        &mut self,
        tokens: &mut Tokens<'_>,
        open: &mut Open,
    ) -> std::result::Result<Flow, Trouble> {
        loop {
            if self.at == At::Cells && open.is_at(ROW) {
                self.plain_cells(tokens)?;
            }
            let token = match tokens.next(open) {
                Ok(Some(token)) => token,
                Ok(None) => return Ok(Flow::On),
                // All values are read; what is wrong behind them changes none.
                Err(_) if self.at == At::Tail => return Ok(Flow::Stop),
                Err(fault) => return Err(fault.into()),
            };
            self.token(token, open.depth())?;
        }
    }

    /// Takes cells for as long as they are plain.
    fn plain_cells(&mut self, tokens: &mut Tokens<'_>) -> Result<()> {
        let text = tokens.text();
        while let Some(cell) = plain::cell(text, tokens.at, self.next) {
            tokens.at = cell.end;
            let (row, column) = cell.place;
            self.next = (row, column.saturating_add(1));
            let content = match cell.value {
                plain::Value::Blank => continue,
                plain::Value::Number(number) => Content::Number(number, self.shape(cell.style)),
                plain::Value::Shared(number) => self.shared(number, cell.place),
                plain::Value::Text(text) => self.sheet.cells.text(text),
                plain::Value::Bool(flag) => Content::Bool(flag),
            };
            self.sheet.cells.push(row, column, content)?;
        }
        Ok(())
    }

    fn shape(&self, style: u32) -> Shape {
        let shape = self.shapes.get(style as usize).copied();
        shape.unwrap_or(Shape::Plain)
    }

    fn shared(&mut self, number: u32, place: (u32, u32)) -> Content {
        if self
            .sheet
            .highest
            .is_none_or(|(highest, _)| number > highest)
        {
            self.sheet.highest = Some((number, place));
        }
        Content::Text(number)
    }

    fn token(&mut self, token: Token<'_>, depth: usize) -> Result<()> {
        match (self.at, token) {
            (At::Front, Token::Start(tag)) => match (tag.name, depth) {
                ("worksheet", 1) => {}
                (name, 1) => return Err(self.no_worksheet(name)),
                ("sheetData", DATA) => self.at = At::Rows,
                _ => {}
            },
            (At::Rows, Token::Start(tag)) if tag.name == "row" && depth == ROW => {
                let row = match tag.value("r") {
                    Some(number) => self.row(number)?,
                    None => self.next.0,
                };
                self.next = (row, 0);
                self.at = At::Cells;
            }
            (At::Rows, Token::End) if depth < DATA => self.at = At::Tail,
            (At::Cells, Token::Start(tag)) if tag.name == "c" && depth == CELL => {
                self.begin(tag)?;
                self.at = At::Cell;
            }
            (At::Cells, Token::End) if depth < ROW => {
                self.next = (self.next.0.saturating_add(1), 0);
                self.at = At::Rows;
            }
            (At::Cell, Token::End) if depth < CELL => {
                self.end()?;
                self.at = At::Cells;
            }
            (At::Cell, token) => self.cell.take(token, depth)?,
            (At::Tail, Token::Start(tag)) if tag.name == "mergeCell" => {
                let area = tag.value("ref").and_then(Area::parse);
                self.sheet.merged.extend(area);
            }
            _ => {}
        }
        Ok(())
    }

    /// The row (from 0) that a row element names.
    fn row(&self, number: &str) -> Result<u32> {
        let row: Option<u32> = number.trim().parse().ok();
        row.and_then(|row| row.checked_sub(1))
            .ok_or_else(|| self.broken(&format!("has a row {number:?}")))
    }

    fn begin(&mut self, tag: Tag<'_>) -> Result<()> {
        let place = match tag.value("r") {
            None => self.next,
            Some(text) => match Area::parse(text.trim()) {
                Some(area) if area.first == area.last && !text.contains(':') => area.first,
                _ => return Err(self.broken(&format!("has a cell {text:?}"))),
            },
        };
        self.next = (place.0, place.1.saturating_add(1));
        let style = tag.value("s").and_then(|style| style.trim().parse().ok());
        self.cell.begin(place, style.unwrap_or(0), tag.value("t"));
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        let cell = &self.cell;
        let place = cell.place;
        let inline = cell.inline.as_deref();
        let found = value::value(&cell.kind, cell.value.as_deref(), inline, cell.has_formula);
        let content = match found {
            Found::Nothing => return Ok(()),
            Found::Number(number) => Content::Number(number, self.shape(cell.style)),
            Found::Shared(number) => self.shared(number, place),
            Found::Text(text) => self.sheet.cells.text(&text),
            Found::Content(content) => content,
            Found::NoNumber(text) => {
                let address = address(place.0, place.1);
                return Err(self.broken(&format!("has a cell {address} with text number {text:?}")));
            }
        };
        self.sheet.cells.push(place.0, place.1, content)
    }

    fn no_worksheet(&self, name: &str) -> Error {
        self.broken(&format!("is a {name}"))
    }

    fn broken(&self, what: &str) -> Error {
        broken(Format::Xlsx, format!("{} {what}", self.part))
    }
}

impl Cell {
    fn begin(&mut self, place: (u32, u32), style: u32, kind: Option<&str>) {
        self.place = place;
        self.style = style;
        self.kind.clear();
        self.kind.push_str(kind.unwrap_or_default());
        self.value = None;
        self.inline = None;
        self.has_formula = false;
        self.in_value = false;
    }

    fn take(&mut self, token: Token<'_>, depth: usize) -> Result<()> {
        match token {
            Token::Start(tag) if depth == INSIDE => match tag.name {
                "v" => {
                    self.in_value = true;
                    self.value.get_or_insert_default().clear();
                }
                "is" => self.rich.begin(INSIDE),
                "f" => self.has_formula = true,
                _ => {}
            },
            Token::End if depth < INSIDE => {
                self.in_value = false;
                if self.rich.is_open() {
                    self.inline = Some(self.rich.end()?.to_owned());
                }
            }
            Token::Text(text) if self.in_value => decode(text, self.value.get_or_insert_default()),
            Token::Data(text) if self.in_value => self.value.get_or_insert_default().push_str(text),
            token => self.rich.take(token, depth),
        }
        Ok(())
    }
}
