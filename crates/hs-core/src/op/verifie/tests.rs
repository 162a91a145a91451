//! Conditions on tables of every type; the expected truths are worked out by hand.

use polars::prelude::*;

use super::*;
use crate::{Control, ErrorKind, Table};

fn table() -> Table {
    let cast = |name: &str, values: [Option<i64>; 4], dtype: DataType| -> Column {
        Series::new(name.into(), values)
            .cast(&dtype)
            .unwrap()
            .into()
    };
    let second = 1_000_000;
    let instants = Int64Chunked::new("seen".into(), [Some(0), Some(second), None, Some(0)])
        .into_datetime(TimeUnit::Microseconds, Some(TimeZone::UTC))
        .into_column();
    let columns = vec![
        Column::new("n".into(), [Some(1_i64), Some(-2), None, Some(4)]),
        Column::new("big".into(), [u64::MAX, 1, 2, 3]),
        Column::new("x".into(), [Some(0.5), None, Some(f64::NAN), Some(-1.0)]),
        Column::new("name".into(), [Some("Ann"), Some("bob"), None, Some("")]),
        Column::new("order id".into(), [7_i64, 7, 8, 9]),
        Column::new("paid".into(), [Some(true), Some(false), None, Some(true)]),
        cast("day", [Some(0), Some(31), None, Some(1)], DataType::Date),
        cast(
            "at",
            [Some(0), Some(second), None, Some(5)],
            DataType::Datetime(TimeUnit::Microseconds, None),
        ),
        instants,
        Series::new(
            "parts".into(),
            [
                Series::new("".into(), [1_i64]),
                Series::new("".into(), [2_i64]),
                Series::new("".into(), [3_i64]),
                Series::new("".into(), [4_i64]),
            ],
        )
        .into(),
    ];
    Table::new(DataFrame::new(4, columns).unwrap())
}

/// The outcome of one check on the table: `ok`, or its reason.
fn said(check: &str) -> String {
    let verified = verifie(&table(), &[format!("c=({check})")], &Control::default());
    match verified {
        Err(error) => panic!("{check}: {error}"),
        Ok(verified) if verified.failures() == 0 => "ok".to_owned(),
        Ok(verified) => verified.outcomes[0].reason.clone().unwrap_or_default(),
    }
}

fn error(check: &str) -> crate::Error {
    verifie(&table(), &[check.to_owned()], &Control::default()).unwrap_err()
}

#[test]
fn what_holds_on_every_row() {
    for check in [
        "big > 0",
        "n > -3 OR n IS NULL",
        "\"order id\" >= 7 AND \"order id\" <= 9",
        "`order id` BETWEEN 7 AND 9",
        "n IN (1, -2, 4) OR n IS NULL",
        "n NOT IN (5, 6) OR n IS NULL",
        "NOT (n > 100) OR n IS NULL",
        "CASE WHEN n IS NULL THEN TRUE ELSE n < 5 END",
        "CASE n WHEN 1 THEN name = 'Ann' WHEN -2 THEN name = 'bob' ELSE TRUE END",
        "length(name) IN (0, 3) OR name IS NULL",
        "lower(name) = 'ann' OR upper(name) = 'BOB' OR name = '' OR name IS NULL",
        "name LIKE 'A%' OR name ILIKE 'B_B' OR length(name) = 0 OR name IS NULL",
        "abs(n) IN (1, 2, 4) OR n IS NULL",
        "x IS NULL OR round(x) IN (1, -1)",
        "paid IS NOT TRUE OR n > 0",
        "paid OR NOT paid OR paid IS NULL",
        "day >= '1970-01-01' OR day IS NULL",
        "day < DATE '1970-02-02' OR day IS NULL",
        "at BETWEEN '1970-01-01' AND '1970-01-01 00:00:01' OR at IS NULL",
        "seen <= '1970-01-01T01:00:01+01:00' OR seen IS NULL",
        "at - at = at - at OR at IS NULL",
        "day - DATE '1970-01-01' IN (0, 31, 1) OR day IS NULL",
        "day + 1 > day OR day IS NULL",
        "parts IS NOT NULL",
        "n IS NOT DISTINCT FROM n",
        "n % 2 IN (0, 1) OR n IS NULL",
        "-n < 3 OR n IS NULL",
        "n / 2 IN (0.5, -1.0, 2) OR n IS NULL",
        "N >= -2 OR N IS NULL",
        "0.1 + 0.2 = 0.3",
        "count(*) = 4",
        "count(n) = 3 AND count(x) = 2 AND count(distinct \"order id\") = 3",
        "sum(n) = 3 AND avg(n) = 1 AND min(n) = -2 AND max(n) = 4",
        "sum(big) = 18446744073709551621",
        "min(name) = '' AND max(name) = 'bob' AND max(day) = '1970-02-01' AND max(paid)",
        "sum(CASE WHEN paid THEN 1 ELSE 0 END) = 2",
        "n <= max(n) OR n IS NULL",
        "count(parts) = 4 AND count(distinct paid) = 2",
        "sum(n) * 1.5 = 4.5",
        "1 = 1",
    ] {
        assert_eq!(said(check), "ok", "{check}");
    }
}

