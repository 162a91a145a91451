//! The bytes of footers that the crate refuses though others read them, and columns that are
//! encrypted, which the crate does not see. Bytes are changed in place, never moved.

use std::collections::BTreeSet;

use super::thrift::{I32, LIST, STRUCT, Thrift};

/// The footer with what the crate trips over put right; `None` when there is nothing of the kind.
///
/// - A converted type that the format does not have: the plain one. parquet-cpp had its own for
///   columns of nothing but nulls before there was a logical type for them.
/// - A list where the format has the length of a filter: passed over. Dremio had its own index there.
pub(super) fn mended(footer: &[u8]) -> Option<Vec<u8>> {
    let mut patches = Patches {
        length: footer.len(),
        found: Vec::new(),
    };
    Thrift(footer).fields(|thrift, field, kind| {
        match (field, kind) {
            (2, LIST) => each(thrift, |thrift| patches.schema_element(thrift))?,
            (4, LIST) => each_column(thrift, |thrift, _| {
                thrift.fields(|thrift, field, kind| {
                    // `meta_data`
                    let wanted = (field, kind) == (3, STRUCT);
                    if wanted {
                        patches.column(thrift)?;
                    }
                    Some(wanted)
                })
            })?,
            _ => return Some(false),
        }
        Some(true)
    })?;
    if patches.found.is_empty() {
        return None;
    }
    let mut footer = footer.to_vec();
    for (place, byte) in patches.found {
        *footer.get_mut(place)? = byte;
    }
    Some(footer)
}

/// Visits the items of a list.
fn each(
    thrift: &mut Thrift<'_>,
    mut visit: impl FnMut(&mut Thrift<'_>) -> Option<()>,
) -> Option<()> {
    let (count, _) = thrift.list()?;
    (0..count).try_for_each(|_| visit(thrift))
}

/// Visits the columns, from 0, of each row group in the list of them.
fn each_column(
    thrift: &mut Thrift<'_>,
    mut visit: impl FnMut(&mut Thrift<'_>, usize) -> Option<()>,
) -> Option<()> {
    each(thrift, |thrift| {
        thrift.fields(|thrift, field, kind| {
            let columns = (field, kind) == (1, LIST);
            if columns {
                let mut column = 0;
                each(thrift, |thrift| {
                    column += 1;
                    visit(thrift, column - 1)
                })?;
            }
            Some(columns)
        })
    })
}

struct Patches {
    length: usize,
    found: Vec<(usize, u8)>,
}

impl Patches {
    /// Where the next byte is.
    fn place(&self, thrift: &Thrift<'_>) -> usize {
        self.length - thrift.0.len()
    }

    /// Looks at the converted type of a column.
    fn schema_element(&mut self, thrift: &mut Thrift<'_>) -> Option<()> {
        /// The last that the format has: INTERVAL.
        const LAST: i64 = 21;
        let mut physical = None;
        thrift.fields(|thrift, field, kind| {
            match (field, kind) {
                (1, I32) => physical = Some(thrift.number()?),
                (6, I32) => {
                    let place = self.place(thrift);
                    let converted = thrift.number()?;
                    let plain = match physical {
                        // Of INT32: INT_32, of INT64: INT_64.
                        Some(1) => Some(17u8),
                        Some(2) => Some(18),
                        _ => None,
                    };
                    // Both take one byte.
                    if (LAST + 1..64).contains(&converted)
                        && let Some(plain) = plain
                    {
                        self.found.push((place, plain << 1));
                    }
                }
                _ => return Some(false),
            }
            Some(true)
        })
    }

    /// Looks at the length of the filter of a column.
    fn column(&mut self, thrift: &mut Thrift<'_>) -> Option<()> {
        /// A field 15 numbers further than the last: there is none of that number.
        const FAR: u8 = 0xf0 | LIST;
        thrift.fields(|thrift, field, kind| {
            if (field, kind) != (15, LIST) {
                return Some(false);
            }
            let head = self.place(thrift).checked_sub(1)?;
            thrift.pass(LIST)?;
            // The number of a field counts from the one before: only the last may change.
            if thrift.0.first() == Some(&0) {
                self.found.push((head, FAR));
            }
            Some(true)
        })
    }
}

/// The columns, from 0, that are encrypted under a footer that is not.
pub(super) fn encrypted(footer: &[u8]) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    // A footer that makes no sense is not read at all.
    let _ = Thrift(footer).fields(|thrift, field, kind| {
        let groups = (field, kind) == (4, LIST);
        if groups {
            each_column(thrift, |thrift, column| {
                thrift.fields(|_, field, _| {
                    // `crypto_metadata`
                    if field == 8 {
                        found.insert(column);
                    }
                    Some(false)
                })
            })?;
        }
        Some(groups)
    });
    found
}
