//! HTTP/1.1 as far as clients of a REST service use it: requests in, replies out, one connection after another request.
//! It knows nothing of BigQuery, and takes no TLS.

use std::io::{self, BufRead, Read, Write};
use std::sync::Arc;

use serde_json::Value;

/// More than any statement that a test sends.
const MOST_BODY: u64 = 64 << 20;

/// One request, its path and query decoded.
#[derive(Debug)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub query: Vec<(String, String)>,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        first(&self.headers, name)
    }

    pub fn parameter(&self, name: &str) -> Option<&str> {
        first(&self.query, name)
    }

    /// Google's clients write `True`, others `true`.
    pub fn is_true(&self, name: &str) -> bool {
        self.parameter(name)
            .is_some_and(|value| value.eq_ignore_ascii_case("true"))
    }

    /// The fields of a form.
    pub fn form(&self) -> Vec<(String, String)> {
        pairs(&String::from_utf8_lossy(&self.body))
    }
}

fn first<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let found = pairs.iter().find(|(key, _)| key == name);
    found.map(|(_, value)| value.as_str())
}

/// Reads one request; nothing when the client has closed the connection.
pub fn read(stream: &mut impl BufRead) -> io::Result<Option<Request>> {
    let line = match line(stream)? {
        Some(line) if line.is_empty() => line_or_end(stream)?,
        Some(line) => line,
        None => return Ok(None),
    };
    let mut words = line.split(' ');
    let (Some(method), Some(target)) = (words.next(), words.next()) else {
        return Err(wrong(&format!(
            "a request begins with method and path, found {line:?}"
        )));
    };
    // A client that was told of a proxy sends the whole address.
    let target = match target.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("/", |slash| &rest[slash..]),
        None => target,
    };
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut request = Request {
        method: method.to_owned(),
        path: decoded(path, false),
        query: pairs(query),
        headers: headers(stream)?,
        body: Vec::new(),
    };
    let chunked = request
        .header("transfer-encoding")
        .is_some_and(|value| value.contains("chunked"));
    request.body = if chunked {
        chunks(stream)?
    } else {
        let length = request.header("content-length").unwrap_or("0");
        let length = length
            .parse()
            .map_err(|_| wrong("Content-Length is no number"))?;
        body(stream, length)?
    };
    Ok(Some(request))
}

fn line(stream: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    if stream.take(1 << 20).read_line(&mut line)? == 0 {
        return Ok(None);
    }
    Ok(Some(line.trim_end_matches(['\r', '\n']).to_owned()))
}

fn line_or_end(stream: &mut impl BufRead) -> io::Result<String> {
    line(stream)?.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

fn headers(stream: &mut impl BufRead) -> io::Result<Vec<(String, String)>> {
    let mut headers = Vec::new();
    loop {
        let line = line_or_end(stream)?;
        if line.is_empty() {
            return Ok(headers);
        }
        let (name, value) = line.split_once(':').unwrap_or((line.as_str(), ""));
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
}

fn body(stream: &mut impl BufRead, length: u64) -> io::Result<Vec<u8>> {
    if length > MOST_BODY {
        return Err(wrong("the body is larger than 64 MiB"));
    }
    let mut body = Vec::new();
    stream.take(length).read_to_end(&mut body)?;
    if (body.len() as u64) < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(body)
}

fn chunks(stream: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut whole = Vec::new();
    loop {
        let line = line_or_end(stream)?;
        let size = line.split(';').next().unwrap_or("").trim();
        let size =
            u64::from_str_radix(size, 16).map_err(|_| wrong("a chunk begins with its size"))?;
        if size == 0 {
            headers(stream)?;
            return Ok(whole);
        }
        whole.extend(body(stream, size)?);
        if whole.len() as u64 > MOST_BODY {
            return Err(wrong("the body is larger than 64 MiB"));
        }
        line_or_end(stream)?;
    }
}

fn wrong(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// `a=1&b=2` as pairs.
pub fn pairs(text: &str) -> Vec<(String, String)> {
    let parts = text.split('&').filter(|part| !part.is_empty());
    let pair = |part: &str| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        (decoded(name, true), decoded(value, true))
    };
    parts.map(pair).collect()
}

fn decoded(text: &str, plus_is_space: bool) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = bytes
            .get(at + 1..at + 3)
            .and_then(|pair| std::str::from_utf8(pair).ok());
        let code = code.and_then(|pair| u8::from_str_radix(pair, 16).ok());
        match (bytes[at], code) {
            (b'%', Some(code)) => {
                out.push(code);
                at += 2;
            }
            (b'+', _) if plus_is_space => out.push(b' '),
            (byte, _) => out.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// One reply. Its body is a list of parts, so that a page that is kept is sent without a copy.
#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    pub content_type: String,
    pub headers: Vec<(String, String)>,
    pub parts: Vec<Arc<Vec<u8>>>,
}

impl Reply {
    pub fn json(status: u16, value: &Value) -> Self {
        Self::text(status, "application/json; charset=UTF-8", value.to_string())
    }

    pub fn text(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            content_type: content_type.to_owned(),
            headers: Vec::new(),
            parts: vec![Arc::new(body.into())],
        }
    }

    /// The service indents its JSON unless it is told not to.
    pub fn indented(mut self) -> Self {
        if self.content_type.starts_with("application/json") {
            let compact: Vec<u8> = self
                .parts
                .iter()
                .flat_map(|part| part.iter().copied())
                .collect();
            self.parts = vec![Arc::new(indent(&compact))];
        }
        self
    }

    /// As a client takes it that reads gzip.
    pub fn compressed(mut self) -> io::Result<Self> {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        for part in &self.parts {
            packed.write_all(part)?;
        }
        self.parts = vec![Arc::new(packed.finish()?)];
        self.headers
            .push(("Content-Encoding".to_owned(), "gzip".to_owned()));
        Ok(self)
    }

    /// Sends it; with `cut`, only so many bytes of the body that was promised.
    pub fn write(&self, stream: &mut impl Write, cut: Option<usize>) -> io::Result<()> {
        let length: usize = self.parts.iter().map(|part| part.len()).sum();
        let mut head = format!(
            "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {length}\r\n",
            self.status,
            phrase(self.status),
            self.content_type
        );
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        stream.write_all(head.as_bytes())?;
        let mut left = cut.unwrap_or(length);
        for part in &self.parts {
            let sent = left.min(part.len());
            stream.write_all(&part[..sent])?;
            left -= sent;
        }
        stream.flush()
    }
}

fn phrase(status: u16) -> &'static str {
    match status {
        200 => "OK",
        302 => "Found",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        409 => "Conflict",
        411 => "Length Required",
        429 => "Too Many Requests",
        499 => "Client Closed Request",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "Unknown",
    }
}

