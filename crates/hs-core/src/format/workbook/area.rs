//! Rectangles of a sheet, and the names that a workbook gives to some. It reads no file.

use std::fmt;

use super::cells::{COLUMNS, ROWS, address, letters};

/// A rectangle of cells: row and column from 0, both corners inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Area {
    /// The upper left cell.
    pub first: (u32, u32),
    /// The lower right cell.
    pub last: (u32, u32),
}

/// A rectangle with a name: a table, or a defined name that means one plain area.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedArea {
    /// The name.
    pub name: String,
    /// The sheet it is in.
    pub sheet: String,
    /// Where it is there.
    pub area: Area,
    /// It is a table; its first row is the header as a rule.
    pub table: bool,
}

impl Area {
    /// The area from one corner to the other; `None` when they are the wrong way round or outside of
    /// any sheet.
    pub fn of(first: (u32, u32), last: (u32, u32)) -> Option<Self> {
        let forward = first.0 <= last.0 && first.1 <= last.1;
        (forward && last.0 < ROWS && last.1 < COLUMNS).then_some(Self { first, last })
    }

    /// The area that a text such as `A1:C9`, `$B$2`, `C:E`, `3:7` or `C3:E` names. Corners may come in
    /// any order; whole columns and rows, and columns without a last row, reach to the end of the sheet.
    pub fn parse(text: &str) -> Option<Self> {
        let (one, other) = text.split_once(':').unwrap_or((text, text));
        let (one, other) = (corner(one)?, corner(other)?);
        let (rows, columns) = match (one, other) {
            ((Some(row), Some(column)), (Some(to_row), Some(to_column))) => {
                ((row, to_row), (column, to_column))
            }
            ((Some(row), Some(column)), (None, Some(to))) => ((row, ROWS - 1), (column, to)),
            // Without a colon `C` or `3` is no area.
            ((None, Some(column)), (None, Some(to))) if text.contains(':') => {
                ((0, ROWS - 1), (column, to))
            }
            ((Some(row), None), (Some(to), None)) if text.contains(':') => {
                ((row, to), (0, COLUMNS - 1))
            }
            _ => return None,
        };
        Some(Self {
            first: (rows.0.min(rows.1), columns.0.min(columns.1)),
            last: (rows.0.max(rows.1), columns.0.max(columns.1)),
        })
    }

    /// Sheet and area of a formula that is nothing but one area, such as `Data!$A$1:$C$9` or
    /// `'It''s'!B2`.
    pub fn parse_with_sheet(formula: &str) -> Option<(String, Self)> {
        let formula = formula.strip_prefix('=').unwrap_or(formula).trim();
        let (sheet, area) = match formula.strip_prefix('\'') {
            Some(rest) => {
                let (sheet, area) = rest.rsplit_once("'!")?;
                // A quote inside the name is doubled.
                if sheet.replace("''", "").contains('\'') {
                    return None;
                }
                (sheet.replace("''", "'"), area)
            }
            None => {
                let (sheet, area) = formula.split_once('!')?;
                (sheet.to_owned(), area)
            }
        };
        // `[1]Sheet1!A1` is in another workbook, `Jan:Mar!A1` in several sheets.
        if sheet.is_empty() || sheet.contains(['[', ']', ':']) {
            return None;
        }
        Some((sheet, Self::parse(area)?))
    }
}

/// As the user would write it.
impl fmt::Display for Area {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((top, left), (bottom, right)) = (self.first, self.last);
        let all_rows = (top, bottom) == (0, ROWS - 1);
        let all_columns = (left, right) == (0, COLUMNS - 1);
        match (all_rows, all_columns) {
            (true, false) => write!(out, "{}:{}", letters(left), letters(right)),
            (false, true) => write!(out, "{}:{}", u64::from(top) + 1, u64::from(bottom) + 1),
            _ => write!(out, "{}:{}", address(top, left), address(bottom, right)),
        }
    }
}

/// Row and column, each from 0, as far as a text such as `$C$3`, `C` or `3` has them.
fn corner(text: &str) -> Option<(Option<u32>, Option<u32>)> {
    let text = text.strip_prefix('$').unwrap_or(text);
    let end = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (letters, digits) = text.split_at(end);
    let column = match letters {
        "" => None,
        letters => Some(column(letters)?),
    };
    let digits = match column {
        Some(_) => digits.strip_prefix('$').unwrap_or(digits),
        None => digits,
    };
    let row = match digits {
        "" => None,
        digits if digits.bytes().all(|digit| digit.is_ascii_digit()) => {
            let row: u32 = digits.parse().ok()?;
            Some(row.checked_sub(1).filter(|row| *row < ROWS)?)
        }
        _ => return None,
    };
    (row.is_some() || column.is_some()).then_some((row, column))
}

/// The column (from 0) that letters name, in any case.
fn column(letters: &str) -> Option<u32> {
    if letters.len() > 3 {
        return None;
    }
    let number = letters.bytes().fold(0, |number, letter| {
        number * 26 + u32::from(letter.to_ascii_uppercase() - b'A') + 1
    });
    (number <= COLUMNS).then(|| number - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(first: (u32, u32), last: (u32, u32)) -> Area {
        Area { first, last }
    }

    #[test]
    fn areas_are_read_as_sheets_write_them() {
        let right = [
            ("A1:C9", area((0, 0), (8, 2))),
            ("$B$2", area((1, 1), (1, 1))),
            ("c9:a1", area((0, 0), (8, 2))),
            (
                "XFD1048576",
                area((ROWS - 1, COLUMNS - 1), (ROWS - 1, COLUMNS - 1)),
            ),
            ("$C:$E", area((0, 2), (ROWS - 1, 4))),
            ("3:7", area((2, 0), (6, COLUMNS - 1))),
            ("C3:$E", area((2, 2), (ROWS - 1, 4))),
        ];
        for (text, expected) in right {
            assert_eq!(Area::parse(text), Some(expected), "{text}");
        }
        for wrong in [
            "",
            ":",
            "A",
            "7",
            "A0",
            "A1048577",
            "XFE1",
            "A:B1",
            "A1:2",
            "A1B",
            "1A",
            "A-1",
            "AAAAAAAAAA1",
            "A99999999999",
            "é1",
            "$",
            "A1:B2:C3",
        ] {
            assert_eq!(Area::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn areas_are_shown_as_they_are_written() {
        for text in ["A1:C9", "C:E", "3:7", "B2:B2"] {
            let shown = Area::parse(text).map(|area| area.to_string());
            assert_eq!(shown.as_deref(), Some(text));
        }
    }

    #[test]
    fn formulas_that_are_one_area_are_areas() {
        let of = |formula| Area::parse_with_sheet(formula);
        let cell = area((0, 0), (0, 0));
        assert_eq!(of("Data!$A$1"), Some(("Data".into(), cell)));
        assert_eq!(of("'It''s !'!A1"), Some(("It's !".into(), cell)));
        for other in [
            "A1",
            "Data!$A$1,Data!$B$2",
            "OFFSET(Data!$A$1,0,0)",
            "[1]Data!$A$1",
            "Jan:Mar!$A$1",
            "#REF!",
            "Data!#REF!",
            "'a'b'!A1",
            "\"text\"",
        ] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
