//! Bytes that are packed on their way out. Which names ask for it is not decided here.

use std::io::{self, Write};

use flate2::write::GzEncoder;

use crate::source::Compression;

/// As the packers themselves suggest: what takes longer saves little.
const GZIP: u32 = 6;
const ZSTANDARD: i32 = 3;

/// A stream that packs what it is given, or leaves it as it is.
pub enum Packed<W: Write> {
    Plain(W),
    Gzip(GzEncoder<W>),
    Zstandard(zstd::stream::write::Encoder<'static, W>),
}

impl<W: Write> Packed<W> {
    /// # Errors
    /// When the packer cannot be made, or is one that is only unpacked.
    pub fn new(compression: Option<Compression>, out: W) -> io::Result<Self> {
        Ok(match compression {
            None => Self::Plain(out),
            Some(Compression::Gzip) => {
                Self::Gzip(GzEncoder::new(out, flate2::Compression::new(GZIP)))
            }
            Some(Compression::Zstandard) => {
                let mut encoder = zstd::stream::write::Encoder::new(out, ZSTANDARD)?;
                encoder.include_checksum(true)?;
                Self::Zstandard(encoder)
            }
            Some(Compression::Bzip2 | Compression::Xz) => {
                return Err(io::ErrorKind::Unsupported.into());
            }
        })
    }

    /// Ends the packed data and passes all of it on.
    ///
    /// # Errors
    /// What the stream does not take.
    pub fn finish(self) -> io::Result<()> {
        match self {
            Self::Plain(mut out) => out.flush(),
            Self::Gzip(out) => out.finish()?.flush(),
            Self::Zstandard(out) => out.finish()?.flush(),
        }
    }
}

impl<W: Write> Write for Packed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(out) => out.write(bytes),
            Self::Gzip(out) => out.write(bytes),
            Self::Zstandard(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(out) => out.flush(),
            Self::Gzip(out) => out.flush(),
            Self::Zstandard(out) => out.flush(),
        }
    }
}
