//! What a session does next: a pure function of what it is at and what happens. It knows no sockets, processes or clocks.
//!
//! One cell runs at a time. An interrupt is a ladder: a signal, another after a second, the end of the kernel after three.
//! That a kernel is kept after an interrupt is proved by an answer, never assumed.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::protocol::State;

/// When the second signal follows the first.
const AGAIN: Duration = Duration::from_secs(1);
/// When the kernel is ended that did not stop.
const ENOUGH: Duration = Duration::from_secs(3);
/// How long a kernel that stopped may take to answer. On a machine that is busy with other things it takes seconds, and it may
/// have much to save before; to end it then would lose variables that are there.
const PROOF: Duration = Duration::from_secs(15);
/// Kernels that may die in a row without a cell that came to its end.
const RECOVERIES: u32 = 3;

/// What the session calls a cell.
pub type Key = u64;

/// What a session is at.
#[derive(Debug)]
pub struct Machine {
    phase: Phase,
    /// Cells that wait, the next one first.
    waiting: VecDeque<Key>,
    /// Kernels that were started.
    generation: u64,
    /// Kernels that died since a cell came to its end.
    deaths: u32,
    /// A new kernel is wanted as soon as the old one is gone.
    restart: bool,
    closing: bool,
}

#[derive(Debug)]
enum Phase {
    /// There is no kernel.
    Down,
    /// One is coming.
    Starting,
    /// It waits for a cell.
    Idle,
    /// It runs one.
    Running(Running),
    /// It stopped a cell, and must show that it is still there.
    Proving(Key, Instant),
    /// It was ended; its process goes away. With the cell that it ran.
    Ending(Option<Key>),
}

#[derive(Debug)]
struct Running {
    key: Key,
    interrupted: Option<Interrupted>,
}

#[derive(Debug)]
struct Interrupted {
    since: Instant,
    again: bool,
}

/// What happens to a session.
#[derive(Clone, Debug)]
pub enum Event {
    /// A kernel is wanted.
    Open,
    /// A cell is wanted; whether it may wait for another one.
    Run(Key, bool),
    /// A cell is to stop; the one that runs, when it is not named.
    Cancel(Option<Key>),
    /// The kernel is ready.
    Started,
    /// There will be none.
    StartFailed(String),
    /// The kernel says that the cell is over.
    Ended(Key),
    /// The kernel answers after an interrupt.
    Proved,
    /// The kernel's process is gone.
    Exited(String),
    /// The same, while it restored what the cell needs: the cell itself had not begun.
    ExitedRestoring(String),
    /// The cell printed too much.
    Flood,
    /// A new kernel is wanted.
    Restart,
    /// All is to end.
    Close,
    /// Time went on.
    Tick,
}

/// How a cell came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// By itself.
    ByItself,
    /// It was interrupted.
    Interrupted,
    /// Its kernel had to be ended.
    Ended,
    /// It was taken back before it began.
    NeverBegan,
}

/// Why a cell has no end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// Another one runs.
    Busy,
    /// Its kernel is gone.
    Lost(String),
    /// There is no kernel.
    NotStarted(String),
    /// Kernels die one after the other.
    TooManyDeaths,
    /// The session ends.
    Closing,
}

/// What is to be done.
#[derive(Debug, PartialEq, Eq)]
pub enum Effect {
    /// Start a kernel, of this generation.
    Start(u64),
    /// Say that it is ready.
    TellReady,
    /// Say that there is none.
    TellNotStarted(String),
    /// Give it the cell.
    Execute(Key),
    /// Send the signal.
    Interrupt,
    /// Ask for a sign of life.
    Probe,
    /// End its process, and all that it started.
    Kill,
    /// Say that it is gone.
    TellLost(String),
    /// The cell is over.
    Finish(Key, How, State),
    /// The cell cannot come to an end.
    Fail(Key, Why),
    /// Nothing is left to do.
    Closed,
}

impl Default for Machine {
    fn default() -> Self {
        Self {
            phase: Phase::Down,
            waiting: VecDeque::new(),
            generation: 0,
            deaths: 0,
            restart: false,
            closing: false,
        }
    }
}

