//! The cap: what a query may be billed at most, as a number of bytes or as text such as `20 GB`.
//!
//! Units are decimal unless there is an `i` in them. Of the two readings of "20 GB" that is the smaller one, so that
//! nobody is billed above what they may have meant.

use hs_core::error::quoted;
use hs_core::{Error, ErrorKind, Fix};

/// What a query may be billed at most, in bytes: from 1 to 2^63 - 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cap(u64);

/// BigQuery keeps it as a signed number.
const MOST: u128 = i64::MAX as u128;

impl Cap {
    /// The cap that a text means: digits, which may have a part behind a point and `_` between them, then a unit:
    /// none, `b`, `byte`, `bytes`, `o`, `octet`, `octets`; `k m g t p` alone or with `b` or `o` for powers of 1000; the
    /// same with `i` behind the letter for powers of 1024. Case does not matter. What is left of a byte is dropped.
    ///
    /// ```
    /// use hs_bigquery::Cap;
    /// assert_eq!(Cap::parse("20 GB")?.bytes(), 20_000_000_000);
    /// assert_eq!(Cap::parse("1.5 TiB")?.bytes(), 1_649_267_441_664);
    /// assert!(Cap::parse("1,5 GB").is_err());
    /// # Ok::<(), hs_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] for anything else, for 0 (which BigQuery takes for no limit at all), and for more than
    /// 2^63 - 1.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let trimmed = text.trim();
        let refused = |found: &str| {
            let message = format!("cap: expected bytes such as \"20 GB\", found {found}");
            let hint = "cap=\"20 GB\", \"1.5 TiB\" or a number of bytes";
            Error::new(ErrorKind::Argument, message)
                .hint(hint)
                .fix(Fix::text("cap", "20 GB"))
        };
        if trimmed.is_empty() {
            return Err(refused("nothing"));
        }
        if trimmed.contains(',') {
            let found = format!(
                "{}: a comma may part thousands or decimals",
                quoted(trimmed)
            );
            return Err(refused(&found));
        }
        let number = |character: char| character.is_ascii_digit() || matches!(character, '.' | '_');
        let end = trimmed.find(|character| !number(character));
        let (number, unit) = trimmed.split_at(end.unwrap_or(trimmed.len()));
        let unit = factor(unit.trim()).ok_or_else(|| refused(&quoted(trimmed)))?;
        let bytes = amount(number, unit).ok_or_else(|| refused(&quoted(trimmed)))?;
        match bytes {
            0 => Err(refused(&format!(
                "{}, which BigQuery takes for no limit",
                quoted(trimmed)
            ))),
            bytes if bytes > MOST => Err(refused(&format!(
                "{}, more than BigQuery can keep (2^63 - 1 bytes)",
                quoted(trimmed)
            ))),
            bytes => Ok(Self(bytes as u64)),
        }
    }

    /// The number of bytes.
    pub fn bytes(self) -> u64 {
        self.0
    }
}

/// How many bytes a unit has.
fn factor(unit: &str) -> Option<u128> {
    let unit = unit.to_ascii_lowercase();
    if matches!(
        unit.as_str(),
        "" | "b" | "byte" | "bytes" | "o" | "octet" | "octets"
    ) {
        return Some(1);
    }
    let mut letters = unit.chars();
    let power = match letters.next()? {
        'k' => 1,
        'm' => 2,
        'g' => 3,
        't' => 4,
        'p' => 5,
        _ => return None,
    };
    match letters.as_str() {
        "" | "b" | "o" => Some(1000u128.pow(power)),
        "i" | "ib" | "io" => Some(1024u128.pow(power)),
        _ => None,
    }
}

/// A number times a unit, whole bytes only; `None` when it is no number. One that is too large for any cap stays so.
fn amount(number: &str, unit: u128) -> Option<u128> {
    let (whole, part) = match number.split_once('.') {
        Some((whole, part)) => (whole, digits(part)?),
        None => (number, String::new()),
    };
    let whole = digits(whole)?;
    let whole = whole.trim_start_matches('0');
    if whole.len() > 20 {
        return Some(u128::MAX);
    }
    let whole: u128 = if whole.is_empty() {
        0
    } else {
        whole.parse().ok()?
    };
    // Digits beyond these are less than a byte of the largest unit; dropping them can only make the cap smaller.
    let part: String = part.chars().take(20).collect();
    let scale = 10u128.pow(part.len() as u32);
    let part: u128 = if part.is_empty() {
        0
    } else {
        part.parse().ok()?
    };
    Some(whole.saturating_mul(unit) + part * unit / scale)
}

/// The digits of a text in which single `_` may stand between them.
fn digits(text: &str) -> Option<String> {
    let groups: Vec<&str> = text.split('_').collect();
    let fits = |group: &&str| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit());
    groups.iter().all(fits).then(|| groups.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_mean_what_they_say() {
        for (text, bytes) in [
            ("20 GB", 20_000_000_000),
            ("20gb", 20_000_000_000),
            ("20 Go", 20_000_000_000),
            ("20G", 20_000_000_000),
            ("  20  g  ", 20_000_000_000),
            ("20_000_000_000", 20_000_000_000),
            ("20 GiB", 21_474_836_480),
            ("20Gi", 21_474_836_480),
            ("20 gio", 21_474_836_480),
            ("1.5 TiB", 1_649_267_441_664),
            ("0.1 kB", 100),
            ("0.0015 KB", 1),
            ("10_000", 10_000),
            ("10485760", 10_485_760),
            ("7 bytes", 7),
            ("7 Octets", 7),
            ("007b", 7),
            ("1 PB", 1_000_000_000_000_000),
            ("9223372036854775807", i64::MAX as u64),
            ("1.0000000000000000000000000000000000000000000001 k", 1000),
        ] {
            assert_eq!(Cap::parse(text).ok(), Some(Cap(bytes)), "{text:?}");
        }
    }

    #[test]
    fn what_may_mean_something_else_is_refused() {
        for text in [
            "0",
            "0 GB",
            "0.0001",
            "",
            " ",
            "-1",
            "+1",
            "1,5 GB",
            "1e9",
            "20 XB",
            "GB",
            ".5 GB",
            "1. GB",
            "1.2.3 GB",
            "1__0",
            "_1",
            "1_",
            "20 GBs",
            "20 G B",
            "20 Gbit",
            "\u{0661} GB",
            "1 \u{212a}B",
            "9223372036854775808",
            "99999999999999999999999999999999999999999999",
            "8193 PiB",
        ] {
            let error = Cap::parse(text).expect_err(text);
            assert_eq!(error.kind(), ErrorKind::Argument, "{text:?}");
            assert!(
                error.message().starts_with("cap: expected bytes"),
                "{error}"
            );
        }
    }
}
