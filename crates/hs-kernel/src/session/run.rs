//! One cell of a session: who asked for it, what it gave until now, and its result in the end.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::client::ClientId;
use super::state::{How, Key};
use crate::kernel::{Piece, pieces};
use crate::output::{Images, Text, shown};
use crate::protocol::{Ended, Event, Failure, Notice, OutputKind, RunRequest, State};
use crate::registry::private_file;

/// A cell.
#[expect(
    clippy::struct_excessive_bools,
    reason = "what the kernel said of it comes in any order: no enum has fewer states"
)]
pub struct Run {
    /// What the session calls it.
    pub key: Key,
    /// Who asked for it.
    pub client: ClientId,
    /// What they call it.
    pub id: Value,
    /// What it is.
    pub work: Work,
    /// What is run.
    pub request: RunRequest,
    /// The kernel has it, or stands in its queue.
    pub given: bool,
    /// The checkpoint that the kernel makes after it.
    pub checkpoint: Option<String>,
    /// Kernels that ended while they restored what it needs.
    pub died_restoring: u32,
    /// Since when.
    pub started: Option<Instant>,
    /// When its caller wants an answer at the latest.
    pub deadline: Option<Instant>,
    /// The caller was told that time is over.
    pub given_up: bool,
    /// The kernel has begun with it.
    pub begun: bool,
    /// The kernel answered.
    pub replied: bool,
    /// The kernel saves what it holds then.
    pub freezes: bool,
    /// The kernel said that all is said.
    pub idle: bool,
    /// The exception.
    pub error: Option<Failure>,
    /// The kernel of the session that it runs in, from 1.
    pub generation: u64,
    /// Its number in the kernel.
    pub execution_count: Option<u64>,
    text: Text,
    images: Images,
    notices: Vec<Notice>,
    clear_next: bool,
    never_given: bool,
    /// Displays that were updated: their ids and their newest text.
    updated: Vec<(String, String)>,
    flooded: bool,
    ended: Option<Ended>,
    /// What is said in the place of a result, if it has none.
    pub failed: Option<Event>,
    /// Where all of its output is, when it is not in the result.
    file: Option<PathBuf>,
}

/// What a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// A cell.
    Cell,
    /// What a checkpoint has is to come back, and no more.
    Restore,
    /// What the kernel holds is to be saved.
    Checkpoint,
}

/// Displays whose updates are followed; a program that makes more has lost its reader anyway.
const DISPLAYS: usize = 100;

impl Run {
    /// A cell that was asked for.
    pub fn new(
        key: Key,
        client: ClientId,
        id: Value,
        (work, request): (Work, RunRequest),
        now: Instant,
    ) -> Self {
        let timeout = request.timeout_s.map(Duration::from_secs_f64);
        Self {
            key,
            client,
            id,
            work,
            given: false,
            checkpoint: None,
            died_restoring: 0,
            started: None,
            deadline: timeout.map(|timeout| now + timeout),
            request,
            given_up: false,
            begun: false,
            replied: false,
            freezes: false,
            idle: false,
            error: None,
            generation: 0,
            execution_count: None,
            text: Text::default(),
            images: Images::default(),
            notices: Vec::new(),
            clear_next: false,
            never_given: false,
            updated: Vec::new(),
            flooded: false,
            ended: None,
            failed: None,
            file: None,
        }
    }

    /// Whether its end is known.
    pub fn ended(&self) -> Option<&Ended> {
        self.ended.as_ref()
    }

    /// Whether nothing more comes of it.
    pub fn is_over(&self) -> bool {
        self.ended.is_some() || self.failed.is_some()
    }

    /// Whether it was cancelled before the kernel had it.
    pub fn never_given(&self) -> bool {
        self.never_given
    }

    /// It was cancelled before the kernel had it.
    pub fn taken_back(&mut self) {
        self.never_given = true;
        self.error = interrupt(How::NeverBegan, "");
    }

    /// Something was printed; what a host hears of it.
    pub fn print(&mut self, kind: OutputKind, piece: &str) -> Vec<Event> {
        let mut events = self.clear_if_due();
        let clean = match kind {
            OutputKind::Stdout | OutputKind::Stderr => self.text.push(piece),
            _ => self.text.push_lines(piece),
        };
        // What comes after the flood is only in the file.
        if !clean.is_empty() && !self.flooded {
            events.push(Event::Output(kind, clean));
        }
        events
    }

    /// A value was shown; what a host hears of it.
    pub fn display(
        &mut self,
        data: Map<String, Value>,
        id: Option<String>,
        update: bool,
        result: bool,
    ) -> Vec<Event> {
        let kind = if result {
            OutputKind::Result
        } else {
            OutputKind::Display
        };
        match pieces(data) {
            None => Vec::new(),
            Some(Piece::Notice(notice)) => vec![self.notice(notice)],
            Some(Piece::Figure(image)) => {
                let mut events = self.clear_if_due();
                events.extend(self.images.push(image).cloned().map(Event::Image));
                events
            }
            // The newest state is shown at the end; a bar that moves a thousand times is one line, not a thousand.
            Some(Piece::Text(text)) if update => {
                let id = id.unwrap_or_default();
                match self.updated.iter().position(|(known, _)| *known == id) {
                    Some(place) => self.updated[place].1 = text,
                    None if self.updated.len() < DISPLAYS => self.updated.push((id, text)),
                    None => {}
                }
                Vec::new()
            }
            Some(Piece::Text(text)) => self.print(kind, &text),
        }
    }

