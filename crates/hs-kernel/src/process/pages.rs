//! Which pages of this process's memory were written to: the calls to the system that tell it. One of two files of this crate
//! with `unsafe`. It keeps nothing of what it is told, and never says that a page is unwritten unless the system proves it.
//!
//! Linux (6.7 and later) can protect pages so that the first write to one only leaves a mark (`userfaultfd`, write protection
//! that is asynchronous), and tells which have none (`PAGEMAP_SCAN`); see the kernel's documentation of userfaultfd and pagemap.
//! Writes by the system on behalf of the process count. Only who was given the memory itself before it was protected writes
//! without a mark: where the system counts it (RDMA, buffers of `io_uring`) nothing is protected; where it does not (a direct
//! read under way, memory registered with the driver of a graphics card) the write is missed.
#![cfg_attr(
    target_os = "linux",
    expect(
        unsafe_code,
        reason = "ioctl and userfaultfd are unsafe by nature; each says why it holds"
    )
)]

use std::ops::Range;

/// Addresses, from and to multiples of [`PAGE`].
pub type Addresses = Range<usize>;

#[cfg(target_os = "linux")]
pub use linux::Pages;
#[cfg(not(target_os = "linux"))]
pub use none::Pages;

#[cfg(not(target_os = "linux"))]
mod none {
    use super::Addresses;
    use std::io;

    /// Nothing: this system does not tell.
    #[derive(Debug)]
    pub enum Pages {}

    impl Pages {
        /// Never.
        ///
        /// # Errors
        /// Always.
        pub fn open() -> io::Result<Self> {
            Err(io::ErrorKind::Unsupported.into())
        }

        pub fn size(&self) -> usize {
            match *self {}
        }

        pub fn watch(&self, _: &Addresses) -> io::Result<()> {
            match *self {}
        }

        pub fn protect(&self, _: &Addresses) -> io::Result<Vec<Addresses>> {
            match *self {}
        }

        pub fn are_unwritten(&self, _: &Addresses) -> bool {
            match *self {}
        }

        pub fn forget(&self, _: &Addresses) {
            match *self {}
        }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::io::{self, BufRead as _, BufReader};
    use std::os::fd::{AsRawFd, FromRawFd as _, OwnedFd};

    use super::Addresses;

    // From <linux/userfaultfd.h>, which libc does not have.
    const USER_MODE_ONLY: libc::c_int = 1;
    const API_VERSION: u64 = 0xaa;
    /// Pages that are not there yet are protected, too.
    const WP_UNPOPULATED: u64 = 1 << 13;
    const WP_ASYNC: u64 = 1 << 15;
    const REGISTER_MODE_WP: u64 = 1 << 1;
    const UFFDIO_API: u64 = ioctl_number(3, 0xaa, 0x3f, size_of::<Api>());
    const UFFDIO_REGISTER: u64 = ioctl_number(3, 0xaa, 0x00, size_of::<Register>());
    const UFFDIO_UNREGISTER: u64 = ioctl_number(2, 0xaa, 0x01, size_of::<Area>());
    const UFFDIO_WRITEPROTECT: u64 = ioctl_number(3, 0xaa, 0x06, size_of::<Protection>());

    // From <linux/fs.h>.
    const PAGEMAP_SCAN: u64 = ioctl_number(3, b'f', 16, size_of::<Scan>());
    const WP_MATCHING: u64 = 1 << 0;
    /// An error where a page is not registered.
    const CHECK_WPASYNC: u64 = 1 << 1;
    const IS_WPALLOWED: u64 = 1 << 0;
    const IS_WRITTEN: u64 = 1 << 1;
    const IS_FILE: u64 = 1 << 2;
    const IS_PRESENT: u64 = 1 << 3;
    const IS_SWAPPED: u64 = 1 << 4;

    /// The number of a request, as <asm-generic/ioctl.h> makes it.
    const fn ioctl_number(direction: u64, group: u8, number: u8, size: usize) -> u64 {
        (direction << 30) | ((size as u64) << 16) | ((group as u64) << 8) | number as u64
    }

    #[repr(C)]
    #[derive(Default)]
    struct Api {
        version: u64,
        features: u64,
        ioctls: u64,
    }

    #[repr(C)]
    #[derive(Default, Clone, Copy)]
    struct Area {
        start: u64,
        length: u64,
    }

    #[repr(C)]
    #[derive(Default)]
    struct Register {
        area: Area,
        mode: u64,
        ioctls: u64,
    }

    #[repr(C)]
    #[derive(Default)]
    struct Protection {
        area: Area,
        /// 0: none.
        mode: u64,
    }

    #[repr(C)]
    #[derive(Default, Clone, Copy)]
    struct Region {
        start: u64,
        end: u64,
        categories: u64,
    }

    #[repr(C)]
    #[derive(Default)]
    struct Scan {
        size: u64,
        flags: u64,
        start: u64,
        end: u64,
        walk_end: u64,
        regions: u64,
        regions_length: u64,
        max_pages: u64,
        category_inverted: u64,
        category_mask: u64,
        category_anyof_mask: u64,
        return_mask: u64,
    }

