//! The quick way through JSON objects: one pass over checked UTF-8, straight into columns, with the
//! keys of the object before as a guess.
//!
//! It never reports a fault: at anything that is not plainly right (also a repeated key, deep
//! nesting, a very long number) it gives up, and the careful parser judges.

use crate::builder::{ColumnBuilder, RecordsBuilder, RecordsParts};
use crate::control::Control;
use crate::error::Result;
use crate::format::delimited::scalar;
use crate::value::Value;

use super::number::Number;
use super::parse::Tally;
use super::scan::{is_number, special, unit};

/// Lists and objects inside each other.
const DEPTH: usize = 32;
/// Longer numbers are left to the careful parser.
const LONGEST_NUMBER: usize = 400;
/// Objects outside of columns are searched for repeated keys up to so many fields.
const FEW_FIELDS: usize = 16;
/// Records of a list that are built as one part.
const PART: usize = 1 << 16;
/// Bytes between two looks at the stop request.
const STEP: usize = 1 << 20;

/// A place in a text.
pub(crate) struct Quick<'t> {
    text: &'t str,
    at: usize,
    scratch: String,
    /// Numbers with more digits than a float holds, by their bytes.
    pub tally: Tally,
}

impl<'t> Quick<'t> {
    /// At the begin of the text.
    pub fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            scratch: String::new(),
            tally: Tally::default(),
        }
    }

    /// Reads the object at byte `at` into the record that was begun and gives the byte behind it;
    /// `None` when it gave up, with part of the object in the record.
    #[inline]
    pub fn record(&mut self, at: usize, records: &mut RecordsBuilder) -> Option<usize> {
        self.at = at;
        self.fields(records).map(|()| self.at)
    }

    /// Reads a list of objects and nothing else; false when it gave up.
    ///
    /// # Errors
    /// A stop request; those of [`RecordsParts::push`].
    pub fn list(&mut self, parts: &mut RecordsParts, control: &Control) -> Result<bool> {
        if self.take(b'[').is_none() {
            return Ok(false);
        }
        let mut records = RecordsBuilder::new();
        let mut checked = 0;
        loop {
            records.begin();
            if self.fields(&mut records).is_none() {
                return Ok(false);
            }
            records.end();
            if records.len() == PART {
                records.shrink();
                parts.push(std::mem::take(&mut records))?;
            }
            if self.at - checked > STEP {
                checked = self.at;
                control.check()?;
            }
            match self.comma_or(b']') {
                Some(true) => break,
                Some(false) => {}
                None => return Ok(false),
            }
        }
        records.shrink();
        parts.push(records)?;
        Ok(self.next().is_none())
    }

    fn fields(&mut self, records: &mut RecordsBuilder) -> Option<()> {
        self.take(b'{')?;
        if self.next()? == b'}' {
            self.at += 1;
            return Some(());
        }
        loop {
            self.take(b'"')?;
            let column = match records.expected(self.rest()) {
                Some((_, true, _)) => return None,
                Some((column, false, length)) => {
                    self.at += length;
                    column
                }
                None => match records.field(self.string()?) {
                    (_, true) => return None,
                    (column, false) => column,
                },
            };
            self.take(b':')?;
            self.column(column, 0)?;
            if self.comma_or(b'}')? {
                return Some(());
            }
        }
    }

    /// The next value into a column.
    fn column(&mut self, column: &mut ColumnBuilder, depth: usize) -> Option<()> {
        match self.next()? {
            b'"' => {
                self.at += 1;
                column.push_text(self.string()?);
            }
            b'-' | b'0'..=b'9' => self.number(column)?,
            b'n' => {
                self.word(b"null")?;
                column.push_null();
            }
            b't' => {
                self.word(b"true")?;
                column.push_bool(true);
            }
            b'f' => {
                self.word(b"false")?;
                column.push_bool(false);
            }
            b'[' if depth < DEPTH => {
                if let Some(items) = column.begin_list() {
                    self.items(items, depth + 1)?;
                    column.end_list();
                } else {
                    column.push(&self.value(depth)?);
                }
            }
            b'{' if depth < DEPTH => {
                if column.begin_object() {
                    self.object(column, depth + 1)?;
                    column.end_object();
                } else {
                    column.push(&self.value(depth)?);
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn items(&mut self, items: &mut ColumnBuilder, depth: usize) -> Option<()> {
        self.at += 1;
        if self.next()? == b']' {
            self.at += 1;
            return Some(());
        }
        loop {
            self.column(items, depth)?;
            if self.comma_or(b']')? {
                return Some(());
            }
        }
    }

    fn object(&mut self, column: &mut ColumnBuilder, depth: usize) -> Option<()> {
        self.at += 1;
        if self.next()? == b'}' {
            self.at += 1;
            return Some(());
        }
        loop {
            self.take(b'"')?;
            let field = match column.expected(self.rest()) {
                Some((_, true, _)) => return None,
                Some((field, false, length)) => {
                    self.at += length;
                    field
                }
                None => match column.field(self.string()?)? {
                    (_, true) => return None,
                    (field, false) => field,
                },
            };
            self.take(b':')?;
            self.column(field, depth)?;
            if self.comma_or(b'}')? {
                return Some(());
            }
        }
    }

    /// The next value, for a column that holds JSON text.
    fn value(&mut self, depth: usize) -> Option<Value> {
        Some(match self.next()? {
            b'"' => {
                self.at += 1;
                Value::Text(self.string()?.to_owned())
            }
            b'-' | b'0'..=b'9' => {
                let text = self.digits()?;
                self.judged(text)?.value()
            }
            b'n' => self.word(b"null").map(|()| Value::Null)?,
            b't' => self.word(b"true").map(|()| Value::Bool(true))?,
            b'f' => self.word(b"false").map(|()| Value::Bool(false))?,
            b'[' if depth < DEPTH => {
                self.at += 1;
                let mut items = Vec::new();
                if self.next()? == b']' {
                    self.at += 1;
                    return Some(Value::List(items));
                }
                loop {
                    items.push(self.value(depth + 1)?);
                    if self.comma_or(b']')? {
                        break Value::List(items);
                    }
                }
            }
            b'{' if depth < DEPTH => {
                self.at += 1;
                let mut fields: Vec<(String, Value)> = Vec::new();
                if self.next()? == b'}' {
                    self.at += 1;
                    return Some(Value::Object(fields));
                }
                loop {
                    self.take(b'"')?;
                    let name = self.string()?.to_owned();
                    let known = fields.iter().any(|(known, _)| *known == name);
                    if known || fields.len() == FEW_FIELDS {
                        return None;
                    }
                    self.take(b':')?;
                    fields.push((name, self.value(depth + 1)?));
                    if self.comma_or(b'}')? {
                        break Value::Object(fields);
                    }
                }
            }
            _ => return None,
        })
    }

    fn rest(&self) -> &'t [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// The next byte that is no white space.
    #[inline]
    fn next(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        loop {
            match *bytes.get(self.at)? {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                byte => return Some(byte),
            }
        }
    }

    /// Goes behind the byte, and white space before it.
    #[inline]
    fn take(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then(|| self.at += 1)
    }

    /// Goes behind a comma (false) or the closing bracket (true).
    #[inline]
    fn comma_or(&mut self, close: u8) -> Option<bool> {
        let byte = self.next()?;
        self.at += 1;
        (byte == b',' || byte == close).then_some(byte == close)
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        self.rest().starts_with(word).then(|| self.at += word.len())
    }

    #[inline]
    fn number(&mut self, column: &mut ColumnBuilder) -> Option<()> {
        let text = self.digits()?;
        if let Some(value) = scalar::int(text.as_bytes()) {
            column.push_int(value);
        } else if let Some((value, _)) = scalar::decimal(text.as_bytes()) {
            column.push_float(value);
        } else {
            self.judged(text)?.push(column);
        }
        Some(())
    }

    /// The letters of the next number, whatever their order.
    #[inline]
    fn digits(&mut self) -> Option<&'t str> {
        let rest = self.rest();
        let inside = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E');
        let length = rest
            .iter()
            .position(|byte| !inside(byte))
            .unwrap_or(rest.len());
        let text = self.text.get(self.at..self.at + length)?;
        self.at += length;
        Some(text)
    }

    /// A number that is looked at closely.
    fn judged(&mut self, text: &'t str) -> Option<Number<'t>> {
        if text.len() > LONGEST_NUMBER || !is_number(text.as_bytes()) {
            return None;
        }
        let number = Number::read(text);
        if matches!(number, Number::Float { rounded: true, .. }) {
            let index = self.at - text.len();
            self.tally.round(1, index);
        }
        Some(number)
    }

    /// The text up to its closing quote.
    #[inline]
    fn string(&mut self) -> Option<&str> {
        let start = self.at;
        let end = special(self.text.as_bytes(), start)?;
        if self.text.as_bytes().get(end) == Some(&b'"') {
            self.at = end + 1;
            return self.text.get(start..end);
        }
        self.escaped(start, end)
    }

    fn escaped(&mut self, mut start: usize, mut end: usize) -> Option<&str> {
        let bytes = self.text.as_bytes();
        self.scratch.clear();
        loop {
            self.scratch.push_str(self.text.get(start..end)?);
            match bytes.get(end)? {
                b'"' => {
                    self.at = end + 1;
                    return Some(&self.scratch);
                }
                b'\\' => {}
                _ => return None,
            }
            start = end + 2;
            let letter = match bytes.get(end + 1)? {
                letter @ (b'"' | b'\\' | b'/') => char::from(*letter),
                b'b' => '\u{8}',
                b'f' => '\u{c}',
                b'n' => '\n',
                b'r' => '\r',
                b't' => '\t',
                b'u' => {
                    let first = unit(bytes, start)?;
                    start += 4;
                    let mut code = u32::from(first);
                    if (0xd800..0xdc00).contains(&first) {
                        let second = bytes.get(start..start + 2).filter(|two| *two == b"\\u");
                        let second = second.and_then(|_| unit(bytes, start + 2))?;
                        if !(0xdc00..0xe000).contains(&second) {
                            return None;
                        }
                        start += 6;
                        code = 0x1_0000 + ((code - 0xd800) << 10) + u32::from(second) - 0xdc00;
                    }
                    char::from_u32(code)?
                }
                _ => return None,
            };
            self.scratch.push(letter);
            end = special(bytes, start)?;
        }
    }
}
