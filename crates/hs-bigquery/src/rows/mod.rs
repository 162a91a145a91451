//! Result pages (placeholder until the decoder lands).
use hs_core::{Control, Result, Table};
/// What a reply says besides its rows.
#[derive(Debug, Default)]
pub struct Page {
    pub complete: bool,
    pub token: Option<String>,
    pub total_rows: Option<u64>,
    pub changed_rows: Option<u64>,
    pub cache_hit: Option<bool>,
    pub processed: Option<u64>,
}
#[derive(Default)]
pub struct Rows {}
impl Rows {
    pub fn new() -> Self {
        Self {}
    }
    pub fn page(&mut self, _body: &[u8], _control: &Control) -> Result<Page> {
        Ok(Page::default())
    }
    pub fn has_columns(&self) -> bool {
        false
    }
    pub fn height(&self) -> usize {
        0
    }
    pub fn table(self) -> Result<Table> {
        Err(hs_core::Error::new(hs_core::ErrorKind::Internal, "x"))
    }
}
