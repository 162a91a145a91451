//! The rows of some columns, one behind the other, in stretches of work. Copies no values.

use polars::prelude::Series;
use polars_arrow::array::Array;

/// Rows between two looks at the stop request.
pub const STEP: usize = 1 << 16;

/// A stretch of rows: slices of arrays, none longer than [`STEP`].
pub type Stretch = Vec<Box<dyn Array>>;

/// The rows of all columns cut into about as many stretches as there are threads.
pub struct Pieces(pub Vec<Stretch>);

impl Pieces {
    /// Stretches of columns that are stored alike; fewer where the rows are few.
    pub fn of(columns: &[Series], height: usize) -> Self {
        let threads = rayon::current_num_threads();
        let most = height.div_ceil(threads).max(STEP);
        let mut stretches: Vec<Stretch> = Vec::new();
        let mut room = 0;
        for array in columns.iter().flat_map(|column| column.chunks()) {
            let mut start = 0;
            while start < array.len() {
                if room == 0 {
                    stretches.push(Stretch::new());
                    room = most;
                }
                let rows = room.min(STEP).min(array.len() - start);
                if let Some(stretch) = stretches.last_mut() {
                    stretch.push(array.sliced(start, rows));
                }
                room -= rows;
                start += rows;
            }
        }
        Self(stretches)
    }
}
