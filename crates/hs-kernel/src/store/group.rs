//! What a checkpoint says of values that were pickled together: their names, and the chunks that pickle and buffers are made
//! of. It holds no values.

use std::collections::BTreeMap;
use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::CHUNK;
use super::error::{Error, Kind, Result};
use super::name::Name;

/// Bytes that stand in the manifest itself: a number or a short text then costs no file, and no wait for the disk.
pub const INLINE: usize = 256;

/// Names that share objects, saved and restored together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// The names in the session.
    pub names: Vec<String>,
    /// The type of each, in words.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub types: BTreeMap<String, String>,
    /// Whether all names are those of one object, which the pickle is then.
    #[serde(default)]
    pub one: bool,
    /// The pickle.
    pub pickle: Stream,
    /// The buffers that the pickle refers to, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buffers: Vec<Stream>,
}

/// Bytes as the chunks that they were cut into.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stream {
    /// How many bytes.
    pub length: u64,
    pub(super) chunks: Vec<Chunk>,
}

/// At most [`CHUNK`] bytes.
#[derive(Clone, PartialEq)]
pub enum Chunk {
    /// An object.
    Stored(Name),
    /// The bytes themselves.
    Inline(Vec<u8>),
}

impl Group {
    /// All streams, the pickle first.
    pub(super) fn streams(&self) -> impl Iterator<Item = &Stream> {
        [&self.pickle].into_iter().chain(&self.buffers)
    }

    /// Plain bytes of the values.
    pub fn bytes(&self) -> u64 {
        self.streams()
            .fold(0, |sum, stream| sum.saturating_add(stream.length))
    }

    /// The objects that it is made of; one that stands in it twice is given twice.
    pub(super) fn objects(&self) -> impl Iterator<Item = &Name> {
        self.streams()
            .flat_map(|stream| &stream.chunks)
            .filter_map(|chunk| match chunk {
                Chunk::Stored(name) => Some(name),
                Chunk::Inline(_) => None,
            })
    }

    /// What tells values apart: groups with the same key have the same pickle and the same buffers, byte for byte.
    pub fn key(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        for stream in self.streams() {
            hasher.update(&stream.length.to_le_bytes());
            for chunk in &stream.chunks {
                match chunk {
                    Chunk::Stored(name) => hasher.update(name.bytes()),
                    Chunk::Inline(bytes) => hasher.update(Name::of(bytes).bytes()),
                };
            }
        }
        *hasher.finalize().as_bytes()
    }

    /// The same as the name of a file.
    pub(super) fn key_name(&self) -> Name {
        Name::from_bytes(self.key())
    }

    /// That its chunks can hold what it says, and not more than a store may. Read before anything is allocated.
    pub(super) fn check(&self, limit: u64) -> Result<()> {
        for stream in self.streams() {
            stream.check()?;
        }
        if self.bytes() > limit {
            let bytes = self.bytes();
            let text = format!("{bytes} bytes of values, more than the store may hold ({limit})");
            return Err(Error::new(Kind::Limit, text));
        }
        Ok(())
    }
}

impl Stream {
    /// How many plain bytes each chunk has.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (usize, &Chunk)> {
        let mut left = self.length;
        self.chunks.iter().map(move |chunk| {
            let length = left.min(CHUNK as u64);
            left -= length;
            (length as usize, chunk)
        })
    }

    fn check(&self) -> Result<()> {
        let expected = self.length.div_ceil(CHUNK as u64);
        if expected != self.chunks.len() as u64 {
            let found = self.chunks.len();
            let text = format!(
                "{} bytes in {found} chunks, expected {expected}",
                self.length
            );
            return Err(Error::new(Kind::Damaged, text));
        }
        for (length, chunk) in self.pieces() {
            if let Chunk::Inline(bytes) = chunk
                && bytes.len() != length
            {
                let text = format!("{} bytes in the manifest, expected {length}", bytes.len());
                return Err(Error::new(Kind::Damaged, text));
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Chunk {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stored(name) => fmt::Debug::fmt(name, formatter),
            Self::Inline(bytes) => write!(formatter, "{} bytes", bytes.len()),
        }
    }
}

impl Serialize for Chunk {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Self::Stored(name) => name.serialize(serializer),
            Self::Inline(bytes) => {
                serializer.serialize_str(&format!("={}", BASE64_STANDARD.encode(bytes)))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Chunk {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        match text.strip_prefix('=') {
            Some(text) => {
                let bytes = BASE64_STANDARD.decode(text).map_err(de::Error::custom)?;
                Ok(Self::Inline(bytes))
            }
            None => text.parse().map(Self::Stored).map_err(de::Error::custom),
        }
    }
}
