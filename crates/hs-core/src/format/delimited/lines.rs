//! From the rows of a table back to the lines of its file, for what is told about values.

use super::chunks::{Body, Chunk, Room};
use super::records::line_of;
use crate::control::Control;
use crate::error::Result;

/// Chunks that start in so many bytes of data are near the top of the file.
const NEAR: usize = 1 << 20;

/// Where the records of a text are.
pub struct Lines<'a> {
    body: &'a Body<'a>,
    /// Start and end of each chunk, and how many rows are before it.
    spans: Vec<(usize, usize, usize)>,
}

impl<'a> Lines<'a> {
    /// Of chunks that were walked.
    pub fn of<T>(body: &'a Body<'a>, chunks: &[Chunk<T>]) -> Self {
        let mut before = 0;
        let spans = chunks.iter().map(|chunk| {
            let span = (chunk.start, chunk.end, before);
            before += chunk.rows;
            span
        });
        let spans = spans.collect();
        Self { body, spans }
    }

    /// How many rows are near the top of the file: their lines are found without reading the rest again.
    pub fn near(&self) -> usize {
        let far = |span: &&(usize, usize, usize)| span.0 >= self.body.start + NEAR;
        self.spans
            .iter()
            .find(far)
            .map_or(usize::MAX, |span| span.2)
    }

    /// The line, from 1, in which a row (from 0) starts.
    ///
    /// # Errors
    /// A stop request; [`ErrorKind::Io`](crate::ErrorKind::Io) when the file cannot be read again.
    pub fn line(&self, row: usize, control: &Control) -> Result<u64> {
        let lines = self.lines(&[row], control)?;
        Ok(lines.first().copied().unwrap_or_default())
    }

    /// The lines of rows that are in order. Reads the file once, up to the last of them.
    ///
    /// # Errors
    /// As [`Lines::line`].
    pub fn lines(&self, rows: &[usize], control: &Control) -> Result<Vec<u64>> {
        let mut found = Vec::with_capacity(rows.len());
        let mut rest = rows;
        let mut room = Room::default();
        let mut line = line_of(self.body.text, self.body.start);
        for (number, (start, end, before)) in self.spans.iter().enumerate() {
            if rest.is_empty() {
                break;
            }
            control.check()?;
            let next = self.spans.get(number + 1).map_or(usize::MAX, |span| span.2);
            let inside = rest.partition_point(|row| *row < next);
            let (here, later) = rest.split_at(inside);
            rest = later;
            if !here.is_empty() {
                self.body
                    .again(*start, *end, &mut room, control, |index, text| {
                        let text = self.part(text, *start, *end);
                        // On from the last one: there may be as many rows as columns.
                        let (mut at, mut line) = (0, line);
                        for row in here {
                            let position = index.start_of(row - before) - start;
                            line += line_of(&text[at..], position - at) - 1;
                            at = position;
                            found.push(line);
                        }
                        Ok(())
                    })?;
            }
            if !rest.is_empty() {
                let text = match self.body.file {
                    None => self.part(self.body.text, *start, *end),
                    Some(file) => file.window(*start, *end, &mut room.bytes)?,
                };
                line += line_of(text, text.len()) - 1;
            }
        }
        Ok(found)
    }

    /// A chunk's part of what was read for it: the whole text, or a window that is the chunk.
    fn part<'t>(&self, text: &'t [u8], start: usize, end: usize) -> &'t [u8] {
        let part = match self.body.file {
            None => text.get(start..end),
            Some(_) => text.get(..end - start),
        };
        part.unwrap_or_default()
    }
}
