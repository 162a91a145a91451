//! The only place that opens inputs: a path, standard input or bytes in memory, plain or compressed.
//!
//! It knows nothing of formats; it hands out bytes.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result};

/// How many (unpacked) bytes are kept from the front for detecting formats.
const HEAD: usize = 64 * 1024;
/// How much is read between two looks at the stop request.
const STEP: usize = 1 << 20;

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
    /// By the magic bytes at the front.
    pub fn of_content(head: &[u8]) -> Option<Self> {
        const MAGIC: [(&[u8], Compression); 4] = [
            (b"\x1f\x8b", Compression::Gzip),
            (b"\x28\xb5\x2f\xfd", Compression::Zstandard),
            (b"BZh", Compression::Bzip2),
            (b"\xfd7zXZ\x00", Compression::Xz),
        ];
        MAGIC
            .iter()
            .find(|(magic, _)| head.starts_with(magic))
            .map(|(_, found)| *found)
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
}

/// An input that was opened, with its first bytes already looked at.
pub struct Source {
    name: String,
    path: Option<PathBuf>,
    compression: Option<Compression>,
    head: Vec<u8>,
    rest: Box<dyn Read + Send>,
    file: Option<File>,
}

impl Source {
    /// Opens a file.
    ///
    /// # Errors
    /// [`ErrorKind::Missing`] when there is none (names the close ones beside it), [`ErrorKind::Io`]
    /// when it is a folder or may not be read.
    pub fn path(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let name = path.display().to_string();
        if path.is_dir() {
            return Err(Error::new(ErrorKind::Io, "expected a file, found a folder")
                .at(Place::source(name)));
        }
        let file = File::open(path).map_err(|error| not_opened(path, error))?;
        let metadata = file.metadata().ok();
        let size = metadata.as_ref().map_or(0, std::fs::Metadata::len);
        let regular = metadata.is_some_and(|metadata| metadata.is_file());
        let again = file.try_clone().ok().filter(|_| regular);
        let source = Self::open(name, Some(path.to_owned()), Box::new(file), size)?;
        let again = again.filter(|_| source.compression.is_none());
        Ok(Self {
            file: again,
            ..source
        })
    }

    /// Takes a stream, such as standard input.
    ///
    /// # Errors
    /// As [`Source::path`].
    pub fn stream(name: impl Into<String>, stream: impl Read + Send + 'static) -> Result<Self> {
        Self::open(name.into(), None, Box::new(stream), 0)
    }

    /// Takes bytes in memory.
    ///
    /// # Errors
    /// As [`Source::path`].
    pub fn bytes(name: impl Into<String>, bytes: Vec<u8>) -> Result<Self> {
        Self::stream(name, Cursor::new(bytes))
    }

    fn open(
        name: String,
        path: Option<PathBuf>,
        mut raw: Box<dyn Read + Send>,
        size: u64,
    ) -> Result<Self> {
        let mut front = Vec::new();
        let magic = 6;
        raw.by_ref()
            .take(magic)
            .read_to_end(&mut front)
            .map_err(|error| not_read(&name, None, error))?;
        let compression = Compression::of_content(&front);
        let raw = Cursor::new(front).chain(raw);
        let mut rest =
            unpack(compression, raw).map_err(|error| not_read(&name, compression, error))?;
        let mut head = Vec::with_capacity(HEAD.min(usize::try_from(size).unwrap_or(HEAD)));
        rest.by_ref()
            .take(HEAD as u64)
            .read_to_end(&mut head)
            .map_err(|error| not_read(&name, compression, error))?;
        Ok(Self {
            name,
            path,
            compression,
            head,
            rest,
            file: None,
        })
    }

    /// The name as the user gave it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file name's extension in lower case, a compression's own extension left out
    /// (`a.CSV.gz` gives `csv`).
    pub fn extension(&self) -> Option<String> {
        let mut name = Path::new(&self.name);
        if self.compression.is_some() {
            name = Path::new(name.file_stem()?);
        }
        Some(name.extension()?.to_str()?.to_lowercase())
    }

    /// True when the input is unpacked on the fly.
    pub fn is_packed(&self) -> bool {
        self.compression.is_some()
    }

    /// Up to 64 KiB from the front, unpacked; nothing when the input is empty.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// The path, when the input is a plain file that can be read at any place.
    pub fn plain_path(&self) -> Option<&Path> {
        self.path
            .as_deref()
            .filter(|path| self.compression.is_none() && path.is_file())
    }

    /// The opened file, when it is a plain one that can be read at any place. Its cursor is the
    /// one that [`Source::read`] moves: read by position.
    pub fn plain_file(&self) -> Option<&File> {
        self.file.as_ref()
    }

    /// Reads everything, unpacked.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] or [`ErrorKind::Format`] when the input breaks off or does not fit into
    /// memory, [`ErrorKind::Interrupted`] on a stop request.
    pub fn read(self, control: &Control) -> Result<Vec<u8>> {
        let Self {
            name,
            path,
            compression,
            head,
            mut rest,
            ..
        } = self;
        let size = path
            .filter(|_| compression.is_none())
            .and_then(|path| path.metadata().ok())
            .and_then(|metadata| usize::try_from(metadata.len()).ok());
        let mut bytes = head;
        if let Some(size) = size {
            reserve(&mut bytes, size.saturating_sub(HEAD) + 1, &name)?;
            control.expect_bytes(size as u64);
        }
        control.advance(bytes.len() as u64);
        loop {
            control.check()?;
            let start = bytes.len();
            let room = STEP.min(bytes.capacity() - start).max(32 * 1024);
            reserve(&mut bytes, room, &name)?;
            let room = (bytes.capacity() - start).min(STEP);
            let count = rest
                .by_ref()
                .take(room as u64)
                .read_to_end(&mut bytes)
                .map_err(|error| not_read(&name, compression, error))?;
            if count == 0 {
                return Ok(bytes);
            }
            control.advance(count as u64);
        }
    }
}

