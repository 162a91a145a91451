//! What is not only its owner's is refused, and nothing behind it is touched.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use super::{Sandbox, id, random, save, values};
use crate::store::{Kind, Options, Store};

fn refusal(root: &Path) -> String {
    let error = Store::open(root, Options::default())
        .err()
        .expect("refused");
    assert_eq!(error.kind(), Kind::Refused, "{error}");
    error.to_string()
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).expect("a folder").next().is_none()
}

#[test]
fn folders_and_files_are_only_their_owners() {
    let sandbox = Sandbox::new();
    let store = sandbox.store();
    save(&store, id(1), None, &[("x", &random(1, 5000))]).expect("saved");
    let mut open = vec![sandbox.root()];
    let mut files = 0;
    while let Some(folder) = open.pop() {
        assert_eq!(
            fs::metadata(&folder)
                .expect("a folder")
                .permissions()
                .mode()
                & 0o777,
            0o700,
            "{folder:?}"
        );
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else {
                files += 1;
                assert_eq!(
                    fs::metadata(&path).expect("a file").permissions().mode() & 0o777,
                    0o600,
                    "{path:?}"
                );
            }
        }
    }
    assert!(
        files >= 5,
        "an object, a manifest, a holder, the lock, the size"
    );
}

#[test]
fn a_link_in_the_place_of_the_store_is_refused() {
    let sandbox = Sandbox::new();
    let target = sandbox.0.path().join("target");
    fs::create_dir(&target).expect("made");
    fs::set_permissions(&target, Permissions::from_mode(0o700)).expect("private");
    fs::create_dir_all(sandbox.root().parent().expect("a parent")).expect("made");
    symlink(&target, sandbox.root()).expect("a link");
    let text = refusal(&sandbox.root());
    assert!(
        text.contains("found a link") && text.contains("checkpoints"),
        "{text}"
    );
    assert!(is_empty(&target));
}

#[test]
fn a_file_in_the_place_of_the_store_is_refused() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.root().parent().expect("a parent")).expect("made");
    fs::write(sandbox.root(), "mine").expect("written");
    assert!(refusal(&sandbox.root()).contains("found a file"));
    assert_eq!(fs::read(sandbox.root()).expect("a file"), b"mine");
}

#[test]
fn modes_that_let_others_in_are_refused() {
    for mode in [0o755, 0o770, 0o711, 0o777] {
        let sandbox = Sandbox::new();
        fs::create_dir_all(sandbox.root()).expect("made");
        fs::set_permissions(sandbox.root(), Permissions::from_mode(mode)).expect("changed");
        let text = refusal(&sandbox.root());
        assert!(text.contains(&format!("the mode 0{mode:o}")), "{text}");
        let fix = format!("chmod 700 {}", sandbox.root().display());
        assert!(text.contains(&fix), "{text}");
        assert!(is_empty(&sandbox.root()));
        assert_eq!(
            fs::metadata(sandbox.root())
                .expect("a folder")
                .permissions()
                .mode()
                & 0o777,
            mode
        );
    }
}

#[test]
fn each_folder_in_it_is_looked_at() {
    for name in [
        "objects",
        "manifests",
        "marks",
        "quarantine",
        "holders",
        "unfinished",
    ] {
        let sandbox = Sandbox::new();
        drop(sandbox.store());
        let folder = sandbox.root().join(name);
        fs::set_permissions(&folder, Permissions::from_mode(0o750)).expect("changed");
        assert!(refusal(&sandbox.root()).contains(name));
        let target = sandbox.0.path().join("target");
        fs::create_dir(&target).expect("made");
        fs::set_permissions(&target, Permissions::from_mode(0o700)).expect("private");
        fs::remove_dir(&folder).expect("removed");
        symlink(&target, &folder).expect("a link");
        assert!(refusal(&sandbox.root()).contains(name));
        assert!(is_empty(&target));
    }
}

#[test]
fn a_folder_of_somebody_else_is_refused() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.root()).expect("made");
    fs::set_permissions(sandbox.root(), Permissions::from_mode(0o700)).expect("private");
    // Only root can give a folder away; everybody else finds one of root's.
    if std::os::unix::fs::chown(sandbox.root(), Some(65_534), None).is_ok() {
        let text = refusal(&sandbox.root());
        assert!(text.contains("belongs to user 65534"), "{text}");
        assert!(is_empty(&sandbox.root()));
    } else {
        assert!(Store::open(Path::new("/root"), Options::default()).is_err());
    }
}

#[test]
fn links_and_loose_files_in_the_place_of_checkpoints_and_objects_are_refused() {
    let sandbox = Sandbox::new();
    let store = sandbox.store();
    save(&store, id(1), None, &[("x", &random(1, 5000))]).expect("saved");
    let files = [
        sandbox.files("objects").remove(0),
        sandbox.files("manifests").remove(0),
    ];
    for file in files {
        fs::set_permissions(&file, Permissions::from_mode(0o644)).expect("changed");
        assert_eq!(
            values(&store, id(1)).expect_err("loose").kind(),
            Kind::Refused
        );
        fs::set_permissions(&file, Permissions::from_mode(0o600)).expect("changed");
        let elsewhere = sandbox.0.path().join("elsewhere");
        fs::rename(&file, &elsewhere).expect("moved");
        symlink(&elsewhere, &file).expect("a link");
        assert_eq!(
            values(&store, id(1)).expect_err("a link").kind(),
            Kind::Refused
        );
        fs::remove_file(&file).expect("removed");
        // A pipe must not make anybody wait.
        assert!(
            std::process::Command::new("mkfifo")
                .args(["-m", "600"])
                .arg(&file)
                .status()
                .expect("mkfifo")
                .success()
        );
        assert_eq!(
            values(&store, id(1)).expect_err("a pipe").kind(),
            Kind::Refused
        );
        fs::remove_file(&file).expect("removed");
        fs::rename(&elsewhere, &file).expect("moved");
        assert!(values(&store, id(1)).is_ok());
    }
}
