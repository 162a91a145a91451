//! Who started whom, as the system tells it: to end all that a kernel started, also what left its process group, and to say
//! what it uses. Only on Linux; elsewhere the process group has to do.

use std::fs;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, waitpid};

/// What processes use.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Use {
    /// Seconds of processors, since they began.
    pub cpu: f64,
    /// Memory that they hold, in bytes.
    pub memory: u64,
}

/// How often a tree is looked at again that does not end: processes that are born meanwhile are found then.
const LOOKS: u32 = 50;

/// All that a process started and that is still there, and all that those started.
pub fn descendants(of: Pid) -> Vec<Pid> {
    let mut found = Vec::new();
    let mut open = vec![of];
    while let Some(parent) = open.pop() {
        for child in children(parent) {
            if !found.contains(&child) {
                found.push(child);
                open.push(child);
            }
        }
    }
    found
}

/// The children of all threads of a process.
fn children(of: Pid) -> Vec<Pid> {
    let of = of.as_raw_nonzero().get();
    let mut found = Vec::new();
    let Ok(threads) = fs::read_dir(format!("/proc/{of}/task")) else {
        return found;
    };
    for thread in threads.flatten() {
        match fs::read_to_string(thread.path().join("children")) {
            Ok(list) => found.extend(list.split_ascii_whitespace().filter_map(pid)),
            // A kernel built without this file: every process is asked for its parent.
            Err(_) if !std::path::Path::new("/proc/self/task/self/children").exists() => {
                return children_by_parents(of);
            }
            Err(_) => {}
        }
    }
    found
}

fn children_by_parents(of: i32) -> Vec<Pid> {
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = all.filter_map(|entry| entry.file_name().to_str().and_then(pid));
    numbers
        .filter(|one| stat(*one).is_some_and(|stat| stat.parent == of))
        .collect()
}

fn pid(text: &str) -> Option<Pid> {
    text.parse().ok().and_then(Pid::from_raw)
}

struct Stat {
    state: u8,
    parent: i32,
    ticks: u64,
    pages: u64,
}

fn stat(of: Pid) -> Option<Stat> {
    let text = fs::read_to_string(format!("/proc/{}/stat", of.as_raw_nonzero())).ok()?;
    // The name, in parentheses, may hold anything.
    let fields: Vec<&str> = text[text.rfind(')')? + 1..]
        .split_ascii_whitespace()
        .collect();
    let number = |place: usize| fields.get(place)?.parse::<u64>().ok();
    Some(Stat {
        state: *fields.first()?.as_bytes().first()?,
        parent: fields.get(1)?.parse().ok()?,
        ticks: number(11)? + number(12)?,
        pages: number(21)?,
    })
}

/// Ends all that this process started, but not the process itself; false if some of it is still there.
///
/// Whatever loses its parent comes to this process when it is a subreaper, and is found in the next look.
pub fn end_descendants(patience: Duration) -> bool {
    let until = Instant::now() + patience;
    for look in 0..LOOKS {
        reap(None);
        let left: Vec<Pid> = descendants(getpid())
            .into_iter()
            .filter(|one| stat(*one).is_some_and(|stat| stat.state != b'Z'))
            .collect();
        if left.is_empty() {
            reap(None);
            return true;
        }
        for one in left {
            // One that has ended meanwhile is what is wanted.
            let _ = kill_process(one, Signal::KILL);
        }
        if Instant::now() > until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(u64::from(look.min(10))));
    }
    false
}

/// Ends children of this process that are none of `ours`, with all that they started: they came here when their parent
/// died.
pub fn end_strays(ours: &[Pid]) {
    for look in 0..LOOKS {
        let strays = children(getpid())
            .into_iter()
            .filter(|child| !ours.contains(child));
        let mut left = false;
        for stray in strays {
            for one in descendants(stray).into_iter().chain([stray]) {
                left |= kill_process(one, Signal::KILL).is_ok();
            }
            let _ = waitpid(Some(stray), WaitOptions::NOHANG);
        }
        if !left {
            return;
        }
        std::thread::sleep(Duration::from_millis(u64::from(look.min(10))));
    }
}

/// Takes the ends of children that nobody waits for: all but `kept`.
pub fn reap(kept: Option<Pid>) {
    for child in children(getpid()) {
        if Some(child) != kept {
            let _ = waitpid(Some(child), WaitOptions::NOHANG);
        }
    }
}

/// What a process and all that it started use.
pub fn usage(of: Pid) -> Use {
    let mut sum = Use::default();
    let page = rustix::param::page_size() as u64;
    let ticks = rustix::param::clock_ticks_per_second() as f64;
    for one in descendants(of).into_iter().chain([of]) {
        if let Some(stat) = stat(one) {
            sum.cpu += stat.ticks as f64 / ticks;
            sum.memory += stat.pages * page;
        }
    }
    sum
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_child_is_found_with_what_it_uses() {
        let mut child = Command::new("sleep").arg("60").spawn().expect("sleep");
        let pid = Pid::from_raw(child.id().cast_signed()).expect("a process");
        assert!(descendants(getpid()).contains(&pid));
        assert!(usage(getpid()).memory > usage(pid).memory);
        child.kill().expect("its end");
        child.wait().expect("its end");
        assert!(!descendants(getpid()).contains(&pid));
    }
}
