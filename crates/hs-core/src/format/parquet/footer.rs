//! What a parquet file says of itself: its footer, mended where some writers left it wrong, and how
//! much memory the data needs.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData,
};
use parquet::file::reader::ChunkReader;

use super::input::Input;
use super::{leaves, mend, not_read, refuse};
use crate::error::{Error, ErrorKind, Place, Result};
use crate::format::TextLayout;

/// Length of the footer and magic bytes, at the end of a file.
const TRAILER: usize = 8;

/// The footer of a file, with the Arrow types that its columns are read as.
pub(super) struct Footer {
    /// What the crate makes of it.
    pub metadata: ArrowReaderMetadata,
    /// The leaves that are encrypted, from 0.
    encrypted: BTreeSet<usize>,
}

/// The footer of a file.
///
/// # Errors
/// [`ErrorKind::Format`] when there is none, or one that makes no sense.
pub(super) fn load(input: &Input, layout: TextLayout) -> Result<Footer> {
    let bytes = bytes(input)?;
    let decode = |bytes: &[u8]| ParquetMetaDataReader::decode_metadata(bytes);
    let decoded = decode(&bytes).or_else(|error| match mend::mended(&bytes) {
        Some(mended) => decode(&mended),
        None => Err(error),
    });
    let decoded = decoded.map_err(not_read)?;
    let end = input
        .size()
        .saturating_sub(TRAILER as u64 + bytes.len() as u64);
    let footer = with_counted_rows(mended(Arc::new(decoded), end));
    let load = |options| ArrowReaderMetadata::try_new(footer.clone(), options);
    // An Arrow schema inside that does not fit the file is no reason to refuse the data.
    let plain = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let inferred = load(ArrowReaderOptions::new())
        .or_else(|error| load(plain).map_err(|_| error))
        .map_err(not_read)?;
    Ok(Footer {
        metadata: retyped(&inferred, leaves::fitting(layout))?,
        encrypted: mend::encrypted(&bytes),
    })
}

/// The bytes of the footer.
fn bytes(input: &Input) -> Result<Bytes> {
    let read = |start, length| input.get_bytes(start, length).map_err(not_read);
    let cut = || refuse("expected a footer at the end of the file, found none");
    let end = input.size().checked_sub(TRAILER as u64).ok_or_else(cut)?;
    let trailer = read(end, TRAILER)?;
    let (length, magic) = trailer.split_first_chunk::<4>().ok_or_else(cut)?;
    match magic {
        b"PAR1" => {}
        b"PARE" => return Err(refuse("the footer is encrypted")),
        _ => return Err(cut()),
    }
    let length = u32::from_le_bytes(*length);
    let start = end.checked_sub(u64::from(length)).ok_or_else(cut)?;
    read(start, length as usize)
}

/// The footer with other types; the same when none changes.
pub(super) fn retyped(
    footer: &ArrowReaderMetadata,
    change: impl leaves::Change,
) -> Result<ArrowReaderMetadata> {
    match leaves::retyped(footer, change) {
        None => Ok(footer.clone()),
        Some(schema) => {
            let options = ArrowReaderOptions::new().with_schema(schema);
            ArrowReaderMetadata::try_new(footer.metadata().clone(), options).map_err(not_read)
        }
    }
}

/// The footer with the rows that its row groups have: some writers left the sum at 0, and the
/// reader of the crate then gives none without a word.
fn with_counted_rows(footer: Arc<ParquetMetaData>) -> Arc<ParquetMetaData> {
    let groups = footer.row_groups().iter().map(RowGroupMetaData::num_rows);
    let rows = groups.fold(0, i64::saturating_add);
    let file = footer.file_metadata();
    if file.num_rows() == rows {
        return footer;
    }
    let file = FileMetaData::new(
        file.version(),
        rows,
        file.created_by().map(str::to_owned),
        file.key_value_metadata().cloned(),
        file.schema_descr_ptr(),
        file.column_orders().cloned(),
    );
    Arc::new(ParquetMetaData::new(file, footer.row_groups().to_vec()))
}

/// The footer without dictionaries at impossible places (a writer that has none set 0), and with the
/// whole of columns that are too short: the first parquet-mr left out the header of a dictionary. The
/// data ends at `end`.
fn mended(footer: Arc<ParquetMetaData>, end: u64) -> Arc<ParquetMetaData> {
    let first_writer = footer.file_metadata().created_by() == Some("parquet-mr");
    let dictionary = |column: &ColumnChunkMetaData| {
        let dictionary = column.dictionary_page_offset();
        dictionary.is_some_and(|start| start < 4 || start > column.data_page_offset())
    };
    let columns = || {
        footer
            .row_groups()
            .iter()
            .flat_map(RowGroupMetaData::columns)
    };
    if !first_writer && !columns().any(dictionary) {
        return footer;
    }
    let starts: BTreeSet<i64> = columns()
        .map(ColumnChunkMetaData::data_page_offset)
        .collect();
    let mut groups = footer.row_groups().to_vec();
    for column in groups.iter_mut().flat_map(RowGroupMetaData::columns_mut) {
        let mut better = column.clone().into_builder();
        if dictionary(column) {
            better = better.set_dictionary_page_offset(None);
        }
        if first_writer && column.column_descr().max_rep_level() == 0 {
            let start = column.data_page_offset();
            let next = starts.range(start.saturating_add(1)..).next().copied();
            let next = next.unwrap_or(i64::try_from(end).unwrap_or(i64::MAX));
            let size = next.saturating_sub(start).max(column.compressed_size());
            better = better.set_total_compressed_size(size);
        }
        if let Ok(better) = better.build() {
            *column = better;
        }
    }
    Arc::new(ParquetMetaData::new(footer.file_metadata().clone(), groups))
}

