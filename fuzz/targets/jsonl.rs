//! Any bytes as jsonl: no panic, every line a row or counted as skipped, the same whatever the pieces.
#![no_main]

use hs_core::source::Compression;
use hs_core::{Control, Format, Loaded, ReadOptions, Topic, format::jsonl};
use hs_fuzz::{load, outcome};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let loaded = load(Format::Jsonl, bytes, &ReadOptions::default());
    let whole = outcome(&loaded);
    // What is unpacked or decoded first has other lines than these bytes.
    let packed = Compression::of_content(bytes).is_some();
    let utf16 = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
    if bytes.is_empty() || packed || utf16 || bytes.contains(&0) {
        return;
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if let Ok(Loaded::Table(table)) = &loaded {
        let skipped = table
            .notes
            .iter()
            .find(|note| note.topic == Topic::Rows && note.text.starts_with("skipped"));
        let skipped = skipped.and_then(|note| note.count).unwrap_or_default();
        let lines = bytes.split(|byte| *byte == b'\n');
        let filled = lines.filter(|line| !line.iter().all(|byte| b" \t\r".contains(byte)));
        assert_eq!(
            table.height() as u64 + skipped,
            filled.count() as u64,
            "lines"
        );
    }
    let piece = 1 + usize::from(bytes.first().copied().unwrap_or_default());
    let pieces = jsonl::read_in_pieces(bytes, piece, &Control::default());
    let pieces = pieces.map_err(|error| error.in_source("input.jsonl"));
    assert_eq!(
        whole,
        outcome(&pieces.map(Loaded::Table)),
        "pieces of {piece}"
    );
});
