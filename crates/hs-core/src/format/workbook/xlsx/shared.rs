//! The shared texts of a workbook.

use super::feed::{Flow, LONGEST, Trouble, too_long};
use super::package::Package;
use super::text::{decode, finish};
use super::token::{Open, Token, Tokens};
use super::{plain, token};
use crate::error::Result;
use crate::format::workbook::texts::Texts;

/// Reads the shared texts. An optional part: `None` when it is not there.
///
/// # Errors
/// [`ErrorKind::Format`](crate::ErrorKind::Format) when it is broken.
pub fn texts(package: &Package<'_>, part: &str) -> Result<Option<Texts>> {
    let mut reading = Reading::default();
    let there = package.walk(part, &mut |tokens, open| reading.take(tokens, open))?;
    Ok(there.then_some(reading.texts))
}

#[derive(Default)]
struct Reading {
    texts: Texts,
    rich: Rich,
}

impl Reading {
    fn take(
        &mut self,
        tokens: &mut Tokens<'_>,
        open: &mut Open,
    ) -> std::result::Result<Flow, Trouble> {
        loop {
            // Inside `sst`, between its texts.
            while open.is_at(1)
                && let Some((text, end)) = plain::shared(tokens.text(), tokens.at)
            {
                self.texts.add(text)?;
                tokens.at = end;
            }
            let Some(token) = tokens.next(open)? else {
                return Ok(Flow::On);
            };
            match (token, open.depth()) {
                (Token::Start(tag), 2) if tag.name == "si" => self.rich.begin(2),
                (Token::End, 1) if self.rich.is_open() => {
                    self.texts.add(self.rich.end()?)?;
                }
                (token, depth) => self.rich.take(token, depth),
            }
        }
    }
}

/// A text of plain and formatted pieces: `t` and `r` elements, but not the reading aids of `rPh`.
///
/// Source: ECMA-376 part 1, 18.4.8 (CT_Rst).
#[derive(Debug, Default)]
pub struct Rich {
    /// Depth of the element that holds the text; 0 when none is open.
    depth: usize,
    /// All pieces so far.
    text: String,
    /// The piece that is read.
    piece: String,
    in_piece: bool,
    keep_space: bool,
    /// Depth of an element whose texts are none of this one; 0 when none is open.
    aside: usize,
}

impl Rich {
    /// The element that holds the text has begun, at this depth.
    pub fn begin(&mut self, depth: usize) {
        self.depth = depth;
        self.text.clear();
        self.in_piece = false;
        self.aside = 0;
    }

    /// True between begin and end.
    pub fn is_open(&self) -> bool {
        self.depth > 0
    }

    /// The whole text.
    ///
    /// # Errors
    /// [`ErrorKind::Format`](crate::ErrorKind::Format) when it is longer than any program writes.
    pub fn end(&mut self) -> Result<&str> {
        self.depth = 0;
        if self.text.len() > LONGEST {
            return Err(too_long());
        }
        Ok(&self.text)
    }

    /// Takes what stands inside the element; `depth` as after the token.
    pub fn take(&mut self, token: Token<'_>, depth: usize) {
        if self.depth == 0 {
            return;
        }
        match token {
            Token::Start(tag) if self.aside == 0 => match tag.name {
                "t" => {
                    self.in_piece = true;
                    self.piece.clear();
                    self.keep_space = keeps_space(tag);
                }
                "rPh" => self.aside = depth,
                _ => {}
            },
            Token::End if self.aside > depth => self.aside = 0,
            Token::End if self.in_piece => {
                self.in_piece = false;
                if self.text.len() <= LONGEST {
                    finish(&self.piece, self.keep_space, &mut self.text);
                }
            }
            Token::Text(text) if self.in_piece => decode(text, &mut self.piece),
            Token::Data(text) if self.in_piece => self.piece.push_str(text),
            _ => {}
        }
    }
}

fn keeps_space(tag: token::Tag<'_>) -> bool {
    tag.value("xml:space") == Some("preserve")
}
