//! Looks at the header of a page before the crate does: the crate reserves what a header promises at
//! once, which ends the process when there is not so much. Decodes no values.
//!
//! Only the numbers that become sizes are looked at (parquet-format, `PageHeader`); a header that
//! makes no sense is left to the crate.

use super::thrift::{I32, STRUCT, Thrift};

/// A page may promise this much whatever the footer says: it is no harm.
const HARMLESS: u64 = 16 << 20;
/// The same, for values.
const HARMLESS_VALUES: u64 = 1 << 16;

/// What the pages of some columns may promise.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Bytes when unpacked, as the footer has them for the largest of the columns.
    pub bytes: u64,
    /// Values, missing ones counted, of the longest of the columns.
    pub values: u64,
}

impl Limits {
    /// Looks at the first bytes of a header.
    ///
    /// # Errors
    /// Words for a promise that cannot be true.
    pub fn check(&self, header: &[u8]) -> Result<(), String> {
        let Some(found) = promises(header) else {
            return Ok(());
        };
        let unsigned = |number: i64| u64::try_from(number).unwrap_or_default();
        let bytes = unsigned(found.bytes);
        if bytes > self.bytes.max(HARMLESS) {
            let most = self.bytes;
            return Err(format!(
                "expected pages of at most {most} bytes, found one of {bytes}"
            ));
        }
        // A value of a dictionary takes at least a byte of its page.
        let entries = unsigned(found.entries);
        if entries > bytes.max(HARMLESS_VALUES) {
            return Err(format!(
                "expected at most {bytes} values in a dictionary of so many bytes, found {entries}"
            ));
        }
        let values = unsigned(found.values);
        if values > self.values.max(HARMLESS_VALUES) {
            let most = self.values;
            return Err(format!(
                "expected at most {most} values, found a page of {values}"
            ));
        }
        Ok(())
    }
}

#[derive(Default)]
struct Promises {
    /// Bytes when unpacked.
    bytes: i64,
    /// Values of a data page.
    values: i64,
    /// Values of a dictionary.
    entries: i64,
}

fn promises(header: &[u8]) -> Option<Promises> {
    let mut found = Promises::default();
    Thrift(header).fields(|thrift, field, kind| {
        match (field, kind) {
            (2, I32) => found.bytes = thrift.number()?,
            (5 | 8, STRUCT) => found.values = first_number(thrift)?,
            (7, STRUCT) => found.entries = first_number(thrift)?,
            _ => return Some(false),
        }
        Some(true)
    })?;
    Some(found)
}

/// Field 1 of a struct, the number of values in all kinds of pages.
fn first_number(thrift: &mut Thrift<'_>) -> Option<i64> {
    let mut found = 0;
    thrift.fields(|thrift, field, kind| {
        let first = (field, kind) == (1, I32);
        if first {
            found = thrift.number()?;
        }
        Some(first)
    })?;
    Some(found)
}
#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        bytes: 100 << 20,
        values: 1 << 20,
    };

    /// A header with type, both sizes and `num_values` in the struct of the page's kind.
    fn header(unpacked: i64, of_kind: u8, values: i64) -> Vec<u8> {
        fn number(out: &mut Vec<u8>, value: i64) {
            let mut rest = ((value << 1) ^ (value >> 63)) as u64;
            while rest > 0x7f {
                out.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            out.push(rest as u8);
        }
        let mut out = vec![0x15, 0x00, 0x15];
        number(&mut out, unpacked);
        out.push(0x15);
        number(&mut out, 10);
        out.push((of_kind - 3) << 4 | 0x0c);
        out.push(0x15);
        number(&mut out, values);
        out.extend([0x15, 0x00, 0x00, 0x00]);
        out
    }

    #[test]
    fn what_the_footer_has_is_believed() {
        assert_eq!(LIMITS.check(&header(100 << 20, 5, 1 << 20)), Ok(()));
        assert_eq!(LIMITS.check(&header(1 << 20, 7, 1000)), Ok(()));
        let small = Limits {
            bytes: 10,
            values: 3,
        };
        assert_eq!(small.check(&header(1 << 20, 8, 1000)), Ok(()));
    }

    #[test]
    fn promises_beyond_it_are_refused() {
        for (header, words) in [
            (header((100 << 20) + 1, 5, 1), "found one of 104857601"),
            (header(i64::from(i32::MAX), 7, 1), "found one of 2147483647"),
            (header(1000, 7, 1 << 30), "found 1073741824"),
            (header(1000, 5, 1 << 30), "found a page of 1073741824"),
            (header(1000, 8, 1 << 30), "found a page of 1073741824"),
        ] {
            let error = LIMITS.check(&header).expect_err(words);
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn what_is_no_header_is_left_to_the_reader() {
        for bytes in [
            &[][..],
            &[0x15],
            &[0xff; 40],
            &[0x19, 0xfc, 0xff, 0xff, 0x7f],
            &[0x1c; 40],
        ] {
            assert_eq!(LIMITS.check(bytes), Ok(()));
        }
    }
}
