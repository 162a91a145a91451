//! The header of a table: which rows it is, below which titles. It decides by what is in the cells and
//! by which of them are merged, never by styles.

use super::area::Area;
use super::cells::{Cells, Content, Moment};
use super::number_format::Shape;
use super::shown::shown;

/// Rows with something in them among which a header is looked for: a report's head is no longer.
const HEAD: usize = 30;
/// Rows below a header that tell whether it is one.
const BODY: usize = 200;
/// Rows of a name and its value that a report's head can have.
const PAIRS: u32 = 5;
/// Merged areas that are looked at: more are no header of a table.
const MERGED: usize = 4096;
/// Rows that a header can have.
const TALL: u32 = 7;

/// The rows of a header, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderRows {
    /// The first.
    pub first: u32,
    /// The last; the same but for merged headers.
    pub last: u32,
}

impl HeaderRows {
    /// A header of one row.
    pub fn single(row: u32) -> Self {
        Self {
            first: row,
            last: row,
        }
    }
}

/// The upper rows of a sheet, as far as a header is looked for.
pub struct Head<'a> {
    cells: &'a Cells,
    /// How many cells with something in them each row has.
    filled: &'a [u32],
    /// Rows with something in them, in order.
    rows: Vec<u32>,
    /// Merged areas of texts that begin in these rows.
    merged: Vec<Area>,
}

impl<'a> Head<'a> {
    /// The rows from `top` on.
    pub fn new(cells: &'a Cells, filled: &'a [u32], merged: &[Area], top: usize) -> Self {
        let rows: Vec<u32> = (0..)
            .zip(filled)
            .skip(top)
            .filter(|(_, count)| **count > 0)
            .map(|(row, _)| row)
            .take(HEAD)
            .collect();
        let end = rows.last().map_or(0, |last| last + 1);
        let text = |area: &Area| {
            let (row, column) = area.first;
            let content = cells.at(row, column);
            content.is_some_and(|content| is_name(content, cells))
        };
        let merged = merged
            .iter()
            .filter(|area| (top as u32..end).contains(&area.first.0) && text(area))
            .copied()
            .take(MERGED)
            .collect();
        Self {
            cells,
            filled,
            rows,
            merged,
        }
    }

    /// The header: the first row that looks like one and is as wide as the rows below it, else the
    /// first row.
    ///
    /// What stands above a header is narrower: titles of one cell each, or the head of a report, which
    /// begins with such a title, is at most half as wide as the header, or ends with a blank row.
    pub fn find(&self) -> HeaderRows {
        let top = self.rows.first().copied().unwrap_or_default();
        if !self.row(top).any(|(_, content)| is_text(content)) {
            return HeaderRows::single(top);
        }
        let mut widest = 0;
        let mut pairs = 0;
        for (index, &row) in self.rows.iter().enumerate() {
            let count = self.count(row);
            let header = self.block(row);
            if count >= 2 && self.is_header_like(row) {
                let width = self.width(header);
                let narrow = widest <= 1
                    || widest * 2 <= width
                    || self.has_lone_title(row)
                    || (self.has_gap(header) && self.is_typed_below(header.first, header.last));
                let titles = index > 0 && width > widest && narrow;
                let merged = index == 0 && header.first < header.last;
                if (titles || merged)
                    && self.fits(header, width, index, widest)
                    && (widest <= 1 || self.stands_out(header))
                {
                    return self.below_group(header);
                }
            } else if self
                .row(row)
                .any(|(_, content)| !is_name(content, self.cells))
            {
                // That is data, and what comes below is no header of it. A name and its value may
                // stand in the head of a report.
                pairs += 1;
                if count > 2 || pairs > PAIRS {
                    break;
                }
            }
            widest = widest.max(count);
        }
        self.block(top)
    }

    /// The first row is one cell, as far left as the cells of `row`.
    fn has_lone_title(&self, row: u32) -> bool {
        let left = |row| self.row(row).next().map(|(column, _)| column);
        let top = self.rows.first().copied().unwrap_or_default();
        self.count(top) == 1 && left(top) <= left(row)
    }

