//! Reads Arrow IPC files (Feather 2) and streams, plain or with lz4 or zstd inside.
//!
//! Sizes in the file are checked against the bytes that are there before anything is allocated.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{FileDecoder, StreamDecoder, StreamReader, read_footer_length};
use arrow_ipc::{Block, Message, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, SchemaRef};
use rayon::prelude::*;

use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::format::ReadOptions;
use crate::format::columnar;
use crate::source::Source;
use crate::table::Table;

/// Magic bytes at the begin and at the end of a file.
const MAGIC: &[u8] = b"ARROW1";
/// Footer length and magic bytes at the end.
const TRAILER: usize = 10;
/// Bytes that one packed byte can become at most: zstd packs runs of 128 KiB into a few bytes.
const EXPANSION: u64 = 1 << 16;

/// Reads an Arrow IPC file or stream.
///
/// # Errors
/// [`ErrorKind::Format`] when it is broken or cut off, [`ErrorKind::Type`] with the column for a
/// type that has no place in a table.
pub fn read(source: Source, options: &ReadOptions, control: &Control) -> Result<Table> {
    let bytes = Buffer::from_vec(source.read(control)?);
    if bytes.starts_with(b"FEA1") {
        return Err(Error::new(
            ErrorKind::Format,
            "expected Arrow IPC (Feather 2), found Feather 1",
        )
        .hint("read it with pandas once and save it as parquet"));
    }
    let (schema, batches, left_out) = if bytes.starts_with(MAGIC) {
        read_file(&bytes, options, control)?
    } else {
        let (schema, batches) = read_stream(bytes, control)?;
        (schema, batches, 0)
    };
    let mut table = columnar::table(&schema, batches, options.text)?;
    table.left_out = left_out;
    Ok(table)
}

/// The names of the columns, by the schema in front: a file is a stream behind its magic bytes and two of padding.
///
/// # Errors
/// [`ErrorKind::Format`] when there is none.
pub fn names(source: &Source) -> Result<Vec<String>> {
    let head = source.head();
    let stream = if head.starts_with(MAGIC) {
        head.get(MAGIC.len() + 2..).unwrap_or_default()
    } else {
        head
    };
    let reader = StreamReader::try_new(stream, None).map_err(|error| not_read(&error))?;
    let fields = reader.schema();
    let fields = fields.fields().iter();
    Ok(fields.map(|field| field.name().clone()).collect())
}

/// The batches of a file with the wanted columns and rows, and how many rows are left out.
fn read_file(
    bytes: &Buffer,
    options: &ReadOptions,
    control: &Control,
) -> Result<(SchemaRef, Vec<RecordBatch>, usize)> {
    let footer = footer_bytes(bytes)
        .ok_or_else(|| broken("expected the end of an Arrow file, found something else"))?;
    let footer =
        root_as_footer(footer).map_err(|_| broken("expected the footer of an Arrow file"))?;
    let schema = footer
        .schema()
        .ok_or_else(|| broken("expected a schema in the footer"))?;
    let schema: SchemaRef = try_fb_to_schema(schema)
        .map_err(|error| not_read(&error))?
        .into();
    let mut decoder = FileDecoder::new(schema.clone(), footer.version());
    for block in footer.dictionaries().iter().flatten() {
        let (message, _) = block_bytes(bytes, block)?;
        decoder
            .read_dictionary(block, &message)
            .map_err(|error| not_read(&error))?;
    }
    let mut schema = schema;
    if options.only.is_some() {
        let chosen = columnar::chosen(schema.fields(), options)?;
        schema = Arc::new(schema.project(&chosen).map_err(|error| not_read(&error))?);
        decoder = decoder.with_projection(chosen);
    }
    let mut wanted = options.rows.unwrap_or(usize::MAX);
    let mut left_out = 0;
    let mut needed = Vec::new();
    for block in footer.recordBatches().iter().flatten() {
        let (message, rows) = block_bytes(bytes, block)?;
        if wanted > 0 {
            needed.push((block, message, wanted));
        }
        left_out += rows.saturating_sub(wanted);
        wanted = wanted.saturating_sub(rows);
    }
    let batches = needed.into_par_iter().with_max_len(1);
    let batches = batches.map(|(block, message, wanted)| {
        control.check()?;
        let batch = decoder
            .read_record_batch(block, &message)
            .map_err(|error| not_read(&error))?;
        Ok(batch.map(|batch| batch.slice(0, wanted.min(batch.num_rows()))))
    });
    let batches: Vec<Option<RecordBatch>> = batches.collect::<Result<_>>()?;
    Ok((schema, batches.into_iter().flatten().collect(), left_out))
}

