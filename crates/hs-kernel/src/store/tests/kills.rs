//! A process that is killed in the middle of a save leaves whole checkpoints and nothing else.

use std::io::{BufRead, BufReader, Write};
use std::time::Duration;

use super::{Sandbox, add, child, child_store, id, random, values};
use crate::store::{About, Id};

/// How often the process is killed, at another moment each time; `HEADSTART_KILLS` says otherwise.
const KILLS: u64 = 40;
/// Small, so that collections run among the saves.
const LIMIT: u64 = 24 << 20;

#[test]
#[ignore = "the process that another test kills"]
fn child_saves_for_ever() {
    let (store, extra) = child_store(LIMIT);
    let first: u64 = extra.parse().expect("a number");
    let mut last: Option<Id> = None;
    for number in first.. {
        let mut save = store.begin(id(number), last).expect("begun");
        if let Some(last) = last {
            // Large ones of the checkpoint before, sometimes.
            for (_, group) in store.manifest(&last).expect("readable").groups {
                if number % 3 > 0 && group.names[0] == "kept" {
                    save.reuse(&group).expect("taken over");
                }
            }
        }
        let sizes = [
            ("big", 1_200_000),
            ("small", 300),
            ("inline", 10),
            ("packed", 0),
            ("kept", 80_000),
        ];
        for (name, size) in sizes {
            let value = match size {
                0 => number.to_le_bytes().repeat(20_000),
                size => random(number, size),
            };
            if name != "kept" || last.is_none() || number % 3 == 0 {
                add(&mut save, name, &value);
            }
        }
        save.commit(About::default()).expect("saved");
        last = Some(id(number));
        let mut out = std::io::stdout().lock();
        writeln!(out, "saved {number}")
            .and_then(|()| out.flush())
            .expect("heard");
        if number % 7 == 0 {
            store.collect(&[]).expect("collected");
        }
    }
}

#[test]
fn every_checkpoint_is_whole_whenever_the_process_is_killed() {
    let sandbox = Sandbox::new();
    let mut next = 1_u64;
    let kills =
        std::env::var("HEADSTART_KILLS").map_or(KILLS, |kills| kills.parse().expect("a number"));
    let mut moments = random(7, 2 * kills as usize).into_iter();
    let mut seen = 0;
    for _ in 0..kills {
        let mut process = child(
            "kills::child_saves_for_ever",
            &sandbox.root(),
            &next.to_string(),
        );
        let mut lines = BufReader::new(process.stdout.take().expect("its output")).lines();
        let saved = |line: std::io::Result<String>| -> Option<u64> {
            // The first one stands behind what the test binary says of the test.
            let line = line.expect("a line");
            line.rsplit_once("saved ")
                .and_then(|(_, number)| number.parse().ok())
        };
        let mut last = lines.by_ref().find_map(saved).expect("a first checkpoint");
        // Some time in the saves that follow. Not to wait for something, but to strike anywhere.
        let moment =
            u64::from(moments.next().expect("one")) * 256 + u64::from(moments.next().expect("one"));
        std::thread::sleep(Duration::from_micros(moment % 30_000));
        process.kill().expect("killed");
        process.wait().expect("its end");
        if let Some(number) = lines.filter_map(saved).last() {
            last = number;
        }
        let store = sandbox.store_of(LIMIT);
        for file in sandbox.files("manifests") {
            let name = file
                .file_name()
                .and_then(|name| name.to_str())
                .expect("a name")
                .to_owned();
            let found = values(&store, name.parse().expect("an id")).expect("whole");
            assert_eq!(found.len(), 5, "{name}");
            seen += 1;
        }
        // What was said to be saved is there.
        store.complete(&id(last)).expect("kept");
        next = last + 2;
        store.collect(&[id(last)]).expect("collected");
        assert!(sandbox.files("unfinished").is_empty());
        store.complete(&id(last)).expect("kept");
    }
    assert!(seen > kills, "{seen}");
}
