//! Apache Parquet. Every type arrives exact; INT96 timestamps in every year.
//!
//! - [`read`]: a file as a table; `footer` what it says of itself, `mend` where that is wrong, `decode` its columns, side by side
//! - `input`, `page` and `thrift`: its bytes, and what its pages may promise
//! - `leaves`: the Arrow types that columns are read as
//! - [`write()`]: a table as a file; `stored` how its columns lie there, `repeats` which have dictionaries
//! - `int96`, and `nested_int96` inside other types: the timestamps of Impala and Spark

mod decode;
mod footer;
mod input;
mod int96;
mod leaves;
mod mend;
mod nested_int96;
mod page;
mod read;
mod repeats;
mod stored;
mod thrift;
mod write;

#[cfg(test)]
mod tests;

pub use read::{names, read};
pub use write::write;

use parquet::errors::ParquetError;

use crate::error::{Error, ErrorKind};
use crate::format::columnar;

fn not_read(error: ParquetError) -> Error {
    refuse(&columnar::reason(&error)).because(error)
}

fn refuse(reason: &str) -> Error {
    let message = format!("cannot read the parquet data: {reason}");
    let error = Error::new(ErrorKind::Format, message);
    if reason.to_lowercase().contains("encrypt") {
        return error.hint("encrypted parquet is not read: decrypt it first");
    }
    error.hint("the file is broken or cut off: fetch or write it again")
}