impl Machine {
    /// Which kernel it is, from 1; 0 before the first.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The cell that runs.
    pub fn running(&self) -> Option<Key> {
        match &self.phase {
            Phase::Running(running) => Some(running.key),
            Phase::Proving(key, _) => Some(*key),
            Phase::Ending(key) => *key,
            _ => None,
        }
    }

    /// Cells that wait.
    pub fn queued(&self) -> usize {
        self.waiting.len()
    }

    /// The word for what it is at.
    pub fn word(&self) -> &'static str {
        match &self.phase {
            Phase::Down => "down",
            Phase::Starting => "starting",
            Phase::Idle => "idle",
            Phase::Running(Running {
                interrupted: None, ..
            }) => "running",
            Phase::Running(_) | Phase::Proving(..) => "interrupting",
            Phase::Ending(_) => "ending",
        }
    }

    /// When [`Event::Tick`] is wanted at the latest.
    pub fn deadline(&self) -> Option<Instant> {
        match &self.phase {
            Phase::Running(Running {
                interrupted: Some(interrupted),
                ..
            }) => {
                let step = if interrupted.again { ENOUGH } else { AGAIN };
                Some(interrupted.since + step)
            }
            Phase::Proving(_, since) => Some(*since + PROOF),
            _ => None,
        }
    }

    /// What is to be done when this happens at `now`.
    pub fn on(&mut self, event: Event, now: Instant) -> Vec<Effect> {
        let mut effects = Vec::new();
        match event {
            Event::Open => match self.phase {
                Phase::Down => self.start(&mut effects),
                Phase::Starting | Phase::Ending(_) => {}
                _ => effects.push(Effect::TellReady),
            },
            Event::Run(key, may_wait) => self.run(key, may_wait, &mut effects),
            Event::Cancel(key) => self.cancel(key, now, &mut effects),
            Event::Started => {
                if matches!(self.phase, Phase::Starting) {
                    effects.push(Effect::TellReady);
                    self.phase = Phase::Idle;
                    self.next(&mut effects);
                }
            }
            // One that was ready has not failed to start.
            Event::StartFailed(reason) if matches!(self.phase, Phase::Starting) => {
                self.phase = Phase::Down;
                effects.push(Effect::TellNotStarted(reason.clone()));
                self.fail_waiting(&Why::NotStarted(reason), &mut effects);
            }
            Event::StartFailed(_) => {}
            Event::Ended(key) => self.ended(key, now, &mut effects),
            Event::Proved => {
                if let Phase::Proving(key, _) = self.phase {
                    self.finish(key, How::Interrupted, &mut effects);
                }
            }
            Event::Exited(reason) => self.exited(&reason, &mut effects),
            Event::ExitedRestoring(reason) => match &self.phase {
                Phase::Running(Running {
                    key,
                    interrupted: None,
                }) => {
                    self.waiting.push_front(*key);
                    self.start(&mut effects);
                }
                _ => self.exited(&reason, &mut effects),
            },
            Event::Flood => {
                if let Phase::Running(running) = &mut self.phase
                    && running.interrupted.is_none()
                {
                    running.interrupted = Some(Interrupted {
                        since: now,
                        again: false,
                    });
                    effects.push(Effect::Interrupt);
                }
            }
            Event::Restart => match self.phase {
                Phase::Down => self.start(&mut effects),
                Phase::Ending(_) => self.restart = true,
                _ => {
                    self.restart = true;
                    self.end(&mut effects);
                }
            },
            Event::Close => {
                self.closing = true;
                self.fail_waiting(&Why::Closing, &mut effects);
                match self.phase {
                    Phase::Down => effects.push(Effect::Closed),
                    Phase::Ending(_) => {}
                    _ => self.end(&mut effects),
                }
            }
            Event::Tick => self.tick(now, &mut effects),
        }
        effects
    }

    fn run(&mut self, key: Key, may_wait: bool, effects: &mut Vec<Effect>) {
        if self.closing {
            effects.push(Effect::Fail(key, Why::Closing));
            return;
        }
        let busy = !self.waiting.is_empty()
            || matches!(
                self.phase,
                Phase::Running(_) | Phase::Proving(..) | Phase::Ending(Some(_))
            );
        if busy && !may_wait {
            effects.push(Effect::Fail(key, Why::Busy));
            return;
        }
        if matches!(self.phase, Phase::Down) && self.deaths > RECOVERIES {
            // The next one is tried again: somebody was told.
            self.deaths = 0;
            effects.push(Effect::Fail(key, Why::TooManyDeaths));
            return;
        }
        self.waiting.push_back(key);
        match self.phase {
            Phase::Down => self.start(effects),
            Phase::Idle => self.next(effects),
            Phase::Ending(_) => self.restart = true,
            _ => {}
        }
    }

    fn cancel(&mut self, key: Option<Key>, now: Instant, effects: &mut Vec<Effect>) {
        if let Some(key) = key
            && let Some(place) = self.waiting.iter().position(|waiting| *waiting == key)
        {
            self.waiting.remove(place);
            effects.push(Effect::Finish(key, How::NeverBegan, State::Kept));
            return;
        }
        if let Phase::Running(running) = &mut self.phase
            && key.is_none_or(|key| key == running.key)
            && running.interrupted.is_none()
        {
            running.interrupted = Some(Interrupted {
                since: now,
                again: false,
            });
            effects.push(Effect::Interrupt);
        }
    }

    fn ended(&mut self, key: Key, now: Instant, effects: &mut Vec<Effect>) {
        match &self.phase {
            Phase::Running(running) if running.key == key => {
                if running.interrupted.is_some() {
                    self.phase = Phase::Proving(key, now);
                    effects.push(Effect::Probe);
                } else {
                    self.finish(key, How::ByItself, effects);
                }
            }
            _ => {}
        }
    }

    fn finish(&mut self, key: Key, how: How, effects: &mut Vec<Effect>) {
        self.deaths = 0;
        self.phase = Phase::Idle;
        effects.push(Effect::Finish(key, how, State::Kept));
        self.next(effects);
    }

    fn exited(&mut self, reason: &str, effects: &mut Vec<Effect>) {
        let phase = std::mem::replace(&mut self.phase, Phase::Down);
        match phase {
            Phase::Down => return,
            Phase::Starting => {
                effects.push(Effect::TellNotStarted(reason.to_owned()));
                self.fail_waiting(&Why::NotStarted(reason.to_owned()), effects);
            }
            Phase::Idle => {
                self.deaths += 1;
                effects.push(Effect::TellLost(reason.to_owned()));
            }
            Phase::Running(running) if running.interrupted.is_none() => {
                self.deaths += 1;
                effects.push(Effect::TellLost(reason.to_owned()));
                effects.push(Effect::Fail(running.key, Why::Lost(reason.to_owned())));
            }
            Phase::Running(Running { key, .. })
            | Phase::Proving(key, _)
            | Phase::Ending(Some(key)) => {
                effects.push(Effect::Finish(key, How::Ended, State::Lost));
            }
            Phase::Ending(None) => {}
        }
        if self.closing {
            effects.push(Effect::Closed);
        } else if std::mem::take(&mut self.restart) || !self.waiting.is_empty() {
            self.start(effects);
        }
    }

    fn tick(&mut self, now: Instant, effects: &mut Vec<Effect>) {
        if self.deadline().is_none_or(|deadline| now < deadline) {
            return;
        }
        match &mut self.phase {
            Phase::Running(Running {
                interrupted: Some(interrupted),
                ..
            }) if !interrupted.again => {
                interrupted.again = true;
                effects.push(Effect::Interrupt);
            }
            Phase::Running(_) | Phase::Proving(..) => self.end(effects),
            _ => {}
        }
    }

    fn start(&mut self, effects: &mut Vec<Effect>) {
        self.generation += 1;
        self.phase = Phase::Starting;
        effects.push(Effect::Start(self.generation));
    }

    fn end(&mut self, effects: &mut Vec<Effect>) {
        self.phase = Phase::Ending(self.running());
        effects.push(Effect::Kill);
    }

    fn next(&mut self, effects: &mut Vec<Effect>) {
        if matches!(self.phase, Phase::Idle)
            && let Some(key) = self.waiting.pop_front()
        {
            self.phase = Phase::Running(Running {
                key,
                interrupted: None,
            });
            effects.push(Effect::Execute(key));
        }
    }

    fn fail_waiting(&mut self, why: &Why, effects: &mut Vec<Effect>) {
        let waiting = std::mem::take(&mut self.waiting);
        effects.extend(
            waiting
                .into_iter()
                .map(|key| Effect::Fail(key, why.clone())),
        );
    }
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
