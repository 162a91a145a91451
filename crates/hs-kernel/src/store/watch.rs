//! Memory whose hash is known, and that need not be read again while the system proves that nobody wrote to it. It never takes
//! anything for unchanged without that proof; where the system gives none, all memory is hashed as if this were not here.
//!
//! The first write to a protected page costs its writer about two microseconds. So only memory that was twice found unchanged
//! is protected, and what was written to after all has to stand still longer each time.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, OnceLock};

use crate::process::{Addresses, Pages};

use super::hashing;

/// Less memory than this is hashed as fast as asked about.
const LEAST: usize = 256 << 10;
/// Pieces of memory that are known at once: each may cost the system two of its 65,530 mappings of a process.
const MOST: usize = 4096;
/// Memory that was written to while it was protected has to be found unchanged this often at most, to be protected again.
const PATIENCE: u32 = 64;

/// What is known of one piece of memory.
struct Known {
    digest: u128,
    /// Of the bytes before and behind its whole pages.
    ends: u128,
    /// Whether its pages were protected before it was hashed, and no mark of theirs was taken away since.
    protected: bool,
    /// How often it was found unchanged, and how often it has to be.
    stable: u32,
    needed: u32,
    /// When it was last asked about, in calls.
    last: u64,
}

/// All that is known of this process's memory.
struct Watch {
    pages: Pages,
    process: u32,
    known: HashMap<(usize, usize), Known>,
    calls: u64,
}

static WATCH: OnceLock<Option<Mutex<Watch>>> = OnceLock::new();

/// As [`hashing::change`], for memory that will still be there when it is asked about again.
pub fn change(parts: &[&[u8]]) -> [u8; 16] {
    if parts.iter().all(|part| part.len() < LEAST) {
        return hashing::change(parts);
    }
    match watch() {
        Some(mut watch) => watch.change(parts),
        None => hashing::change(parts),
    }
}

/// None where there is none, where another thread has it, and in a process that was split off.
fn watch() -> Option<MutexGuard<'static, Watch>> {
    let made = WATCH.get_or_init(|| {
        Pages::open()
            .ok()
            .map(|pages| Mutex::new(Watch::new(pages)))
    });
    let watch = made.as_ref()?.try_lock().ok()?;
    (watch.process == std::process::id()).then_some(watch)
}

impl Watch {
    fn new(pages: Pages) -> Self {
        Self {
            pages,
            process: std::process::id(),
            known: HashMap::new(),
            calls: 0,
        }
    }

    fn change(&mut self, parts: &[&[u8]]) -> [u8; 16] {
        self.calls += 1;
        let found: Vec<Option<u128>> = parts.iter().map(|part| self.unchanged(part)).collect();
        let unknown: Vec<&[u8]> = (parts.iter().zip(&found))
            .filter_map(|(part, found)| found.is_none().then_some(*part))
            .collect();
        // Before they are hashed: what is written to the ends meanwhile makes them differ from these at the next look.
        let ends: Vec<u128> = unknown.iter().map(|part| self.ends(part)).collect();
        let mut hashed = hashing::of_each(&unknown).into_iter().zip(ends);
        let digests: Vec<u128> = (parts.iter().zip(found))
            .map(|(part, found)| {
                found.unwrap_or_else(|| {
                    let (digest, ends) = hashed.next().expect("each unknown part was hashed");
                    self.learn(part, digest, ends);
                    digest
                })
            })
            .collect();
        hashing::joined(parts, &digests)
    }

    /// The hash of memory that was not written to since it was hashed. Otherwise the memory is ready to be hashed: if it is
    /// time, its pages are protected, so that no write after this is missed.
    fn unchanged(&mut self, part: &[u8]) -> Option<u128> {
        if part.len() < LEAST {
            return None;
        }
        let known = self.known.get_mut(&key(part))?;
        known.last = self.calls;
        let whole = whole_pages(part, self.pages.size());
        if known.protected {
            if self.pages.are_unwritten(&whole) && known.ends == ends(part, &whole) {
                return Some(known.digest);
            }
            known.protected = false;
            known.stable = 0;
            known.needed = (known.needed * 2).min(PATIENCE);
        } else if known.stable >= known.needed {
            self.protect(part, &whole);
        }
        None
    }

