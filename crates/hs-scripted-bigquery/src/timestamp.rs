//! Timestamps as the service writes them when microseconds were not asked for: seconds as a decimal number. All digits
//! are kept; no floating point number is ever made of them. Or as text of ISO 8601.

/// `1.577934245123456E9` for 1577934245123456 microseconds; small numbers are plain, as Java writes them.
pub fn seconds(micros: i64) -> String {
    if micros == 0 {
        return "0.0".to_owned();
    }
    let sign = if micros < 0 { "-" } else { "" };
    let digits = micros.unsigned_abs().to_string();
    // The place of the point behind the first digit, as a power of ten.
    let exponent = digits.len() as i32 - 1 - 6;
    let kept = digits.trim_end_matches('0');
    if !(-3..7).contains(&exponent) {
        let (first, rest) = kept.split_at(1);
        let rest = if rest.is_empty() { "0" } else { rest };
        return format!("{sign}{first}.{rest}E{exponent}");
    }
    let padded = format!("{digits:0>7}");
    let (whole, fraction) = padded.split_at(padded.len() - 6);
    let fraction = match fraction.trim_end_matches('0') {
        "" => "0",
        kept => kept,
    };
    format!("{sign}{whole}.{fraction}")
}

/// `2020-01-02T03:04:05.123456Z`; for TIMESTAMP(12) with six digits more, of which the tables have none.
pub fn iso(micros: i64, picoseconds: bool) -> String {
    let (seconds, fraction) = (micros.div_euclid(1_000_000), micros.rem_euclid(1_000_000));
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Days of eras of 400 years that begin in March, so that the leap day is the last of its year.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (
        day - (153 * month + 2) / 5 + 1,
        if month < 10 { month + 3 } else { month - 9 },
    );
    let year = year + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let more = if picoseconds { "000000" } else { "" };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction:06}{more}Z")
}

#[cfg(test)]
mod tests {
    use super::{iso, seconds};

    #[test]
    fn days_of_the_calendar() {
        assert_eq!(iso(0, false), "1970-01-01T00:00:00.000000Z");
        assert_eq!(
            iso(951_782_400_000_001, true),
            "2000-02-29T00:00:00.000001000000Z"
        );
        assert_eq!(
            iso(-62_135_596_800_000_000, false),
            "0001-01-01T00:00:00.000000Z"
        );
        assert_eq!(
            iso(253_402_300_799_999_999, false),
            "9999-12-31T23:59:59.999999Z"
        );
        assert_eq!(iso(-1, false), "1969-12-31T23:59:59.999999Z");
    }

    #[test]
    fn every_digit_is_kept() {
        assert_eq!(seconds(1_577_934_245_123_456), "1.577934245123456E9");
        assert_eq!(seconds(-19_954_383_398_377_106), "-1.9954383398377106E10");
        assert_eq!(seconds(253_402_300_799_999_999), "2.53402300799999999E11");
        assert_eq!(seconds(1_000_000_000_000_000), "1.0E9");
        assert_eq!(seconds(0), "0.0");
        assert_eq!(seconds(1_500_000), "1.5");
        assert_eq!(seconds(-1), "-1.0E-6");
        assert_eq!(seconds(12_000), "0.012");
    }
}