    /// The marks of this process's pages. They are gone when it is dropped. A process that was split off must not use it: its
    /// requests would be about the memory of the first one.
    #[derive(Debug)]
    pub struct Pages {
        marks: OwnedFd,
        map: File,
        size: usize,
    }

    impl Pages {
        /// Begins to keep marks.
        ///
        /// # Errors
        /// The system is older than Linux 6.7, or does not allow it, as many containers do not.
        pub fn open() -> io::Result<Self> {
            let flags = libc::O_CLOEXEC | libc::O_NONBLOCK | USER_MODE_ONLY;
            // SAFETY: takes flags only; gives a new descriptor or -1.
            let descriptor = unsafe { libc::syscall(libc::SYS_userfaultfd, flags) };
            let descriptor = i32::try_from(descriptor).unwrap_or(-1);
            if descriptor < 0 {
                return Err(io::Error::last_os_error());
            }
            // SAFETY: the descriptor is new, so nobody else owns it.
            let marks = unsafe { OwnedFd::from_raw_fd(descriptor) };
            let mut api = Api {
                version: API_VERSION,
                features: WP_ASYNC | WP_UNPOPULATED,
                ioctls: 0,
            };
            request(&marks, UFFDIO_API, &mut api)?;
            // SAFETY: asks for a number.
            let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
            let pages = Self {
                marks,
                map: File::open("/proc/self/pagemap")?,
                size: usize::try_from(size).map_err(io::Error::other)?,
            };
            pages.scan(&mut Scan::default(), &(0..0), &mut [])?;
            Ok(pages)
        }

        /// Bytes of a page.
        pub fn size(&self) -> usize {
            self.size
        }

        /// Makes it possible to protect these addresses. Nothing is protected yet.
        ///
        /// # Errors
        /// Not all of it is memory of this process alone: a file or another process may change what is there without a write
        /// that the system sees. Or there is no memory, or somebody else keeps marks of it.
        pub fn watch(&self, addresses: &Addresses) -> io::Result<()> {
            if !is_private(addresses)? {
                return Err(io::ErrorKind::Unsupported.into());
            }
            if self.are_watched(addresses) {
                return Ok(());
            }
            let mut register = Register {
                area: area(addresses),
                mode: REGISTER_MODE_WP,
                ioctls: 0,
            };
            request(&self.marks, UFFDIO_REGISTER, &mut register)?;
            // Memory that `mremap` moved is not watched any more, nor is, at times, what it lies beside now. Its pages look
            // protected for ever after, though they can be written to without a mark.
            let mut protection = Protection {
                area: area(addresses),
                mode: 0,
            };
            request(&self.marks, UFFDIO_WRITEPROTECT, &mut protection).map(drop)
        }

        fn are_watched(&self, addresses: &Addresses) -> bool {
            let mut scan = Scan {
                category_mask: IS_WPALLOWED,
                return_mask: IS_WPALLOWED,
                ..Scan::default()
            };
            self.are_all(&mut scan, addresses)
        }

        /// Takes the marks of these addresses away; gives those that had one. Every write after this leaves one.
        ///
        /// # Errors
        /// They are not watched, or some of the process's memory is pinned for a device or a ring of `io_uring`, which write
        /// without a mark. What had a mark until the error may have lost it.
        pub fn protect(&self, addresses: &Addresses) -> io::Result<Vec<Addresses>> {
            let mut marked = Vec::new();
            let mut from = addresses.start;
            while from < addresses.end {
                let mut regions = [Region::default(); 64];
                let mut scan = Scan {
                    flags: WP_MATCHING | CHECK_WPASYNC,
                    category_mask: IS_WRITTEN,
                    return_mask: IS_WRITTEN,
                    ..Scan::default()
                };
                let found = self.scan(&mut scan, &(from..addresses.end), &mut regions)?;
                marked.extend(found.iter().map(place));
                let to = address(scan.walk_end);
                if to <= from {
                    return Err(io::Error::other("the system's scan of pages stands still"));
                }
                from = to;
            }
            // Asked last: what is handed to a device after the protection has its marks already.
            if is_any_pinned()? {
                return Err(io::ErrorKind::ResourceBusy.into());
            }
            Ok(marked)
        }

        /// Whether the system says of each page that it is watched and has no mark. False when it cannot say it.
        pub fn are_unwritten(&self, addresses: &Addresses) -> bool {
            // A page that is nowhere, as after `madvise`, has no mark either, and reads as zeros: it must be somewhere.
            let mut scan = Scan {
                category_inverted: IS_WRITTEN | IS_FILE,
                category_mask: IS_WPALLOWED | IS_WRITTEN | IS_FILE,
                category_anyof_mask: IS_PRESENT | IS_SWAPPED,
                return_mask: IS_WPALLOWED,
                ..Scan::default()
            };
            self.are_all(&mut scan, addresses)
        }

