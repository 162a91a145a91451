//! Pieces of a part deflated on all cores, in order: each piece is a stretch of one deflate stream that
//! needs nothing of the one before, as pigz and zip tools with threads make them.

use flate2::{Compress, Compression, Crc, FlushCompress};
use rayon::prelude::*;

use super::package::Package;
use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};

/// Measured on tables of numbers and of text: see bench/sauve_xlsx.py.
const LEVEL: u32 = 4;
/// Closes a deflate stream: an empty last block (RFC 1951, 3.2.6).
pub const END: [u8; 2] = [3, 0];
/// Pieces for each core between two looks at the stop request.
const AHEAD: usize = 2;

/// A stretch of a part.
#[derive(Debug)]
pub struct Packed {
    /// Deflated, up to a border of bytes.
    pub bytes: Vec<u8>,
    /// How many bytes it unpacks to.
    pub size: u64,
    /// Of the unpacked bytes.
    pub crc: Crc,
}

/// Deflates a stretch.
///
/// # Errors
/// [`ErrorKind::Internal`]: zlib refuses nothing.
pub fn pack(raw: &[u8]) -> Result<Packed> {
    let mut crc = Crc::new();
    crc.update(raw);
    let mut compress = Compress::new(Compression::new(LEVEL), false);
    let mut bytes = Vec::with_capacity(raw.len() / 4 + 256);
    loop {
        let done = compress.total_in() as usize;
        compress
            .compress_vec(&raw[done..], &mut bytes, FlushCompress::Sync)
            .map_err(|error| Error::new(ErrorKind::Internal, "deflate failed").because(error))?;
        // All is out once there was room left (zlib manual, deflate()).
        if compress.total_in() as usize == raw.len() && bytes.len() < bytes.capacity() {
            break;
        }
        bytes.reserve(bytes.len() / 2 + 4096);
    }
    Ok(Packed {
        bytes,
        size: raw.len() as u64,
        crc,
    })
}

/// Makes the pieces of a part on all cores and writes them in order. `make` appends the bytes of a
/// piece and says how many bytes of data are done with it.
///
/// # Errors
/// Those of `make` and of the package, and a stop request.
pub fn stream<P: Sync>(
    pieces: &[P],
    make: impl Fn(&P, &mut Vec<u8>) -> Result<u64> + Sync,
    package: &mut Package<'_>,
    control: &Control,
) -> Result<()> {
    let ahead = rayon::current_num_threads() * AHEAD;
    let mut ready: Vec<Packed> = Vec::new();
    for wave in pieces.chunks(ahead) {
        control.check()?;
        let done = std::mem::take(&mut ready);
        let (written, made) = rayon::join(
            || done.iter().try_for_each(|packed| package.write(packed)),
            || {
                let made = wave.par_iter().map(|piece| {
                    control.check()?;
                    let mut raw = Vec::new();
                    let done = make(piece, &mut raw)?;
                    let packed = pack(&raw);
                    control.advance(done);
                    packed
                });
                made.collect::<Result<Vec<_>>>()
            },
        );
        written?;
        ready = made?;
    }
    ready.iter().try_for_each(|packed| package.write(packed))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn pieces_are_one_stream() {
        let texts = ["", "abc", &"0123456789".repeat(100_000), "end"];
        let mut stream = Vec::new();
        let mut crc = Crc::new();
        for text in texts {
            let packed = pack(text.as_bytes()).expect("packed");
            stream.extend(&packed.bytes);
            crc.combine(&packed.crc);
        }
        stream.extend(END);
        let mut back = String::new();
        flate2::read::DeflateDecoder::new(stream.as_slice())
            .read_to_string(&mut back)
            .expect("one stream");
        assert_eq!(back, texts.concat());
        let mut whole = Crc::new();
        whole.update(back.as_bytes());
        assert_eq!(crc.sum(), whole.sum());
    }
}