/// JSON with a line for each value, two spaces deeper at each level; the order of keys is kept.
fn indent(compact: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(compact.len() * 2);
    let mut depth = 0;
    let (mut in_text, mut escaped) = (false, false);
    let line = |out: &mut Vec<u8>, depth: usize| {
        out.push(b'\n');
        out.extend(std::iter::repeat_n(b' ', depth * 2));
    };
    for (at, &byte) in compact.iter().enumerate() {
        if in_text {
            out.push(byte);
            in_text = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
            continue;
        }
        match byte {
            b'{' | b'[' => {
                out.push(byte);
                depth += 1;
                if !matches!(compact.get(at + 1), Some(b'}' | b']')) {
                    line(&mut out, depth);
                }
            }
            b'}' | b']' => {
                depth -= 1;
                if !matches!(compact[at - 1], b'{' | b'[') {
                    line(&mut out, depth);
                }
                out.push(byte);
            }
            b',' => {
                out.push(byte);
                line(&mut out, depth);
            }
            b':' => out.extend_from_slice(b": "),
            _ => {
                in_text = byte == b'"';
                out.push(byte);
            }
        }
    }
    out.push(b'\n');
    out
}

#[cfg(test)]
mod tests {
    use super::{decoded, indent, pairs, read};

    #[test]
    fn a_request_with_a_body_in_chunks() {
        let mut text: &[u8] =
            b"POST /a%3Ab/c?x=1%2B2&y= HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\
            3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n";
        let request = read(&mut text).unwrap().unwrap();
        assert_eq!(
            (request.method.as_str(), request.path.as_str()),
            ("POST", "/a:b/c")
        );
        assert_eq!(
            request.query,
            [("x".into(), "1+2".into()), ("y".into(), String::new())]
        );
        assert_eq!(request.body, b"abcde");
        assert_eq!(read(&mut text).unwrap().unwrap().method, "GET");
        assert!(read(&mut text).unwrap().is_none());
    }

    #[test]
    fn a_body_that_ends_early_is_an_error() {
        let mut text: &[u8] = b"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nabc";
        assert!(read(&mut text).is_err());
    }

    #[test]
    fn escapes_of_addresses() {
        assert_eq!(decoded("%C3%A9%4", false), "é%4");
        assert_eq!(pairs("a+b=c%26"), [("a b".to_owned(), "c&".to_owned())]);
    }

    #[test]
    fn indenting_changes_no_value() {
        let compact = br#"{"a":[],"b":[{"v":"x{,\":\\"},{"v":null}],"c":{}}"#;
        let wide = indent(compact);
        let shown = "{\n  \"a\": [],\n  \"b\": [\n    {\n      \"v\": \"x{,\\\":\\\\\"\n    },\n    {\n      \"v\": null\n    \
                     }\n  ],\n  \"c\": {}\n}\n";
        assert_eq!(String::from_utf8(wide).unwrap(), shown);
    }
}
