//! A part as windows of text: unpacked on one core while it is read on another, so that a sheet is
//! never in memory as a whole. Parts in other encodings than UTF-8 are decoded as a whole.

use std::io::Read;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::token::{Fault, Open, Tokens};
use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::format::Format;
use crate::format::workbook::open::{broken, stopped_or};

/// Bytes of a block; a few of them fit into the cache of a core.
const BLOCK: usize = 256 << 10;
/// No tag or text is longer: Excel's longest text has 32,767 letters.
pub const LONGEST: usize = 128 << 20;
/// Blocks that may wait to be read.
const AHEAD: usize = 4;

/// Whether to go on after a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// With the next window.
    On,
    /// Nothing more is wanted.
    Stop,
}

/// What can go wrong with a window.
#[derive(Debug)]
pub enum Trouble {
    /// The XML is broken.
    Fault(Fault),
    /// What it says is.
    Error(Error),
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// What a window is given to.
type Work<'w> = dyn FnMut(&mut Tokens<'_>, &mut Open) -> std::result::Result<Flow, Trouble> + 'w;

/// Gives a part to `work`, window by window. `size` is what the archive says of it; it decides
/// nothing but whether a second thread is worth it.
///
/// # Errors
/// [`ErrorKind::Format`] when it cannot be unpacked, or is no XML; what `work` returns.
pub fn feed(
    part: &str,
    file: impl Read + Send,
    size: u64,
    control: &Control,
    work: &mut Work<'_>,
) -> Result<()> {
    let mut blocks = Blocks { file };
    let mut windows = Windows {
        part,
        control,
        bytes: Vec::new(),
        before: 0,
    };
    if size <= BLOCK as u64 {
        return windows.all(&mut |used| blocks.next(used), work);
    }
    let (full, from_full) = sync_channel::<Block>(AHEAD);
    // Room for all blocks that there are, so that nobody waits to give one back.
    let (used, from_used) = sync_channel(AHEAD + 2);
    thread::scope(|scope| {
        let unpacking = thread::Builder::new()
            .spawn_scoped(scope, move || unpack(blocks, &full, &from_used))
            .map_err(|error| {
                Error::new(ErrorKind::Io, "the system gives no thread to read with").because(error)
            })?;
        let result = windows.all(
            &mut |block| {
                // Nobody wants it when the part has ended.
                let _ = used.try_send(block);
                // Without a word the thread ends only behind the end of the part.
                from_full.recv().unwrap_or_else(|_| Ok(Vec::new()))
            },
            work,
        );
        drop(from_full);
        match unpacking.join() {
            Ok(()) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Some bytes of a part; none at its end.
type Block = std::io::Result<Vec<u8>>;

/// A part block by block.
struct Blocks<R> {
    file: R,
}

impl<R: Read> Blocks<R> {
    /// The next block, in the memory of a used one.
    fn next(&mut self, mut block: Vec<u8>) -> Block {
        block.clear();
        block.reserve(BLOCK);
        self.file
            .by_ref()
            .take(BLOCK as u64)
            .read_to_end(&mut block)?;
        Ok(block)
    }
}

/// Sends all blocks, until there are no more or nobody takes them.
fn unpack(mut blocks: Blocks<impl Read>, full: &SyncSender<Block>, used: &Receiver<Vec<u8>>) {
    loop {
        let block = blocks.next(used.try_recv().unwrap_or_default());
        let over = !matches!(&block, Ok(block) if !block.is_empty());
        if full.send(block).is_err() || over {
            return;
        }
    }
}

/// The windows of a part.
struct Windows<'p> {
    part: &'p str,
    control: &'p Control,
    /// What was read and not taken yet.
    bytes: Vec<u8>,
    /// Bytes of the part in front of it.
    before: u64,
}

impl Windows<'_> {
    /// Gives all windows to `work`. `next` takes a used block and gives the next one.
    fn all(&mut self, next: &mut dyn FnMut(Vec<u8>) -> Block, work: &mut Work<'_>) -> Result<()> {
        let mut open = Open::default();
        let mut block = Vec::new();
        let mut least = 0;
        let mut encoding = None;
        loop {
            self.control.check()?;
            block = next(block).map_err(|error| self.not_unpacked(error))?;
            let last = block.is_empty();
            self.bytes
                .try_reserve(block.len())
                .map_err(|error| self.no_memory(error))?;
            self.bytes.extend_from_slice(&block);
            // A long text is looked at again only when there is twice as much of it.
            if !last && self.bytes.len() < least {
                continue;
            }
            let encoding = *encoding.get_or_insert_with(|| encoding_of(&self.bytes));
            if encoding != UTF_8 {
                if last {
                    return self.decoded(encoding, &mut open, work);
                }
                // Nobody writes large parts in other encodings.
                if self.bytes.len() > LONGEST {
                    let what = format!("is too large for {}", encoding.name());
                    return Err(self.broken(&what, 0));
                }
                continue;
            }
            let text = self.text(last)?;
            let mut tokens = Tokens::new(text, last);
            let flow = work(&mut tokens, &mut open);
            let taken = tokens.at;
            let whole = last && taken == text.len() && open.depth() == 0;
            match flow {
                Ok(Flow::On) => {}
                Ok(Flow::Stop) => return Ok(()),
                Err(trouble) => return Err(self.told(trouble, taken)),
            }
            if last {
                // Who leaves tokens behind at the end was not told of the fault in them.
                return if whole {
                    Ok(())
                } else {
                    Err(self.told(Fault::Cut.into(), taken))
                };
            }
            self.before += taken as u64;
            self.bytes.drain(..taken);
            if self.bytes.len() > LONGEST {
                return Err(self.broken("has a text that is too long", self.before));
            }
            least = if taken == 0 { self.bytes.len() * 2 } else { 0 };
        }
    }

    /// The text that is there, without a letter that is cut at the end of the window.
    fn text(&self, last: bool) -> Result<&str> {
        let bytes = self.bytes.as_slice();
        match simdutf8::compat::from_utf8(bytes) {
            Ok(text) => Ok(text),
            Err(error) if !last && error.error_len().is_none() => {
                let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
                Ok(std::str::from_utf8(valid).unwrap_or_default())
            }
            Err(error) => {
                let at = self.before + error.valid_up_to() as u64;
                Err(self.broken("is not UTF-8", at))
            }
        }
    }

    /// All of a part in another encoding.
    fn decoded(
        &mut self,
        encoding: &'static Encoding,
        open: &mut Open,
        work: &mut Work<'_>,
    ) -> Result<()> {
        let (text, _, wrong) = encoding.decode(&self.bytes);
        if wrong {
            let name = encoding.name();
            return Err(self.broken(&format!("is not {name}"), 0));
        }
        let mut tokens = Tokens::new(&text, true);
        match work(&mut tokens, open) {
            Ok(_) => Ok(()),
            Err(trouble) => Err(self.told(trouble, tokens.at)),
        }
    }

    /// An error with the name of the part; `taken` is where in the window.
    fn told(&self, trouble: Trouble, taken: usize) -> Error {
        let what = match trouble {
            Trouble::Error(error) => return error,
            Trouble::Fault(Fault::Dtd) => {
                return broken(Format::Xlsx, format!("{} has a DTD", self.part));
            }
            Trouble::Fault(Fault::End) => "has an end tag too many",
            Trouble::Fault(Fault::Tag) => "has a broken tag",
            Trouble::Fault(Fault::Deep) => "has too many tags inside one another",
            Trouble::Fault(Fault::Cut) => "is cut off",
        };
        self.broken(what, self.before + taken as u64)
    }

    fn broken(&self, what: &str, at: u64) -> Error {
        broken(Format::Xlsx, format!("{} {what} at byte {at}", self.part))
    }

    fn not_unpacked(&self, error: std::io::Error) -> Error {
        let told = broken(Format::Xlsx, format!("{}: {error}", self.part)).because(error);
        stopped_or(self.control, told)
    }

    fn no_memory(&self, error: std::collections::TryReserveError) -> Error {
        let message = format!("{} does not fit into memory", self.part);
        Error::new(ErrorKind::Io, message).because(error)
    }
}

/// The error for a text that is longer than any program writes.
pub fn too_long() -> Error {
    broken(Format::Xlsx, "it has a text that is too long")
}

/// The encoding that a part has by its first bytes: its byte order mark, zeros between letters, or
/// what its declaration says (XML 1.0, 4.3.3 and appendix F).
fn encoding_of(bytes: &[u8]) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding;
    }
    match bytes {
        [b'<', 0, ..] => return UTF_16LE,
        [0, b'<', ..] => return UTF_16BE,
        _ => {}
    }
    let front = bytes.get(..bytes.len().min(200)).unwrap_or_default();
    let front = String::from_utf8_lossy(front);
    let Some((declaration, _)) = front.split_once("?>") else {
        return UTF_8;
    };
    let declared = declaration
        .split_once("encoding=")
        .and_then(|(_, value)| value.get(1..)?.split(['"', '\'']).next())
        .and_then(|label| Encoding::for_label(label.as_bytes()));
    match declared {
        // Bytes that are no UTF-16 are not because a declaration says so.
        Some(encoding) if encoding != UTF_16LE && encoding != UTF_16BE => encoding,
        _ => UTF_8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::workbook::xlsx::token::Token;

    /// The texts in a part, and the error it ends with.
    fn texts(bytes: &[u8]) -> (String, Option<String>) {
        let mut all = String::new();
        let result = feed(
            "xl/a.xml",
            bytes,
            bytes.len() as u64,
            &Control::default(),
            &mut |tokens, open| {
                while let Some(token) = tokens.next(open)? {
                    if let Token::Text(text) | Token::Data(text) = token {
                        all.push_str(text);
                    }
                }
                Ok(Flow::On)
            },
        );
        (all, result.err().map(|error| error.message().to_owned()))
    }

    #[test]
    fn parts_of_many_windows_are_read_whole() {
        let text = "é".repeat(BLOCK);
        let xml = format!("<a>{}<b/>{text}</a>", "<c>x</c>".repeat(BLOCK / 4));
        let (read, error) = texts(xml.as_bytes());
        assert_eq!(error, None);
        assert!(read == format!("{}{text}", "x".repeat(BLOCK / 4)));
        let (_, error) = texts(&xml.as_bytes()[..xml.len() - 2]);
        assert!(error.expect("cut").contains("xl/a.xml is cut off"));
    }

    #[test]
    fn encodings_are_told_by_the_first_bytes() {
        let utf_16 = |text: &str, unit: fn(u16) -> [u8; 2]| -> Vec<u8> {
            text.encode_utf16().flat_map(unit).collect()
        };
        for bytes in [
            "\u{feff}<a>é</a>".as_bytes().to_vec(),
            utf_16("\u{feff}<a>é</a>", u16::to_le_bytes),
            utf_16("\u{feff}<a>é</a>", u16::to_be_bytes),
            utf_16("<a>é</a>", u16::to_le_bytes),
            utf_16("<a>é</a>", u16::to_be_bytes),
            b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe9</a>".to_vec(),
            "<?xml version='1.0' encoding=\"utf-16\"?><a>é</a>"
                .as_bytes()
                .to_vec(),
        ] {
            let (text, error) = texts(&bytes);
            assert_eq!((text.trim_start_matches('\u{feff}'), error), ("é", None));
        }
        let (_, error) = texts(b"<a>\xe9</a>");
        assert_eq!(
            error.as_deref(),
            Some("expected a whole xlsx workbook: xl/a.xml is not UTF-8 at byte 3")
        );
    }
}