#[test]
fn what_fails_is_counted_and_shown() {
    for (check, reason) in [
        (
            "n > 0",
            "2 of 4 rows fail, 1 of them because a value is missing: row 1 (n -2), row 2 (n null)",
        ),
        (
            "name <> ''",
            "2 of 4 rows fail, 1 of them because a value is missing: row 2 (name null), row 3 (name \"\")",
        ),
        (
            "x > -5",
            "2 of 4 rows fail, all because a value is missing: row 1 (x null), row 2 (x nan)",
        ),
        (
            "big < 18446744073709551615",
            "1 of 4 rows fails: row 0 (big 18446744073709551615)",
        ),
        (
            "big > 5 AND n > 5",
            "4 of 4 rows fail: row 0 (big 18446744073709551615, n 1), row 1 (big 1, n -2), row 2 (big 2, n null), ...",
        ),
        ("NULL", "it is null"),
        ("1 > 2", "it is false"),
        ("count(*) > 10", "count(*) is 4"),
        ("sum(x) > 0", "sum(x) is -0.5"),
        ("max(day) < '1970-01-03'", "max(day) is 1970-02-01"),
        (
            "max(seen) < '1970-01-01'",
            "max(seen) is 1970-01-01 00:00:01+00:00",
        ),
        (
            "n = max(n)",
            "3 of 4 rows fail, 1 of them because a value is missing: row 0 (n 1), row 1 (n -2), row 2 (n null); max(n) is 4",
        ),
        (
            "n IN (1, NULL)",
            "3 of 4 rows fail, all because a value is missing, or for the NULL in the list of IN: row 1 (n -2), row 2 (n null), row 3 (n 4)",
        ),
        (
            "n = NULL",
            "4 of 4 rows fail, all because a value is missing: row 0 (n 1), row 1 (n -2), row 2 (n null), ...",
        ),
    ] {
        assert_eq!(said(check), reason, "{check}");
    }
}

#[test]
fn division_by_zero_and_overflow_are_null_and_told() {
    let told = |check: &str| {
        let verified = verifie(&table(), &[format!("c=({check})")], &Control::default()).unwrap();
        let notes: Vec<String> = verified
            .notes
            .iter()
            .map(|note| note.text.clone())
            .collect();
        notes.join("; ")
    };
    assert_eq!(
        told("1 / (n - 1) IS NOT NULL"),
        "check c: one division by zero is null (first: row 0)"
    );
    assert_eq!(
        told("big % 0 = 1"),
        "check c: 4 divisions by zero are null (first: row 0)"
    );
    // Where a row is decided, nothing odd is told of it.
    assert_eq!(told("n = 1 OR 1 / (n - 1) > -9 OR n IS NULL"), "");
    assert_eq!(
        told("CASE WHEN n = 1 THEN TRUE ELSE 1 / (n - 1) > -9 END"),
        ""
    );
    let max = "170141183460469231731687303715884105727";
    assert_eq!(
        told(&format!("big + {max} > 0")),
        "check c: 4 numbers beyond 38 digits are null (first: row 0)"
    );
    assert_eq!(
        told(&format!("big * {max} > 0")).matches("beyond").count(),
        1
    );
    assert_eq!(
        told(&format!("-({max} * -1 - 1) > 0")),
        "check c: one number beyond 38 digits is null (first: row 0)"
    );
}

