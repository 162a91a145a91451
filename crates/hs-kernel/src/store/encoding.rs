//! How the bytes of an object lie in its file: one byte that says how, then the bytes as they are, or packed by zstd, or
//! sorted by their place in words of eight bytes and then packed. Numbers of an array pack in half the time and smaller when
//! they are sorted, since most of their leading bytes are equal.

use std::io::{self, Read};

use super::CHUNK;

/// Lower levels pack as fast and less, higher ones take twice the time for a tenth less.
const LEVEL: i32 = 1;
/// Bytes of each of the pieces that say whether packing pays.
const SAMPLE: usize = 8 << 10;
/// How many pieces are tried.
const SAMPLES: usize = 4;

const PLAIN: u8 = 0;
const PACKED: u8 = 1;
const SORTED: u8 = 2;
/// Bytes of a word.
const WORD: usize = 8;

/// Packs chunks one after another.
pub struct Encoder {
    compressor: zstd::bulk::Compressor<'static>,
    packed: Vec<u8>,
    sorted: Vec<u8>,
}

impl Encoder {
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            compressor: zstd::bulk::Compressor::new(LEVEL)?,
            packed: Vec::new(),
            sorted: Vec::new(),
        })
    }

    /// The first byte of the file and what follows it.
    pub fn encode<'a>(&'a mut self, plain: &'a [u8]) -> (u8, &'a [u8]) {
        let how = self.promise(plain);
        let length = match how {
            PACKED => self.pack(plain),
            SORTED => self.pack_sorted(plain),
            _ => plain.len(),
        };
        if how != PLAIN && pays(length, plain.len()) {
            (how, &self.packed)
        } else {
            (PLAIN, plain)
        }
    }

    /// How a few pieces of it become smallest. Random numbers are told at a fraction of the price.
    fn promise(&mut self, plain: &[u8]) -> u8 {
        let pieces: Vec<&[u8]> = if plain.len() <= SAMPLE * SAMPLES * 2 {
            vec![plain]
        } else {
            // Where words begin, so that numbers stay whole.
            let apart = (plain.len() - SAMPLE) / (SAMPLES - 1) / WORD * WORD;
            (0..SAMPLES)
                .map(|piece| &plain[piece * apart..][..SAMPLE])
                .collect()
        };
        let whole = pieces.iter().map(|piece| piece.len()).sum();
        let packed: usize = pieces.iter().map(|piece| self.pack(piece)).sum();
        let sorted: usize = pieces.iter().map(|piece| self.pack_sorted(piece)).sum();
        if !pays(packed.min(sorted), whole) {
            PLAIN
        } else if sorted < packed {
            SORTED
        } else {
            PACKED
        }
    }

    /// How many bytes it is packed; as many as before if that fails.
    fn pack(&mut self, plain: &[u8]) -> usize {
        pack(&mut self.compressor, plain, &mut self.packed)
    }

    fn pack_sorted(&mut self, plain: &[u8]) -> usize {
        self.sorted.resize(plain.len(), 0);
        sort(plain, &mut self.sorted);
        pack(&mut self.compressor, &self.sorted, &mut self.packed)
    }
}

fn pack(compressor: &mut zstd::bulk::Compressor<'_>, plain: &[u8], packed: &mut Vec<u8>) -> usize {
    packed.clear();
    packed.reserve(zstd::zstd_safe::compress_bound(plain.len()));
    let length = compressor.compress_to_buffer(plain, packed);
    length.unwrap_or(plain.len())
}

/// A fifth less. What saves less is not worth the time, which the next cell is short of.
fn pays(packed: usize, plain: usize) -> bool {
    packed * 5 <= plain * 4
}

/// The first bytes of all words, then the second ones, and so on; what is no whole word comes last.
fn sort(plain: &[u8], sorted: &mut [u8]) {
    let words = plain.len() / WORD;
    let mut word = 0;
    while word + WORD <= words {
        let mut square = [0; WORD];
        for (row, bytes) in square
            .iter_mut()
            .zip(plain[word * WORD..].chunks_exact(WORD))
        {
            *row = number(bytes);
        }
        turn(&mut square);
        for (place, row) in square.iter().enumerate() {
            sorted[place * words + word..][..WORD].copy_from_slice(&row.to_le_bytes());
        }
        word += WORD;
    }
    for word in word..words {
        for place in 0..WORD {
            sorted[place * words + word] = plain[word * WORD + place];
        }
    }
    sorted[words * WORD..].copy_from_slice(&plain[words * WORD..]);
}

