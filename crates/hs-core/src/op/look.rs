//! What a piece of text looks like to a reader: a number, a code, a date, a missing value.
//!
//! Only for showing and remarking; no value is ever converted by what is said here.

/// Words that stand for a missing value in data files.
const MISSING: [&str; 10] = [
    "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "-", "#N/A",
];

/// True for a word that many programs read as a missing value.
pub fn missing_word(text: &str) -> bool {
    MISSING.contains(&text)
}

/// True for `true` and `false` in any case.
pub fn bool_word(text: &str) -> bool {
    text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false")
}

/// True for what a program may take for a number, codes and infinities included.
pub fn like_number(text: &str) -> bool {
    let word = text.trim_start_matches(['+', '-']);
    plain_number(text)
        || ["inf", "infinity"].contains(&word.to_ascii_lowercase().as_str())
        || grouped_number(text)
}

/// True for digits with an optional sign, point and exponent; leading zeros are allowed.
pub fn plain_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent_fits = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !digits.is_empty() && all_digits(digits)
    });
    !(whole.is_empty() && fraction.is_empty())
        && all_digits(whole)
        && all_digits(fraction)
        && exponent_fits
}

/// True for a number whose thousands are apart: `1,204` or `-1,204,000.50`.
pub fn grouped_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    let mut others = 0;
    let even = groups.all(|group| {
        others += 1;
        group.len() == 3 && all_digits(group)
    });
    even && others > 0
        && (1..=3).contains(&first.len())
        && all_digits(first)
        && all_digits(fraction)
}

/// True for a number that loses its leading zeros when it is read as one: `00042`, `-07`, `007.1`.
pub fn zero_code(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text).as_bytes();
    matches!(unsigned, [b'0', next, ..] if next.is_ascii_digit()) && plain_number(text)
}

/// True for a value that is a number and not a code: no leading zeros, no phone number
/// (`+` before seven or more digits), no bare exponent form (`20010e88`).
pub fn true_number(text: &str) -> bool {
    let phone = text
        .strip_prefix('+')
        .is_some_and(|rest| rest.len() >= 7 && all_digits(rest));
    let bare_exponent = text
        .split_once(['e', 'E'])
        .is_some_and(|(mantissa, exponent)| {
            !mantissa.contains('.') && !exponent.starts_with(['+', '-'])
        });
    (plain_number(text) && !zero_code(text) && !phone && !bare_exponent) || grouped_number(text)
}

/// True for a calendar day, with or without time behind it: `2026-01-31`, `31/01/2026`,
/// `1.2.26`, `2026-01-31T08:00:00Z`.
pub fn like_date(text: &str) -> bool {
    let end = text.find(['T', ' ']).unwrap_or(text.len());
    let (day, clock) = text.split_at(end);
    let clock = clock.trim_start_matches(['T', ' ']);
    is_day(day) && (end == text.len() || is_clock(clock))
}

/// True for a time of day: `08:00`, `08:00:00.5`.
pub fn like_time(text: &str) -> bool {
    is_clock(text)
}

fn is_day(text: &str) -> bool {
    let Some(mark) = ['-', '/', '.']
        .into_iter()
        .find(|mark| text.contains(*mark))
    else {
        return false;
    };
    let parts: Vec<&str> = text.split(mark).collect();
    let [first, second, third] = parts[..] else {
        return false;
    };
    let within = |part: &str, most: u8| {
        (1..=2).contains(&part.len())
            && all_digits(part)
            && part
                .parse::<u8>()
                .is_ok_and(|number| (1..=most).contains(&number))
    };
    let year =
        |part: &str, short: bool| all_digits(part) && (part.len() == 4 || short && part.len() == 2);
    let year_first = year(first, false) && within(second, 12) && within(third, 31);
    let day_and_month =
        within(first, 31) && within(second, 31) && (within(first, 12) || within(second, 12));
    year_first || day_and_month && year(third, true)
}

fn is_clock(text: &str) -> bool {
    let zone = text.find(['Z', '+', '-']).unwrap_or(text.len());
    let (clock, zone) = text.split_at(zone);
    let zone_fits = zone.is_empty()
        || zone == "Z"
        || matches!(zone.len(), 3 | 5 | 6)
            && zone[1..]
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b':');
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let mut parts = clock.trim_end().split(':');
    let mut count = 0;
    let fits = parts.all(|part| {
        let most = if count == 0 { 24 } else { 60 };
        count += 1;
        (1..=2).contains(&part.len())
            && all_digits(part)
            && part.parse::<u8>().is_ok_and(|number| number <= most)
    });
    fits && (2..=3).contains(&count) && all_digits(fraction) && zone_fits
}

fn all_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_codes_and_phones_are_told_apart() {
        for number in [
            "0",
            "-0.5",
            "1.5e-3",
            "1e-05",
            ".5",
            "5.",
            "1,204,000",
            "+12",
        ] {
            assert!(true_number(number), "{number}");
        }
        for code in ["00042", "-07", "007.1", "+33612345678", "1E5", "20010e88"] {
            assert!(like_number(code), "{code}");
            assert!(!true_number(code), "{code}");
        }
        for text in [
            "", "-", ".", "e5", "1e", "12a", "1,2", "1,2345", "1.2.3", "0x1f",
        ] {
            assert!(!like_number(text), "{text}");
        }
        assert!(like_number("-inf") && !true_number("-inf"));
        assert!(zero_code("00") && !zero_code("0") && !zero_code("0.5") && !zero_code("007A"));
    }

    #[test]
    fn days_need_a_month() {
        for day in [
            "2026-01-31",
            "31/01/2026",
            "1.2.26",
            "12/31/2026",
            "2026-01-31T08:00:00Z",
            "2026-01-31 08:00:00.123+02:00",
            "2026-01-31 08:00",
        ] {
            assert!(like_date(day), "{day}");
        }
        for text in [
            "",
            "2026-13-01",
            "31/31/2026",
            "1-2",
            "1.2.3",
            "2026-01-31 x",
            "1.2.2026.4",
        ] {
            assert!(!like_date(text), "{text}");
        }
        assert!(like_time("08:00") && like_time("8:00:59.5") && !like_time("8"));
    }
}
