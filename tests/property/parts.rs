//! Damaged parts inside of whole archives: what a workbook's own checks of its zip would hide.

use std::io::{Cursor, Read, Write};

use hs_core::Format;
use proptest::prelude::*;
use proptest::sample::Index;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::broken::{fixture, holds};
use crate::cases;
use crate::mutation::{File, damaged, mutations};

/// The parts of an archive, by name.
fn parts(archive: &File) -> Vec<(String, File)> {
    let mut archive = ZipArchive::new(Cursor::new(&archive.0)).expect("a fixture is whole");
    (0..archive.len())
        .map(|index| {
            let mut part = archive.by_index(index).expect("a fixture is whole");
            let mut bytes = Vec::new();
            part.read_to_end(&mut bytes).expect("a fixture is whole");
            (
                part.name().expect("a name in UTF-8").into_owned(),
                File(bytes),
            )
        })
        .collect()
}

/// An archive of these parts, not packed any further.
fn archive(parts: &[(String, File)]) -> Vec<u8> {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, part) in parts {
        writer.start_file(name.as_str(), options).expect("a part");
        writer.write_all(&part.0).expect("memory takes it");
    }
    writer.finish().expect("an archive").into_inner()
}

/// Damages one part, with pieces of another.
fn damaged_parts(format: Format, name: &str) {
    let whole = parts(&fixture(name));
    let choice = (any::<Index>(), any::<Index>(), mutations());
    let mut runner = proptest::test_runner::TestRunner::new(cases(300));
    let property = |(part, other, mutations): (Index, Index, Vec<_>)| {
        let mut parts = whole.clone();
        let (part, other) = (part.index(parts.len()), other.index(parts.len()));
        parts[part].1 = File(damaged(&whole[part].1, &whole[other].1, &mutations));
        holds(format, archive(&parts), true)
    };
    if let Err(failure) = runner.run(&choice, property) {
        panic!("{failure}");
    }
}

#[test]
fn parts_of_xlsx() {
    damaged_parts(Format::Xlsx, "orders.xlsx");
}

#[test]
fn parts_of_xlsb() {
    damaged_parts(Format::Xlsb, "orders.xlsb");
}

#[test]
fn parts_of_ods() {
    damaged_parts(Format::Ods, "orders.ods");
}
