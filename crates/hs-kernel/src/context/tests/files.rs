//! Files that are damaged, foreign, newer, full, or another's.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use super::super::{Kind, Search};
use super::*;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("there").permissions().mode() & 0o777
}

#[test]
fn files_are_only_their_owners() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.db");
    let _database = filled(&path, &[cell(1, "x", "")]);
    for name in ["a.db", "a.db-wal", "a.db-shm"] {
        assert_eq!(mode(&folder.path().join(name)), 0o600, "{name}");
    }
    let loose = folder.path().join("loose.db");
    fs::write(&loose, "").expect("written");
    fs::set_permissions(&loose, Permissions::from_mode(0o644)).expect("set");
    let target = folder.path().join("target");
    fs::write(&target, "mine").expect("written");
    let link = folder.path().join("link.db");
    symlink(&target, &link).expect("a link");
    for (path, found) in [
        (&loose, "the mode 0644"),
        (&link, "a link"),
        (&folder.path().to_owned(), "something else"),
    ] {
        for opened in [
            Database::open(path, Options::default()).map(drop),
            Database::open_to_read(path).map(drop),
        ] {
            let error = opened.expect_err("refused");
            assert_eq!(error.kind(), Kind::Refused, "{error}");
            assert!(error.to_string().contains(found), "{error}");
        }
    }
    assert_eq!(fs::read_to_string(&target).expect("read"), "mine");
}

#[test]
fn what_is_written_is_there_for_the_next_and_for_readers() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.db");
    let mut database = filled(&path, &[cell(1, "first", "")]);
    let reader = Database::open_to_read(&path).expect("opened");
    assert_eq!(reader.search(&Search::new("first")).expect("found").of, 1);
    database.add(&cell(2, "second", "")).expect("added");
    assert_eq!(reader.search(&Search::new("second")).expect("found").of, 1);
    drop(database);
    drop(reader);
    assert!(!folder.path().join("a.db-wal").exists());
    assert_eq!(all(&open(&path)).len(), 2);
    let mut reader = Database::open_to_read(&path).expect("opened");
    reader.add(&cell(3, "third", "")).expect_err("only to read");
    Database::open_to_read(&folder.path().join("none.db")).expect_err("missing");
}

#[test]
fn a_damaged_file_is_put_aside_and_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.db");
    let other = rusqlite::Connection::open(folder.path().join("other.db")).expect("opened");
    other.execute_batch("CREATE TABLE mine (x)").expect("made");
    drop(other);
    let foreign = fs::read(folder.path().join("other.db")).expect("read");
    drop(filled(&path, &[cell(1, "x", "")]));
    let good = fs::read(&path).expect("read");
    let mut holes = good.clone();
    holes[4096..].fill(0xa5);
    let cut = good[..good.len() / 2].to_vec();
    for (number, bytes) in [b"no database".to_vec(), foreign, holes, cut]
        .into_iter()
        .enumerate()
    {
        fs::write(&path, &bytes).expect("written");
        let (database, told) = Database::open(&path, Options::default()).expect("opened");
        let told = told.expect("told");
        let aside = match number {
            0 => folder.path().join("a.db.damaged"),
            _ => folder.path().join(format!("a.db.damaged-{}", number + 1)),
        };
        assert!(
            told.contains(&format!("put aside as {}", aside.display())),
            "{told}"
        );
        assert_eq!(fs::read(aside).expect("read"), bytes);
        assert_eq!(all(&database), []);
    }
}

#[test]
fn a_newer_file_is_put_aside_and_not_called_damaged() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.db");
    let database = filled(&path, &[cell(1, "x", "")]);
    database
        .connection
        .pragma_update(None, "user_version", 2)
        .expect("set");
    drop(database);
    let error = Database::open_to_read(&path).expect_err("newer");
    assert_eq!(error.kind(), Kind::Newer);
    let (_, told) = Database::open(&path, Options::default()).expect("opened");
    let told = told.expect("told");
    assert!(
        told.contains("a newer headstart wrote it (version 2, this one knows 1)"),
        "{told}"
    );
    assert!(folder.path().join("a.db.newer").exists());
}

#[test]
fn the_oldest_go_when_it_is_full() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.db");
    let options = Options { limit: 4 << 20 };
    let (mut database, _) = Database::open(&path, options).expect("opened");
    let output = "a line of output like any other\n".repeat(1000);
    for number in 1..=200 {
        database
            .add(&cell(number, &format!("cell_{number}()"), &output))
            .expect("added");
        assert!(database.bytes().expect("read") <= options.limit);
    }
    let (rows, dropped) = database.count().expect("read");
    assert!(rows > 20 && rows + dropped == 200, "{rows} {dropped}");
    let kept = all(&database);
    assert_eq!(kept.last(), Some(&cell(200, "cell_200()", &output)));
    assert_eq!(kept.len() as u64, rows);
    assert_eq!(
        database.search(&Search::new("cell_200")).expect("found").of,
        1
    );
    assert_eq!(
        database
            .search(&Search::new("\"cell_1()\""))
            .expect("found")
            .of,
        0
    );
    // What went is gone from the disk as well.
    drop(database);
    assert!(fs::metadata(&path).expect("there").len() <= options.limit + (1 << 20));
    let (database, _) = Database::open(&path, options).expect("opened");
    assert_eq!(database.count().expect("read"), (rows, dropped));
}
