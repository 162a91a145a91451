//! An entry as Markdown. Code and output stand in fences that are longer than any in them.

use super::entry::{Entry, What};

/// What an export begins with.
pub const HEAD: &str = "# Cells and messages\n";

/// An entry.
pub fn written(entry: &Entry) -> String {
    let time = date(entry.time);
    let session = &entry.session;
    match &entry.what {
        What::Cell(cell) => {
            let number = cell
                .number
                .map_or_else(String::new, |number| format!(" {number}"));
            let seconds = cell.duration_ms as f64 / 1000.0;
            let mut text = format!(
                "\n## Cell{number} of {session}, {time}\n\n{} after {seconds} s, kernel {}, by the {}",
                cell.status,
                cell.generation,
                cell.client.word()
            );
            if let Some(checkpoint) = &cell.checkpoint {
                text += &format!(", checkpoint {checkpoint}");
            }
            text += "\n\n";
            text += &fenced("python", &cell.code);
            if !cell.output.is_empty() {
                text += "\n";
                text += &fenced("text", &cell.output);
            }
            // A traceback is part of the output; an interrupt may have none.
            if let Some(ename) = &cell.ename {
                let evalue = cell.evalue.as_deref().unwrap_or_default();
                text += "\n";
                text += &fenced("text", &format!("{ename}: {evalue}"));
            }
            text
        }
        What::Message(message) => {
            let role: String = message
                .role
                .chars()
                .map(|letter| if letter.is_control() { ' ' } else { letter })
                .collect();
            let lines = message.text.split('\n').map(|line| format!("> {line}\n"));
            let lines: String = lines.collect();
            format!("\n## Message by {role} in {session}, {time}\n\n{lines}")
        }
    }
}

fn fenced(language: &str, text: &str) -> String {
    let runs = text.split(|letter| letter != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}\n")
}

/// A time as `2026-11-30 17:25:04 UTC`.
fn date(milliseconds: i64) -> String {
    let seconds = milliseconds.div_euclid(1000);
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Years begin in March here, so that leap days come last (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day = shifted.rem_euclid(146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    let year = year + era * 400 + next;
    let (hours, minutes, seconds) = (rest / 3600, rest % 3600 / 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02} {hours:02}:{minutes:02}:{seconds:02} UTC")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_dates() {
        for (seconds, shown) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (951_782_399, "2000-02-28 23:59:59 UTC"),
            (951_782_400, "2000-02-29 00:00:00 UTC"),
            (1_796_064_304, "2026-11-30 18:45:04 UTC"),
            (253_402_300_799, "9999-12-31 23:59:59 UTC"),
        ] {
            assert_eq!(date(seconds * 1000), shown);
        }
    }

    #[test]
    fn a_fence_is_longer_than_any_in_the_text() {
        assert_eq!(fenced("text", "a"), "```text\na\n```\n");
        assert_eq!(
            fenced("text", "```\nx\n````\n"),
            "`````text\n```\nx\n````\n`````\n"
        );
    }
}
