//! Any bytes as json: no panic, a table whose parts fit, and what is told of paths can be read.
#![no_main]

use hs_core::{Format, Loaded, ReadOptions};
use hs_fuzz::{load, outcome};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let loaded = load(Format::Json, bytes, &ReadOptions::default());
    let whole = outcome(&loaded);
    let again = load(Format::Json, bytes, &ReadOptions::default());
    assert_eq!(whole, outcome(&again), "the same twice");
    if let Ok(Loaded::Value(document)) = &loaded {
        hs_fuzz::paths(Format::Json, bytes, document);
    }
});
