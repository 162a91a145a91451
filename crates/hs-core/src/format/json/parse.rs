//! JSON text into values, on jiter's pull parser: the careful way, which tells what is wrong and where.

use jiter::{Jiter, JiterError, Peek};

use crate::builder::RecordsBuilder;
use crate::control::Control;
use crate::error::{Error, Place, quoted};
use crate::note::{Note, Topic};
use crate::text;
use crate::value::Value;

use super::fault::Fault;
use super::number::Number;

/// Lists and objects inside each other: more could overflow the stack here or in another library.
const DEPTH: usize = 512;
/// Bytes between two looks at the stop request.
const STEP: usize = 1 << 20;
/// Up to so many fields, a repeated key is found by looking at all of them.
const FEW_FIELDS: usize = 16;

/// Why parsing ended early.
#[derive(Debug)]
pub(crate) enum Step {
    /// The text is not JSON.
    Fault(Fault),
    /// The work was stopped.
    Stopped(Error),
}

impl Step {
    /// As an error; `text` is the whole file.
    pub fn into_error(self, text: &[u8]) -> Error {
        match self {
            Self::Fault(fault) => fault.into_error(text),
            Self::Stopped(error) => error,
        }
    }
}

impl From<JiterError> for Step {
    fn from(error: JiterError) -> Self {
        Self::Fault(error.into())
    }
}

impl From<Error> for Step {
    fn from(error: Error) -> Self {
        Self::Stopped(error)
    }
}

/// What was changed on the way in, to be told. Places are bytes or lines, from 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// Keys that an object had more than once: count, the first of them and its place.
    pub repeated: u64,
    pub first_repeated: Option<(String, usize)>,
    /// Numbers with more digits than a float holds: count and place of the first.
    pub rounded: u64,
    pub first_rounded: Option<usize>,
}

impl Tally {
    fn repeat(&mut self, key: &str, index: usize) {
        self.repeated += 1;
        self.first_repeated
            .get_or_insert_with(|| (key.to_owned(), index));
    }

    /// So many numbers were rounded.
    pub fn round(&mut self, count: u64, index: usize) {
        self.rounded += count;
        self.first_rounded.get_or_insert(index);
    }

    /// With one place for all of it.
    pub fn at(mut self, place: usize) -> Self {
        self.first_repeated = self.first_repeated.map(|(key, _)| (key, place));
        self.first_rounded = self.first_rounded.map(|_| place);
        self
    }

    /// Takes over what happened in a later part of the text that begins at the place `shift`.
    pub fn append(&mut self, other: Self, shift: usize) {
        self.repeated += other.repeated;
        self.rounded += other.rounded;
        if self.first_repeated.is_none() {
            self.first_repeated = other.first_repeated.map(|(key, at)| (key, at + shift));
        }
        if self.first_rounded.is_none() {
            self.first_rounded = other.first_rounded.map(|at| at + shift);
        }
    }

    /// As notes; `line` gives the line, from 1, of a place.
    pub fn notes(&self, line: impl Fn(usize) -> u64) -> Vec<Note> {
        let mut notes = Vec::new();
        if let Some((key, index)) = &self.first_repeated {
            let line = line(*index);
            let message = format!(
                "{}, the last value is kept (first: {} on line {})",
                text::counted(self.repeated, "repeated key"),
                quoted(key),
                text::count(line)
            );
            let place = Place::default().row(line).column(key);
            notes.push(Note::new(Topic::Rows, message).counted(self.repeated, place));
        }
        if let Some(index) = self.first_rounded {
            let line = line(index);
            let message = format!(
                "{} of more digits than a float keeps rounded (first: line {})",
                text::counted(self.rounded, "number"),
                text::count(line)
            );
            let place = Place::default().row(line);
            notes.push(Note::new(Topic::Types, message).counted(self.rounded, place));
        }
        notes
    }
}

/// A pass over one JSON text.
pub(crate) struct Parser<'j> {
    jiter: Jiter<'j>,
    control: &'j Control,
    checked: usize,
    pub tally: Tally,
}

impl<'j> Parser<'j> {
    /// At the begin of the text.
    pub fn new(text: &'j [u8], control: &'j Control) -> Self {
        Self {
            jiter: Jiter::new(text),
            control,
            checked: 0,
            tally: Tally::default(),
        }
    }

    /// The whole text as one value.
    pub fn document(&mut self) -> Result<Value, Step> {
        let peek = self.jiter.peek()?;
        let value = self.value(peek, 0)?;
        self.jiter.finish()?;
        Ok(value)
    }

