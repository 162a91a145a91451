//! One field of delimited text, in quotes where a reader would take it for something else.

/// What a byte asks for.
static MARKS: [u8; 256] = {
    let mut marks = [0; 256];
    // What another file has for its delimiter is quoted, too, lest a reader take it for ours.
    let special = b",;\t|\"\n\r";
    let mut at = 0;
    while at < special.len() {
        marks[special[at] as usize] = QUOTED;
        at += 1;
    }
    marks[b'"' as usize] = DOUBLED;
    marks
};
const QUOTED: u8 = 1;
const DOUBLED: u8 = 3;

/// Fronts of a file that make it another format, or are no part of the text: Parquet, Arrow, bzip2,
/// and the byte order mark.
const FRONTS: [&str; 5] = ["PAR1", "PARE", "ARROW1", "BZh", "\u{feff}"];

/// Appends the name of a column; the first one opens the file.
pub fn push_name(out: &mut Vec<u8>, name: &str, first: bool) {
    if name.is_empty() || first && FRONTS.iter().any(|front| name.starts_with(front)) {
        push_quoted(out, name.as_bytes());
    } else {
        push(out, name.as_bytes());
    }
}

/// Appends a text that is not empty.
pub fn push(out: &mut Vec<u8>, text: &[u8]) {
    let marks = text
        .iter()
        .fold(0, |marks, byte| marks | MARKS[usize::from(*byte)]);
    if marks == DOUBLED {
        push_quoted(out, text);
    } else if marks == QUOTED || has_edge(text) {
        out.push(b'"');
        out.extend_from_slice(text);
        out.push(b'"');
    } else {
        out.extend_from_slice(text);
    }
}

/// Quotes what was appended from `at` on, where it needs it.
pub fn quote_from(out: &mut Vec<u8>, at: usize) {
    let text = &out[at..];
    if has_edge(text) || text.iter().any(|byte| MARKS[usize::from(*byte)] > 0) {
        let text = text.to_vec();
        out.truncate(at);
        push_quoted(out, &text);
    }
}

/// Blanks at an end, which some readers cut off.
fn has_edge(text: &[u8]) -> bool {
    let edge = |byte: Option<&u8>| matches!(byte, Some(b' ' | b'\t'));
    edge(text.first()) || edge(text.last())
}

fn push_quoted(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    let mut start = 0;
    for quote in memchr::memchr_iter(b'"', text) {
        out.extend_from_slice(&text[start..=quote]);
        out.push(b'"');
        start = quote + 1;
    }
    out.extend_from_slice(&text[start..]);
    out.push(b'"');
}
