//! What a store lists, and ids that are cut short.

use serde_json::json;

use super::super::{About, Kind};
use super::*;

#[test]
fn checkpoints_are_listed_with_what_they_say() {
    let sandbox = Sandbox::new();
    let store = sandbox.store();
    save(&store, id(1), None, &[("x", b"one"), ("y", b"two")]).expect("saved");
    let mut second = store.begin(id(2), Some(id(1))).expect("begun");
    second
        .add(
            vec!["x".to_owned()],
            BTreeMap::new(),
            true,
            vec![1].into(),
            &[],
        )
        .expect("added");
    let about = About {
        session: "work".to_owned(),
        cell: json!({"code": "x = 1", "number": 2}),
        ..About::default()
    };
    second.commit(about).expect("saved");
    let (mut found, faults) = store.list().expect("listed");
    found.sort_by_key(|listed| listed.id.to_string());
    assert_eq!(faults, []);
    let [first, second] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!(
        (first.id, first.parent, first.names, first.bytes),
        (id(1), None, 2, 8)
    );
    assert_eq!(
        (second.parent, second.names, second.bytes),
        (Some(id(1)), 1, 1)
    );
    assert_eq!(
        (second.session.as_str(), &second.cell["code"]),
        ("work", &json!("x = 1"))
    );
    // One that cannot be read is named, and keeps no other from being listed.
    let broken = sandbox.root().join("manifests").join(id(1).to_string());
    std::fs::write(broken, "x").expect("written");
    let (found, faults) = store.list().expect("listed");
    assert_eq!((found.len(), faults.len()), (1, 1));
    assert_eq!(faults[0].0, id(1).to_string());
}

#[test]
fn the_beginning_of_an_id_is_enough_where_it_is_the_only_one() {
    let sandbox = Sandbox::new();
    let store = sandbox.store();
    let ids = [
        "00110000000000000000000000000000",
        "00112000000000000000000000000000",
    ];
    for text in ids {
        save(&store, text.parse().expect("an id"), None, &[]).expect("saved");
    }
    let find = |text: &str| store.find(text).map(|id| id.to_string());
    assert_eq!(find("00112").expect("found"), ids[1]);
    assert_eq!(find(ids[0]).expect("found"), ids[0]);
    for (text, kind, words) in [
        ("0011", Kind::Missing, "2 checkpoints begin with 0011"),
        ("0012", Kind::Missing, "there is no checkpoint 0012"),
        ("001", Kind::Id, "4 or more of its first digits"),
        ("../../x", Kind::Id, "found \"../../x\""),
        ("", Kind::Id, "found \"\""),
        (
            "001100000000000000000000000000000",
            Kind::Id,
            "expected the id",
        ),
    ] {
        let error = find(text).expect_err(text).to_string();
        assert!(error.contains(words), "{text}: {error}");
        assert_eq!(store.find(text).expect_err(text).kind(), kind);
    }
}