        /// Whether the scan finds each page.
        fn are_all(&self, scan: &mut Scan, addresses: &Addresses) -> bool {
            let mut regions = [Region::default(); 16];
            let Ok(found) = self.scan(scan, addresses, &mut regions) else {
                return false;
            };
            let mut to = addresses.start;
            for region in found.iter().map(place) {
                if region.start != to {
                    return false;
                }
                to = region.end;
            }
            to == addresses.end
        }

        /// Keeps no marks of these addresses any more.
        pub fn forget(&self, addresses: &Addresses) {
            // It fails where the memory is gone already.
            let _ = request(&self.marks, UFFDIO_UNREGISTER, &mut area(addresses));
        }

        fn scan<'a>(
            &self,
            scan: &mut Scan,
            addresses: &Addresses,
            regions: &'a mut [Region],
        ) -> io::Result<&'a [Region]> {
            scan.size = size_of::<Scan>() as u64;
            scan.start = addresses.start as u64;
            scan.end = addresses.end as u64;
            scan.regions = regions.as_mut_ptr() as u64;
            scan.regions_length = regions.len() as u64;
            let found = request(&self.map, PAGEMAP_SCAN, scan)?;
            regions.get(..found).ok_or_else(|| {
                io::Error::other("the system says more regions than there is room for")
            })
        }
    }

    /// Asks the system; gives the number that it answers.
    fn request<Argument>(
        descriptor: &impl AsRawFd,
        number: u64,
        argument: &mut Argument,
    ) -> io::Result<usize> {
        // SAFETY: each request above is made with the structure that the system expects for it, which the number's own size
        // says too; `scan` gives it regions that outlive the call, and their true count. None of them changes what memory
        // holds: the protection is seen by the system alone.
        let answer = unsafe { libc::ioctl(descriptor.as_raw_fd(), number, &raw mut *argument) };
        usize::try_from(answer).map_err(|_| io::Error::last_os_error())
    }

    fn area(addresses: &Addresses) -> Area {
        Area {
            start: addresses.start as u64,
            length: addresses.len() as u64,
        }
    }

    fn place(region: &Region) -> Addresses {
        address(region.start)..address(region.end)
    }

    fn address(number: u64) -> usize {
        usize::try_from(number).unwrap_or(usize::MAX)
    }

    /// Whether any memory of this process is pinned, which is seldom: nobody tells which.
    fn is_any_pinned() -> io::Result<bool> {
        let status = std::fs::read_to_string("/proc/self/status")?;
        let pinned = status.lines().find_map(|line| line.strip_prefix("VmPin:"));
        Ok(pinned.is_none_or(|size| size.trim() != "0 kB"))
    }

    /// Whether all of these addresses are memory that only this process has, and no file.
    fn is_private(addresses: &Addresses) -> io::Result<bool> {
        let mut to = addresses.start;
        for line in BufReader::new(File::open("/proc/self/maps")?).split(b'\n') {
            let line = line?;
            let Some(mapping) = mapping(&String::from_utf8_lossy(&line)) else {
                return Ok(false);
            };
            if mapping.addresses.end <= to {
                continue;
            }
            if mapping.addresses.start > to || !mapping.private {
                return Ok(false);
            }
            to = mapping.addresses.end;
            if to >= addresses.end {
                return Ok(true);
            }
        }
        Ok(false)
    }

    struct Mapping {
        addresses: Addresses,
        private: bool,
    }

    /// A line such as `7f0a3c000000-7f0a3c021000 rw-p 00000000 00:00 0   [heap]`; see proc_pid_maps(5).
    fn mapping(line: &str) -> Option<Mapping> {
        let mut fields = line.split_ascii_whitespace();
        let (start, end) = fields.next()?.split_once('-')?;
        let rights = fields.next()?;
        let inode = fields.nth(2)?;
        let name = fields.next().unwrap_or("");
        let start = usize::from_str_radix(start, 16).ok()?;
        let end = usize::from_str_radix(end, 16).ok()?;
        Some(Mapping {
            addresses: start..end,
            private: rights == "rw-p"
                && inode == "0"
                && (name.is_empty() || name == "[heap]" || name.starts_with("[anon:")),
        })
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn memory_of_files_and_of_several_processes_is_not_private() {
            let private = |line: &str| mapping(line).map(|mapping| mapping.private);
            assert_eq!(private("7f00-7f10 rw-p 00000000 00:00 0 "), Some(true));
            assert_eq!(
                private("7f00-7f10 rw-p 00000000 00:00 0   [heap]"),
                Some(true)
            );
            for line in [
                "7f00-7f10 rw-s 00000000 00:01 7   /dev/zero (deleted)",
                "7f00-7f10 rw-p 00000000 08:01 12   /tmp/array",
                "7f00-7f10 rw-s 00000000 00:00 0 ",
                "7f00-7f10 r--p 00000000 00:00 0 ",
                "7f00-7f10 rw-p 00000000 00:05 9   /dev/nvidia0",
                "7f00-7f10 rw-p 00000000 00:00 0   [stack]",
            ] {
                assert_eq!(private(line), Some(false), "{line}");
            }
            assert_eq!(private("7f00-7f10"), None);
        }
    }
}
