//! The only place that opens inputs: a path, standard input or bytes in memory, plain or compressed.
//!
//! It knows nothing of formats; it hands out bytes.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

mod compression;
mod folders;
mod paths;

pub use compression::Compression;
pub use folders::{Folder, folder, is_mark, keys};
pub use paths::{Found, find, matches};

use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result};

/// How many (unpacked) bytes are kept from the front for detecting formats.
const HEAD: usize = 64 * 1024;
/// How much is read between two looks at the stop request.
const STEP: usize = 1 << 20;

/// An input that was opened, with its first bytes already looked at.
pub struct Source {
    name: String,
    path: Option<PathBuf>,
    compression: Option<Compression>,
    head: Vec<u8>,
    rest: Box<dyn Read + Send>,
    file: Option<File>,
    /// Bytes of the input, as they are stored; 0 when unknown.
    size: u64,
    /// How many of them were read.
    taken: Arc<AtomicU64>,
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
            let pattern = path.join("*.csv").display().to_string();
            return Err(Error::new(ErrorKind::Io, "expected a file, found a folder")
                .at(Place::source(name))
                .hint(format!("name its files by a pattern such as {pattern:?}")));
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
        raw.by_ref()
            .take(Compression::MAGIC as u64)
            .read_to_end(&mut front)
            .map_err(|error| not_read(&name, None, error))?;
        let compression = Compression::of_content(&front);
        if compression.is_none()
            && let Some(expected) = Compression::of_name(&name)
        {
            return Err(not_packed(&name, expected, &front));
        }
        let taken = Arc::new(AtomicU64::new(front.len() as u64));
        let raw = Counted {
            inner: raw,
            taken: Arc::clone(&taken),
        };
        let raw = Cursor::new(front).chain(raw);
        let mut rest = compression::unpack(compression, raw)
            .map_err(|error| not_read(&name, compression, error))?;
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
            size,
            taken,
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

    /// Bytes of the input as they are stored; 0 when that is not known.
    pub fn size(&self) -> u64 {
        self.size
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
            compression,
            head,
            mut rest,
            size,
            taken,
            ..
        } = self;
        let mut bytes = head;
        if compression.is_none()
            && let Ok(size) = usize::try_from(size)
        {
            reserve(&mut bytes, size.saturating_sub(HEAD) + 1, &name)?;
        }
        let doing = match compression {
            None => "reading",
            Some(_) => "unpacking",
        };
        control.start(doing, size);
        loop {
            control.check()?;
            control.reach(taken.load(Ordering::Relaxed));
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
        }
    }
}

/// Counts the bytes that are read.
struct Counted<R> {
    inner: R,
    taken: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.taken.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
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

/// The error for content that is not packed as the name says. A file that was cut off inside the
/// magic bytes would pass for text.
fn not_packed(name: &str, expected: Compression, front: &[u8]) -> Error {
    let found = if expected.is_cut(front) {
        "only the front of it"
    } else {
        "something else"
    };
    let expected = expected.extension();
    let message = format!("expected {expected} data by the name, found {found}");
    Error::new(ErrorKind::Format, message)
        .at(Place::source(name))
        .hint(format!(
            "fetch the file again, or leave .{expected} out of its name if it is unpacked already"
        ))
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
    // `e.csv` lies within `nope.csv`, and is another file for all that.
    let stem = |name: &str| name.split('.').next().unwrap_or_default().to_lowercase();
    let near =
        |name: &&str| !crate::error::close_names(&stem(&wanted), [stem(name).as_str()]).is_empty();
    let close: Vec<&str> = close.into_iter().filter(near).collect();
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
    fn a_name_that_says_packed_is_believed() {
        for compression in Compression::ALL {
            let whole = packed(compression, b"a,b\n1,2\n");
            let name = format!("a.csv.{}", compression.extension().to_uppercase());
            let message = |bytes: &[u8]| {
                let error = Source::bytes(name.clone(), bytes.to_vec()).err();
                let error = error.expect("no packed data");
                assert_eq!(error.kind(), ErrorKind::Format);
                error.to_string()
            };
            let magic = match compression {
                Compression::Gzip => 2,
                Compression::Zstandard => 4,
                Compression::Bzip2 => 3,
                Compression::Xz => 6,
            };
            for length in 1..magic {
                let cut = message(&whole[..length]);
                assert!(cut.contains("found only the front of it"), "{cut}");
            }
            let broken = message(&whole[..magic]);
            assert!(broken.contains("broken or cut off"), "{broken}");
            let plain = message(b"a,b\n1,2\n");
            let expected = format!(
                "expected {} data by the name, found something else",
                compression.extension()
            );
            assert!(plain.contains(&expected), "{plain}");
        }
    }

    #[test]
    fn progress_counts_the_bytes_as_they_are_stored() {
        let folder = tempfile::tempdir().unwrap();
        let text = "a,b\n1,2\n".repeat(400_000).into_bytes();
        let stored = packed(Compression::Zstandard, &text);
        for (name, bytes) in [("a.csv", &text), ("a.csv.zst", &stored)] {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            let control = Control::default();
            let read = Source::path(&path).unwrap().read(&control).unwrap();
            assert!(read == text);
            let size = bytes.len() as u64;
            assert_eq!(control.progress(), (size, size), "{name}");
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
