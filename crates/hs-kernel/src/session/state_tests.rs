//! What a session does, told as stories.

use super::*;
use proptest::prelude::*;

/// A machine, and time that goes on only when told.
struct Story {
    machine: Machine,
    now: Instant,
}

impl Story {
    fn new() -> Self {
        Self {
            machine: Machine::default(),
            now: Instant::now(),
        }
    }

    /// With a kernel that waits.
    fn idle() -> Self {
        let mut story = Self::new();
        assert_eq!(story.on(Event::Open), [Effect::Start(1)]);
        assert_eq!(story.on(Event::Started), [Effect::TellReady]);
        story
    }

    /// With a kernel that runs cell 1.
    fn running() -> Self {
        let mut story = Self::idle();
        assert_eq!(story.on(Event::Run(1, false)), [Effect::Execute(1)]);
        story
    }

    fn on(&mut self, event: Event) -> Vec<Effect> {
        self.machine.on(event, self.now)
    }

    fn after(&mut self, milliseconds: u64) -> Vec<Effect> {
        self.now += Duration::from_millis(milliseconds);
        self.on(Event::Tick)
    }
}

#[test]
fn a_first_cell_starts_a_kernel() {
    let mut story = Story::new();
    assert_eq!(story.on(Event::Run(7, false)), [Effect::Start(1)]);
    assert_eq!(
        story.on(Event::Started),
        [Effect::TellReady, Effect::Execute(7)]
    );
    assert_eq!(
        story.on(Event::Ended(7)),
        [Effect::Finish(7, How::ByItself, State::Kept)]
    );
    assert_eq!(story.machine.word(), "idle");
}

#[test]
fn a_second_cell_waits_only_if_it_may() {
    let mut story = Story::running();
    assert_eq!(story.on(Event::Run(2, false)), [Effect::Fail(2, Why::Busy)]);
    assert_eq!(story.on(Event::Run(3, true)), []);
    assert_eq!(
        story.on(Event::Ended(1)),
        [
            Effect::Finish(1, How::ByItself, State::Kept),
            Effect::Execute(3)
        ]
    );
}

#[test]
fn an_interrupt_that_works_is_proved() {
    let mut story = Story::running();
    assert_eq!(story.on(Event::Cancel(Some(1))), [Effect::Interrupt]);
    assert_eq!(story.on(Event::Cancel(Some(1))), []);
    assert_eq!(story.on(Event::Ended(1)), [Effect::Probe]);
    assert_eq!(story.on(Event::Run(2, false)), [Effect::Fail(2, Why::Busy)]);
    assert_eq!(
        story.on(Event::Proved),
        [Effect::Finish(1, How::Interrupted, State::Kept)]
    );
}

#[test]
fn the_ladder_of_an_interrupt() {
    let mut story = Story::running();
    assert_eq!(story.on(Event::Cancel(None)), [Effect::Interrupt]);
    assert_eq!(story.after(999), []);
    assert_eq!(story.after(1), [Effect::Interrupt]);
    assert_eq!(story.after(1999), []);
    assert_eq!(story.after(1), [Effect::Kill]);
    assert_eq!(
        story.on(Event::Exited("killed".to_owned())),
        [Effect::Finish(1, How::Ended, State::Lost)]
    );
    assert_eq!(story.on(Event::Run(2, false)), [Effect::Start(2)]);
}

#[test]
fn a_kernel_that_stops_but_does_not_answer_is_lost() {
    let mut story = Story::running();
    story.on(Event::Cancel(None));
    story.on(Event::Ended(1));
    assert_eq!(story.after(14_999), []);
    assert_eq!(story.after(1), [Effect::Kill]);
    assert_eq!(
        story.on(Event::Exited("killed".to_owned())),
        [Effect::Finish(1, How::Ended, State::Lost)]
    );
}

#[test]
fn cancel_and_the_next_cell_in_one_tick() {
    let mut story = Story::running();
    assert_eq!(story.on(Event::Cancel(Some(1))), [Effect::Interrupt]);
    assert_eq!(story.on(Event::Run(2, true)), []);
    assert_eq!(story.on(Event::Ended(1)), [Effect::Probe]);
    assert_eq!(
        story.on(Event::Proved),
        [
            Effect::Finish(1, How::Interrupted, State::Kept),
            Effect::Execute(2)
        ]
    );
    // A cancel that comes late does not meet the next cell.
    assert_eq!(story.on(Event::Cancel(Some(1))), []);
}

#[test]
fn a_cell_that_waits_is_taken_back() {
    let mut story = Story::running();
    story.on(Event::Run(2, true));
    assert_eq!(
        story.on(Event::Cancel(Some(2))),
        [Effect::Finish(2, How::NeverBegan, State::Kept)]
    );
    assert_eq!(
        story.on(Event::Ended(1)),
        [Effect::Finish(1, How::ByItself, State::Kept)]
    );
}

#[test]
fn a_death_is_told_and_the_next_cell_has_a_new_kernel() {
    let mut story = Story::running();
    for generation in 2..=3 {
        let reason = "exit code 17".to_owned();
        let key = generation - 1;
        assert_eq!(
            story.on(Event::Exited(reason.clone())),
            [
                Effect::TellLost(reason.clone()),
                Effect::Fail(key, Why::Lost(reason))
            ]
        );
        assert_eq!(
            story.on(Event::Run(generation, false)),
            [Effect::Start(generation)]
        );
        story.on(Event::Started);
    }
    // Idle, too.
    assert_eq!(
        story.on(Event::Ended(3)),
        [Effect::Finish(3, How::ByItself, State::Kept)]
    );
    assert_eq!(
        story.on(Event::Exited("signal 9".to_owned())),
        [Effect::TellLost("signal 9".to_owned())]
    );
}

