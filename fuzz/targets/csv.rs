//! Any bytes as csv: no panic, a table whose parts fit, and the same one whatever the chunks.
#![no_main]

use hs_core::{Control, Format, Loaded, ReadOptions, format::delimited};
use hs_fuzz::{load, outcome};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let loaded = load(Format::Csv, bytes, &ReadOptions::default());
    let whole = outcome(&loaded);
    if let Ok(Loaded::Table(table)) = &loaded {
        assert!(table.width() > 0, "a table has columns");
    }
    // The first byte chooses options and chunks, so that a seed stays a file as it is.
    let first = bytes.first().copied().unwrap_or_default();
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let options = ReadOptions {
        header: match first % 4 {
            0 => Some(0),
            1 => Some(2),
            _ => None,
        },
        delimiter: match first % 3 {
            0 => Some(','),
            1 => Some('\t'),
            _ => None,
        },
        ..ReadOptions::default()
    };
    drop(whole);
    let read = |chunk| {
        let read = delimited::read_in_chunks(text, &options, chunk, &Control::default());
        outcome(&read.map(Loaded::Table))
    };
    let chunk = 1 + usize::from(first) * 3;
    assert_eq!(read(usize::MAX), read(chunk), "chunks of {chunk}");
});
