//! What people type, and what is found.

use proptest::prelude::*;

use super::super::{Search, What};
use super::*;

/// The numbers of the cells that are found.
fn numbers(database: &Database, query: &str) -> Vec<i64> {
    let found = database.search(&Search::new(query).with_limit(100));
    let found = found.unwrap_or_else(|error| panic!("{query:?}: {error}"));
    assert_eq!(found.of, found.hits.len() as u64, "{query:?}");
    found.hits.iter().filter_map(|hit| hit.cell).collect()
}

#[test]
fn what_people_type_finds_what_they_mean() {
    let folder = tempfile::tempdir().expect("a folder");
    let entries = [
        cell(
            1,
            "df = hs.charge('orders.csv')",
            "orders.csv: 52 rows x 10 columns\n",
        ),
        cell(
            2,
            "df.groupby('total_amount_eur').size()",
            "total_amount_eur\n5    3\n",
        ),
        cell(3, "max_10 = max(x_1, 3)", ""),
        cell(
            4,
            "print('Montant r\u{e9}gl\u{e9}: foo(bar')",
            "Montant r\u{e9}gl\u{e9}: foo(bar\n",
        ),
        cell(5, "a = -x * 2  # 100% AND d[\"key\"]", ""),
        cell(6, "s = '\u{6771}\u{4eac}\u{90fd}'", "\u{1f980} crab\n"),
        cell(7, "before\0behind", ""),
    ];
    let database = filled(&folder.path().join("a.db"), &entries);
    for (query, expected) in [
        // Code, whole or in part.
        ("df.groupby", vec![2]),
        ("amount", vec![2]),
        ("AMOUNT eur", vec![2]),
        ("groupb", vec![2]),
        ("x_1", vec![3]),
        ("max_10", vec![3]),
        (".size()", vec![2]),
        // All words must occur, wherever.
        ("orders columns", vec![1]),
        ("orders groupby", vec![]),
        // Quotes hold together; what is no word is a text as well.
        ("\"52 rows\"", vec![1]),
        ("\"52 columns\"", vec![]),
        ("\"foo(bar", vec![4]),
        ("\"foo(bar\"", vec![4]),
        ("foo(bar", vec![4]),
        ("-x", vec![5]),
        ("*", vec![5]),
        ("2  #", vec![5]),
        ("a AND", vec![5]),
        ("NOT", vec![]),
        ("NEAR(a b)", vec![]),
        ("code:max", vec![]),
        ("100%", vec![5]),
        ("d[\"key\"]", vec![5]),
        ("'; DROP TABLE entry; --", vec![]),
        // Accents, other scripts, a zero.
        ("regle", vec![4]),
        ("R\u{c9}GL\u{c9}", vec![4]),
        ("re\u{301}gle\u{301}", vec![4]),
        ("\u{4eac}\u{90fd}", vec![6]),
        ("\u{6771}\u{4eac}\u{90fd}", vec![6]),
        ("\u{1f980}", vec![6]),
        ("behind", vec![7]),
        ("before\0behind", vec![7]),
        // Short words stand at the beginning of one.
        ("df", vec![2, 1]),
        ("x", vec![5, 1, 3]),
        ("zz", vec![]),
    ] {
        assert_eq!(numbers(&database, query), expected, "{query:?}");
    }
}

#[test]
fn whole_words_come_first_and_then_the_newest() {
    let folder = tempfile::tempdir().expect("a folder");
    let entries = [
        cell(1, "rate = 1", ""),
        cell(2, "generate()", ""),
        cell(3, "rate = 1", ""),
        cell(
            4,
            "x = 1",
            "the rate is in the output, among many more words than before, so many\n",
        ),
    ];
    let database = filled(&folder.path().join("a.db"), &entries);
    assert_eq!(numbers(&database, "rate"), [3, 1, 4, 2]);
    assert_eq!(numbers(&database, "  "), [4, 3, 2, 1]);
}

#[test]
fn a_hit_says_where_it_comes_from() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut failed = cell(3, "load()", "Traceback ...\nKeyError: 'amuont'\n");
    if let What::Cell(cell) = &mut failed.what {
        cell.status = "error".to_owned();
        cell.ename = Some("KeyError".to_owned());
        cell.evalue = Some("'amuont'".to_owned());
        cell.checkpoint = Some("00112233445566778899aabbccddeeff".to_owned());
    }
    let note = message("user", "why is there\nan amuont?");
    let database = filled(&folder.path().join("a.db"), &[failed, note]);
    let found = database.search(&Search::new("amuont")).expect("found");
    let mut hits = serde_json::to_value(&found).expect("JSON");
    let hits = hits["hits"].as_array_mut().expect("hits");
    hits.sort_by_key(|hit| hit["kind"].to_string());
    assert_eq!(
        serde_json::json!(hits),
        serde_json::json!([
            {"kind": "cell", "snippet": "KeyError: 'amuont'", "in": "error", "session": "work", "time": 1_796_000_003.123,
             "cell": 3, "generation": 1, "status": "error", "checkpoint": "00112233445566778899aabbccddeeff"},
            {"kind": "message", "snippet": "an amuont?", "in": "text", "session": "work", "time": 1_796_000_000.0,
             "role": "user"},
        ])
    );
}

#[test]
fn more_hits_than_are_given_are_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let entries: Vec<Entry> = (1..=300)
        .map(|number| cell(number, "same(x)", ""))
        .collect();
    let database = filled(&folder.path().join("a.db"), &entries);
    for (query, of) in [
        ("same", 300),
        ("x", 300),
        ("x same", 300),
        ("", 300),
        ("nowhere", 0),
    ] {
        let found = database.search(&Search::new(query)).expect("found");
        assert_eq!(
            (found.of, found.hits.len()),
            (of, of.min(10) as usize),
            "{query:?}"
        );
    }
    let error = database
        .search(&Search::new(&"x".repeat(5000)))
        .expect_err("too long");
    assert!(error.to_string().contains("at most 4096 bytes, found 5000"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_text_is_a_query(query in any::<String>(), code in any::<String>()) {
        let folder = tempfile::tempdir().expect("a folder");
        let database = filled(&folder.path().join("a.db"), &[cell(1, &code, "")]);
        prop_assert!(database.search(&Search::new(&query)).is_ok());
    }

    #[test]
    fn a_piece_of_the_code_finds_it(
        code in "[a-z_.(){}\\[\\]'\"*+: \u{e9}\u{4eac}-]{1,60}", from in 0usize..60, length in 3usize..20,
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let database = filled(&folder.path().join("a.db"), &[cell(1, &code, "")]);
        let piece: String = code.chars().skip(from).take(length).collect();
        prop_assume!(!piece.contains('"') && piece.trim().chars().count() >= 3);
        let found = database.search(&Search::new(&format!("\"{piece}\""))).expect("found");
        prop_assert_eq!(found.of, 1, "{:?} in {:?}", piece, code);
    }
}
