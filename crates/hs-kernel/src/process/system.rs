//! The calls to the system that no library offers in safe form: fork, what a child does before it becomes the kernel, and
//! signals as a descriptor. With `pages`, the only file of this crate with `unsafe`. It decides nothing.
#![expect(
    unsafe_code,
    reason = "fork, pre_exec and signalfd are unsafe by nature; each says why it holds"
)]

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
#[cfg(target_os = "linux")]
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::process::Pid;

/// Splits the process in two; `None` in the new one, which must end with [`leave`].
///
/// # Errors
/// What the system says.
///
/// The caller must have no other thread: locks that another one holds would stay held for ever in the new process.
pub fn fork() -> io::Result<Option<Pid>> {
    // SAFETY: the callers run before any thread is started (the guard never starts one), so no lock is held by somebody
    // who does not exist in the new process.
    let pid = unsafe { libc::fork() };
    match pid {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(None),
        pid => Ok(Pid::from_raw(pid)),
    }
}

/// Ends this process at once, without what the program that it was split from would do at its end.
pub fn leave(code: u8) -> ! {
    // SAFETY: ends the process; nothing runs after it.
    unsafe { libc::_exit(i32::from(code)) }
}

/// Puts nothing in the place of these descriptors, so that a process does not hold the pipes of another one.
///
/// # Errors
/// What the system says.
pub fn onto_null(places: &[i32]) -> io::Result<()> {
    let null = File::options().read(true).write(true).open("/dev/null")?;
    for place in places {
        // SAFETY: replaces a standard descriptor, which nobody in this process owns as a value.
        if unsafe { libc::dup2(null.as_raw_fd(), *place) } < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Gives up all descriptors but the standard ones and these: a session that outlives the shell it was started in would
/// hold that shell's locks and pipes for as long as it lives.
///
/// The process must have been split off to do nothing but what these descriptors are for, and must end with [`leave`].
///
/// # Errors
/// The descriptors that there are cannot be read.
pub fn keep_only(kept: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut open: Vec<i32> = Vec::new();
    for entry in std::fs::read_dir("/dev/fd")? {
        let name = entry?.file_name();
        open.extend(name.to_str().and_then(|name| name.parse::<i32>().ok()));
    }
    for place in open {
        if place > 2 && kept.iter().all(|kept| kept.as_raw_fd() != place) {
            // SAFETY: its owners are values of the program that this process was split from; none of them is used, or
            // given up, in here. The one that the folder was read by is closed already, and another close of it is refused.
            unsafe { libc::close(place) };
        }
    }
    Ok(())
}

/// What a kernel does before it begins: signals as usual, and an end when the thread that started it ends, however that
/// comes about. Its process group is its own.
pub fn prepare_kernel(command: &mut Command) {
    let parent = rustix::process::getpid();
    command.process_group(0);
    let prepare = move || {
        // SAFETY: both calls are allowed between fork and exec; the set is this function's own.
        unsafe {
            let mut none: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut none);
            libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
            for signal in [libc::SIGINT, libc::SIGPIPE, libc::SIGHUP, libc::SIGTERM] {
                libc::signal(signal, libc::SIG_DFL);
            }
        }
        #[cfg(target_os = "linux")]
        {
            rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
            // It may have ended before the line above.
            if rustix::process::getppid() != Some(parent) {
                return Err(io::Error::other("the launcher is gone"));
            }
        }
        #[cfg(not(target_os = "linux"))]
        let _ = parent;
        Ok(())
    };
    // SAFETY: the closure makes system calls only; it neither allocates nor takes locks on its way to success.
    unsafe {
        command.pre_exec(prepare);
    }
}

/// Signals that end the guard, and that of children, as something to poll.
pub struct Signals {
    #[cfg(target_os = "linux")]
    descriptor: OwnedFd,
}

/// From now on SIGTERM, SIGHUP, SIGCHLD, and SIGINT if asked for, come by a descriptor; without it SIGINT is passed over.
///
/// # Errors
/// What the system says.
#[cfg(target_os = "linux")]
pub fn listen_to_signals(interrupts: bool) -> io::Result<Signals> {
    // SAFETY: the set is this function's own; a handler is only taken away.
    let descriptor = unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        for signal in [libc::SIGTERM, libc::SIGHUP, libc::SIGCHLD] {
            libc::sigaddset(&raw mut set, signal);
        }
        if interrupts {
            libc::sigaddset(&raw mut set, libc::SIGINT);
        } else {
            libc::signal(libc::SIGINT, libc::SIG_IGN);
        }
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
        if libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut()) != 0 {
            return Err(io::Error::last_os_error());
        }
        let descriptor = libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK);
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        OwnedFd::from_raw_fd(descriptor)
    };
    Ok(Signals { descriptor })
}

/// Elsewhere the guard looks for the end of its children and its host from time to time (not checked by its makers).
///
/// # Errors
/// None.
#[cfg(not(target_os = "linux"))]
pub fn listen_to_signals(_interrupts: bool) -> io::Result<Signals> {
    Ok(Signals {})
}

impl Signals {
    /// What to poll.
    #[cfg(target_os = "linux")]
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere there is none")]
    pub fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        Some(self.descriptor.as_fd())
    }

    /// What to poll.
    #[cfg(not(target_os = "linux"))]
    pub fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    /// Takes what came; whether the process was asked to end.
    pub fn take(&self) -> bool {
        let mut end = false;
        #[cfg(target_os = "linux")]
        {
            let mut piece = [0u8; size_of::<libc::signalfd_siginfo>() * 8];
            while let Ok(count) = rustix::io::read(&self.descriptor, &mut piece) {
                for one in piece[..count].chunks_exact(size_of::<libc::signalfd_siginfo>()) {
                    // The number stands first.
                    let number = u32::from_ne_bytes([one[0], one[1], one[2], one[3]]);
                    end |= number.cast_signed() != libc::SIGCHLD;
                }
            }
        }
        end
    }

    /// In a process that was split off: signals as usual again.
    pub fn forget() {
        // SAFETY: the set is this function's own.
        unsafe {
            let mut none: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut none);
            libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
        }
    }
}