/// The way back.
fn unsort(sorted: &[u8], plain: &mut [u8]) {
    let words = sorted.len() / WORD;
    let mut word = 0;
    while word + WORD <= words {
        let mut square = [0; WORD];
        for (place, row) in square.iter_mut().enumerate() {
            *row = number(&sorted[place * words + word..][..WORD]);
        }
        turn(&mut square);
        for (row, bytes) in square
            .iter()
            .zip(plain[word * WORD..].chunks_exact_mut(WORD))
        {
            bytes.copy_from_slice(&row.to_le_bytes());
        }
        word += WORD;
    }
    for word in word..words {
        for place in 0..WORD {
            plain[word * WORD + place] = sorted[place * words + word];
        }
    }
    plain[words * WORD..].copy_from_slice(&sorted[words * WORD..]);
}

fn number(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
}

/// Turns a square of 8 x 8 bytes so that rows become columns: blocks of one, two and four bytes across the diagonal change
/// places.
fn turn(square: &mut [u64; WORD]) {
    const STEPS: [(usize, u64); 3] = [
        (1, 0x00ff_00ff_00ff_00ff),
        (2, 0x0000_ffff_0000_ffff),
        (4, 0x0000_0000_ffff_ffff),
    ];
    for (apart, mask) in STEPS {
        for row in (0..WORD).filter(|row| row & apart == 0) {
            let both = ((square[row] >> (apart * 8)) ^ square[row + apart]) & mask;
            square[row] ^= both << (apart * 8);
            square[row + apart] ^= both;
        }
    }
}

/// Unpacks chunks one after another. It never holds more than one chunk, whatever a file says of itself.
pub struct Decoder {
    decompressor: zstd::bulk::Decompressor<'static>,
    packed: Vec<u8>,
    sorted: Vec<u8>,
    plain: Vec<u8>,
}

