//! Ids of checkpoints and names of objects. Anything that is not exactly such a text never becomes a path.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::error::{Error, Kind};

/// The id of a checkpoint: 32 hexadecimal digits, chosen by the launcher before the cell runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id([u8; 16]);

/// The name of an object: the BLAKE3 of its plain bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name([u8; 32]);

impl Name {
    /// The name that these bytes have.
    pub fn of(plain: &[u8]) -> Self {
        Self(*blake3::hash(plain).as_bytes())
    }

    /// A name from its bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// The bytes of a text of lower-case hexadecimal digits of exactly the right length. Upper case is not taken: where
/// names of files do not tell it apart, two ids would be one.
fn from_hex<const LENGTH: usize>(text: &str) -> Option<[u8; LENGTH]> {
    let digit = |letter: u8| match letter {
        b'0'..=b'9' => Some(letter - b'0'),
        b'a'..=b'f' => Some(letter - b'a' + 10),
        _ => None,
    };
    if text.len() != LENGTH * 2 {
        return None;
    }
    let mut bytes = [0; LENGTH];
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

fn to_hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.push(DIGITS[usize::from(byte >> 4)].into());
        text.push(DIGITS[usize::from(byte & 15)].into());
    }
    text
}

impl FromStr for Id {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        from_hex(text).map(Self).ok_or_else(|| {
            let found: String = text.chars().take(80).collect();
            let text =
                format!("expected the id of a checkpoint, 32 digits of 0-9 a-f, found {found:?}");
            Error::new(Kind::Id, text)
        })
    }
}

impl FromStr for Name {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        from_hex(text)
            .map(Self)
            .ok_or_else(|| Error::new(Kind::Damaged, format!("no name of an object: {text:?}")))
    }
}

macro_rules! as_hex {
    ($kind:ty) => {
        impl fmt::Display for $kind {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&to_hex(&self.0))
            }
        }

        impl fmt::Debug for $kind {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, formatter)
            }
        }

        impl Serialize for $kind {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&to_hex(&self.0))
            }
        }

        impl<'de> Deserialize<'de> for $kind {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                text.parse().map_err(de::Error::custom)
            }
        }
    };
}

as_hex!(Id);
as_hex!(Name);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_exact_ids_are_ids() {
        let good = "0123456789abcdef0123456789abcdef";
        assert_eq!(good.parse::<Id>().expect("an id").to_string(), good);
        let bad = [
            "",
            "../../x",
            "..",
            "0123456789abcdef0123456789abcde",
            "0123456789abcdef0123456789abcdef0",
            "0123456789ABCDEF0123456789ABCDEF",
            "0123456789abcdef/123456789abcdef",
            "0123456789abcdef0123456789abcde\0",
            "0123456789abcdef0123456789abc\u{e9}f",
            " 123456789abcdef0123456789abcdef",
            "+123456789abcdef0123456789abcdef",
        ];
        for text in bad {
            assert_eq!(
                text.parse::<Id>().expect_err(text).kind(),
                Kind::Id,
                "{text:?}"
            );
        }
    }
}
