//! Decodes the columns of the row groups, several at once: each piece of work is some columns of one
//! row group. Judges no values.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::ArrayRef;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReaderBuilder};
use parquet::file::metadata::ColumnChunkMetaData;
use rayon::prelude::*;

use super::footer::{self, Group};
use super::input::{Input, Pages};
use super::{int96, not_read, page, refuse};
use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::format::columnar;

/// Rows of one batch at most; a stop request is seen between two.
const BATCH: usize = 64 * 1024;
/// Bytes of one batch, about.
const BATCH_BYTES: u64 = 16 << 20;
/// Neighbours whose columns are smaller than this together are one piece of work: each piece looks
/// at the types of the whole file.
const PIECE: u64 = 256 << 10;

/// What is read of a file.
pub(super) struct Plan {
    /// Its bytes.
    pub input: Input,
    /// Its footer, with the types that its columns are read as.
    pub footer: ArrowReaderMetadata,
    /// Its row groups that are wanted.
    pub groups: Vec<Group>,
    /// Its columns that are wanted, in the order of the file.
    pub roots: Vec<usize>,
    /// The leaves of all of its columns.
    pub leaves: Vec<Range<usize>>,
    /// Rows of one batch.
    pub batch: usize,
}

/// The batches of a column: as many, and of the same rows, as those of its neighbours.
pub(super) type Batches = Vec<ArrayRef>;

impl Plan {
    /// The wanted columns, each in batches.
    ///
    /// # Errors
    /// [`ErrorKind::Format`] with the column that is broken; a stop request.
    pub fn decode(&self, control: &Control) -> Result<Vec<Batches>> {
        let packed = self.groups.iter().flat_map(|group| {
            let of_root = |root: &usize| footer::packed(self.chunks(*group, *root));
            self.roots.iter().map(of_root)
        });
        control.start("loading", packed.fold(0, u64::saturating_add));
        let tasks: Vec<(Group, &[usize])> = self
            .groups
            .iter()
            .flat_map(|group| self.pieces(*group).map(|roots| (*group, roots)))
            .collect();
        let done = AtomicU64::new(0);
        let parts: Vec<Vec<Batches>> = tasks
            .into_par_iter()
            .with_max_len(1)
            .map(|(group, roots)| {
                let columns = self.piece(group, roots, control)?;
                let packed = roots
                    .iter()
                    .map(|root| footer::packed(self.chunks(group, *root)));
                let packed = packed.fold(0, u64::saturating_add);
                control.reach(done.fetch_add(packed, Ordering::Relaxed) + packed);
                Ok(columns)
            })
            .collect::<Result<_>>()?;
        let mut columns = vec![Batches::new(); self.roots.len()];
        for (number, part) in parts.into_iter().flatten().enumerate() {
            columns[number % self.roots.len()].extend(part);
        }
        Ok(columns)
    }

    /// What a row group says of the leaves of a column.
    pub fn chunks(&self, group: Group, root: usize) -> &[ColumnChunkMetaData] {
        let whole = self.footer.metadata().row_group(group.number);
        let leaves = self.leaves.get(root).cloned().unwrap_or_default();
        whole.columns().get(leaves).unwrap_or_default()
    }

    /// Chooses the rows of one batch, fewer when they are wide.
    #[must_use]
    pub fn in_batches(mut self) -> Self {
        let widest = self.groups.iter().flat_map(|group| {
            let per_row = |root: &usize| {
                let bytes = footer::unpacked(self.chunks(*group, *root));
                bytes / group.of.max(1) as u64
            };
            self.roots.iter().map(per_row)
        });
        let rows = BATCH_BYTES / widest.max().unwrap_or_default().max(1);
        self.batch = usize::try_from(rows).unwrap_or(BATCH).clamp(16, BATCH);
        self
    }

