//! Any bytes as toml: no panic, and what is told of paths can be read.
#![no_main]

use hs_core::{Format, Loaded, ReadOptions};
use hs_fuzz::{load, outcome};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let loaded = load(Format::Toml, bytes, &ReadOptions::default());
    outcome(&loaded);
    if let Ok(Loaded::Value(document)) = &loaded {
        hs_fuzz::paths(Format::Toml, bytes, document);
    }
});