    /// Something besides the output.
    pub fn notice(&mut self, notice: Notice) -> Event {
        self.notices.push(notice.clone());
        Event::Notice(notice)
    }

    /// What was shown goes away, now or with the next output.
    pub fn clear(&mut self, wait: bool) -> Vec<Event> {
        self.clear_next = true;
        if wait {
            Vec::new()
        } else {
            self.clear_if_due()
        }
    }

    fn clear_if_due(&mut self) -> Vec<Event> {
        if !std::mem::take(&mut self.clear_next) {
            return Vec::new();
        }
        self.text.clear(false);
        self.images.clear();
        vec![Event::Clear]
    }

    /// Whether it has just printed so much that it must end; true once.
    pub fn floods(&mut self) -> bool {
        let floods = self.text.floods() && !self.flooded;
        self.flooded |= floods;
        floods
    }

    /// It is over, in this way and for this reason. Output that is not shown whole goes into a file of `folder`.
    pub fn end(&mut self, how: (How, &str), state: State, folder: &Path, now: Instant) -> &Ended {
        for (_, text) in std::mem::take(&mut self.updated) {
            self.text.push_lines(&text);
        }
        self.error = self.error.take().or_else(|| interrupt(how.0, how.1));
        if self.flooded {
            let text = "the cell printed more than 1 MiB and was interrupted";
            self.notices.push(Notice::new("flood", text));
        }
        if self.text.dropped() > 0 {
            let text = format!(
                "{} bytes more were printed and not kept",
                self.text.dropped()
            );
            self.notices.push(Notice::new("dropped", text));
        }
        let output = self.shorten(folder);
        let (images, dropped) = std::mem::take(&mut self.images).into_parts();
        if dropped > 0 {
            let kept = images.len();
            let text =
                format!("{kept} figures kept, {dropped} dropped: at most 4, and 8 MiB of them");
            self.notices.push(Notice::new("images", text));
        }
        self.ended.insert(Ended {
            status: if self.error.is_some() { "error" } else { "ok" },
            output,
            execution_count: self.execution_count,
            error: self.error.clone(),
            truncated: self.file.is_some(),
            full_output_path: self.file.as_ref().map(|file| file.display().to_string()),
            notices: std::mem::take(&mut self.notices),
            images,
            // One that was ended saved nothing.
            checkpoint: self.checkpoint.take_if(|_| state == State::Kept),
            generation: self.generation,
            duration_ms: self
                .started
                .map_or(0, |started| (now - started).as_millis() as u64),
            state,
        })
    }

    /// What is shown of the output; all of it goes into a file if that is less.
    fn shorten(&mut self, folder: &Path) -> String {
        let whole = self.text.as_str();
        let shown = shown(whole);
        if !shown.is_cut(whole) {
            return whole.to_owned();
        }
        let what = if shown.of > shown.lines {
            format!("the last {} of {} lines", shown.lines, shown.of)
        } else {
            format!("the last {} of {} bytes", shown.text.len(), whole.len())
        };
        let path = folder.join(format!("output-{}.txt", self.key));
        let written = private_file(&path)
            .and_then(|mut file| std::io::Write::write_all(&mut file, whole.as_bytes()));
        let text = match written {
            Ok(()) => format!("showing {what}; all of it is in {}", path.display()),
            Err(error) => format!(
                "showing {what}; the others are lost: {}: {error}",
                path.display()
            ),
        };
        let output = shown.text.to_owned();
        self.notices.push(Notice::new("truncated", text));
        // A file that holds only a part is told, too.
        self.file = Some(path);
        self.text = Text::default();
        output
    }

    /// All of its output until now.
    ///
    /// # Errors
    /// It is in a file that cannot be read any more.
    pub fn whole(&self) -> std::io::Result<String> {
        match &self.file {
            Some(file) => std::fs::read_to_string(file),
            None => Ok(self.text.as_str().to_owned()),
        }
    }

    /// Lets go of what costs memory; the text of the result stays.
    pub fn slim(&mut self) {
        if let Some(ended) = &mut self.ended
            && !ended.images.is_empty()
        {
            let text = format!("{} figures are not kept any more", ended.images.len());
            ended.images.clear();
            ended.notices.push(Notice::new("images", text));
        }
    }
}

fn interrupt(how: How, why: &str) -> Option<Failure> {
    let evalue = match how {
        How::ByItself | How::Interrupted => return None,
        How::Ended => format!("{why}; its kernel was ended"),
        How::NeverBegan => "the cell was taken back before it began".to_owned(),
    };
    Some(Failure {
        ename: "KeyboardInterrupt".to_owned(),
        evalue,
    })
}