    /// The whole text as a list of objects; false as soon as it turns out to be something else
    /// (also an empty list).
    pub fn records(&mut self, records: &mut RecordsBuilder) -> Result<bool, Step> {
        if self.jiter.peek()? != Peek::Array {
            return Ok(false);
        }
        let mut next = self.jiter.known_array()?;
        if next.is_none() {
            return Ok(false);
        }
        while let Some(peek) = next {
            if peek != Peek::Object {
                return Ok(false);
            }
            self.enter(1)?;
            let fields = self.object(1)?;
            records.begin();
            for (key, value) in &fields {
                records.push(key, value);
            }
            records.end();
            next = self.jiter.array_step()?;
        }
        self.jiter.finish()?;
        Ok(true)
    }

    /// The whole text as one object: its fields.
    pub fn only_object(&mut self) -> Result<Vec<(String, Value)>, Step> {
        if self.jiter.peek()? != Peek::Object {
            let index = self.jiter.current_index();
            return Err(Step::Fault(Fault::not_an_object(index)));
        }
        self.enter(0)?;
        let fields = self.object(0)?;
        self.jiter.finish()?;
        Ok(fields)
    }

    /// The next value.
    fn value(&mut self, peek: Peek, depth: usize) -> Result<Value, Step> {
        Ok(match peek {
            Peek::String => Value::Text(self.jiter.known_str()?.to_owned()),
            Peek::Null => {
                self.jiter.known_null()?;
                Value::Null
            }
            Peek::True | Peek::False => Value::Bool(self.jiter.known_bool(peek)?),
            Peek::Array => {
                self.enter(depth)?;
                let mut items = Vec::new();
                let mut next = self.jiter.known_array()?;
                while let Some(peek) = next {
                    items.push(self.value(peek, depth + 1)?);
                    next = self.jiter.array_step()?;
                }
                Value::List(items)
            }
            Peek::Object => {
                self.enter(depth)?;
                Value::Object(self.object(depth)?)
            }
            _ => self.number(peek)?.value(),
        })
    }

    fn object(&mut self, depth: usize) -> Result<Vec<(String, Value)>, Step> {
        let mut fields: Vec<(String, Value)> = Vec::new();
        let mut index: std::collections::HashMap<String, usize> = std::collections::HashMap::new();
        let mut key = self.jiter.known_object()?;
        while let Some(name) = key {
            let name = name.to_owned();
            let at = if fields.len() < FEW_FIELDS {
                fields.iter().position(|(known, _)| *known == name)
            } else {
                if index.is_empty() {
                    let known = fields.iter().enumerate();
                    index = known.map(|(at, (name, _))| (name.clone(), at)).collect();
                }
                index.get(&name).copied()
            };
            let start = self.jiter.current_index();
            let peek = self.jiter.peek()?;
            let value = self.value(peek, depth + 1)?;
            if let Some((name, earlier)) = at.and_then(|at| fields.get_mut(at)) {
                self.tally.repeat(name, start);
                *earlier = value;
            } else {
                if !index.is_empty() {
                    index.insert(name.clone(), fields.len());
                }
                fields.push((name, value));
            }
            key = self.jiter.next_key()?;
        }
        Ok(fields)
    }

    fn number(&mut self, peek: Peek) -> Result<Number<'_>, Step> {
        let index = self.jiter.current_index();
        let bytes = match self.jiter.known_number_bytes(peek) {
            Ok(bytes) => bytes,
            Err(error) => {
                // A wrong first letter is no number; point at its begin, not into it.
                let mut error = error;
                if !matches!(peek.into_inner(), b'-' | b'0'..=b'9') {
                    error.index = index;
                    error.error_type =
                        jiter::JiterErrorType::JsonError(jiter::JsonErrorType::ExpectedSomeValue);
                }
                return Err(error.into());
            }
        };
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        let number = Number::read(text);
        if matches!(number, Number::Float { rounded: true, .. }) {
            self.tally.round(1, index);
        }
        Ok(number)
    }

    /// Goes into a list or object.
    fn enter(&mut self, depth: usize) -> Result<(), Step> {
        let index = self.jiter.current_index();
        if depth >= DEPTH {
            return Err(Step::Fault(Fault::too_deep(DEPTH, index)));
        }
        if index - self.checked > STEP {
            self.control.advance((index - self.checked) as u64);
            self.checked = index;
            self.control.check()?;
        }
        Ok(())
    }
}