#[test]
fn wrong_conditions_name_the_place_and_the_fix() {
    for (check, kind, text) in [
        (
            "n >",
            ErrorKind::Argument,
            "check \"n >\": expected an expression, found the end\n  n >\n     ^",
        ),
        (
            "n > )",
            ErrorKind::Argument,
            "check \"n > )\": expected an expression, found \")\"\n  n > )\n      ^",
        ),
        (
            "a=n b",
            ErrorKind::Argument,
            "check \"a\": expected an operator or the end, found \"b\"\n  n b\n    ^",
        ),
        (
            "name = 'x",
            ErrorKind::Argument,
            "check \"name = 'x\": expected a condition in SQL, found an unterminated string literal\n  name = 'x\n         ^",
        ),
        (
            "nn > 1",
            ErrorKind::Column,
            "check \"nn > 1\": no column \"nn\"\n  nn > 1\n  ^^\nhint: the columns are \"n\", \"big\"",
        ),
        (
            "name = \"zzzz\"",
            ErrorKind::Column,
            "check \"name = \\\"zzzz\\\"\": no column \"zzzz\"\n  name = \"zzzz\"\n         ^^^^^^\nhint: a text stands in single quotes, 'zzzz'; the columns are",
        ),
        (
            "name > 5",
            ErrorKind::Type,
            "expected two values of one type, found text and int\n  name > 5\n  ^^^^^^^^\nhint: \"name\" is text; compare it with a text in quotes, or load it by types={\"name\": \"int\"}",
        ),
        (
            "n > '5'",
            ErrorKind::Type,
            "expected two values of one type, found int and text\n  n > '5'\n  ^^^^^^^\nhint: write the number without quotes: 5",
        ),
        (
            "name + n > 1",
            ErrorKind::Type,
            "expected numbers beside +, found text and int",
        ),
        (
            "paid = 1",
            ErrorKind::Type,
            "expected two values of one type, found bool and int",
        ),
        (
            "day > '31/01/2026'",
            ErrorKind::Argument,
            "expected a day or time such as '2026-01-31' or '2026-01-31 08:00:00', found \"31/01/2026\"",
        ),
        ("day > name", ErrorKind::Type, "found date and text"),
        (
            "parts = parts",
            ErrorKind::Type,
            "expected values that have an order, found list and list",
        ),
        (
            "n",
            ErrorKind::Type,
            "check \"n\": expected a condition, true or false, found an int\n  n\n  ^",
        ),
        (
            "n + 1",
            ErrorKind::Type,
            "expected a condition, true or false, found an int",
        ),
        (
            "not n",
            ErrorKind::Type,
            "expected a condition behind NOT, found an int",
        ),
        (
            "n and paid",
            ErrorKind::Type,
            "expected a condition beside AND, found an int",
        ),
        (
            "lenght(name) > 1",
            ErrorKind::Argument,
            "expected a known function, found \"lenght\"\n  lenght(name) > 1\n  ^^^^^^",
        ),
        (
            "sum(count(n)) > 1",
            ErrorKind::Argument,
            "expected no aggregate inside another, found count()",
        ),
        (
            "sum(name) > 1",
            ErrorKind::Type,
            "expected numbers in sum(), found text",
        ),
        (
            "sum(distinct n) > 1",
            ErrorKind::Argument,
            "DISTINCT in sum",
        ),
        (
            "length(n) > 1",
            ErrorKind::Type,
            "expected text in length(), found an int",
        ),
        (
            "n in (select 1)",
            ErrorKind::Argument,
            "expected what conditions know, found",
        ),
        (
            "name ~ 'x'",
            ErrorKind::Argument,
            "expected what conditions know, found",
        ),
        (
            "CAST(n AS TEXT) = '1'",
            ErrorKind::Argument,
            "expected what conditions know, found",
        ),
        (
            "n > 1;",
            ErrorKind::Argument,
            "expected an operator or the end, found \";\"",
        ),
        (
            "",
            ErrorKind::Argument,
            "expected an expression, found the end",
        ),
    ] {
        let found = error(check);
        assert_eq!(found.kind(), kind, "{check}: {found}");
        assert!(
            found.to_string().contains(text),
            "{check}:\n{found}\n!=\n{text}"
        );
    }
}

#[test]
fn names_and_conditions_are_told_apart() {
    let name = |check: &str| {
        verifie(&table(), &[check.to_owned()], &Control::default())
            .map(|verified| verified.outcomes[0].name.clone())
            .map_err(|error| error.message().to_owned())
    };
    for (check, wanted) in [
        ("positive=n > 0", "positive"),
        ("two words = n = 1", "two words"),
        ("n = 1", "n = 1"),
        ("n=1", "n=1"),
        ("big>=1", "big>=1"),
        ("name = 'a=b'", "name = 'a=b'"),
        ("paid = TRUE", "paid = TRUE"),
        ("n=n > 1", "n"),
        ("\"order id\" = 7", "\"order id\" = 7"),
        ("it's fine=n > 1", "it's fine"),
        ("total=count(*) = 4", "total"),
        (" spaced = n>1", "spaced"),
    ] {
        assert_eq!(name(check).as_deref(), Ok(wanted), "{check}");
    }
    let two = name("paid=paid").unwrap_err();
    assert!(two.contains("expected one meaning, found two"), "{two}");
    let typo = name("nn = 1").unwrap_err();
    assert!(typo.contains("no column \"nn\""), "{typo}");
    let value = name("name=zz").unwrap_err();
    assert!(value.contains("no column \"zz\""), "{value}");
}