#[test]
fn a_kernel_that_dies_before_the_cell_began_is_replaced_for_it() {
    let mut story = Story::running();
    story.on(Event::Run(2, true));
    let died = || Event::ExitedRestoring("signal 11".to_owned());
    for generation in 2..=6 {
        // However often, and before those that wait.
        assert_eq!(story.on(died()), [Effect::Start(generation)]);
        assert_eq!(
            story.on(Event::Started),
            [Effect::TellReady, Effect::Execute(1)]
        );
    }
    // Whoever cancelled it does not want it any more.
    story.on(Event::Cancel(Some(1)));
    assert_eq!(
        story.on(died()),
        [Effect::Finish(1, How::Ended, State::Lost), Effect::Start(7)]
    );
}

#[test]
fn a_cell_is_taken_back_while_its_second_kernel_starts() {
    let mut story = Story::running();
    story.on(Event::ExitedRestoring("signal 11".to_owned()));
    assert_eq!(
        story.on(Event::Cancel(Some(1))),
        [Effect::Finish(1, How::NeverBegan, State::Kept)]
    );
    assert_eq!(story.on(Event::Started), [Effect::TellReady]);
}

#[test]
fn kernels_that_keep_dying_are_told_once_instead_of_started() {
    let mut story = Story::new();
    for key in 1..=4 {
        assert_eq!(story.on(Event::Run(key, false)), [Effect::Start(key)]);
        story.on(Event::Started);
        story.on(Event::Exited("signal 11".to_owned()));
    }
    assert_eq!(
        story.on(Event::Run(5, false)),
        [Effect::Fail(5, Why::TooManyDeaths)]
    );
    assert_eq!(story.on(Event::Run(6, false)), [Effect::Start(5)]);
}

#[test]
fn a_restart_ends_the_cell_and_keeps_those_that_wait() {
    let mut story = Story::running();
    story.on(Event::Run(2, true));
    assert_eq!(story.on(Event::Restart), [Effect::Kill]);
    assert_eq!(
        story.on(Event::Exited("killed".to_owned())),
        [Effect::Finish(1, How::Ended, State::Lost), Effect::Start(2)]
    );
    assert_eq!(
        story.on(Event::Started),
        [Effect::TellReady, Effect::Execute(2)]
    );
}

#[test]
fn closing_ends_everything_once() {
    let mut story = Story::running();
    story.on(Event::Run(2, true));
    assert_eq!(
        story.on(Event::Close),
        [Effect::Fail(2, Why::Closing), Effect::Kill]
    );
    assert_eq!(
        story.on(Event::Run(3, true)),
        [Effect::Fail(3, Why::Closing)]
    );
    assert_eq!(
        story.on(Event::Exited("killed".to_owned())),
        [Effect::Finish(1, How::Ended, State::Lost), Effect::Closed]
    );
    assert_eq!(Story::new().on(Event::Close), [Effect::Closed]);
}

#[test]
fn too_much_output_is_an_interrupt() {
    let mut story = Story::running();
    assert_eq!(story.on(Event::Flood), [Effect::Interrupt]);
    assert_eq!(story.on(Event::Flood), []);
    assert_eq!(story.on(Event::Ended(1)), [Effect::Probe]);
}

#[test]
fn a_kernel_that_does_not_start_fails_who_waits() {
    let mut story = Story::new();
    story.on(Event::Run(1, false));
    let reason = "no module named ipykernel".to_owned();
    assert_eq!(
        story.on(Event::StartFailed(reason.clone())),
        [
            Effect::TellNotStarted(reason.clone()),
            Effect::Fail(1, Why::NotStarted(reason))
        ]
    );
    assert_eq!(story.on(Event::Run(2, false)), [Effect::Start(2)]);
}

fn events() -> impl Strategy<Value = Event> {
    prop_oneof![
        Just(Event::Open),
        (1u64..4, any::<bool>()).prop_map(|(key, may)| Event::Run(key, may)),
        proptest::option::of(1u64..4).prop_map(Event::Cancel),
        Just(Event::Started),
        Just(Event::StartFailed("x".to_owned())),
        (1u64..4).prop_map(Event::Ended),
        Just(Event::Proved),
        Just(Event::Exited("x".to_owned())),
        Just(Event::ExitedRestoring("x".to_owned())),
        Just(Event::Flood),
        Just(Event::Restart),
        Just(Event::Tick),
    ]
}

proptest! {
    /// Whatever happens in whatever order, every cell is answered exactly once, and only one runs at a time.
    #[test]
    fn every_cell_is_answered_once(events in proptest::collection::vec(events(), 0..60)) {
        let mut story = Story::new();
        let (mut asked, mut answered, mut fresh) = (Vec::new(), Vec::new(), 100);
        let mut take = |effects: Vec<Effect>| {
            let mut executing = 0;
            for effect in effects {
                match effect {
                    Effect::Finish(key, ..) | Effect::Fail(key, _) => answered.push(key),
                    Effect::Execute(_) => executing += 1,
                    _ => {}
                }
            }
            assert!(executing <= 1);
        };
        for event in events {
            let event = match event {
                Event::Run(_, may) => {
                    fresh += 1;
                    asked.push(fresh);
                    Event::Run(fresh, may)
                }
                // What a kernel would say of the cell that runs.
                Event::Ended(1) => Event::Ended(story.machine.running().unwrap_or(0)),
                event => event,
            };
            story.now += Duration::from_millis(700);
            take(story.on(event));
        }
        take(story.on(Event::Close));
        take(story.on(Event::Exited("closed".to_owned())));
        answered.sort_unstable();
        prop_assert_eq!(answered, asked);
    }
}
