//! A time as people say it of what has just been.

use std::time::{SystemTime, UNIX_EPOCH};

/// How long ago a time is, given in seconds since 1970.
pub fn ago(time: f64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    words(now.unwrap_or_default().as_secs_f64() - time)
}

fn words(seconds: f64) -> String {
    const UNITS: [(f64, &str); 4] = [
        (86_400.0, "day"),
        (3600.0, "hour"),
        (60.0, "minute"),
        (1.0, "second"),
    ];
    for (length, unit) in UNITS {
        let count = (seconds / length).floor();
        if count >= 1.0 {
            let plural = if count >= 2.0 { "s" } else { "" };
            return format!("{count} {unit}{plural} ago");
        }
    }
    "now".to_owned()
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn the_largest_unit_that_fits() {
        for (seconds, shown) in [
            (-5.0, "now"),
            (0.4, "now"),
            (1.9, "1 second ago"),
            (59.9, "59 seconds ago"),
            (60.0, "1 minute ago"),
            (7200.0, "2 hours ago"),
            (86_400.0 * 400.0, "400 days ago"),
        ] {
            assert_eq!(words(seconds), shown);
        }
    }
}