#[test]
fn a_table_without_rows_fulfils_every_row_but_no_count() {
    let empty = table().slice(0, 0);
    let checks = ["n > 0", "count(*) > 0", "sum(n) = 0"].map(str::to_owned);
    let verified = verifie(&empty, &checks, &Control::default()).unwrap();
    assert_eq!(
        verified.lines(),
        [
            "ok n > 0: 0 rows",
            "FAIL count(*) > 0: count(*) is 0",
            "FAIL sum(n) = 0: it is null: sum(n) is null"
        ]
    );
    assert_eq!(verified.summary(), "2 of 3 checks failed");
}

#[test]
fn many_rows_come_in_order() {
    let rows = 100_000;
    let numbers: Vec<i64> = (0..rows).collect();
    let frame = DataFrame::new(rows as usize, vec![Column::new("n".into(), numbers)]).unwrap();
    let checks = [
        "n % 40000 <> 39999",
        "sum(n) = 4999950000",
        "count(distinct n) = 100000",
    ];
    let verified = verifie(
        &Table::new(frame),
        &checks.map(str::to_owned),
        &Control::default(),
    );
    assert_eq!(
        verified.unwrap().lines(),
        [
            "FAIL n % 40000 <> 39999: 2 of 100,000 rows fail: row 39,999 (n 39999), row 79,999 (n 79999)",
            "ok sum(n) = 4999950000",
            "ok count(distinct n) = 100000"
        ]
    );
}

#[test]
fn sums_of_floats_keep_what_steps_round_away() {
    let tenths = Column::new("x".into(), vec![0.1; 100_000]);
    let far = Column::new(
        "y".into(),
        [1e16, 1.0, -1e16].repeat(33_334)[..100_000].to_vec(),
    );
    let ends = Column::new("z".into(), [f64::INFINITY, 1.0].repeat(50_000));
    let table = Table::new(DataFrame::new(100_000, vec![tenths, far, ends]).unwrap());
    let checks = [
        "sum(x) = 10000",
        "avg(x) = 0.1",
        "sum(y) = 10000000000033332",
        "sum(z) > 1e308",
        "sum(-z) < -1e308",
    ];
    let verified = verifie(&table, &checks.map(str::to_owned), &Control::default()).unwrap();
    assert_eq!(verified.failures(), 0, "{:?}", verified.lines());
}

#[test]
fn long_and_deep_conditions_are_refused_or_run() {
    let or = vec!["n = 1"; 300].join(" OR ");
    assert_eq!(said(&format!("{or} OR TRUE")), "ok");
    let list = (0..20_000)
        .map(|number| number.to_string())
        .collect::<Vec<_>>()
        .join(",");
    assert_eq!(said(&format!("big IN ({list}) OR big > 5")), "ok");
    let sum = vec!["1"; 90].join(" + ");
    assert_eq!(said(&format!("{sum} = 90")), "ok");
    let sum = vec!["1"; 450].join(" + ");
    assert!(error(&format!("{sum} = 450")).message().contains("levels"));
    let deep = format!("{}n{} > 1", "(".repeat(400), ")".repeat(400));
    assert!(error(&deep).message().contains("levels of parentheses"));
    let long = vec!["n = 1"; 5000].join(" OR ");
    assert!(error(&long).message().contains("words and operators"));
    // The parser gives up at its limit by another road.
    let nots = format!("{} paid", "NOT ".repeat(900));
    assert_eq!(error(&nots).kind(), ErrorKind::Argument);
}

#[test]
fn the_first_value_that_is_there() {
    assert_eq!(said("coalesce(n, 0) > -3"), "ok");
    assert_eq!(
        said("coalesce(n, 0) <> 0"),
        "1 of 4 rows fails: row 2 (n null)"
    );
    assert_eq!(
        said("coalesce(name, 'x', 'y') <> ''"),
        "1 of 4 rows fails: row 3 (name \"\")"
    );
    assert!(
        error("coalesce(n, 'x') = 1")
            .to_string()
            .contains("coalesce()")
    );
}

#[test]
fn what_is_meant_is_said() {
    let hint = |check: &str| error(check).hint_text().unwrap_or_default().to_owned();
    assert!(hint("year(day) = 2026").contains("BETWEEN"));
    assert!(hint("regexp_matches(name, 'a')").contains("LIKE"));
    assert_eq!(hint("known: n is not null"), "'known=n is not null'");
    let twice = ["n=n > 0", "n=n < 9"].map(str::to_owned);
    let twice = verifie(&table(), &twice, &Control::default()).unwrap_err();
    assert!(twice.to_string().contains("found \"n\" twice"), "{twice}");
    assert!(said("name in ('Ann', null)").contains("the NULL in the list of IN"));
    assert!(!said("name in ('Ann', 'bob')").contains("NULL"));
}