    /// The wanted columns of a row group in pieces of work.
    fn pieces(&self, group: Group) -> impl Iterator<Item = &[usize]> {
        let mut rest = self.roots.as_slice();
        std::iter::from_fn(move || {
            let mut size = 0;
            let end = rest.iter().position(|root| {
                size += footer::unpacked(self.chunks(group, *root));
                size >= PIECE
            });
            let (piece, tail) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
            rest = tail;
            (!piece.is_empty()).then_some(piece)
        })
    }

    fn piece(&self, group: Group, roots: &[usize], control: &Control) -> Result<Vec<Batches>> {
        control.check()?;
        match roots {
            [root] if int96::is_plain(&self.footer, self.leaves[*root].clone()) => {
                let times = int96::read(self, group, *root, control);
                Ok(vec![times.map_err(|error| self.in_column(*root, error))?])
            }
            _ if roots.len() > 1 && self.has_int96(roots) => self.one_by_one(group, roots, control),
            roots => {
                let read = self.read(&self.footer, group, roots, control);
                match read {
                    // So that the error names the column.
                    Err(error) if roots.len() > 1 && error.kind() != ErrorKind::Interrupted => {
                        self.one_by_one(group, roots, control)
                    }
                    read => read,
                }
            }
        }
    }

    fn one_by_one(&self, group: Group, roots: &[usize], control: &Control) -> Result<Vec<Batches>> {
        let mut columns = Vec::with_capacity(roots.len());
        for root in roots {
            columns.extend(self.piece(group, std::slice::from_ref(root), control)?);
        }
        Ok(columns)
    }

    fn has_int96(&self, roots: &[usize]) -> bool {
        let mut leaves = roots.iter().map(|root| self.leaves[*root].clone());
        leaves.any(|leaves| int96::is_plain(&self.footer, leaves))
    }

    /// Some columns of a row group, with the types of `footer`.
    ///
    /// # Errors
    /// As [`Plan::decode`].
    pub fn read(
        &self,
        footer: &ArrowReaderMetadata,
        group: Group,
        roots: &[usize],
        control: &Control,
    ) -> Result<Vec<Batches>> {
        let broken = |error: Error| match roots {
            [root] => self.in_column(*root, error),
            _ => error,
        };
        let mask = ProjectionMask::roots(footer.parquet_schema(), roots.iter().copied());
        let pages = self.pages(group, roots);
        let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(pages, footer.clone())
            .with_batch_size(self.batch)
            .with_row_groups(vec![group.number])
            .with_limit(group.rows)
            .with_projection(mask)
            .build()
            .map_err(|error| broken(not_read(error)))?;
        let mut columns = vec![Batches::new(); roots.len()];
        let mut rows = 0;
        for batch in reader {
            control.check()?;
            let batch =
                batch.map_err(|error| broken(refuse(&columnar::reason(&error)).because(error)))?;
            rows += batch.num_rows();
            for (column, array) in columns.iter_mut().zip(batch.columns()) {
                column.push(array.clone());
            }
        }
        if rows != group.rows {
            return Err(broken(short(group, rows)));
        }
        Ok(columns)
    }

    /// The bytes of the columns of a row group, with what their pages may promise.
    pub fn pages(&self, group: Group, roots: &[usize]) -> Pages {
        let chunks = || roots.iter().flat_map(|root| self.chunks(group, *root));
        let most = |size: fn(&ColumnChunkMetaData) -> i64| {
            let sizes = chunks()
                .map(size)
                .map(|size| u64::try_from(size).unwrap_or_default());
            sizes.max().unwrap_or_default()
        };
        Pages {
            input: self.input.clone(),
            limits: page::Limits {
                bytes: most(ColumnChunkMetaData::uncompressed_size),
                values: most(ColumnChunkMetaData::num_values),
            },
        }
    }

    fn in_column(&self, root: usize, error: Error) -> Error {
        match self.footer.schema().fields().get(root) {
            Some(field) => error.at(Place::default().column(field.name())),
            None => error,
        }
    }
}

/// The error for a column that ends before its row group does.
pub(super) fn short(group: Group, rows: usize) -> Error {
    refuse(&format!(
        "expected {} rows in row group {}, found {rows}",
        group.rows,
        group.number + 1
    ))
}
