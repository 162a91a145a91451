//! XML as tags and texts, from a window of a part. It knows no element by name, resolves no
//! references and keeps nothing of what it has read but the names of the open elements.
//!
//! An own reader by measurement: it takes what may end in the middle of a tag, so that a part can be
//! unpacked on one core while it is read on another, and it leaves plain cells to `cell`.

use memchr::{memchr, memchr3, memmem};

/// One thing that stands in XML. Names are those of the file, with their prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// The start of an element.
    Start(Tag<'a>),
    /// The end of an element; also comes behind a start that is its own end.
    End,
    /// Text with references in it.
    Text(&'a str),
    /// Text as it is (CDATA).
    Data(&'a str),
}

/// A start tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag<'a> {
    /// The name without its prefix.
    pub name: &'a str,
    attributes: &'a str,
}

/// What is wrong with the XML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It has a DTD, which no writer makes and which can blow up a small file.
    Dtd,
    /// An end tag that no open element waits for.
    End,
    /// A `<` that begins nothing.
    Tag,
    /// More elements inside one another than any writer makes.
    Deep,
    /// It ends within a tag or an element.
    Cut,
}

/// How deep elements may lie inside one another.
const DEPTH: usize = 256;

/// The names of the open elements.
#[derive(Debug, Default)]
pub struct Open {
    names: String,
    starts: Vec<usize>,
    /// The start tag before was its own end.
    closing: bool,
}

impl Open {
    /// How many elements are open.
    pub fn depth(&self) -> usize {
        self.starts.len()
    }

    /// True when the next token is right inside so many elements.
    pub fn is_at(&self, depth: usize) -> bool {
        self.starts.len() == depth && !self.closing
    }

    fn push(&mut self, name: &str) -> Result<(), Fault> {
        if self.starts.len() == DEPTH {
            return Err(Fault::Deep);
        }
        self.starts.push(self.names.len());
        self.names.push_str(name);
        Ok(())
    }

    fn pop(&mut self) {
        if let Some(start) = self.starts.pop() {
            self.names.truncate(start);
        }
    }

    /// True when the innermost element has this name.
    fn is(&self, name: &str) -> bool {
        let start = self.starts.last();
        start.and_then(|start| self.names.get(*start..)) == Some(name)
    }
}

/// The tokens of a window.
#[derive(Debug)]
pub struct Tokens<'a> {
    text: &'a str,
    /// Up to where tokens were taken.
    pub at: usize,
    /// Nothing follows this window.
    last: bool,
}

impl<'a> Tokens<'a> {
    /// Of a window; `last` says that the part ends with it.
    pub fn new(text: &'a str, last: bool) -> Self {
        Self { text, at: 0, last }
    }

    /// The text of the window.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The next token; `None` when the rest of the window holds no whole one.
    ///
    /// # Errors
    /// The fault of XML that is broken.
    pub fn next(&mut self, open: &mut Open) -> Result<Option<Token<'a>>, Fault> {
        if open.closing {
            open.closing = false;
            open.pop();
            return Ok(Some(Token::End));
        }
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let bytes = rest.as_bytes();
            match bytes {
                [] => return self.end(open),
                [b'<', b'/', ..] => {
                    let Some(end) = memchr(b'>', bytes) else {
                        return self.cut();
                    };
                    let name = rest.get(2..end).unwrap_or_default().trim_ascii_end();
                    if !open.is(name) {
                        return Err(Fault::End);
                    }
                    open.pop();
                    self.at += end + 1;
                    return Ok(Some(Token::End));
                }
                [b'<', b'?', ..] => match memmem::find(bytes, b"?>") {
                    Some(end) => self.at += end + 2,
                    None => return self.cut(),
                },
                [b'<', b'!', ..] => match self.special(rest)? {
                    Some(Some(data)) => return Ok(Some(Token::Data(data))),
                    Some(None) => {}
                    None => return self.cut(),
                },
                [b'<', ..] => {
                    let Some(end) = tag_end(bytes) else {
                        return self.cut();
                    };
                    let inside = rest.get(1..end).unwrap_or_default();
                    let (inside, empty) = match inside.strip_suffix('/') {
                        Some(inside) => (inside, true),
                        None => (inside, false),
                    };
                    let length = inside
                        .bytes()
                        .take_while(|byte| !byte.is_ascii_whitespace())
                        .count();
                    let (full, attributes) = inside.split_at_checked(length).unwrap_or_default();
                    if full.is_empty() || full.contains(['<', '=', '"']) {
                        return Err(Fault::Tag);
                    }
                    open.push(full)?;
                    open.closing = empty;
                    self.at += end + 1;
                    let name = full.rsplit_once(':').map_or(full, |(_, name)| name);
                    return Ok(Some(Token::Start(Tag { name, attributes })));
                }
                _ => {
                    let end = match memchr(b'<', bytes) {
                        Some(end) => end,
                        None if self.last => bytes.len(),
                        None => return Ok(None),
                    };
                    self.at += end;
                    return Ok(Some(Token::Text(rest.get(..end).unwrap_or_default())));
                }
            }
        }
    }

    /// Comments and CDATA: the text of the latter, nothing for the former; `None` when cut.
    #[expect(clippy::option_option, reason = "cut, passed over, or text")]
    fn special(&mut self, rest: &'a str) -> Result<Option<Option<&'a str>>, Fault> {
        let bytes = rest.as_bytes();
        for (front, back) in [("<!--", "-->"), ("<![CDATA[", "]]>")] {
            if let Some(inside) = rest.strip_prefix(front) {
                let Some(end) = memmem::find(inside.as_bytes(), back.as_bytes()) else {
                    return Ok(None);
                };
                self.at += front.len() + end + back.len();
                let data = inside.get(..end).unwrap_or_default();
                return Ok(Some((front != "<!--").then_some(data)));
            }
            // The front itself may be cut.
            if front.as_bytes().starts_with(bytes) {
                return Ok(None);
            }
        }
        let doctype = b"<!DOCTYPE";
        let front = &bytes[..bytes.len().min(doctype.len())];
        if doctype[..front.len()].eq_ignore_ascii_case(front) {
            return Err(Fault::Dtd);
        }
        Err(Fault::Tag)
    }

    /// Nothing is left of the window.
    fn end(&self, open: &Open) -> Result<Option<Token<'a>>, Fault> {
        if self.last && open.depth() > 0 {
            return Err(Fault::Cut);
        }
        Ok(None)
    }

    /// A token is cut at the end of the window.
    fn cut(&self) -> Result<Option<Token<'a>>, Fault> {
        if self.last { Err(Fault::Cut) } else { Ok(None) }
    }
}