    fn protect(&mut self, part: &[u8], whole: &Addresses) {
        // All pages that it touches are watched: memory that is one mapping of the system stays one, and can grow in place.
        let touched = touched_pages(part, self.pages.size());
        let watched = (self.pages.watch(&touched)).or_else(|_| self.pages.watch(whole));
        let marked = watched.and_then(|()| self.pages.protect(whole));
        // Other memory that overlaps this one may have been written to where a mark is gone now.
        let lost: &[Addresses] = match &marked {
            Ok(marked) => marked,
            Err(_) => std::slice::from_ref(whole),
        };
        for ((start, length), other) in &mut self.known {
            if lost
                .iter()
                .any(|lost| lost.start < start + length && *start < lost.end)
            {
                other.protected = false;
            }
        }
        if let Some(known) = self.known.get_mut(&key(part)) {
            known.protected = marked.is_ok();
            if marked.is_err() {
                known.stable = 0;
                known.needed = PATIENCE;
            }
        }
    }

    /// See [`Known::ends`]; nothing of what is not watched.
    fn ends(&self, part: &[u8]) -> u128 {
        if part.len() < LEAST {
            return 0;
        }
        ends(part, &whole_pages(part, self.pages.size()))
    }

    fn learn(&mut self, part: &[u8], digest: u128, ends: u128) {
        if part.len() < LEAST {
            return;
        }
        let calls = self.calls;
        if let Some(known) = self.known.get_mut(&key(part)) {
            if known.digest == digest {
                known.stable = known.stable.saturating_add(1);
            } else {
                known.stable = 0;
            }
            known.digest = digest;
            known.ends = ends;
            return;
        }
        if self.known.len() >= MOST {
            self.forget_half();
        }
        self.known.insert(
            key(part),
            Known {
                digest,
                ends,
                protected: false,
                stable: 0,
                needed: 1,
                last: calls,
            },
        );
    }

    /// What was not asked about for longest.
    fn forget_half(&mut self) {
        let mut calls: Vec<u64> = self.known.values().map(|known| known.last).collect();
        calls.sort_unstable();
        let middle = calls[calls.len() / 2];
        let pages = &self.pages;
        self.known.retain(|(start, length), known| {
            if known.last > middle {
                return true;
            }
            // Others that overlap it are hashed again.
            pages.forget(&touched(*start, *length, pages.size()));
            false
        });
    }
}

fn key(part: &[u8]) -> (usize, usize) {
    (part.as_ptr() as usize, part.len())
}

/// The pages that hold nothing but this memory.
fn whole_pages(part: &[u8], size: usize) -> Addresses {
    let (start, length) = key(part);
    start.next_multiple_of(size)..(start + length) / size * size
}

/// The pages that hold any of this memory.
fn touched_pages(part: &[u8], size: usize) -> Addresses {
    let (start, length) = key(part);
    touched(start, length, size)
}

fn touched(start: usize, length: usize, size: usize) -> Addresses {
    start / size * size..(start + length).next_multiple_of(size)
}

