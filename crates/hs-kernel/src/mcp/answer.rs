//! Results of the protocol as results of tools: text as a model reads it, figures as images, and the same as an object
//! for programs.
//!
//! An exception in the user's code is an answer, not a failure of the tool: the tool did what it was asked, and hosts
//! that count failures, or that show of a failure its text alone, would drop figures or give up. `isError` says that
//! there is no answer: no kernel, or its variables are gone.

use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use serde_json::{Map, Value, json};

use super::link::{fields, text};

/// An answer on its way to the host.
#[derive(Debug, Default)]
pub struct Answer {
    /// What is said, the parts in order.
    parts: Vec<String>,
    /// Figures: type, base64.
    images: Vec<(String, String)>,
    /// The same for programs.
    object: Map<String, Value>,
    is_error: bool,
}

impl Answer {
    /// The answer to a cell that came to its end.
    pub fn of_result(event: &Value) -> Self {
        let mut object = fields(event);
        // No tool takes it.
        object.remove("checkpoint");
        let images = event["images"].as_array().map_or(&[][..], Vec::as_slice);
        let images: Vec<(String, String)> = images
            .iter()
            .map(|image| (text(image, "mime"), text(image, "data")))
            .collect();
        object.insert("images".to_owned(), json!(images.len()));
        let is_lost = event["state"] == "lost";
        let mut answer = Self {
            images,
            object,
            is_error: is_lost,
            ..Self::default()
        };
        answer.say(&text(event, "output"));
        for notice in event["notices"].as_array().into_iter().flatten() {
            answer.note(&text(notice, "text"));
        }
        answer
    }

    /// The answer to a cell that has no end: `output` is what it printed until then.
    pub fn of_failure(event: &Value, output: &str) -> Self {
        let kind = text(event, "kind");
        let message = text(event, "message");
        let (name, then) = match kind.as_str() {
            "lost" => ("KernelLost", ""),
            "start" => (
                "KernelNotStarted",
                "Nothing ran. The next call tries again.",
            ),
            _ => ("KernelError", ""),
        };
        let mut answer = Self {
            is_error: true,
            ..Self::default()
        };
        answer.say(output);
        answer.say(&message);
        answer.say(then);
        answer.object = Map::from_iter([
            ("status".to_owned(), json!("error")),
            ("output".to_owned(), json!(answer.said())),
            (
                "error".to_owned(),
                json!({"ename": name, "evalue": message}),
            ),
            ("state".to_owned(), json!("lost")),
        ]);
        answer
    }

    /// The answer when the launcher itself is gone.
    pub fn without_launcher() -> Self {
        Self::of_failure(
            &json!({"kind": "internal", "message": "the launcher of the kernel is gone, and with it all variables: start \
                    this MCP server anew"}),
            "",
        )
    }

    /// The answer to a call whose time is over while its cell goes on.
    pub fn still_running(said: &str) -> Self {
        let mut answer = Self::plain(said);
        answer.object = Map::from_iter([
            ("status".to_owned(), json!("running")),
            ("output".to_owned(), json!(said)),
            ("state".to_owned(), json!("kept")),
        ]);
        answer
    }

    /// An answer that is a text.
    pub fn plain(said: &str) -> Self {
        let mut answer = Self::default();
        answer.say(said);
        answer
    }

    /// The same as a failure.
    pub fn failed(said: &str) -> Self {
        Self {
            is_error: true,
            ..Self::plain(said)
        }
    }

    /// Says something more.
    pub fn say(&mut self, said: &str) {
        if !said.is_empty() {
            self.parts.push(said.to_owned());
        }
    }

    /// Says something that is not output.
    pub fn note(&mut self, said: &str) {
        self.say(&format!("note: {said}"));
    }

    /// Gives something to programs, beside what is said.
    pub fn give(&mut self, name: &str, value: Value) {
        self.object.insert(name.to_owned(), value);
    }

    /// Says something before all else, as it changes how the rest is to be read.
    pub fn note_first(&mut self, said: &str) {
        self.parts.insert(0, format!("note: {said}"));
        if let Some(Value::Array(notices)) = self.object.get_mut("notices") {
            notices.insert(0, json!({"kind": "new_kernel", "text": said}));
        }
    }

    /// Puts another answer behind this one, under a line that says what it is.
    pub fn add(&mut self, head: &str, other: Self) {
        self.say(head);
        if other.parts.is_empty() && other.images.is_empty() {
            self.say(NOTHING);
        }
        self.parts.extend(other.parts);
        self.images.extend(other.images);
    }

