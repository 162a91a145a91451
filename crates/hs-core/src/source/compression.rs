//! The compressions that are unpacked on the fly, and how each is recognised. Opens nothing itself.

use std::io::{self, Read};

/// A compression that is unpacked on the fly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// gzip, `.gz`.
    Gzip,
    /// Zstandard, `.zst`.
    Zstandard,
    /// bzip2, `.bz2`.
    Bzip2,
    /// xz, `.xz`.
    Xz,
}

impl Compression {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Gzip, Self::Zstandard, Self::Bzip2, Self::Xz];
    /// The longest magic, in bytes.
    pub const MAGIC: usize = 6;

    /// By the magic bytes at the front.
    pub fn of_content(head: &[u8]) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|found| head.starts_with(found.magic()))
    }

    /// By the extension of a file name, in any case.
    pub fn of_name(name: &str) -> Option<Self> {
        let (_, extension) = name.rsplit_once('.')?;
        Self::ALL
            .into_iter()
            .find(|found| extension.eq_ignore_ascii_case(found.extension()))
    }

    /// The bytes that all its data begins with.
    fn magic(self) -> &'static [u8] {
        match self {
            Self::Gzip => b"\x1f\x8b",
            Self::Zstandard => b"\x28\xb5\x2f\xfd",
            Self::Bzip2 => b"BZh",
            Self::Xz => b"\xfd7zXZ\x00",
        }
    }

    /// The usual extension, without a dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Gzip => "gz",
            Self::Zstandard => "zst",
            Self::Bzip2 => "bz2",
            Self::Xz => "xz",
        }
    }

    /// The front of its data, cut off inside the magic bytes: nothing can be unpacked from it.
    pub fn is_cut(self, head: &[u8]) -> bool {
        head.len() < self.magic().len() && self.magic().starts_with(head)
    }
}

/// The plain bytes of `raw`.
///
/// # Errors
/// When the decoder cannot be made.
pub(super) fn unpack(
    compression: Option<Compression>,
    raw: impl Read + Send + 'static,
) -> io::Result<Box<dyn Read + Send>> {
    Ok(match compression {
        None => Box::new(raw),
        Some(Compression::Gzip) => Box::new(flate2::read::MultiGzDecoder::new(raw)),
        Some(Compression::Zstandard) => Box::new(zstd::stream::read::Decoder::new(raw)?),
        Some(Compression::Bzip2) => Box::new(bzip2::read::MultiBzDecoder::new(raw)),
        Some(Compression::Xz) => Box::new(liblzma::read::XzDecoder::new_multi_decoder(raw)),
    })
}