/// A hash of the bytes that lie on pages with other memory.
fn ends(part: &[u8], whole: &Addresses) -> u128 {
    let (start, length) = key(part);
    let head = &part[..whole.start - start];
    let tail = &part[length - (start + length - whole.end)..];
    u128::from_le_bytes(hashing::change(&[head, tail]))
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use proptest::prelude::*;

    use super::*;

    #[expect(clippy::print_stderr, reason = "a test that cannot run says why")]
    /// None with a printed reason where the system tells nothing; then there is nothing to test.
    fn watching() -> Option<Watch> {
        match Pages::open() {
            Ok(pages) => Some(Watch::new(pages)),
            Err(error) => {
                eprintln!("skipped: the system does not tell which pages were written to: {error}");
                None
            }
        }
    }

    /// Looks until the memory is not read any more.
    fn settle(watch: &mut Watch, part: &[u8]) {
        for _ in 0..4 * PATIENCE {
            watch.change(&[part]);
            if watch.unchanged(part).is_some() {
                return;
            }
        }
        panic!("memory that nobody writes to is read again and again");
    }

    #[test]
    fn a_write_to_any_byte_is_seen_and_nothing_else_is_read() {
        let Some(mut watch) = watching() else { return };
        let mut bytes = vec![3_u8; LEAST * 3 + 77];
        settle(&mut watch, &bytes);
        for at in [0, 1, 4095, 5000, LEAST, bytes.len() - 4097, bytes.len() - 1] {
            bytes[at] ^= 1;
            assert_eq!(
                watch.change(&[&bytes]),
                hashing::change(&[&bytes]),
                "at {at}"
            );
            settle(&mut watch, &bytes);
            assert_eq!(
                watch.change(&[&bytes]),
                hashing::change(&[&bytes]),
                "at {at}"
            );
        }
    }

    #[test]
    fn memory_that_is_written_to_has_to_stand_still_longer_each_time() {
        let Some(mut watch) = watching() else { return };
        let mut bytes = vec![3_u8; LEAST];
        let mut looks = Vec::new();
        for turn in 0..4 {
            bytes[LEAST / 2] = turn;
            let mut needed = 0;
            while watch.unchanged(&bytes).is_none() {
                watch.change(&[&bytes]);
                needed += 1;
            }
            looks.push(needed);
        }
        assert!(looks.is_sorted() && looks[3] > looks[0] + 4, "{looks:?}");
    }

    #[test]
    fn what_was_not_asked_about_for_longest_is_forgotten() {
        let Some(mut watch) = watching() else { return };
        let bytes = vec![3_u8; LEAST + MOST + 1];
        for from in 0..=MOST {
            watch.learn(&bytes[from..from + LEAST], 0, 0);
            watch.calls += 1;
        }
        assert!(watch.known.len() <= MOST / 2 + 1);
        assert!(watch.known.contains_key(&key(&bytes[MOST..MOST + LEAST])));
        assert!(!watch.known.contains_key(&key(&bytes[..LEAST])));
    }

    #[derive(Debug, Clone)]
    enum Step {
        Write(usize),
        Look(Range<usize>),
        Move,
    }

    const SIZE: usize = LEAST * 4;

    fn step() -> impl Strategy<Value = Step> {
        let places = (0..4_usize, 0..3_usize, LEAST..SIZE);
        prop_oneof![
            2 => (0..SIZE).prop_map(Step::Write),
            8 => places.prop_map(|(from, more, length)| {
                let from = from * LEAST / 2 + more;
                Step::Look(from..(from + length).min(SIZE))
            }),
            1 => Just(Step::Move),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn it_says_what_a_hash_of_all_bytes_says(steps in proptest::collection::vec(step(), 1..60)) {
            let Some(mut watch) = watching() else { return Ok(()) };
            let mut bytes: Vec<u8> = vec![0; SIZE];
            let mut seen: Vec<Range<usize>> = Vec::new();
            for step in steps {
                match step {
                    Step::Write(at) => bytes[at] = bytes[at].wrapping_add(1),
                    // The old memory is given back, and what comes next may be in its place.
                    Step::Move => bytes = bytes.clone(),
                    Step::Look(range) => seen.push(range),
                }
                for range in &seen {
                    let part = &bytes[range.clone()];
                    prop_assert_eq!(watch.change(&[part]), hashing::change(&[part]));
                }
            }
        }
    }
}
