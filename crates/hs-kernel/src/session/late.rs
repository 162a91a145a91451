//! Output that comes after its cell has ended, as a thread of the user prints it: it belongs to no cell that runs now, and
//! is kept as a notice of its own.

use std::path::Path;

use crate::output::{Text, shown};
use crate::protocol::Notice;
use crate::registry::private_file;

/// What came late since the last result.
#[derive(Default)]
pub struct Late {
    from: Vec<(String, Text)>,
    files: u32,
}

impl Late {
    /// Something was printed for a cell that has ended; the notice for those who listen now, as long as it is no flood.
    pub fn push(&mut self, cell: &str, piece: &str) -> Option<Notice> {
        let place = match self.from.iter().position(|(from, _)| from == cell) {
            Some(place) => place,
            None => {
                self.from.push((cell.to_owned(), Text::default()));
                self.from.len() - 1
            }
        };
        let text = &mut self.from[place].1;
        let floods = text.floods();
        let clean = text.push(piece);
        (!clean.is_empty() && !floods).then(|| notice(cell, &clean))
    }

    /// What came, as notices for the next result; what is too long for them goes into a file of `folder`.
    pub fn take(&mut self, folder: &Path) -> Vec<Notice> {
        let from = std::mem::take(&mut self.from);
        let mut notices = Vec::new();
        for (cell, text) in from {
            let whole = text.as_str();
            let shown = shown(whole);
            let mut told = shown.text.to_owned();
            if shown.is_cut(whole) {
                self.files += 1;
                let path = folder.join(format!("late-{}.txt", self.files));
                let written = private_file(&path)
                    .and_then(|mut file| std::io::Write::write_all(&mut file, whole.as_bytes()));
                let place = match written {
                    Ok(()) => format!("all of it is in {}", path.display()),
                    Err(error) => format!("the others are lost: {}: {error}", path.display()),
                };
                told.push_str(&format!(
                    "\n(the last {} of {} lines; {place})",
                    shown.lines, shown.of
                ));
            }
            if text.dropped() > 0 {
                told.push_str(&format!("\n({} bytes more were not kept)", text.dropped()));
            }
            notices.push(notice(&cell, &told));
        }
        notices
    }
}

fn notice(cell: &str, text: &str) -> Notice {
    Notice::new("late_output", format!("{cell} printed: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_output_names_its_cell_and_is_told_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut late = Late::default();
        let now = late.push("cell 1", "a").expect("a notice");
        assert_eq!(now.text, "cell 1 printed: a");
        late.push("cell 2", "b\n");
        late.push("cell 1", "c\n");
        let texts: Vec<String> = late
            .take(folder.path())
            .into_iter()
            .map(|notice| notice.text)
            .collect();
        assert_eq!(texts, ["cell 1 printed: ac\n", "cell 2 printed: b\n"]);
        assert!(late.take(folder.path()).is_empty());
    }

    #[test]
    fn a_flood_is_in_a_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut late = Late::default();
        let told = (0..2_000_000)
            .filter(|_| late.push("cell 1", "x\n").is_some())
            .count();
        assert!(told < 600_000, "{told}");
        let notices = late.take(folder.path());
        assert!(notices[0].text.contains("late-1.txt"));
        let file = std::fs::read_to_string(folder.path().join("late-1.txt")).expect("a file");
        assert_eq!(file.len(), 4_000_000);
    }
}
