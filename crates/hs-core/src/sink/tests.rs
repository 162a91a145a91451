//! What happens to the old file, and to what lies beside it.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

fn text(out: &mut (dyn Write + Send), text: &str) -> Result<()> {
    out.write_all(text.as_bytes()).map_err(not_written)
}

fn write(path: &Path, content: &str) -> Result<((), u64)> {
    save(path, SinkOptions::default(), &Control::default(), |out| {
        text(out, content)
    })
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_failure_leaves_the_old_file_and_nothing_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    write(&path, "old").unwrap();
    let failed: Result<((), u64)> =
        save(&path, SinkOptions::default(), &Control::default(), |out| {
            text(out, &"new".repeat(1 << 20))?;
            Err(Error::new(ErrorKind::Format, "no"))
        });
    assert_eq!(failed.unwrap_err().message(), "no");
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(write(&path, "newer").unwrap().1, 5);
    assert_eq!(fs::read_to_string(&path).unwrap(), "newer");
    assert_eq!(names(folder.path()), ["a.csv"]);
}

#[test]
fn a_stop_request_leaves_the_old_file_whenever_it_comes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    write(&path, "old").unwrap();
    for late in [false, true] {
        let control = Control::default();
        let stopped: Result<((), u64)> = save(&path, SinkOptions::default(), &control, |out| {
            if !late {
                control.stop();
            }
            text(out, &"new".repeat(1 << 20))?;
            // Everything is written, but not yet in its place.
            control.stop();
            Ok(())
        });
        assert_eq!(stopped.unwrap_err().kind(), ErrorKind::Interrupted);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names(folder.path()), ["a.csv"]);
    }
}

#[test]
fn permissions_stay_and_a_link_stays_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (folder.path().join("a.csv"), folder.path().join("link.csv"));
    write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("a.csv", &link).unwrap();
    write(&link, "new").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    assert!(link.is_symlink());
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o640
    );
    // A link whose file is not there yet stays one, too.
    fs::remove_file(&path).unwrap();
    write(&link, "again").unwrap();
    assert!(link.is_symlink());
    assert_eq!(fs::read_to_string(&path).unwrap(), "again");
}

#[test]
fn what_a_killed_process_left_is_removed_and_what_another_one_writes_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    for slot in [0, 2] {
        fs::write(folder.path().join(format!(".a.csv.hs-{slot}.tmp")), "half").unwrap();
    }
    let busy = File::create(folder.path().join(".a.csv.hs-1.tmp")).unwrap();
    busy.try_lock().unwrap();
    fs::write(folder.path().join(".b.csv.hs-0.tmp"), "of another file").unwrap();
    write(&path, "new").unwrap();
    assert_eq!(
        names(folder.path()),
        [".a.csv.hs-1.tmp", ".b.csv.hs-0.tmp", "a.csv"]
    );
    drop(busy);
    write(&path, "newer").unwrap();
    assert_eq!(names(folder.path()), [".b.csv.hs-0.tmp", "a.csv"]);
}

#[test]
fn many_saves_of_one_file_at_a_time_end_with_one_of_them_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    std::thread::scope(|scope| {
        for number in 0..8 {
            let path = &path;
            scope.spawn(move || {
                for _ in 0..50 {
                    write(path, &number.to_string().repeat(10_000)).unwrap();
                }
            });
        }
    });
    let left = fs::read_to_string(&path).unwrap();
    assert!(left.len() == 10_000 && left.bytes().all(|byte| byte == left.as_bytes()[0]));
    assert_eq!(names(folder.path()), ["a.csv"]);
}

#[test]
fn a_file_that_is_there_stays_if_so_wished_even_if_it_comes_late() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let keep = SinkOptions {
        overwrite: false,
        ..SinkOptions::default()
    };
    save::<_, Error>(&path, keep, &Control::default(), |out| text(out, "first")).unwrap();
    assert_eq!(names(folder.path()), ["a.csv"]);
    let second = save::<(), Error>(&path, keep, &Control::default(), |_| {
        panic!("not asked to write")
    });
    assert_eq!(second.unwrap_err().kind(), ErrorKind::Exists);
    fs::remove_file(&path).unwrap();
    let late = save::<_, Error>(&path, keep, &Control::default(), |out| {
        fs::write(&path, "theirs").unwrap();
        text(out, "ours")
    });
    assert_eq!(late.unwrap_err().kind(), ErrorKind::Exists);
    assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
    assert_eq!(names(folder.path()), ["a.csv"]);
}

#[test]
fn places_that_take_no_file_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let error = |path: &Path| write(path, "x").unwrap_err().to_string();
    let missing = folder.path().join("no such/a.csv");
    assert!(error(&missing).contains("/no such/a.csv: no such folder: "));
    assert!(
        error(folder.path()).ends_with("expected a file, found a folder\nhint: name a file in it")
    );
    let own = folder.path().join("loop.csv");
    symlink("loop.csv", &own).unwrap();
    assert!(error(&own).contains("links that lead nowhere"));
    let long = folder.path().join(format!("{}.csv", "é".repeat(125)));
    write(&long, "x").unwrap();
}

#[test]
fn packed_files_unpack_to_what_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let content = "a,b\n1,2\n".repeat(100_000);
    for compression in [Compression::Gzip, Compression::Zstandard] {
        let path = folder
            .path()
            .join(format!("a.csv.{}", compression.extension()));
        let options = SinkOptions {
            compression: Some(compression),
            ..SinkOptions::default()
        };
        let ((), size) = save::<_, Error>(&path, options, &Control::default(), |out| {
            text(out, &content)
        })
        .unwrap();
        assert_eq!(size, fs::metadata(&path).unwrap().len());
        assert!(size < content.len() as u64 / 20);
        let read = crate::source::Source::path(&path).unwrap();
        assert!(read.read(&Control::default()).unwrap() == content.as_bytes());
    }
}

/// `/dev/full` takes nothing, as a disk without room.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_in_the_same_words_by_every_writer() {
    let failed: Result<((), u64)> = save(
        Path::new("/dev/full"),
        SinkOptions::default(),
        &Control::default(),
        |out| {
            let failed = out.write_all(&vec![b'x'; 1 << 20]);
            failed.map_err(|_| Error::new(ErrorKind::Internal, "the writer's own words"))
        },
    );
    let error = failed.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(error.to_string().contains("the disk is full"), "{error}");
}