fn footer_bytes(bytes: &[u8]) -> Option<&[u8]> {
    let end = bytes.len().checked_sub(TRAILER)?;
    let trailer: [u8; TRAILER] = bytes.get(end..)?.try_into().ok()?;
    let length = read_footer_length(trailer).ok()?;
    bytes.get(end.checked_sub(length)?..end)
}

/// The message and body of a block, when they lie inside the file, and how many rows it says it has.
fn block_bytes(bytes: &Buffer, block: &Block) -> Result<(Buffer, usize)> {
    let outside = || broken("expected a batch inside the file, found one beyond its end");
    let start = usize::try_from(block.offset()).map_err(|_| outside())?;
    let head = usize::try_from(block.metaDataLength()).map_err(|_| outside())?;
    let body = usize::try_from(block.bodyLength()).map_err(|_| outside())?;
    let end = start
        .checked_add(head)
        .and_then(|end| end.checked_add(body))
        .filter(|end| *end <= bytes.len())
        .ok_or_else(outside)?;
    let block = bytes.slice_with_length(start, end - start);
    let (head, body) = block.split_at(head);
    let flat = head
        .strip_prefix(&[0xff; 4])
        .unwrap_or(head)
        .get(4..)
        .ok_or_else(outside)?;
    let message = root_as_message(flat).map_err(|_| broken("expected a message in the file"))?;
    reserve(check_buffers(&message, body)?)?;
    let rows = message
        .header_as_record_batch()
        .map_or(0, |batch| batch.length());
    let rows = usize::try_from(rows).map_err(|_| outside())?;
    Ok((block, rows))
}

fn read_stream(mut bytes: Buffer, control: &Control) -> Result<(SchemaRef, Vec<RecordBatch>)> {
    check_stream(&bytes)?;
    let mut decoder = StreamDecoder::new();
    let mut batches = Vec::new();
    while !bytes.is_empty() {
        control.check()?;
        match decoder.decode(&mut bytes) {
            Ok(Some(batch)) => batches.push(batch),
            Ok(None) => break,
            Err(error) => return Err(not_read(&error)),
        }
    }
    decoder.finish().map_err(|error| not_read(&error))?;
    let schema = decoder
        .schema()
        .ok_or_else(|| broken("expected a schema at the begin of the stream"))?;
    Ok((schema, batches))
}

/// Walks over the messages of a stream and checks their sizes.
fn check_stream(bytes: &[u8]) -> Result<()> {
    let cut = || broken("expected a whole Arrow stream, found one that is cut off");
    let mut rest = bytes;
    let mut unpacked = 0u64;
    while !rest.is_empty() {
        rest = rest.strip_prefix(&[0xff; 4]).unwrap_or(rest);
        let (length, tail) = rest.split_first_chunk::<4>().ok_or_else(cut)?;
        let length = usize::try_from(i32::from_le_bytes(*length)).map_err(|_| cut())?;
        if length == 0 {
            break;
        }
        let (head, tail) = tail.split_at_checked(length).ok_or_else(cut)?;
        let message =
            root_as_message(head).map_err(|_| broken("expected a message of an Arrow stream"))?;
        let body = usize::try_from(message.bodyLength()).map_err(|_| cut())?;
        let (body, tail) = tail.split_at_checked(body).ok_or_else(cut)?;
        unpacked = unpacked.saturating_add(check_buffers(&message, body)?);
        rest = tail;
    }
    reserve(unpacked)
}