    /// The header that begins in a row: it goes on below merged cells that span several columns with
    /// a text for each beneath, and as far as its cells are merged downwards over blank ones.
    pub fn block(&self, row: u32) -> HeaderRows {
        let mut header = HeaderRows::single(row);
        // Merged cells further down in a text are no header.
        let open = row == 0 || self.count(row - 1) <= 1;
        if !open || !self.is_header_like(row) {
            return header;
        }
        while header.last - header.first < TALL {
            let below = header.last + 1;
            if self.has_groups(header) && self.is_header_like(below) && self.proves(header, below) {
                header.last = below;
                continue;
            }
            let reach = self
                .merged
                .iter()
                .filter(|area| (header.first..=header.last).contains(&area.first.0))
                .map(|area| area.last.0)
                .filter(|last| last - header.first < TALL)
                .max();
            match reach {
                Some(last)
                    if last > header.last && (below..=last).all(|row| self.count(row) == 0) =>
                {
                    header.last = last;
                }
                _ => break,
            }
        }
        header
    }

    /// The header with a row of a lone merged cell above it that spans some of its columns, but not
    /// from the first one on: that is no title.
    fn below_group(&self, header: HeaderRows) -> HeaderRows {
        let Some(above) = header
            .first
            .checked_sub(1)
            .filter(|row| self.count(*row) == 1)
        else {
            return header;
        };
        let leftmost = (header.first..=header.last)
            .filter_map(|row| self.row(row).next())
            .map(|(column, _)| column)
            .min();
        let group = self.merged.iter().any(|area| {
            area.first.0 == above
                && area.last.0 == above
                && leftmost.is_some_and(|left| left < area.first.1)
                && self.is_group(area)
        });
        let typed = self.is_typed_below(header.first, header.last);
        if group && (typed || self.below(header.last).next().is_none()) {
            return HeaderRows {
                first: above,
                ..header
            };
        }
        header
    }

    /// A merged cell spans columns that end in the header's last row and has texts beneath.
    fn has_groups(&self, header: HeaderRows) -> bool {
        self.merged.iter().any(|area| {
            (header.first..=header.last).contains(&area.first.0)
                && area.last.0 == header.last
                && self.is_group(area)
        })
    }

    /// Several columns, and beneath them several texts that leave no column without one.
    fn is_group(&self, area: &Area) -> bool {
        let below = area.last.0 + 1;
        let (left, right) = (area.first.1, area.last.1);
        if left == right {
            return false;
        }
        let mut covered = left;
        let mut texts = 0;
        for (column, _) in self
            .row(below)
            .filter(|(column, _)| (left..=right).contains(column))
        {
            if column != covered {
                return false;
            }
            texts += 1;
            let wide = self
                .merged
                .iter()
                .find(|area| area.first == (below, column));
            covered = wide.map_or(column, |area| area.last.1) + 1;
        }
        texts >= 2 && covered == right + 1
    }

    /// Something says that `row` belongs to the header and is no row of texts: a cell of the header that
    /// is merged down into it, values of other kinds below it, or nothing at all below it.
    fn proves(&self, header: HeaderRows, row: u32) -> bool {
        let merged_down = self.merged.iter().any(|area| {
            (header.first..=header.last).contains(&area.first.0)
                && area.first.0 < row
                && area.last.0 >= row
        });
        merged_down || self.is_typed_below(row, row) || self.below(row).next().is_none()
    }

    /// The rows below are hardly wider than the header. Without any, only a title or two are above.
    fn fits(&self, header: HeaderRows, width: u32, index: usize, widest: u32) -> bool {
        let Some(most) = self.below(header.last).map(|row| self.count(row)).max() else {
            return index <= 2 && widest <= 1;
        };
        // Of several rows of texts the header is the widest, with other values below.
        let wider = self
            .below(header.last)
            .take(HEAD)
            .take_while(|row| self.is_header_like(*row))
            .map(|row| self.block(row))
            .any(|next| self.width(next) > width && self.is_typed_below(next.first, next.last));
        width * 3 >= most * 2 && !wider
    }

    /// There is a blank row above, or the values below are of another kind than the header.
    fn stands_out(&self, header: HeaderRows) -> bool {
        self.has_gap(header) || self.is_typed_below(header.first, header.last)
    }

    /// There is a blank row above.
    fn has_gap(&self, header: HeaderRows) -> bool {
        header.first > 0 && self.count(header.first - 1) == 0
    }

