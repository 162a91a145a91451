//! The rules of the lattice, one line each.

use super::*;

fn resolved(fields: &[&str]) -> ColumnType {
    let seen = fields.iter().map(|field| classify(field.as_bytes()));
    seen.fold(Seen::NOTHING, |left, right| left | right)
        .resolve()
}

#[test]
fn every_rule_of_the_lattice() {
    use ColumnType::{Bool, Date, Datetime, Empty, Float, Int, Text, Time, Unsigned};
    let micros = |zoned| Datetime {
        zoned,
        nanos: false,
    };
    let rules: &[(&[&str], ColumnType)] = &[
        (&[], Empty),
        (&["", ""], Empty),
        (&["1", "", "-3"], Int),
        (&["0", "+5", " 7 "], Int),
        (&["9223372036854775807"], Int),
        (&["9223372036854775808", "1"], Unsigned),
        (&["9223372036854775808", "-1"], Text),
        (&["18446744073709551616", "1"], Text),
        (&["1", "2.5"], Float),
        (&["9007199254740992", "2.5"], Float),
        (&["9007199254740993", "2.5"], Text),
        (&["9223372036854775808", "2.5"], Text),
        (&["2.5", "inf", "-inf"], Float),
        (&["2", "inf"], Float),
        (&["inf"], Text),
        (&["inf", "true"], Text),
        (&["1.0e999"], Text),
        (&["0.12345678901234567890"], Float),
        (&["1", "00042"], Text),
        (&["-1", "-07"], Text),
        (&["1.5", "007.1"], Text),
        (&["+33612345678"], Text),
        (&["20010e88", "1"], Text),
        (&["1E5"], Text),
        (&["1.5e-3", "1e-05", "0", "-0.5"], Float),
        (
            &[
                "1", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "-", "#N/A",
            ],
            Int,
        ),
        (&["1", "na"], Text),
        (&["NA", "NO"], Text),
        (&["NA", ""], Text),
        (&["", "  "], Text),
        (&["1", "  "], Int),
        (&["true", "FALSE", "NA"], Bool),
        (&["true", "1"], Text),
        (&["true", "yes"], Text),
        (&["2026-01-31", "", "null"], Date),
        (&["2026-02-30"], Text),
        (&["2026-01-31", "2026-01-31T00:00:00"], Text),
        (
            &["2026-01-31 10:00", "2026-01-31T10:00:00.5"],
            micros(false),
        ),
        (
            &["2026-01-31T10:00Z", "2026-01-31T10:00+01:00"],
            micros(true),
        ),
        (&["2026-01-31T10:00Z", "2026-01-31T10:00"], Text),
        (
            &["2026-01-31T10:00:00.123456789"],
            Datetime {
                zoned: false,
                nanos: true,
            },
        ),
        (&["2026-01-31T10:00:00.123456000"], micros(false)),
        (
            &["2026-01-31T10:00:00.123456789Z", "1500-01-01T00:00Z"],
            Text,
        ),
        (&["1500-01-01T00:00Z"], micros(true)),
        (&["10:00", "23:59:59.25"], Time),
        (&["10:00", "24:00"], Text),
        (&["10:00", "1"], Text),
        (&["abc"], Text),
    ];
    for (fields, kind) in rules {
        assert_eq!(resolved(fields), *kind, "{fields:?}");
        let turned: Vec<&str> = fields.iter().rev().copied().collect();
        assert_eq!(resolved(&turned), *kind, "{turned:?}");
    }
}

#[test]
fn only_what_no_later_field_can_change_settles_text() {
    let settled = |fields: &[&str]| {
        let seen = fields.iter().map(|field| classify(field.as_bytes()));
        seen.fold(Seen::NOTHING, |left, right| left | right)
            .settles_text()
    };
    assert!(!settled(&["NA", ""]) && !settled(&["inf"]));
    assert!(settled(&["007"]) && settled(&["1", "true"]) && settled(&["x"]));
}

#[test]
fn codes_of_types_go_there_and_back() {
    for kind in ColumnType::ALL {
        assert_eq!(ColumnType::of_code(kind.code()), Some(kind));
    }
    assert_eq!(ColumnType::of_code(u8::MAX), None);
}

#[test]
fn many_whole_numbers_add_what_each_of_them_adds() {
    let exact = scalar::EXACT as i64;
    let edges = [
        0,
        1,
        998,
        999,
        1000,
        1001,
        1023,
        1024,
        1025,
        exact - 1,
        exact,
        exact + 1,
        i64::MAX,
    ];
    for left in edges.into_iter().flat_map(|edge| [edge, -edge]) {
        for right in edges
            .into_iter()
            .flat_map(|edge| [edge, -edge])
            .chain([i64::MIN])
        {
            let each = seen_int(left) | seen_int(right);
            assert_eq!(seen_ints(&[left, right]), each, "{left} {right}");
        }
    }
}