/// Checks where the buffers of a message lie and how large they become, and says how many bytes
/// the packed ones unpack to.
///
/// The decoder panics on a buffer beyond the body, and reserves what a packed buffer declares at
/// once, which aborts the process when there is not so much.
fn check_buffers(message: &Message<'_>, body: &[u8]) -> Result<u64> {
    let batch = message
        .header_as_record_batch()
        .or_else(|| message.header_as_dictionary_batch()?.data());
    let Some(batch) = batch else {
        return Ok(0);
    };
    let packed = batch.compression().is_some();
    let mut unpacked = 0u64;
    for buffer in batch.buffers().iter().flatten() {
        let start = usize::try_from(buffer.offset()).ok();
        let length = usize::try_from(buffer.length()).ok();
        let bytes = start
            .zip(length)
            .and_then(|(start, length)| body.get(start..start.checked_add(length)?))
            .ok_or_else(|| broken("expected values inside their batch, found some beyond it"))?;
        // An empty buffer (no gaps: no validity) has no size in front; pyarrow writes such.
        let Some(size) = bytes.first_chunk::<8>().filter(|_| packed) else {
            continue;
        };
        // -1 is for a buffer that is not packed.
        let size = u64::try_from(i64::from_le_bytes(*size)).unwrap_or_default();
        if size > (bytes.len() as u64).saturating_mul(EXPANSION) {
            return Err(broken("expected packed data, found an impossible size"));
        }
        unpacked = unpacked.saturating_add(size);
    }
    Ok(unpacked)
}

/// Asks for as much memory once, so that a lack of it is an error and not the end of the process.
fn reserve(size: u64) -> Result<()> {
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    Vec::<u8>::new().try_reserve_exact(size).map_err(|error| {
        Error::new(ErrorKind::Io, "the data does not fit into memory").because(error)
    })
}

fn broken(message: &str) -> Error {
    Error::new(ErrorKind::Format, message)
        .at(Place::default())
        .hint("the file is broken or cut off: fetch or write it again")
}

