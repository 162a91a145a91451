//! Hashes of large buffers on all cores. Threads are started for each call and gone after it: a pool would not survive that
//! user code forks the process.

use std::sync::atomic::{AtomicUsize, Ordering};

use twox_hash::XxHash3_128;

use super::CHUNK;
use super::name::Name;

/// More threads than this wait for memory, not for each other.
const THREADS: usize = 8;
/// Bytes that are worth a thread: starting one takes as long as hashing a tenth of this.
const WORTH: usize = 1 << 20;

/// How many threads work on this many bytes pays.
pub fn threads(bytes: usize) -> usize {
    let worth = bytes / WORTH;
    if worth < 2 {
        // To ask how many cores there are takes longer than to hash a little.
        return 1;
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    worth.min(cores.min(THREADS))
}

/// Does `work` for each number below `count` on some threads, this one among them. `state` begins each thread.
pub fn share<State, Made: Send>(
    count: usize,
    threads: usize,
    state: impl Fn() -> State + Sync,
    work: impl Fn(&mut State, usize) -> Made + Sync,
) -> Vec<Made> {
    let next = AtomicUsize::new(0);
    let one = || {
        let mut own = state();
        let mut made = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return made;
            }
            made.push((number, work(&mut own, number)));
        }
    };
    let mut all = std::thread::scope(|scope| {
        // One that cannot be started leaves its work to the others.
        let started: Vec<_> = (1..threads.min(count))
            .filter_map(|_| std::thread::Builder::new().spawn_scoped(scope, one).ok())
            .collect();
        let mut all = one();
        for thread in started {
            match thread.join() {
                Ok(made) => all.extend(made),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    all.sort_unstable_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, made)| made).collect()
}

/// 16 bytes that tell apart what memory holds at two moments, several times as fast as [`digest`] does: XXH3. Values that
/// somebody made to be mistaken for each other may be; by chance it does not happen. Never the name of anything.
pub fn change(parts: &[&[u8]]) -> [u8; 16] {
    match parts {
        [part] if part.len() <= CHUNK => XxHash3_128::oneshot(part).to_le_bytes(),
        parts => joined(parts, &of_each(parts)),
    }
}

/// A hash of each part, on all cores.
pub fn of_each(parts: &[&[u8]]) -> Vec<u128> {
    let all: Vec<&[u8]> = parts.iter().flat_map(|part| pieces(part)).collect();
    let total = parts.iter().map(|part| part.len()).sum::<usize>();
    // Four times as fast as the other one, so that a thread has to be worth four times as much.
    let hash = |(): &mut (), number: usize| XxHash3_128::oneshot(all[number]);
    let mut hashes = share(all.len(), threads(total / 4), || (), hash).into_iter();
    let of_one = |part: &&[u8]| {
        let own: Vec<u8> = (hashes.by_ref().take(pieces(part).count()))
            .flat_map(u128::to_le_bytes)
            .collect();
        match <[u8; 16]>::try_from(own.as_slice()) {
            Ok(hash) => u128::from_le_bytes(hash),
            Err(_) => XxHash3_128::oneshot(&own),
        }
    };
    parts.iter().map(of_one).collect()
}

/// One hash of parts that have these hashes.
pub fn joined(parts: &[&[u8]], hashes: &[u128]) -> [u8; 16] {
    if let [hash] = hashes {
        return hash.to_le_bytes();
    }
    let lengths = parts
        .iter()
        .flat_map(|part| (part.len() as u64).to_le_bytes());
    let all: Vec<u8> = lengths
        .chain(hashes.iter().flat_map(|hash| hash.to_le_bytes()))
        .collect();
    XxHash3_128::oneshot(&all).to_le_bytes()
}

fn pieces(part: &[u8]) -> impl Iterator<Item = &[u8]> {
    // An empty part has a hash, too.
    let empty = part.is_empty().then_some(part);
    part.chunks(CHUNK).chain(empty)
}

/// 32 bytes that tell two buffers apart: the BLAKE3 of up to 1 MiB, and of more the BLAKE3 of the length and the hashes of
/// its pieces of 1 MiB.
pub fn digest(bytes: &[u8]) -> [u8; 32] {
    if bytes.len() <= CHUNK {
        return *Name::of(bytes).bytes();
    }
    let chunks: Vec<&[u8]> = bytes.chunks(CHUNK).collect();
    let hashes = share(
        chunks.len(),
        threads(bytes.len()),
        || (),
        |(), number| Name::of(chunks[number]),
    );
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    for hash in hashes {
        hasher.update(hash.bytes());
    }
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bit_and_any_cut_makes_another_change() {
        let mut bytes: Vec<u8> = (0..3 * CHUNK + 5).map(|at| at as u8).collect();
        let before = change(&[&bytes]);
        assert_eq!(before, change(&[&bytes.clone()]));
        let (left, right) = bytes.split_at(CHUNK);
        assert_ne!(before, change(&[left, right]));
        assert_ne!(change(&[b"", b"a"]), change(&[b"a", b""]));
        for at in [0, CHUNK - 1, CHUNK, 3 * CHUNK + 4] {
            bytes[at] ^= 64;
            assert_ne!(before, change(&[&bytes]), "at {at}");
            bytes[at] ^= 64;
        }
    }
}
