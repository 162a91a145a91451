//! An allocator that counts, so that a test can tell how much memory a piece of work took at most.
//!
//! It counts for the whole process: whoever measures must be alone (see `guard`).

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn took(bytes: usize) {
    let now = NOW.fetch_add(bytes, Ordering::Relaxed) + bytes;
    PEAK.fetch_max(now, Ordering::Relaxed);
}

fn gave(bytes: usize) {
    NOW.fetch_sub(bytes, Ordering::Relaxed);
}

#[expect(
    unsafe_code,
    reason = "an allocator is unsafe by its trait; each call is passed on as it is"
)]
// SAFETY: every call goes to the system's allocator unchanged; the counters touch no memory of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        gave(layout.size());
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both may be there for a moment, when the block has to move.
        took(size);
        let moved = unsafe { System.realloc(place, layout, size) };
        gave(layout.size());
        moved
    }
}

/// Runs the work and says how many bytes it had taken at once, at most.
pub fn peak<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = NOW.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let result = work();
    (result, PEAK.load(Ordering::Relaxed).saturating_sub(before))
}

#[test]
fn the_peak_counts_what_is_there_at_once() {
    let _alone = crate::guard::alone();
    let block = || std::hint::black_box(vec![1u8; 10 << 20]);
    let ((), peak) = peak(|| {
        for _ in 0..5 {
            drop(block());
        }
        let _two = (block(), block());
    });
    // Tests that do not measure may run beside this one.
    assert!((20 << 20..40 << 20).contains(&peak), "{peak}");
}
