//! What waits to be written to somebody who may not be reading.

use std::os::fd::BorrowedFd;

use rustix::io::{Errno, write};

/// So much is written at once: a pipe that is said to be ready takes it without waiting.
const PIECE: usize = 4096;

/// Bytes that wait.
#[derive(Debug, Default)]
pub struct Outlet {
    bytes: Vec<u8>,
    written: usize,
}

impl Outlet {
    /// Adds to the end.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.written > self.bytes.len() / 2 {
            self.bytes.drain(..self.written);
            self.written = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// Adds a line.
    pub fn push_line(&mut self, line: &str) {
        self.push(line.as_bytes());
        self.push(b"\n");
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.bytes.len() - self.written
    }

    /// Whether none wait.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes a piece, which is only asked of a descriptor that is ready; false when nobody will ever read.
    pub fn write(&mut self, to: BorrowedFd<'_>) -> bool {
        let end = self.bytes.len().min(self.written + PIECE);
        match write(to, &self.bytes[self.written..end]) {
            Ok(count) => self.written += count,
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => return false,
        }
        if self.is_empty() {
            // A picture that has gone out costs no memory any more.
            self.bytes = Vec::new();
            self.written = 0;
        }
        true
    }
}
