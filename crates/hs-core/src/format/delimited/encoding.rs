//! Bytes to UTF-8: byte order mark, else UTF-8, else UTF-16 by its zero bytes, else detection.
//!
//! Never gives invalid UTF-8 and never replaces a character silently.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{DecoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use rayon::prelude::*;

use super::records::line_of;
use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result, close_names};
use crate::fix::Fix;
use crate::text::counted;

const STEP: usize = 1 << 20;
/// How much the detector is shown, from the first byte on that is not ASCII.
const SHOWN: usize = 4 << 20;
/// Labels for the error about an unknown one.
const EXAMPLES: [&str; 7] = [
    "utf-8",
    "utf-16le",
    "windows-1252",
    "iso-8859-15",
    "shift_jis",
    "gbk",
    "macintosh",
];
/// More of them, for what comes close to an unknown one.
const OTHERS: [&str; 25] = [
    "utf8",
    "utf-16",
    "utf-16be",
    "ascii",
    "latin1",
    "cp1252",
    "windows-1250",
    "windows-1251",
    "windows-1253",
    "windows-1254",
    "windows-1255",
    "windows-1256",
    "windows-1257",
    "windows-1258",
    "iso-8859-1",
    "iso-8859-2",
    "iso-8859-5",
    "iso-8859-7",
    "koi8-r",
    "koi8-u",
    "ibm866",
    "gb18030",
    "big5",
    "euc-jp",
    "euc-kr",
];

/// Text in valid UTF-8.
pub struct Decoded {
    bytes: Vec<u8>,
    start: usize,
    /// What it was decoded from.
    pub encoding: &'static Encoding,
}

impl Decoded {
    /// The text, without a byte order mark.
    pub fn text(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }
}

