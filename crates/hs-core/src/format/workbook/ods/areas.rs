//! Areas as OpenDocument writes them: `Sheet1.A1:Sheet1.C5`, `$'It''s'.$A$1:.$C$5`. It reads no XML.

use crate::format::workbook::area::Area;

/// Sheet and area of a cell range address; `None` for one that spans sheets or is in another file.
///
/// Source: OpenDocument 1.3 part 3, 18.3.4 cellRangeAddress.
pub fn parse(address: &str) -> Option<(String, Area)> {
    let (sheet, rest) = sheet(address)?;
    let (first, last) = match rest.split_once(':') {
        None => (rest, rest),
        Some((first, last)) => {
            // The sheet may be left out for the second corner.
            let (other, last) = match last.strip_prefix('.') {
                Some(last) => (sheet.clone(), last),
                None => self::sheet(last)?,
            };
            if other != sheet {
                return None;
            }
            (first, last)
        }
    };
    Some((sheet, Area::parse(&format!("{first}:{last}"))?))
}

/// The sheet in front of a dot, and what comes behind it.
fn sheet(address: &str) -> Option<(String, &str)> {
    let text = address.strip_prefix('$').unwrap_or(address);
    let Some(quoted) = text.strip_prefix('\'') else {
        let (sheet, rest) = text.split_once('.')?;
        let plain = !sheet.is_empty() && !sheet.contains([':', '\'', '#']);
        return plain.then(|| (sheet.to_owned(), rest));
    };
    // A quote inside the name is doubled.
    let mut from = 0;
    let end = loop {
        let end = from + quoted.get(from..)?.find('\'')?;
        if !quoted[end + 1..].starts_with('\'') {
            break end;
        }
        from = end + 2;
    };
    let rest = quoted[end + 1..].strip_prefix('.')?;
    Some((quoted[..end].replace("''", "'"), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_their_sheet_once_or_twice() {
        let area = |first, last| Area { first, last };
        let right = [
            ("Sheet1.A1:Sheet1.C5", "Sheet1", area((0, 0), (4, 2))),
            ("$Sheet1.$A$1:.$C$5", "Sheet1", area((0, 0), (4, 2))),
            ("Sheet1.$B$2", "Sheet1", area((1, 1), (1, 1))),
            (
                "$'It''s a.b:c'.$A$1:.$B$2",
                "It's a.b:c",
                area((0, 0), (1, 1)),
            ),
            ("'x'.B4:'x'.D8", "x", area((3, 1), (7, 3))),
        ];
        for (text, sheet, area) in right {
            assert_eq!(parse(text), Some((sheet.to_owned(), area)), "{text}");
        }
        for wrong in [
            "",
            "A1",
            ".A1",
            "Sheet1.A1:Sheet2.C5",
            "'a.A1",
            "'a'A1",
            "'file:///b.ods'#$x.A1",
            "S.A1 S.B2",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