/// A row group that is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// Its number in the file, from 0.
    pub number: usize,
    /// How many of its rows are wanted.
    pub rows: usize,
    /// How many it has.
    pub of: usize,
}

/// The row groups in which the first `wanted` rows are.
pub(super) fn groups(footer: &ParquetMetaData, wanted: Option<usize>) -> Vec<Group> {
    let mut left = wanted.unwrap_or(usize::MAX);
    let mut groups = Vec::new();
    for (number, group) in footer.row_groups().iter().enumerate() {
        let of = usize::try_from(group.num_rows()).unwrap_or_default();
        let rows = of.min(left);
        if rows > 0 {
            groups.push(Group { number, rows, of });
        }
        left -= rows;
    }
    groups
}

/// The columns of the file, counted as leaves, that belong to each column of the table.
pub(super) fn leaves_of_roots(footer: &ArrowReaderMetadata) -> Vec<Range<usize>> {
    let schema = footer.parquet_schema();
    let mut roots: Vec<Range<usize>> = Vec::new();
    for leaf in 0..schema.num_columns() {
        let root = schema.get_column_root_idx(leaf);
        match roots.get_mut(root) {
            Some(leaves) => leaves.end = leaf + 1,
            None => roots.push(leaf..leaf + 1),
        }
    }
    roots
}

/// Bytes of some columns of a row group when they are unpacked.
pub(super) fn unpacked(columns: &[ColumnChunkMetaData]) -> u64 {
    sum(columns, ColumnChunkMetaData::uncompressed_size)
}

/// Bytes of some columns of a row group as they are stored.
pub(super) fn packed(columns: &[ColumnChunkMetaData]) -> u64 {
    sum(columns, ColumnChunkMetaData::compressed_size)
}

fn sum(columns: &[ColumnChunkMetaData], size: fn(&ColumnChunkMetaData) -> i64) -> u64 {
    let sizes = columns.iter().map(size);
    sizes
        .map(|size| u64::try_from(size).unwrap_or_default())
        .fold(0, u64::saturating_add)
}

/// Checks the places, counts and sizes of the columns before anything is read of them.
///
/// # Errors
/// [`ErrorKind::Format`] with the column for what cannot be, [`ErrorKind::Io`] when the data does not
/// fit into memory.
pub(super) fn check(
    footer: &Footer,
    groups: &[Group],
    roots: &[usize],
    leaves: &[Range<usize>],
) -> Result<()> {
    let metadata = footer.metadata.metadata();
    let leaves_of = |root: usize| leaves.get(root).cloned().unwrap_or_default();
    let in_column = |root: usize, wrong: &str| {
        let name = footer.metadata.schema().field(root).name();
        Err(refuse(wrong).at(Place::default().column(name)))
    };
    for root in roots {
        if leaves_of(*root).any(|leaf| footer.encrypted.contains(&leaf)) {
            return in_column(*root, "the column is encrypted");
        }
        for group in groups {
            let columns = metadata.row_group(group.number).columns();
            for column in columns.get(leaves_of(*root)).unwrap_or_default() {
                if let Some(wrong) = impossible(column, *group) {
                    return in_column(*root, &wrong);
                }
            }
        }
    }
    reserve(metadata, groups, roots, leaves)
}

fn impossible(column: &ColumnChunkMetaData, group: Group) -> Option<String> {
    let start = column
        .dictionary_page_offset()
        .unwrap_or(column.data_page_offset());
    if start < 0 || column.compressed_size() < 0 {
        return Some("expected the place of a column, found a negative one".to_owned());
    }
    // What does not repeat has one value, or a gap, in each row.
    let rows = group.of as i64;
    let values = column.num_values();
    if column.column_descr().max_rep_level() == 0 && values != rows {
        return Some(format!(
            "expected {rows} values, one for each row of row group {}, found {values}",
            group.number + 1
        ));
    }
    None
}

/// Asks for the memory that the columns need: a few kilobytes may unpack to gigabytes, and the
/// reader of the crate aborts the process when it gets none.
fn reserve(
    footer: &ParquetMetaData,
    groups: &[Group],
    roots: &[usize],
    leaves: &[Range<usize>],
) -> Result<()> {
    // What every system has; it is not asked for.
    const ALWAYS: usize = 64 << 20;
    let mut size = 0u64;
    for group in groups {
        let whole = footer.row_group(group.number);
        for root in roots {
            let leaves = leaves.get(*root).cloned().unwrap_or_default();
            let columns = whole.columns().get(leaves).unwrap_or_default();
            // Of a part of the rows, a part of the pages.
            let part = u128::from(unpacked(columns)) * group.rows as u128 / group.of.max(1) as u128;
            size = size.saturating_add(u64::try_from(part).unwrap_or(u64::MAX));
        }
    }
    // Pages and the arrays made of them are there at the same time.
    let size = usize::try_from(size.saturating_mul(2)).unwrap_or(usize::MAX);
    if size <= ALWAYS {
        return Ok(());
    }
    Vec::<u8>::new().try_reserve_exact(size).map_err(|error| {
        Error::new(ErrorKind::Io, "the data does not fit into memory").because(error)
    })
}
