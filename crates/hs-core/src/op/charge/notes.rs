//! What there is to say about files that were stacked: which columns some lack, which sheets were
//! read, and their own notes, folded. Decides nothing about the data.

use std::collections::HashMap;

use super::stack::{File, Stacked};
use crate::error::Place;
use crate::note::{Note, Topic};
use crate::text;

/// Names in a list in a note.
const NAMED: usize = 3;

/// Which columns some files lack: one note for each set of files that lack the same ones.
pub(super) fn lacking(stacks: &[Stacked], files: &[File]) -> Vec<Note> {
    let mut groups: Vec<(Vec<usize>, Vec<&str>)> = Vec::new();
    let mut places: HashMap<Vec<usize>, usize> = HashMap::new();
    for stacked in stacks
        .iter()
        .filter(|stacked| stacked.columns.len() < files.len())
    {
        let mut there = stacked.columns.iter().map(|(file, ..)| *file).peekable();
        let without: Vec<usize> = (0..files.len())
            .filter(|file| there.next_if_eq(file).is_none())
            .collect();
        let place = *places.entry(without.clone()).or_insert_with(|| {
            groups.push((without, Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(&stacked.name);
    }
    let note = |(without, names): (Vec<usize>, Vec<&str>)| {
        let without: Vec<&str> = without
            .iter()
            .map(|file| files[*file].name.as_str())
            .collect();
        let columns = match names.as_slice() {
            [name] => format!("column {name:?}"),
            names if names.len() <= NAMED => format!("columns {}", listed(names, "column")),
            names => listed(names, "column"),
        };
        let place = Place::default().column(names[0]);
        let (text, place) = match without.as_slice() {
            [file] => (
                format!("no {columns}: missing in its rows"),
                Place {
                    source: Some((*file).to_owned()),
                    ..place
                },
            ),
            files => (
                format!("missing in {}: {columns}", listed(files, "file")),
                place,
            ),
        };
        Note::new(Topic::Names, text).counted(names.len() as u64, place)
    };
    groups.into_iter().map(note).collect()
}

/// Names in quotes; of many the number and the first.
pub(super) fn listed(names: &[&str], noun: &str) -> String {
    if names.len() > NAMED {
        let count = text::counted(names.len() as u64, noun);
        return format!("{count} (first: {:?})", names[0]);
    }
    let shown: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    shown.join(", ")
}

/// The notes of the files: the same words of several files are one note, and the first note of each
/// topic comes before the second of any, so that the few lines that are shown say the most.
pub(super) fn fold(file_notes: Vec<(String, Vec<Note>)>) -> Vec<Note> {
    let mut notes: Vec<(Note, Vec<String>)> = Vec::new();
    let mut places: HashMap<(Topic, String), usize> = HashMap::new();
    for (file, of_file) in file_notes {
        for mut note in of_file {
            let key = (note.topic, note.text.clone());
            if let Some(place) = places.get(&key) {
                notes[*place].1.push(file.clone());
                continue;
            }
            places.insert(key, notes.len());
            note.place.source = Some(file.clone());
            notes.push((note, Vec::new()));
        }
    }
    let mut times: HashMap<Topic, usize> = HashMap::new();
    let mut ranked: Vec<(usize, Note)> = notes
        .into_iter()
        .map(|(mut note, others)| {
            let others: Vec<&str> = others.iter().map(String::as_str).collect();
            if !others.is_empty() {
                note.text += &format!(" (also in {})", listed(&others, "file"));
            }
            let rank = times.entry(note.topic).or_default();
            *rank += 1;
            (*rank, note)
        })
        .collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, note)| note).collect()
}