    /// Whether it says that variables are gone.
    pub fn is_error(&self) -> bool {
        self.is_error
    }

    /// The result of the tool; `structured` for hosts that show a model the text beside the object.
    pub fn finish(self, structured: bool) -> CallToolResult {
        let mut content = Vec::with_capacity(1 + self.images.len());
        let said = self.said();
        if !said.is_empty() {
            content.push(ContentBlock::text(said));
        } else if self.images.is_empty() {
            content.push(ContentBlock::text(NOTHING));
        }
        for (mime, data) in self.images {
            content.push(ContentBlock::image(data, mime));
        }
        let mut result = if self.is_error {
            CallToolResult::error(content)
        } else {
            CallToolResult::success(content)
        };
        if structured && !self.object.is_empty() {
            result.structured_content = Some(Value::Object(self.object));
        }
        result
    }

    fn said(&self) -> String {
        let mut said = String::with_capacity(self.parts.iter().map(|part| part.len() + 1).sum());
        for part in &self.parts {
            if !said.is_empty() && !said.ends_with('\n') {
                said.push('\n');
            }
            said.push_str(part);
        }
        said
    }
}

/// What is said of a cell that gave nothing.
const NOTHING: &str = "(no output)";

/// What `ipython` gives to programs, as a JSON schema.
pub fn schema() -> JsonObject {
    let schema = json!({
        "type": "object",
        "properties": {
            "status": {"enum": ["ok", "error", "running"], "description": "running: timeout_s is over, the cell goes on"},
            "output": {"type": "string"},
            "execution_count": {"type": "integer"},
            "error": {
                "type": "object",
                "properties": {"ename": {"type": "string"}, "evalue": {"type": "string"}},
                "required": ["ename", "evalue"],
            },
            "truncated": {"type": "boolean"},
            "full_output_path": {"type": "string"},
            "notices": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"kind": {"type": "string"}, "text": {"type": "string"}},
                    "required": ["kind", "text"],
                },
            },
            "images": {"type": "integer", "description": "figures, which come as image content"},
            "generation": {"type": "integer", "description": "which kernel of the session, from 1"},
            "duration_ms": {"type": "integer"},
            "state": {"enum": ["kept", "lost"], "description": "lost: the kernel was ended; a notice says what becomes of the variables"},
        },
        "required": ["status", "output", "state"],
    });
    match schema {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(result: &CallToolResult) -> Vec<String> {
        let texts = result.content.iter().filter_map(ContentBlock::as_text);
        texts.map(|text| text.text.clone()).collect()
    }

    fn ended(output: &str, state: &str) -> Value {
        json!({"type": "result", "id": "run-1", "session": "main", "status": "ok", "output": output,
            "truncated": false, "notices": [{"kind": "late", "text": "a thread printed later"}],
            "images": [{"mime": "image/png", "data": "AAAA"}], "generation": 2, "duration_ms": 3, "state": state})
    }

    #[test]
    fn a_result_is_text_and_figures_and_no_figure_comes_twice() {
        let mut answer = Answer::of_result(&ended("1\n", "kept"));
        answer.note_first("a new kernel");
        let result = answer.finish(true);
        assert_eq!(
            texts(&result),
            ["note: a new kernel\n1\nnote: a thread printed later"]
        );
        assert_eq!((result.content.len(), result.is_error), (2, Some(false)));
        let object = result.structured_content.expect("an object");
        assert_eq!(
            object,
            json!({"status": "ok", "output": "1\n", "truncated": false, "notices": [
                {"kind": "new_kernel", "text": "a new kernel"}, {"kind": "late", "text": "a thread printed later"}],
                "images": 1, "generation": 2, "duration_ms": 3, "state": "kept"})
        );
    }

    #[test]
    fn an_answer_is_never_empty_and_a_lost_kernel_is_an_error() {
        let result = Answer::plain("").finish(true);
        assert_eq!(texts(&result), ["(no output)"]);
        assert!(result.structured_content.is_none());
        let result = Answer::of_result(&ended("", "lost")).finish(false);
        assert_eq!(result.is_error, Some(true));
        assert!(result.structured_content.is_none());
    }

    #[test]
    fn what_was_printed_before_the_end_of_a_kernel_is_shown() {
        let event =
            json!({"type": "error", "kind": "lost", "message": "killed; all variables are gone"});
        let result = Answer::of_failure(&event, "half").finish(true);
        let texts = texts(&result);
        assert_eq!(texts, ["half\nkilled; all variables are gone"]);
        let object = result.structured_content.expect("an object");
        assert_eq!(object["error"]["ename"], "KernelLost");
    }
}