/// Makes room, by doubling at least, without ever aborting the process.
fn reserve(bytes: &mut Vec<u8>, more: usize, name: &str) -> Result<()> {
    bytes.try_reserve(more).map_err(|error| {
        Error::new(ErrorKind::Io, "the data does not fit into memory")
            .at(Place::source(name))
            .because(error)
    })
}

fn unpack(
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

fn not_read(name: &str, compression: Option<Compression>, error: io::Error) -> Error {
    let place = Place::source(name);
    match compression {
        Some(compression) if error.kind() != io::ErrorKind::PermissionDenied => Error::new(
            ErrorKind::Format,
            format!(
                "the {} data is broken or cut off: {error}",
                compression.extension()
            ),
        )
        .hint("fetch or pack the file again"),
        _ => Error::new(ErrorKind::Io, format!("cannot read: {error}")),
    }
    .at(place)
    .because(error)
}

fn not_opened(path: &Path, error: io::Error) -> Error {
    let place = Place::source(path.display().to_string());
    if error.kind() != io::ErrorKind::NotFound {
        return Error::new(ErrorKind::Io, format!("cannot open: {error}"))
            .at(place)
            .because(error);
    }
    let missing = Error::new(ErrorKind::Missing, "no such file")
        .at(place)
        .because(error);
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let Ok(entries) = folder.read_dir() else {
        return missing.hint(format!("the folder {:?} does not exist", folder.display()));
    };
    let names: Vec<String> = entries
        .take(10_000)
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    let wanted = path
        .file_name()
        .map(|name| name.to_string_lossy())
        .unwrap_or_default();
    let close = crate::error::close_names(&wanted, names.iter().map(String::as_str));
    if close.is_empty() {
        return missing.hint("check the folder and the spelling");
    }
    let shown: Vec<String> = close.iter().map(|name| format!("{name:?}")).collect();
    missing.hint(format!("did you mean {}?", shown.join(" or ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn packed(compression: Compression, text: &[u8]) -> Vec<u8> {
        match compression {
            Compression::Gzip => {
                let mut out =
                    flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                out.write_all(text).unwrap();
                out.finish().unwrap()
            }
            Compression::Zstandard => zstd::encode_all(text, 1).unwrap(),
            Compression::Bzip2 => {
                let mut out = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
                out.write_all(text).unwrap();
                out.finish().unwrap()
            }
            Compression::Xz => {
                let mut out = liblzma::write::XzEncoder::new(Vec::new(), 1);
                out.write_all(text).unwrap();
                out.finish().unwrap()
            }
        }
    }

    #[test]
    fn every_compression_unpacks_also_in_two_members() {
        let text = "a,b\n1,2\n".repeat(40_000).into_bytes();
        for compression in [
            Compression::Gzip,
            Compression::Zstandard,
            Compression::Bzip2,
            Compression::Xz,
        ] {
            let (left, right) = text.split_at(100_001);
            let bytes = [packed(compression, left), packed(compression, right)].concat();
            let name = format!("a.CSV.{}", compression.extension());
            let source = Source::bytes(name, bytes).unwrap();
            assert_eq!(source.extension().as_deref(), Some("csv"));
            assert_eq!(source.head(), &text[..HEAD]);
            assert!(
                source.read(&Control::default()).unwrap() == text,
                "{compression:?}"
            );
        }
    }

    #[test]
    fn a_cut_archive_is_a_format_error_that_names_the_file() {
        let noise: Vec<u8> = (0..300_000u32)
            .map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8)
            .collect();
        for compression in [
            Compression::Gzip,
            Compression::Zstandard,
            Compression::Bzip2,
            Compression::Xz,
        ] {
            let whole = packed(compression, &noise);
            let cut = whole[..whole.len() * 3 / 4].to_vec();
            let error = Source::bytes("x.gz", cut)
                .and_then(|source| source.read(&Control::default()))
                .expect_err("the archive is cut");
            assert_eq!(error.kind(), ErrorKind::Format, "{compression:?}");
            assert!(error.to_string().starts_with("x.gz: "), "{error}");
        }
    }

    #[test]
    fn missing_files_and_folders_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("orders.csv"), "").unwrap();
        let kind = |name: &str| {
            Source::path(folder.path().join(name))
                .err()
                .map(|e| e.kind())
        };
        assert_eq!(kind("orders.csv"), None);
        assert_eq!(kind("order.csv"), Some(ErrorKind::Missing));
        assert_eq!(kind(""), Some(ErrorKind::Io));
        let hint = Source::path(folder.path().join("order.csv")).err().unwrap();
        assert_eq!(hint.hint_text(), Some("did you mean \"orders.csv\"?"));
    }

    #[test]
    fn a_stop_request_ends_the_reading() {
        let control = Control::default();
        control.stop();
        let source = Source::bytes("a", vec![b'x'; 10]).unwrap();
        assert_eq!(
            source.read(&control).err().map(|e| e.kind()),
            Some(ErrorKind::Interrupted)
        );
    }
}
