//! What the kernel says, and whose it is: the cell that runs, a cell that has ended, or nobody's.

use super::state::{Event, Key};
use super::supervisor::{Purpose, Session};
use crate::kernel::{Message, Piece, Reply, Said, pieces};
use crate::protocol::{Event as Told, Notice, OutputKind};

impl Session {
    pub(super) fn hear(&mut self, message: Message) {
        let message = match message.said {
            Said::Saved(saved) => return self.saved(&saved),
            Said::Restoring => return self.goes_on(),
            Said::Frozen(id) => return self.frozen(&id),
            said => Message { said, ..message },
        };
        let Some(live) = &mut self.live else { return };
        let purpose = live.sent.get(&message.parent).copied();
        match purpose {
            Some(Purpose::Cell(key)) => self.of_cell(key, message),
            Some(Purpose::Folder(key)) => self.of_folder(key, message),
            Some(Purpose::Restore(key)) => {
                if let Said::Reply(reply) = message.said {
                    self.restored(key, &message.parent, *reply);
                }
            }
            Some(Purpose::Save(key)) => {
                if let Said::Reply(reply) = message.said {
                    live.sent.remove(&message.parent);
                    live.interrupt_when_begun = false;
                    self.saves(key, reply.freezes);
                    self.on(Event::Ended(key));
                }
            }
            Some(Purpose::Typed) => {
                if let Said::Reply(reply) = message.said {
                    self.typed_is_held(&message.parent, reply.freezes);
                }
            }
            Some(Purpose::Probe) => {
                if let Said::Reply(_) = message.said {
                    live.sent.remove(&message.parent);
                    self.on(Event::Proved);
                }
            }
            None => self.of_nobody(message),
        }
    }

    fn of_cell(&mut self, key: Key, message: Message) {
        let Some(run) = self.runs.get_mut(&key) else {
            return;
        };
        let events = match message.said {
            Said::Begun { .. } => {
                run.begun = true;
                if let Some(live) = &mut self.live
                    && std::mem::take(&mut live.interrupt_when_begun)
                {
                    live.kernel.interrupt();
                }
                Vec::new()
            }
            Said::Idle => {
                run.idle = true;
                Vec::new()
            }
            Said::Reply(reply) => {
                run.replied = true;
                run.freezes = reply.freezes;
                run.execution_count = reply.execution_count;
                // An exception that was shown is told already.
                run.error = reply.error.or(run.error.take());
                self.names = reply.names.or(self.names);
                let pages = reply.pages.iter();
                pages
                    .flat_map(|page| run.print(OutputKind::Display, page))
                    .collect()
            }
            Said::Stream { error, text } => {
                let kind = if error {
                    OutputKind::Stderr
                } else {
                    OutputKind::Stdout
                };
                run.print(kind, &text)
            }
            Said::Display {
                data,
                id,
                update,
                result,
            } => run.display(data, id, update, result),
            Said::Clear { wait } => run.clear(wait),
            Said::Error(failure, traceback) => {
                run.error = Some(failure);
                run.print(OutputKind::Error, &traceback)
            }
            Said::Busy
            | Said::Welcome
            | Said::Saved(_)
            | Said::Restoring
            | Said::Frozen(_)
            | Said::Other => Vec::new(),
        };
        let floods = run.floods();
        let over = run.replied && run.idle;
        let freezes = run.freezes;
        if !run.given_up {
            for event in &events {
                self.clients.say(run.client, Some(&run.id), event);
            }
        }
        if floods {
            self.on(Event::Flood);
        }
        if over {
            self.saves(key, freezes);
            self.on(Event::Ended(key));
        }
    }

    fn of_folder(&mut self, key: Key, message: Message) {
        let Some(live) = &mut self.live else { return };
        let reply = match message.said {
            Said::Reply(reply) => reply,
            Said::Idle => {
                live.folders.insert(message.parent);
                return;
            }
            _ => return,
        };
        live.sent.remove(&message.parent);
        if !live.folders.remove(&message.parent) {
            live.folders.insert(message.parent);
        }
        let interrupted = self
            .live
            .as_mut()
            .is_some_and(|live| std::mem::take(&mut live.interrupt_when_begun));
        match *reply {
            Reply {
                error: Some(error),
                traceback,
                ..
            } => {
                if let Some(run) = self.runs.get_mut(&key) {
                    let events = run.print(OutputKind::Error, &traceback);
                    for event in &events {
                        self.clients.say(run.client, Some(&run.id), event);
                    }
                    run.error = Some(error);
                }
                self.on(Event::Ended(key));
            }
            _ if interrupted => {
                if let Some(run) = self.runs.get_mut(&key) {
                    run.taken_back();
                }
                self.on(Event::Ended(key));
            }
            _ => self.give(key),
        }
    }

    /// Another client, as a console is, uses the same kernel. What it gets is its own; only that the kernel is busy with it
    /// counts here.
    fn of_others(&mut self, message: Message) {
        self.overhear(&message.parent, &message.said);
        let Some(live) = &mut self.live else { return };
        match message.said {
            Said::Busy => {
                live.foreign.insert(message.parent);
            }
            Said::Begun { code, .. } => self.keeping.disturbed(&message.parent, &code),
            Said::Idle => {
                live.foreign.remove(&message.parent);
                self.save_typed(&message.parent);
                self.begin_held();
            }
            _ => {}
        }
    }

    /// A thread goes on printing after its cell has ended; another client runs cells of its own in the same kernel.
    fn of_nobody(&mut self, message: Message) {
        let Some(live) = &mut self.live else { return };
        if live.folders.contains(&message.parent) {
            if matches!(message.said, Said::Idle) {
                live.folders.remove(&message.parent);
            }
            return;
        }
        let ours = live
            .channels
            .as_ref()
            .is_some_and(|channels| channels.is_ours(&message));
        if !ours && !message.parent.is_empty() {
            return self.of_others(message);
        }
        let cell = match live.past.get(&message.parent) {
            Some(label) => label.clone(),
            None => "something in the background".to_owned(),
        };
        let text = match message.said {
            Said::Stream { text, .. } => text,
            Said::Error(_, traceback) => traceback + "\n",
            Said::Display { data, .. } => match pieces(data) {
                Some(Piece::Text(text) | Piece::Notice(Notice { text, .. })) => text + "\n",
                Some(Piece::Figure(_)) => "(a figure, which is not kept)\n".to_owned(),
                None => return,
            },
            _ => return,
        };
        if let Some(notice) = self.late.push(&cell, &text) {
            self.clients.say_to_all(&Told::Notice(notice));
        }
    }
}