fn not_read(error: &ArrowError) -> Error {
    let message = format!("cannot read the Arrow data: {}", columnar::reason(error));
    Error::new(ErrorKind::Format, message)
        .hint("the file is broken or cut off: fetch or write it again")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::types::Int32Type;
    use arrow_array::{
        ArrayRef, DictionaryArray, DurationNanosecondArray, Int64Array, IntervalYearMonthArray,
        StringArray,
    };
    use arrow_ipc::CompressionType;
    use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
    use proptest::prelude::*;

    use super::*;
    use crate::format::{self, Format, Loaded};
    use crate::table::Kind;

    fn sample() -> RecordBatch {
        let colours: DictionaryArray<Int32Type> = ["red", "blue", "red"].into_iter().collect();
        let columns: [(&str, ArrayRef); 4] = [
            (
                "id",
                Arc::new(Int64Array::from(vec![Some(i64::MAX), None, Some(3)])),
            ),
            (
                "name",
                Arc::new(StringArray::from(vec!["a".repeat(400).as_str(), "", "c"])),
            ),
            ("colour", Arc::new(colours)),
            (
                "took",
                Arc::new(DurationNanosecondArray::from(vec![1, 2, 3])),
            ),
        ];
        RecordBatch::try_from_iter(columns).expect("a batch")
    }

    fn file(batch: &RecordBatch, compression: Option<CompressionType>) -> Vec<u8> {
        let options = IpcWriteOptions::default()
            .try_with_compression(compression)
            .expect("options");
        let mut writer =
            FileWriter::try_new_with_options(Vec::new(), &batch.schema(), options).expect("file");
        writer.write(batch).expect("written");
        writer.write(batch).expect("written");
        writer.into_inner().expect("finished")
    }

    fn stream(batch: &RecordBatch) -> Vec<u8> {
        let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).expect("stream");
        writer.write(batch).expect("written");
        writer.write(batch).expect("written");
        writer.into_inner().expect("finished")
    }

    /// Through [`format::read`], which also catches panics of the foreign reader.
    fn load(bytes: Vec<u8>) -> Result<Table> {
        let source = Source::bytes("a.arrow", bytes)?;
        let loaded = format::read(
            Format::Arrow,
            source,
            &ReadOptions::default(),
            &Control::default(),
        )?;
        match loaded {
            Loaded::Table(table) => Ok(table),
            _ => unreachable!("arrow is always a table"),
        }
    }

    #[test]
    fn files_and_streams_packed_or_not_give_the_same_table() -> Result<()> {
        let batch = sample();
        let mut all = vec![stream(&batch)];
        for compression in [
            None,
            Some(CompressionType::LZ4_FRAME),
            Some(CompressionType::ZSTD),
        ] {
            all.push(file(&batch, compression));
        }
        for bytes in all {
            let table = load(bytes)?;
            assert_eq!((table.height(), table.width()), (6, 4));
            let kinds: Vec<Kind> = table.columns().iter().map(|one| one.kind).collect();
            assert_eq!(
                kinds,
                [Kind::Int, Kind::Text, Kind::Category, Kind::Duration]
            );
            let ids = table.frame().columns()[0].i64().expect("ints");
            assert_eq!(ids.get(3), Some(i64::MAX));
            assert_eq!(ids.get(1), None);
            let colours = table.frame().columns()[2].str().expect("text");
            assert_eq!(colours.get(4), Some("blue"));
        }
        Ok(())
    }

    #[test]
    fn a_type_without_place_is_named_with_its_column() {
        let months = IntervalYearMonthArray::from(vec![1, 2]);
        let batch =
            RecordBatch::try_from_iter([("gap", Arc::new(months) as ArrayRef)]).expect("a batch");
        let error = load(file(&batch, None)).expect_err("an interval");
        assert_eq!(error.kind(), ErrorKind::Type);
        assert!(
            error.to_string().starts_with(
                "a.arrow, column \"gap\": expected a type that a table can hold, found an interval"
            ),
            "{error}"
        );
    }

    #[test]
    fn what_is_cut_off_is_an_error() {
        for whole in [
            file(&sample(), Some(CompressionType::ZSTD)),
            stream(&sample()),
        ] {
            for length in (8..whole.len() - 8).step_by(37) {
                let error = load(whole[..length].to_vec()).err();
                assert!(error.is_some(), "{length} of {} bytes", whole.len());
            }
        }
        let feather = load(b"FEA1\0\0\0\0\0\0\0\0\0\0\0\0".to_vec()).expect_err("Feather 1");
        assert!(feather.to_string().contains("found Feather 1"));
    }

    #[test]
    fn an_impossible_unpacked_size_is_refused_before_it_is_allocated() {
        let whole = file(&sample(), Some(CompressionType::LZ4_FRAME));
        // The LZ4 frame magic comes behind the eight bytes of the unpacked size.
        let at = memchr::memmem::find(&whole, &[0x04, 0x22, 0x4d, 0x18]).expect("an LZ4 frame");
        let mut hostile = whole;
        hostile[at - 8..at].copy_from_slice(&(1i64 << 46).to_le_bytes());
        let error = load(hostile).expect_err("64 TiB");
        assert!(error.to_string().contains("impossible size"), "{error}");
    }

    #[test]
    fn a_size_beyond_the_memory_is_an_error_also_when_it_could_be() {
        let whole = file(&sample(), Some(CompressionType::LZ4_FRAME));
        let message = root_as_footer(footer_bytes(&whole).expect("a footer")).expect("a footer");
        let block = *message.recordBatches().expect("batches").get(0);
        let bytes = Buffer::from_vec(whole.clone());
        assert!(block_bytes(&bytes, &block).is_ok());
        let error = reserve(1 << 60).expect_err("an exbibyte");
        assert_eq!(error.kind(), ErrorKind::Io);
    }

    #[test]
    fn a_buffer_beyond_its_batch_is_told_not_caught() {
        let mut seen = 0;
        let whole = stream(&sample());
        for at in (0..whole.len()).step_by(8) {
            let mut bytes = whole.clone();
            let end = (at + 8).min(bytes.len());
            bytes[at..end].fill(0x40);
            if let Err(error) = load(bytes) {
                assert!(
                    !error.to_string().contains("reader failed"),
                    "{at}: {error}"
                );
                seen += usize::from(error.to_string().contains("inside their batch"));
            }
        }
        assert!(seen > 0);
    }

    proptest! {
        #[test]
        fn broken_bytes_never_panic(at in any::<prop::sample::Index>(), byte in any::<u8>(), streamed in any::<bool>()) {
            let mut bytes = if streamed { stream(&sample()) } else { file(&sample(), Some(CompressionType::LZ4_FRAME)) };
            let at = at.index(bytes.len());
            bytes[at] = byte;
            drop(load(bytes));
        }
    }
}
