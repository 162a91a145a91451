//! Properties that hold for any input: broken files never panic, hang or fill the memory; the
//! borders of chunks change nothing; what the writers write reads back the same.
//!
//! Inputs that failed once are in `seeds.txt` and are tried first. The Makefile's `test` runs this in
//! seconds; `PROPTEST_CASES=20000 cargo test --release --workspace --test property` looks longer.

mod allocation;
mod borders;
mod broken;
mod calamine;
mod calendar;
mod columnar;
mod documents;
mod guard;
mod mutation;
mod parts;
mod round_trip;
mod table;

use proptest::test_runner::{Config, FileFailurePersistence};

/// Where inputs that failed are kept.
const SEEDS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/property/seeds.txt"
);

/// Runs of a property: so many, or what `PROPTEST_CASES` says.
fn cases(cases: u32) -> Config {
    let wanted = std::env::var("PROPTEST_CASES").ok();
    Config {
        cases: wanted.and_then(|cases| cases.parse().ok()).unwrap_or(cases),
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(SEEDS))),
        max_shrink_time: 60_000,
        ..Config::default()
    }
}