impl Decoder {
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            decompressor: zstd::bulk::Decompressor::new()?,
            packed: Vec::new(),
            sorted: Vec::new(),
            plain: Vec::new(),
        })
    }

    /// The plain bytes of an object's file of `length` bytes, of which there must be `expected`, at most [`CHUNK`].
    ///
    /// # Errors
    /// `InvalidData` when the file does not hold that many; else what reading says.
    pub fn decode(
        &mut self,
        file: &mut impl Read,
        length: u64,
        expected: usize,
    ) -> io::Result<&[u8]> {
        let invalid = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
        let mut how = [0];
        file.read_exact(&mut how).map_err(short)?;
        let held = length.saturating_sub(1);
        self.plain.resize(expected, 0);
        match how[0] {
            PLAIN if held == expected as u64 => file.read_exact(&mut self.plain).map_err(short)?,
            PLAIN => {
                let text = format!("it holds {held} bytes instead of {expected}");
                return Err(invalid(text));
            }
            PACKED | SORTED if held <= zstd::zstd_safe::compress_bound(expected) as u64 => {
                self.packed.resize(held as usize, 0);
                file.read_exact(&mut self.packed).map_err(short)?;
                let found = self.unpack(how[0], 0)?;
                if found != expected {
                    let text = format!("it holds {found} bytes instead of {expected}");
                    return Err(invalid(text));
                }
            }
            PACKED | SORTED => return Err(invalid(format!("{held} packed bytes are too many"))),
            other => return Err(invalid(format!("it begins with {other}"))),
        }
        Ok(&self.plain)
    }

    /// Unpacks what was read, from a byte on, into the room that there is; how many bytes it was.
    fn unpack(&mut self, how: u8, from: usize) -> io::Result<usize> {
        let into = if how == SORTED {
            self.sorted.resize(self.plain.len(), 0);
            &mut self.sorted
        } else {
            &mut self.plain
        };
        let found = self
            .decompressor
            .decompress_to_buffer(&self.packed[from..], &mut into[..])
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
        if how == SORTED {
            unsort(&self.sorted[..found], &mut self.plain[..found]);
        }
        Ok(found)
    }

    /// What was decoded last.
    pub fn plain(&self) -> &[u8] {
        &self.plain
    }

    /// The plain bytes of an object's file, whatever their number, up to [`CHUNK`].
    ///
    /// # Errors
    /// As [`Decoder::decode`].
    pub fn decode_any(&mut self, file: &mut impl Read) -> io::Result<&[u8]> {
        let most = zstd::zstd_safe::compress_bound(CHUNK) as u64 + 1;
        self.packed.clear();
        file.take(most).read_to_end(&mut self.packed)?;
        match self.packed.first() {
            Some(&PLAIN) => Ok(&self.packed[1..]),
            Some(&how @ (PACKED | SORTED)) => {
                self.plain.resize(CHUNK, 0);
                let found = self.unpack(how, 1)?;
                Ok(&self.plain[..found])
            }
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

/// A file that ends early is damaged, and no trouble of the system.
fn short(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::UnexpectedEof {
        io::Error::new(io::ErrorKind::InvalidData, "it ends early")
    } else {
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(plain: &[u8]) -> Vec<u8> {
        let mut encoder = Encoder::new().expect("memory");
        let (how, bytes) = encoder.encode(plain);
        [&[how], bytes].concat()
    }

    fn read(file: &[u8], length: usize) -> io::Result<Vec<u8>> {
        let mut decoder = Decoder::new().expect("memory");
        let found = decoder.decode(&mut &*file, file.len() as u64, length)?;
        Ok(found.to_vec())
    }

    #[test]
    fn numbers_that_repeat_are_packed_and_random_ones_are_not() {
        let repeating: Vec<u8> = (0..100_000u64)
            .flat_map(|one| (one % 1000).to_le_bytes())
            .collect();
        assert!(written(&repeating).len() < repeating.len() / 4);
        let mut random = vec![0; 800_000];
        blake3::Hasher::new().finalize_xof().fill(&mut random);
        assert_eq!(written(&random).len(), random.len() + 1);
    }

    #[test]
    fn numbers_of_eight_bytes_are_sorted_and_texts_are_not() {
        let mut random = vec![0; 200_000];
        blake3::Hasher::new().finalize_xof().fill(&mut random);
        let numbers: Vec<u8> = random
            .chunks_exact(2)
            .flat_map(|two| (u64::from(two[0]) * 4 + u64::from(two[1] % 4)).to_le_bytes())
            .collect();
        let file = written(&numbers);
        assert_eq!(file[0], SORTED);
        assert!(file.len() < numbers.len() / 5, "{}", file.len());
        assert_eq!(
            written(&b"a line of a text, and the next, ".repeat(5000))[0],
            PACKED
        );
    }

    proptest! {
        #[test]
        fn sorting_moves_each_byte_to_its_place(plain in proptest::collection::vec(any::<u8>(), 0..700)) {
            let (mut sorted, mut back) = (vec![0; plain.len()], vec![0; plain.len()]);
            sort(&plain, &mut sorted);
            let words = plain.len() / WORD;
            for (at, byte) in plain[..words * WORD].iter().enumerate() {
                prop_assert_eq!(sorted[at % WORD * words + at / WORD], *byte);
            }
            unsort(&sorted, &mut back);
            prop_assert_eq!(back, plain);
        }

        #[test]
        fn what_is_read_is_what_was_written(piece in proptest::collection::vec(any::<u8>(), 0..64), times in 1..5000usize) {
            let plain = piece.repeat(times);
            prop_assert_eq!(read(&written(&plain), plain.len()).expect("readable"), plain);
        }

        #[test]
        fn damaged_files_are_errors_or_other_bytes(
            piece in proptest::collection::vec(any::<u8>(), 1..64), at in any::<proptest::sample::Index>(), bits in 1..=255u8,
            cut in any::<proptest::sample::Index>(), longer in 0..3usize,
        ) {
            let plain = piece.repeat(500);
            let mut file = written(&plain);
            let place = at.index(file.len());
            file[place] ^= bits;
            // Never a panic, never more than was asked for.
            if let Ok(found) = read(&file, plain.len()) {
                prop_assert_eq!(found.len(), plain.len());
            }
            let file = written(&plain);
            prop_assert!(read(&file[..cut.index(file.len())], plain.len()).is_err());
            prop_assert!(longer == 0 || read(&file, plain.len() + longer).is_err());
        }
    }
}