/// Where the `>` of a tag is: attributes may have one in their quotes.
fn tag_end(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        at += memchr3(b'>', b'"', b'\'', bytes.get(at..)?)?;
        match bytes[at] {
            b'>' => return Some(at),
            quote => at += 2 + memchr(quote, bytes.get(at + 1..)?)?,
        }
    }
}

impl<'a> Tag<'a> {
    /// The raw value of the attribute with this name and no prefix.
    pub fn value(&self, name: &str) -> Option<&'a str> {
        self.attributes()
            .find(|(full, _)| *full == name)
            .map(|(_, value)| value)
    }

    /// The raw value of the attribute with this name and any prefix.
    pub fn prefixed(&self, name: &str) -> Option<&'a str> {
        self.attributes()
            .find(|(full, _)| full.split_once(':').is_some_and(|(_, local)| local == name))
            .map(|(_, value)| value)
    }

    /// Names and raw values of the attributes; ends at the first that is broken.
    fn attributes(&self) -> Attributes<'a> {
        Attributes(self.attributes)
    }
}

struct Attributes<'a>(&'a str);

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let (name, rest) = self.0.split_once('=')?;
        let rest = rest.trim_ascii_start();
        let quote = *rest.as_bytes().first()?;
        if !matches!(quote, b'"' | b'\'') {
            return None;
        }
        let rest = rest.get(1..)?;
        let end = memchr(quote, rest.as_bytes())?;
        self.0 = rest.get(end + 1..)?;
        Some((name.trim_ascii(), rest.get(..end)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tokens as words, from windows of the given size.
    fn words(xml: &str, window: usize) -> Result<Vec<String>, Fault> {
        let mut open = Open::default();
        let mut words = Vec::new();
        let (mut start, mut end) = (0, 0);
        loop {
            end = (end + window).min(xml.len());
            while !xml.is_char_boundary(end) {
                end += 1;
            }
            let last = end == xml.len();
            let mut tokens = Tokens::new(&xml[start..end], last);
            while let Some(token) = tokens.next(&mut open)? {
                words.push(match token {
                    Token::Start(tag) => {
                        let attributes: Vec<String> = tag
                            .attributes()
                            .map(|(name, value)| format!(" {name}={value}"))
                            .collect();
                        format!("<{}{}", tag.name, attributes.concat())
                    }
                    Token::End => ">".into(),
                    Token::Text(text) if text.trim().is_empty() => continue,
                    Token::Text(text) => text.into(),
                    Token::Data(text) => format!("[{text}]"),
                });
            }
            if last {
                return Ok(words);
            }
            start += tokens.at;
        }
    }

    #[test]
    fn windows_change_nothing() {
        let xml = "<?xml version='1.0'?><!-- <a> --><x:a b = \"1>2\" x:c='\"'>\n<d/>t&amp;ü\
                   <![CDATA[<e>]]]]><f  /></x:a >\n";
        let whole = words(xml, xml.len()).expect("right");
        assert_eq!(
            whole,
            [
                "<a b=1>2 x:c=\"",
                "<d",
                ">",
                "t&amp;ü",
                "[<e>]]]",
                "<f",
                ">",
                ">"
            ]
        );
        for window in 1..xml.len() {
            assert_eq!(words(xml, window).as_ref(), Ok(&whole), "{window}");
        }
    }

    #[test]
    fn faults_are_named() {
        for (xml, fault) in [
            ("<a><b></a></b>", Fault::End),
            ("</a>", Fault::End),
            ("<a>", Fault::Cut),
            ("<a", Fault::Cut),
            ("<a b='>", Fault::Cut),
            ("<a><!-- ", Fault::Cut),
            ("<a><![CDATA[ ]]</a>", Fault::Cut),
            ("<a>< b/></a>", Fault::Tag),
            ("<a><!x></a>", Fault::Tag),
            ("<!DOCTYPE a []><a/>", Fault::Dtd),
            ("<!doctype a><a/>", Fault::Dtd),
        ] {
            for window in [1, 3, xml.len()] {
                assert_eq!(words(xml, window), Err(fault), "{xml}");
            }
        }
        let deep = "<a>".repeat(300);
        assert_eq!(words(&deep, 1000), Err(Fault::Deep));
    }

    #[test]
    fn attributes_are_found_by_name() {
        let tag = Tag {
            name: "c",
            attributes: " r=\"A1\" r:id = 'rId1' s=\"\"",
        };
        assert_eq!(tag.value("r"), Some("A1"));
        assert_eq!(tag.value("id"), None);
        assert_eq!(tag.prefixed("id"), Some("rId1"));
        assert_eq!(tag.value("s"), Some(""));
    }
}
