//! Where a text is cut for parallel work changes nothing: neither values nor types nor notes nor errors.

use hs_core::format::{delimited, jsonl};
use hs_core::{Control, Format, ReadOptions, Result, Table, text};
use proptest::prelude::*;
use proptest::sample::select;

use crate::broken::texts;
use crate::cases;
use crate::mutation::{damaged, mutations};

/// Everything about a table, or the error.
fn outcome(read: Result<Table>) -> String {
    let table = match read {
        Ok(table) => table,
        Err(error) => return error.to_string(),
    };
    let mut out = String::new();
    for (info, column) in table.iter() {
        out.push_str(&format!("{info:?} {:?}", column.dtype()));
        for row in 0..table.height() {
            out.push('\n');
            text::write_json(&mut out, &column.get(row).expect("the row is there"));
        }
        out.push('\n');
    }
    for note in &table.notes {
        out.push_str(&format!("{note:?}\n"));
    }
    out
}

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn chunks_of_csv(
        file in select(texts(Format::Csv)),
        other in select(texts(Format::Csv)),
        mutations in mutations(),
        chunk in 1usize..600,
        delimiter in select(vec![None, Some(','), Some(';'), Some('\t')]),
        header in select(vec![None, None, Some(0), Some(2)]),
    ) {
        let bytes = damaged(&file, &other, &mutations);
        let text = String::from_utf8_lossy(&bytes);
        let options = ReadOptions { delimiter, header, ..ReadOptions::default() };
        let read = |chunk| {
            outcome(delimited::read_in_chunks(&text, &options, chunk, &Control::default()))
        };
        prop_assert_eq!(read(chunk), read(usize::MAX));
    }

    #[test]
    fn pieces_of_jsonl(
        file in select(texts(Format::Jsonl)),
        other in select(texts(Format::Jsonl)),
        mutations in mutations(),
        piece in 1usize..600,
    ) {
        let bytes = damaged(&file, &other, &mutations);
        let read = |piece| outcome(jsonl::read_in_pieces(&bytes, piece, &Control::default()));
        prop_assert_eq!(read(piece), read(usize::MAX));
    }
}