    /// A column with a text in one of the rows has mostly other values than text below.
    fn is_typed_below(&self, first: u32, last: u32) -> bool {
        self.cells.columns().any(|(_, column)| {
            let names = (first..=last).any(|row| column.at(row).is_some_and(is_text));
            if !names {
                return false;
            }
            let (mut texts, mut others) = (0, 0);
            for (_, content) in column.from(last + 1).take(BODY) {
                match content {
                    Content::Text(_) => texts += 1,
                    _ => others += 1,
                }
            }
            others > texts
        })
    }

    /// Columns that a header names.
    fn width(&self, header: HeaderRows) -> u32 {
        if header.first == header.last {
            return self.count(header.first);
        }
        let rows = header.first..=header.last;
        let named = |column: &u32| {
            let covered = |area: &Area| {
                rows.contains(&area.first.0) && (area.first.1..=area.last.1).contains(column)
            };
            let content = rows.clone().find_map(|row| self.cells.at(row, *column));
            content.is_some_and(|content| !self.cells.is_blank(content))
                || self.merged.iter().any(covered)
        };
        let columns = self.cells.columns().map(|(position, _)| position);
        columns.filter(named).count() as u32
    }

    /// All cells of the row are texts, years or several days, the first is a text.
    fn is_header_like(&self, row: u32) -> bool {
        if self.count(row) == 0 {
            return false;
        }
        let mut contents = self.row(row).map(|(_, content)| content);
        if !contents.next().is_some_and(is_text) {
            return false;
        }
        // One day beside a name is the date of a report; several are a row of months or the like.
        let mut days = 0;
        contents.all(|content| {
            let day = is_day(content);
            days += u32::from(day);
            day || is_name(content, self.cells)
        }) && days != 1
    }

    /// The cells of a row that hold something, with their columns.
    fn row(&self, row: u32) -> impl Iterator<Item = (u32, Content)> + '_ {
        self.cells
            .columns()
            .filter_map(move |(position, column)| Some((position, column.at(row)?)))
            .filter(|(_, content)| !self.cells.is_blank(*content))
    }

    fn count(&self, row: u32) -> u32 {
        self.filled.get(row as usize).copied().unwrap_or_default()
    }

    /// The rows below a row that have something in them.
    fn below(&self, row: u32) -> impl Iterator<Item = u32> + '_ {
        (row + 1..)
            .zip(self.filled.get(row as usize + 1..).unwrap_or_default())
            .filter(|(_, count)| **count > 0)
            .map(|(row, _)| row)
            .take(BODY)
    }

    /// The text of a header cell in a row and column: its own, or that of the group above its column.
    fn part(&self, row: u32, column: u32) -> Option<String> {
        let own = self.cells.at(row, column);
        let group = || {
            let area = self.merged.iter().find(|area| {
                area.first.0 == row
                    && (area.first.1..=area.last.1).contains(&column)
                    && self.is_group(area)
            })?;
            self.cells.at(row, area.first.1)
        };
        let content = own
            .filter(|content| !self.cells.is_blank(*content))
            .or_else(group)?;
        shown(content, self.cells)
    }

    /// The name that the header gives to a column; of several rows the texts from top to bottom.
    pub fn name(&self, header: HeaderRows, column: u32) -> String {
        if header.first == header.last {
            let content = self.cells.at(header.first, column);
            return content
                .and_then(|content| shown(content, self.cells))
                .unwrap_or_default();
        }
        let parts: Vec<String> = (header.first..=header.last)
            .filter_map(|row| self.part(row, column))
            .collect();
        parts.join(" ")
    }

    /// The first cell: row, column and text.
    pub fn title(&self) -> Option<(u32, u32, String)> {
        let top = *self.rows.first()?;
        let (column, content) = self.row(top).next()?;
        Some((top, column, shown(content, self.cells)?))
    }
}

fn is_text(content: Content) -> bool {
    matches!(content, Content::Text(_))
}

fn is_day(content: Content) -> bool {
    matches!(
        content,
        Content::Number(_, Shape::Date) | Content::Moment(Moment::Wall(_))
    )
}

/// A text that is not blank, or a year: both name columns.
fn is_name(content: Content, cells: &Cells) -> bool {
    match content {
        Content::Text(_) => !cells.is_blank(content),
        Content::Number(year, Shape::Plain) => {
            year.fract() == 0.0 && (1900.0..2101.0).contains(&year)
        }
        _ => false,
    }
}
