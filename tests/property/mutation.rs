//! Small damages to files: bits flipped, bytes cut, repeated and put in, parts of other files.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// A damaged file never gets longer than this.
const LONGEST: usize = 256 << 10;

/// So many bytes of a file tell which one it is.
const SHOWN: usize = 400;

/// What readers treat as special, and what they should not trip over.
const TOKENS: &[&[u8]] = &[
    b"\"",
    b"\"\"",
    b"\"\"\"",
    b"'",
    b"'''",
    b",",
    b";",
    b"\t",
    b"|",
    b"\n",
    b"\r",
    b"\r\n",
    b"\r\r\n",
    b"\n\n",
    b" ",
    b"\0",
    b"\x1a",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xfe\xff",
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\xf0\x9f\x98\x80",
    b"\xc3\xa9",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"\\udc00\\ud800",
    b"{",
    b"}",
    b"[",
    b"]",
    b"[[",
    b"]]",
    b":",
    b"=",
    b".",
    b"#",
    b"sep=;\n",
    b"null",
    b"true",
    b"NaN",
    b"NA",
    b"inf",
    b"-",
    b"-0",
    b"-0.0",
    b"0",
    b"00042",
    b"+1",
    b"1e5",
    b"1e999",
    b"1e-999",
    b"5e-324",
    b"1,234",
    b"1.234,5",
    b"0x1f",
    b"9223372036854775807",
    b"9223372036854775808",
    b"18446744073709551615",
    b"18446744073709551616",
    b"-9223372036854775809",
    b"0.1234567890123456789",
    b"2026-02-30",
    b"0000-00-00",
    b"9999-12-31",
    b"2026-01-31T23:59:60Z",
    b"2026-01-31T10:00:00.123456789+14:00",
    b"31/12/2026",
    b"24:00:00",
    b"{}",
    b"[]",
    b"{\"a\":1}",
    b"\"a\":",
    b"[a.b]\n",
    b"[[a]]\n",
    b"a.b = 1\n",
    b"<",
    b">",
    b"/>",
    b"</c>",
    b"</row>",
    b"<v>",
    b"<c r=\"XFD1048576\"><v>1</v></c>",
    b"<c r=\"A0\" t=\"s\"><v>4294967296</v></c>",
    b"<row r=\"1048577\">",
    b" t=\"d\"",
    b" s=\"65536\"",
    b" count=\"4294967295\"",
    b" table:number-columns-repeated=\"16384\"",
    b" table:number-rows-repeated=\"1048576\"",
    b"<!DOCTYPE a [<!ENTITY b \"c\">]>",
    b"&b;",
    b"&#0;",
    b"&#xD800;",
    b"_x0000_",
    b"<![CDATA[",
    b"\xff\xff\xff\xff\x0f",
];

/// The bytes of a file; a failure shows them as text.
#[derive(Clone, PartialEq)]
pub struct File(pub Vec<u8>);

impl std::fmt::Debug for File {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (shown, cut) = match self.0.get(..SHOWN) {
            Some(front) => (front, ", cut"),
            None => (&self.0[..], ""),
        };
        write!(
            out,
            "b\"{}\" ({} bytes{cut})",
            shown.escape_ascii(),
            self.0.len()
        )
    }
}

/// One damage. Positions are drawn from the whole length and so fit any file.
#[derive(Clone, Debug)]
pub enum Mutation {
    Flip(Index, u8),
    Insert(Index, &'static [u8]),
    Replace(Index, &'static [u8]),
    Remove(Index, usize),
    Cut(Index),
    Behead(Index),
    Duplicate(Index, usize, Index, usize),
    Splice(Index, usize, Index),
}

/// One to six damages.
pub fn mutations() -> impl Strategy<Value = Vec<Mutation>> {
    let at = any::<Index>;
    let token = || select(TOKENS);
    let mutation = prop_oneof![
        3 => (at(), 0u8..8).prop_map(|(at, bit)| Mutation::Flip(at, bit)),
        4 => (at(), token()).prop_map(|(at, token)| Mutation::Insert(at, token)),
        3 => (at(), token()).prop_map(|(at, token)| Mutation::Replace(at, token)),
        2 => (at(), 1usize..64).prop_map(|(at, length)| Mutation::Remove(at, length)),
        1 => at().prop_map(Mutation::Cut),
        1 => at().prop_map(Mutation::Behead),
        2 => (at(), 1usize..200, at(), 1usize..4)
            .prop_map(|(at, length, to, times)| Mutation::Duplicate(at, length, to, times)),
        1 => (at(), 1usize..12, at(), 100usize..4000)
            .prop_map(|(at, length, to, times)| Mutation::Duplicate(at, length, to, times)),
        2 => (at(), 1usize..400, at())
            .prop_map(|(at, length, to)| Mutation::Splice(at, length, to)),
    ];
    vec(mutation, 1..7)
}

fn part_of(file: &[u8], at: Index, length: usize) -> Vec<u8> {
    if file.is_empty() {
        return Vec::new();
    }
    let start = at.index(file.len());
    file[start..file.len().min(start + length)].to_vec()
}

/// The file with these damages; parts to put in come from `other`.
pub fn damaged(file: &File, other: &File, mutations: &[Mutation]) -> Vec<u8> {
    let mut bytes = file.0.clone();
    for mutation in mutations {
        if bytes.is_empty() {
            break;
        }
        let length = bytes.len();
        let position = |at: &Index| at.index(length);
        match mutation {
            Mutation::Flip(at, bit) => {
                let at = position(at);
                bytes[at] ^= 1 << bit;
            }
            Mutation::Insert(at, token) => {
                let at = position(at);
                bytes.splice(at..at, token.iter().copied());
            }
            Mutation::Replace(at, token) => {
                let at = position(at);
                let end = bytes.len().min(at + token.len());
                bytes.splice(at..end, token.iter().copied());
            }
            Mutation::Remove(at, length) => {
                let at = position(at);
                let end = bytes.len().min(at + length);
                bytes.drain(at..end);
            }
            Mutation::Cut(at) => bytes.truncate(position(at)),
            Mutation::Behead(at) => drop(bytes.drain(..position(at))),
            Mutation::Duplicate(at, length, to, times) => {
                let part = part_of(&bytes, *at, *length).repeat(*times);
                let to = position(to);
                bytes.splice(to..to, part);
            }
            Mutation::Splice(at, length, to) => {
                let part = part_of(&other.0, *at, *length);
                let to = position(to);
                bytes.splice(to..to, part);
            }
        }
        bytes.truncate(LONGEST);
    }
    bytes
}
