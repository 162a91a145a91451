//! Cells that somebody types into a console on the kernel of the session: they are no runs, but they are remembered like others.

use std::time::SystemTime;

use super::supervisor::Session;
use crate::context::{Cell, Client, What};
use crate::kernel::{Piece, Said, pieces};
use crate::output::{Text, shown};
use crate::protocol::Failure;

/// Cells that are followed at a time.
const MOST: usize = 100;

/// A cell that somebody typed into a console.
pub(super) struct Typed {
    code: String,
    number: Option<u64>,
    generation: u64,
    began: SystemTime,
    text: Text,
    error: Option<Failure>,
}

impl Session {
    /// Another client of the kernel, as a console is, runs something.
    pub(super) fn overhear(&mut self, request: &str, said: &Said) {
        let generation = self.machine.generation();
        let typed = &mut self.remembering.typed;
        if let Said::Begun { code, number } = said {
            typed.retain(|_, typed| typed.generation == generation);
            if typed.len() < MOST {
                let cell = Typed {
                    code: code.clone(),
                    number: *number,
                    generation,
                    began: SystemTime::now(),
                    text: Text::default(),
                    error: None,
                };
                typed.insert(request.to_owned(), cell);
            }
            return;
        }
        let Some(cell) = typed.get_mut(request) else {
            return;
        };
        match said {
            Said::Stream { text, .. } => {
                cell.text.push(text);
            }
            Said::Display {
                data,
                update: false,
                ..
            } => {
                if let Some(Piece::Text(text)) = pieces(data.clone()) {
                    cell.text.push_lines(&text);
                }
            }
            Said::Error(failure, traceback) => {
                cell.text.push_lines(traceback);
                cell.error = Some(failure.clone());
            }
            Said::Clear { .. } => cell.text.clear(false),
            Said::Idle => {
                if let Some(cell) = typed.remove(request) {
                    self.remember_typed(cell);
                }
            }
            _ => {}
        }
    }

    fn remember_typed(&mut self, typed: Typed) {
        let duration = typed.began.elapsed().unwrap_or_default();
        let cell = Cell {
            output: shown(typed.text.as_str()).text.to_owned(),
            status: if typed.error.is_some() { "error" } else { "ok" }.to_owned(),
            ename: typed.error.as_ref().map(|error| error.ename.clone()),
            evalue: typed.error.map(|error| error.evalue),
            code: typed.code,
            number: typed.number.map(|number| number as i64),
            generation: typed.generation as i64,
            duration_ms: duration.as_millis() as i64,
            client: Client::Console,
            ..Cell::default()
        };
        self.keep(What::Cell(cell), typed.began);
    }
}
