//! Where the bytes of a parquet file come from: read at any place, by several threads at once. Never
//! maps files: one that is cut meanwhile would end the process.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::sync::Arc;

use bytes::{Buf, Bytes};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

use super::page;

/// A page's header is some dozen bytes, more when it holds the extremes of the values.
const HEADER: usize = 1 << 10;

/// The bytes of a file.
#[derive(Clone)]
pub(super) enum Input {
    /// On a disk, with its size.
    File(Arc<File>, u64),
    /// In memory.
    Bytes(Bytes),
}

impl Input {
    /// The size in bytes.
    pub fn size(&self) -> u64 {
        match self {
            Self::File(_, size) => *size,
            Self::Bytes(bytes) => bytes.len() as u64,
        }
    }

    fn read_exact(&self, start: u64, length: usize) -> Result<Bytes> {
        let outside = || ParquetError::EOF("expected data inside the file".to_owned());
        let end = start.checked_add(length as u64).ok_or_else(outside)?;
        if end > self.size() {
            return Err(outside());
        }
        match self {
            Self::File(file, _) => {
                let mut window = Vec::new();
                window.try_reserve_exact(length).map_err(|error| {
                    ParquetError::General(format!("the data does not fit into memory: {error}"))
                })?;
                window.resize(length, 0);
                read_exact_at(file, &mut window, start)?;
                Ok(window.into())
            }
            Self::Bytes(bytes) => {
                let start = usize::try_from(start).map_err(|_| outside())?;
                Ok(bytes.slice(start..start + length))
            }
        }
    }

    fn reader(&self, start: u64) -> Reader {
        match self {
            Self::File(file, _) => Reader::File(BufReader::with_capacity(
                HEADER,
                FileAt(file.clone(), start),
            )),
            Self::Bytes(bytes) => {
                let start = usize::try_from(start).unwrap_or(usize::MAX);
                Reader::Bytes(bytes.slice(start.min(bytes.len())..).reader())
            }
        }
    }
}

impl Length for Input {
    fn len(&self) -> u64 {
        self.size()
    }
}

impl ChunkReader for Input {
    type T = Reader;

    fn get_read(&self, start: u64) -> Result<Reader> {
        Ok(self.reader(start))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.read_exact(start, length)
    }
}

/// The pages of some columns: as [`Input`], but a page whose header promises more than the columns
/// can hold is an error before anything is reserved for it.
#[derive(Clone)]
pub(super) struct Pages {
    /// The file.
    pub input: Input,
    /// What a page may promise.
    pub limits: page::Limits,
}

impl Length for Pages {
    fn len(&self) -> u64 {
        self.input.size()
    }
}

impl ChunkReader for Pages {
    type T = Reader;

    /// The crate calls it for nothing but the headers of pages.
    fn get_read(&self, start: u64) -> Result<Reader> {
        let length = (self.input.size().saturating_sub(start)).min(HEADER as u64);
        let head = self.input.read_exact(start, length as usize)?;
        self.limits.check(&head).map_err(ParquetError::General)?;
        Ok(self.input.reader(start))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.input.read_exact(start, length)
    }
}

/// Reads on from a place.
pub(super) enum Reader {
    /// From a file.
    File(BufReader<FileAt>),
    /// From memory.
    Bytes(bytes::buf::Reader<Bytes>),
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read(buffer),
            Self::Bytes(bytes) => bytes.read(buffer),
        }
    }
}

/// A file, read on from a place of its own: the cursor of the file is shared by all who have it open.
pub(super) struct FileAt(Arc<File>, u64);

impl Read for FileAt {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = read_at(&self.0, buffer, self.1)?;
        self.1 += count as u64;
        Ok(count)
    }
}

fn read_exact_at(file: &File, mut window: &mut [u8], mut start: u64) -> io::Result<()> {
    while !window.is_empty() {
        match read_at(file, window, start) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                window = &mut window[count..];
                start += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(unix)]
fn read_at(file: &File, window: &mut [u8], start: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, window, start)
}

#[cfg(windows)]
fn read_at(file: &File, window: &mut [u8], start: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, window, start)
}