/// Decodes a file; `label` is what the user says it is in.
///
/// # Errors
/// [`ErrorKind::Argument`] for an unknown label, [`ErrorKind::Format`] at the first byte that the
/// encoding has no character for; a stop request.
pub fn decode(bytes: Vec<u8>, label: Option<&str>, control: &Control) -> Result<Decoded> {
    let wanted = label.map(by_label).transpose()?;
    if bytes.starts_with(b"\xff\xfe\0\0") || bytes.starts_with(b"\0\0\xfe\xff") {
        // Its first half would pass for the mark of UTF-16.
        let error = Error::new(
            ErrorKind::Format,
            "expected UTF-8 or UTF-16 text, found UTF-32",
        );
        return Err(error.hint("save the file as UTF-8"));
    }
    if let Some((encoding, start)) = Encoding::for_bom(&bytes)
        && (wanted.is_none_or(|wanted| wanted == encoding)
            || label.is_some_and(|label| label.eq_ignore_ascii_case("utf-16")))
    {
        return if encoding == UTF_8 {
            utf8(bytes, start, control)?.map_err(|(bytes, place)| malformed(UTF_8, &bytes, place))
        } else {
            convert(&bytes, start, encoding, control)?
                .map_err(|place| malformed(encoding, &bytes, place))
        };
    }
    if let Some(encoding) = wanted {
        return if encoding == UTF_8 {
            utf8(bytes, 0, control)?.map_err(|(bytes, place)| malformed(UTF_8, &bytes, place))
        } else {
            convert(&bytes, 0, encoding, control)?
                .map_err(|place| malformed(encoding, &bytes, place))
        };
    }
    // ASCII in UTF-16 is valid UTF-8 full of NULs, so the zero bytes are looked at first.
    let sixteen = by_zero_bytes(&bytes, bytes.len());
    if let Some((encoding, true)) = sixteen {
        return convert(&bytes, 0, encoding, control)?
            .map_err(|place| malformed(encoding, &bytes, place));
    }
    let (bytes, place) = match utf8(bytes, 0, control)? {
        Ok(decoded) => return Ok(decoded),
        Err(refused) => refused,
    };
    if let Some((encoding, _)) = sixteen
        && let Ok(decoded) = convert(&bytes, 0, encoding, control)?
    {
        return Ok(decoded);
    }
    // Where most of what is not ASCII is UTF-8, the rest of it is damage and no other encoding.
    let (right, wrong) = utf8_share(&bytes, place, control)?;
    if right > wrong {
        let all = format!(
            "{} in a file that is else UTF-8",
            counted(wrong, "such byte")
        );
        let fix = Fix::text("encoding", "windows-1252");
        let hint =
            format!("mend the file, or name the encoding to read all of it in, such as {fix}");
        return Err(malformed_with(UTF_8, &bytes, place, &all)
            .hint(hint)
            .fix(fix));
    }
    if only_symbols(&bytes, place, control)? {
        return convert(&bytes, 0, WINDOWS_1252, control)?
            .map_err(|place| malformed(WINDOWS_1252, &bytes, place));
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    for part in bytes[place.min(bytes.len())..]
        .chunks(STEP)
        .take(SHOWN / STEP)
    {
        control.check()?;
        detector.feed(part, false);
    }
    detector.feed(b"", true);
    let guess = detector.guess(None, Utf8Detection::Deny);
    if let Ok(decoded) = convert(&bytes, 0, guess, control)? {
        return Ok(decoded);
    }
    convert(&bytes, 0, WINDOWS_1252, control)?
        .map_err(|place| malformed(WINDOWS_1252, &bytes, place))
}

/// How many characters of several bytes are right in UTF-8, and how many bytes are wrong in it. In
/// another encoding hardly any are right, by chance.
fn utf8_share(bytes: &[u8], first_wrong: usize, control: &Control) -> Result<(u64, u64)> {
    let long = |text: &[u8]| text.iter().filter(|byte| **byte >= 0xc0).count() as u64;
    let (front, back) = bytes.split_at(first_wrong.min(bytes.len()));
    let (mut right, mut wrong) = (long(front), 0);
    for part in back.chunks(STEP) {
        control.check()?;
        for chunk in part.utf8_chunks() {
            right += long(chunk.valid().as_bytes());
            wrong += chunk.invalid().len() as u64;
        }
    }
    Ok((right, wrong))
}

/// True when all that is not ASCII are signs of windows-1252 that stand alone, such as those of
/// `£10`, `5 µm` or `it’s`. The detector knows languages by their letters and here has none to go by.
fn only_symbols(bytes: &[u8], first: usize, control: &Control) -> Result<bool> {
    // Signs in all western encodings, and those that are letters in windows-1250.
    const SIGNS: &[u8] = b"\x80\x85\x91\x92\x93\x94\x95\x96\x97\x99\xa0\xa2\xa7\xa9\xab\xac\xad\xae\xb0\xb1\xb2\xb4\xb5\xb6\xb7\xbb\xbd\xd7\xf7";
    const DOUBTFUL: &[u8] = b"\xa1\xa3\xa5\xb3\xb9\xbc\xbe\xbf";
    let letter = |at: Option<usize>| {
        let byte = at.and_then(|at| bytes.get(at));
        byte.is_some_and(u8::is_ascii_alphabetic)
    };
    let alone = |at: Option<usize>| {
        let byte = at.and_then(|at| bytes.get(at));
        byte.is_none_or(|byte| byte.is_ascii() || *byte == 0xa0)
    };
    for (at, byte) in bytes.iter().enumerate().skip(first) {
        if at % STEP == 0 {
            control.check()?;
        }
        if byte.is_ascii() {
            continue;
        }
        let (before, behind) = (at.checked_sub(1), Some(at + 1));
        // The 3 of cm³ stands behind a unit, the Polish l in its place behind a longer word.
        let unit = *byte == 0xb3 && !letter(behind) && !letter(at.checked_sub(3));
        let apart = !letter(before) && !letter(behind) || unit;
        let sign = SIGNS.contains(byte) || DOUBTFUL.contains(byte) && apart;
        if !sign || *byte != 0xa0 && !(alone(before) && alone(behind)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// How many bytes to skip (those of a byte order mark) before UTF-8, if all that can be said from
/// the front of a file of `length` bytes speaks for it, or the user says so.
pub fn utf8_start(front: &[u8], length: usize, label: Option<&str>) -> Option<usize> {
    let wanted = label.map(known);
    if wanted.is_some_and(|wanted| wanted != Some(UTF_8)) {
        return None;
    }
    match Encoding::for_bom(front) {
        Some((encoding, start)) => (encoding == UTF_8).then_some(start),
        None if wanted.is_some() => Some(0),
        None => (!matches!(by_zero_bytes(front, length), Some((_, true)))).then_some(0),
    }
}

/// The encoding of a label, also as Python writes it: `latin-1`, `utf_8`, `utf-8-sig`.
fn known(label: &str) -> Option<&'static Encoding> {
    let lower = label.trim().to_ascii_lowercase().replace('_', "-");
    let bare = lower.strip_suffix("-sig").unwrap_or(&lower);
    let joined = bare.replace('-', "");
    let other = match joined.as_str() {
        "macroman" => "macintosh",
        joined => joined,
    };
    let mut labels = [label, bare, other].into_iter();
    labels.find_map(|label| Encoding::for_label(label.as_bytes()))
}

fn by_label(label: &str) -> Result<&'static Encoding> {
    known(label).ok_or_else(|| {
        let close = close_names(label, EXAMPLES.into_iter().chain(OTHERS));
        let hint = if close.is_empty() {
            format!("such as {}", EXAMPLES.join(", "))
        } else {
            format!("did you mean {}?", close.join(" or "))
        };
        let message = format!("expected the name of an encoding, found {label:?}");
        Error::new(ErrorKind::Argument, message).hint(hint)
    })
}

/// Checks in parallel that the bytes are UTF-8; else gives them back with the place of the first
/// that is not.
fn utf8(
    bytes: Vec<u8>,
    start: usize,
    control: &Control,
) -> Result<Result<Decoded, (Vec<u8>, usize)>> {
    // A part starts at a character: up to three continuation bytes belong to the part before.
    let border = |at: usize| {
        let mut at = at.min(bytes.len());
        while at > start && bytes.get(at).is_some_and(|byte| byte & 0xc0 == 0x80) && at % STEP < 4 {
            at += 1;
        }
        at.min(bytes.len())
    };
    let parts = bytes.len().div_ceil(STEP);
    let wrong = (0..parts)
        .into_par_iter()
        .map(|part| {
            control.check()?;
            let first = if part == 0 {
                start
            } else {
                border(part * STEP)
            };
            let last = border((part + 1) * STEP);
            let checked = simdutf8::compat::from_utf8(&bytes[first..last.max(first)]);
            Ok(checked.err().map(|error| first + error.valid_up_to()))
        })
        .collect::<Result<Vec<Option<usize>>>>()?
        .into_iter()
        .flatten()
        .next();
    Ok(match wrong {
        Some(place) => Err((bytes, place)),
        None => Ok(Decoded {
            bytes,
            start,
            encoding: UTF_8,
        }),
    })
}

/// Converts to UTF-8; else gives the place of the first byte that cannot be.
fn convert(
    bytes: &[u8],
    start: usize,
    encoding: &'static Encoding,
    control: &Control,
) -> Result<Result<Decoded, usize>> {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut out: Vec<u8> = Vec::new();
    let mut room = vec![0; STEP];
    let mut read = start;
    loop {
        control.check()?;
        let (result, taken, written) =
            decoder.decode_to_utf8_without_replacement(&bytes[read..], &mut room, true);
        read += taken;
        out.try_reserve(written).map_err(|error| {
            Error::new(ErrorKind::Io, "the decoded text does not fit into memory").because(error)
        })?;
        out.extend_from_slice(&room[..written]);
        match result {
            DecoderResult::InputEmpty => {
                return Ok(Ok(Decoded {
                    bytes: out,
                    start: 0,
                    encoding,
                }));
            }
            DecoderResult::OutputFull => {}
            DecoderResult::Malformed(length, behind) => {
                return Ok(Err(
                    read.saturating_sub(usize::from(length) + usize::from(behind))
                ));
            }
        }
    }
}

/// UTF-16 by its zero bytes, and whether there are so many that nothing else is likely.
///
/// A text in a western script has a zero in every other byte; one in any script has delimiters
/// and line ends, whose zeros all lie on the same side.
///
/// `length` is the number of bytes of the whole file, `bytes` its front.
fn by_zero_bytes(bytes: &[u8], length: usize) -> Option<(&'static Encoding, bool)> {
    let front = &bytes[..bytes.len().min(64 * 1024)];
    if front.len() < 4 {
        return None;
    }
    let (mut even, mut odd, mut feeds) = (0, 0, [0, 0]);
    for pair in front.chunks_exact(2) {
        even += usize::from(pair[0] == 0);
        odd += usize::from(pair[1] == 0);
        feeds[0] += usize::from(pair == b"\n\0" || pair == b"\r\0");
        feeds[1] += usize::from(pair == b"\0\n" || pair == b"\0\r");
    }
    let (encoding, many, few, feeds) = if odd > even {
        (UTF_16LE, odd, even, feeds[0])
    } else {
        (UTF_16BE, even, odd, feeds[1])
    };
    let pairs = front.len() / 2;
    let sure = many * 10 >= pairs * 6;
    let likely = sure || many * 50 >= pairs && feeds > 0;
    // A text that was cut in the middle of a character is still no UTF-8 when it is full of zeros.
    let whole = sure || length.is_multiple_of(2);
    (likely && whole && few * 20 <= many).then_some((encoding, sure))
}

fn malformed(encoding: &'static Encoding, bytes: &[u8], place: usize) -> Error {
    let fix = Fix::text("encoding", "windows-1252");
    malformed_with(encoding, bytes, place, "")
        .hint(format!("name the right encoding, such as {fix}"))
        .fix(fix)
}

/// The error about the byte at `place`, with a remark in brackets.
fn malformed_with(encoding: &'static Encoding, bytes: &[u8], place: usize, remark: &str) -> Error {
    let mut at = Place::default().byte(place as u64);
    if encoding == UTF_8 {
        at = at.row(line_of(bytes, place));
    }
    let found = bytes
        .get(place)
        .map_or("the end of the file".to_owned(), |byte| {
            format!("byte {byte:#04x}")
        });
    let remark = if remark.is_empty() {
        String::new()
    } else {
        format!(" ({remark})")
    };
    let message = format!("expected {} text, found {found}{remark}", encoding.name());
    Error::new(ErrorKind::Format, message).at(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8], label: Option<&str>) -> Result<(String, &'static str)> {
        let found = decode(bytes.to_vec(), label, &Control::default())?;
        Ok((
            String::from_utf8(found.text().to_vec()).unwrap(),
            found.encoding.name(),
        ))
    }

    fn sixteen(text: &str, big: bool) -> Vec<u8> {
        text.encode_utf16()
            .flat_map(|unit| {
                if big {
                    unit.to_be_bytes()
                } else {
                    unit.to_le_bytes()
                }
            })
            .collect()
    }

    #[test]
    fn each_kind_is_found_without_a_label() {
        let text = "name;city\nZoë;København\n";
        for (bytes, name) in [
            (text.as_bytes().to_vec(), "UTF-8"),
            ([b"\xef\xbb\xbf", text.as_bytes()].concat(), "UTF-8"),
            (sixteen(text, false), "UTF-16LE"),
            (sixteen(text, true), "UTF-16BE"),
            (
                [vec![0xff, 0xfe], sixteen(text, false)].concat(),
                "UTF-16LE",
            ),
            ([vec![0xfe, 0xff], sixteen(text, true)].concat(), "UTF-16BE"),
            (b"name;city\nZo\xeb;K\xf8benhavn\n".to_vec(), "windows-1252"),
        ] {
            assert_eq!(decoded(&bytes, None).unwrap(), (text.to_owned(), name));
        }
        let chinese = sixteen("李雷,北京\n张三,上海\n", false);
        assert_eq!(decoded(&chinese, None).unwrap().1, "UTF-16LE");
        assert_eq!(
            decoded(b"x,y\nab\0cd,1\n\0,2\n", None).unwrap().0,
            "x,y\nab\0cd,1\n\0,2\n"
        );
    }

    #[test]
    fn a_few_wrong_bytes_in_utf8_are_an_error_that_names_the_first() {
        let text = "name;city\nZoë;København\nJosé;Málaga\n".as_bytes();
        let broken = [text, b"Ren\xe9;x\n"].concat();
        let error = decoded(&broken, None).unwrap_err().to_string();
        let told = "line 4, byte 43: expected UTF-8 text, found byte 0xe9 (1 such byte in a file that is else UTF-8)";
        assert!(error.starts_with(told), "{error}");
        // Cut in the middle of its last character.
        let error = decoded(&text[..text.len() - 6], None)
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("line 3, byte 33: expected UTF-8 text"),
            "{error}"
        );
        // Nothing of it is UTF-8, by chance one pair.
        let latin = b"Ren\xe9\xe8 f\xfcr \xc3\xa4 \xe4 \xf6\n";
        assert_eq!(decoded(latin, None).unwrap().1, "windows-1252");
    }

    #[test]
    fn lone_signs_are_western_and_letters_are_left_to_the_detector() {
        for (bytes, text) in [
            (&b"a,b\n\xa310,5 \xb5m\n"[..], "a,b\n£10,5 µm\n"),
            (b"a,b\n10 \xa3,20\xb0C\n", "a,b\n10 £,20°C\n"),
            (b"a,b\n5 cm\xb3,it\x92s\n", "a,b\n5 cm³,it’s\n"),
        ] {
            assert_eq!(
                decoded(bytes, None).unwrap(),
                (text.to_owned(), "windows-1252")
            );
        }
        let polish = b"a,b\nWis\xb3a by\xb3a d\xb3uga,Pozna\xf1 jest \xb3adny\n";
        assert_eq!(decoded(polish, None).unwrap().1, "windows-1250");
        let (japanese, _, _) = encoding_rs::SHIFT_JIS.encode("名前,町\nやまだ,とうきょう\n");
        assert_eq!(decoded(&japanese, None).unwrap().1, "Shift_JIS");
    }

    #[test]
    fn text_of_two_bytes_that_is_cut_is_no_utf8_full_of_zeros() {
        let mut cut = sixteen("id,name\n1,Ann\n2,Bob\n", false);
        cut.pop();
        let error = decoded(&cut, None).unwrap_err().to_string();
        assert!(error.contains("expected UTF-16LE text"), "{error}");
        let wide: Vec<u8> = "\u{feff}id\n"
            .chars()
            .flat_map(|c| (c as u32).to_le_bytes())
            .collect();
        let error = decoded(&wide, None).unwrap_err().to_string();
        assert!(error.contains("found UTF-32"), "{error}");
    }

    #[test]
    fn labels_are_obeyed_or_refused() {
        assert_eq!(decoded(b"\x80 \x93", Some("cp1252")).unwrap().0, "€ “");
        assert_eq!(decoded(b"\x80", Some("latin1")).unwrap().0, "€");
        let unknown = decoded(b"a", Some("utf-9")).unwrap_err();
        assert_eq!(unknown.kind(), ErrorKind::Argument);
        assert!(unknown.to_string().contains("utf-8"), "{unknown}");
        let wrong = decoded(b"abc\xff", Some("utf-8")).unwrap_err();
        assert!(
            wrong
                .to_string()
                .starts_with("line 1, byte 3: expected UTF-8 text, found byte 0xff"),
            "{wrong}"
        );
        let cut = decoded(b"\xff\xfea\0b", None).unwrap_err();
        assert!(cut.to_string().contains("expected UTF-16LE text"), "{cut}");
    }

    #[test]
    fn characters_on_the_borders_of_the_parallel_check_are_whole() {
        for pad in 0..8 {
            let mut text = "x".repeat(STEP - 4 + pad);
            text.push_str("é€😀é€😀");
            text.push_str(&"ä".repeat(STEP));
            assert_eq!(
                decoded(text.as_bytes(), None).unwrap(),
                (text.clone(), "UTF-8")
            );
            let mut broken = text.clone().into_bytes();
            broken.push(0xc3);
            let wrong = decoded(&broken, Some("utf-8")).unwrap_err();
            assert_eq!(wrong.place().byte, Some(text.len() as u64), "{pad}");
        }
    }
}
