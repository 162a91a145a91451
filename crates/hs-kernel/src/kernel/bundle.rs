//! What is shown of a value that comes in several forms (a MIME bundle): a figure as a figure, else the form that reads
//! best as text.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use crate::protocol::{Image, Notice};

/// What a notice of the kernel app is sent as.
const NOTICE: &str = "application/vnd.headstart.notice+json";
/// Figures that models and terminals can show, the best first.
const FIGURES: [&str; 4] = ["image/png", "image/jpeg", "image/webp", "image/gif"];
/// Forms that read as text, the best first, when the plain one only names its class.
const TEXTS: [&str; 6] = [
    "text/markdown",
    "text/latex",
    "text/html",
    "image/svg+xml",
    "application/json",
    "application/javascript",
];

/// A part of what is shown.
#[derive(Debug, PartialEq)]
pub enum Piece {
    /// Text that stands on lines of its own.
    Text(String),
    /// A figure.
    Figure(Image),
    /// Something besides the output.
    Notice(Notice),
}

/// What is shown of a value.
pub fn pieces(mut data: Map<String, Value>) -> Option<Piece> {
    if let Some(notice) = data.get(NOTICE) {
        let field = |name: &str| notice[name].as_str().unwrap_or_default();
        return Some(Piece::Notice(Notice::new(field("kind"), field("text"))));
    }
    for mime in FIGURES {
        if let Some(Value::String(letters)) = data.get_mut(mime) {
            let mut data = std::mem::take(letters);
            // IPython ends some with a line end; bytes that are no base64 are no figure.
            data.retain(|letter| !letter.is_ascii_whitespace());
            if STANDARD.decode(&data).is_ok() {
                return Some(Piece::Figure(Image {
                    mime: mime.to_owned(),
                    data,
                }));
            }
        }
    }
    let plain = data.remove("text/plain").map(as_text);
    if plain.as_deref().is_none_or(only_names_its_class) {
        for mime in TEXTS {
            if let Some(value) = data.remove(mime) {
                return Some(Piece::Text(as_text(value)));
            }
        }
    }
    plain.map(Piece::Text)
}

fn as_text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// `<IPython.core.display.HTML object>` says nothing of what is shown.
fn only_names_its_class(plain: &str) -> bool {
    plain.starts_with("<IPython.") && plain.ends_with(" object>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(data: Value) -> Option<Piece> {
        match data {
            Value::Object(data) => pieces(data),
            _ => None,
        }
    }

    #[test]
    fn a_figure_is_a_figure_and_a_value_its_plain_text() {
        let figure = of(json!({"image/png": "iVBORw0K\n", "text/plain": "<Figure size 640x480>"}));
        assert!(matches!(figure, Some(Piece::Figure(image)) if image.data == "iVBORw0K"));
        let frame = of(json!({"text/html": "<table>", "text/plain": "   a\n0  1"}));
        assert_eq!(frame, Some(Piece::Text("   a\n0  1".to_owned())));
        let html = of(
            json!({"text/html": "<b>x</b>", "text/plain": "<IPython.core.display.HTML object>"}),
        );
        assert_eq!(html, Some(Piece::Text("<b>x</b>".to_owned())));
        let broken = of(json!({"image/png": "no base64!", "text/plain": "a figure"}));
        assert_eq!(broken, Some(Piece::Text("a figure".to_owned())));
        assert_eq!(
            of(json!({"application/json": {"a": 1}})),
            Some(Piece::Text("{\"a\":1}".to_owned()))
        );
        assert_eq!(of(json!({})), None);
        let notice = of(json!({NOTICE: {"kind": "exit", "text": "t"}}));
        assert_eq!(notice, Some(Piece::Notice(Notice::new("exit", "t"))));
    }
}
