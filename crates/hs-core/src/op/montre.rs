//! montre: a short, honest view of a table: head, tail, types, and what is hidden.

/// How much to show.
#[derive(Clone, Copy, Debug)]
pub struct MontreOptions {
    /// Rows to show, half from the head and half from the tail.
    pub n: usize,
}

impl Default for MontreOptions {
    fn default() -> Self {
        Self { n: 40 }
    }
}
