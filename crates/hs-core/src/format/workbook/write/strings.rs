//! The shared texts of a workbook: their numbers, and the part that holds them. Excel writes texts so,
//! and some readers (Apple's previews among them) know no other way.

use super::cell::{has_blank_end, push_text};
use super::loose::Cell;
use super::pack::{self, pack};
use super::package::Package;
use super::plan::{ColumnPlan, How, SheetPlan, Texts};
use super::skeleton::{Skeleton, TEXTS};
use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};

/// Texts of a piece of work that come from a list.
const PIECE: usize = 1 << 14;

/// All shared texts.
#[derive(Debug)]
pub struct Shared {
    stored: u64,
    uses: u64,
    bytes: u64,
}

impl Shared {
    /// True when there are any.
    pub fn any(&self) -> bool {
        self.stored > 0
    }
}

/// Gives the columns the numbers of their texts: those of the headers come first.
pub fn number(plans: &mut [SheetPlan<'_>], skeleton: &Skeleton) -> Shared {
    let (header, count) = &skeleton.texts;
    let mut shared = Shared {
        stored: *count,
        uses: 0,
        bytes: header.len() as u64,
    };
    for column in plans.iter_mut().flat_map(|plan| &mut plan.columns) {
        column.first_text = shared.stored;
        shared.stored += column.texts.count();
        // One for the header.
        shared.uses += column.uses + 1;
        shared.bytes += column.bytes;
    }
    shared
}

/// A stretch of the texts of a column.
enum Piece<'a> {
    Listed(&'a [&'a str]),
    Rows {
        column: &'a ColumnPlan<'a>,
        start: usize,
        length: usize,
    },
}

/// Writes the part with the shared texts.
///
/// # Errors
/// Those of the package, and a stop request.
pub fn write(
    plans: &[SheetPlan<'_>],
    skeleton: &Skeleton,
    shared: &Shared,
    package: &mut Package<'_>,
    control: &Control,
) -> Result<()> {
    // A character becomes seven at most, the tags of a text take 36.
    let large = shared.bytes * 7 + shared.stored * 36 > u64::from(u32::MAX) - (1 << 20);
    package.begin(TEXTS, large)?;
    let mut head = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
         <sst xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" count=\"{}\" uniqueCount=\"{}\">",
        shared.uses, shared.stored
    )
    .into_bytes();
    head.extend_from_slice(&skeleton.texts.0);
    package.write(&pack(&head)?)?;
    let pieces: Vec<Piece<'_>> = plans.iter().flat_map(pieces).collect();
    let make = |piece: &Piece<'_>, out: &mut Vec<u8>| write_piece(piece, out, control);
    pack::stream(&pieces, make, package, control)?;
    package.write(&pack(b"</sst>")?)?;
    package.end()
}

fn pieces<'a>(plan: &'a SheetPlan<'a>) -> impl Iterator<Item = Piece<'a>> {
    plan.columns.iter().flat_map(|column| {
        let (listed, rows) = match &column.texts {
            Texts::None => (&[][..], 0),
            Texts::Once(words) => (words.texts(), 0),
            Texts::Each { .. } => (&[][..], plan.height),
        };
        let listed = listed.chunks(PIECE).map(Piece::Listed);
        let rows = (0..rows).step_by(PIECE).map(move |start| Piece::Rows {
            column,
            start,
            length: PIECE,
        });
        listed.chain(rows)
    })
}

fn write_piece(piece: &Piece<'_>, out: &mut Vec<u8>, control: &Control) -> Result<u64> {
    match piece {
        Piece::Listed(texts) => texts.iter().for_each(|text| write_text(out, text)),
        Piece::Rows {
            column,
            start,
            length,
        } => {
            let part = column.values.slice(*start as i64, *length);
            match column.how {
                How::Loose(loose) => loose.each(&part, control, |_, cell| {
                    if let Cell::Text(text) | Cell::Digits(text) = cell {
                        write_text(out, text);
                    }
                    Ok(())
                })?,
                _ => {
                    let texts = part.str().map_err(|error| {
                        Error::new(ErrorKind::Internal, "text that is none").because(error)
                    })?;
                    let texts = texts.iter().flatten();
                    texts.for_each(|text| write_text(out, text));
                }
            }
        }
    }
    // What is done is counted where rows are written.
    Ok(0)
}

fn write_text(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(if has_blank_end(text) {
        b"<si><t xml:space=\"preserve\">"
    } else {
        b"<si><t>"
    });
    push_text(out, text);
    out.extend_from_slice(b"</t></si>");
}
