//! The parts of the package that a workbook is: found by name, unpacked, tied to one another by
//! relationships. It knows nothing of what stands in the parts.

use std::collections::HashMap;

use zip::ZipArchive;
use zip::result::ZipError;

use super::feed::{self, Flow, Trouble};
use super::text::attribute;
use super::token::{Open, Token, Tokens};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::format::workbook::open::{Input, broken};

/// An open package.
pub struct Package<'c> {
    archive: ZipArchive<Input<'c>>,
    /// Where each part is in the archive, by its name in lower case with slashes.
    parts: HashMap<String, usize>,
    control: &'c Control,
}

/// What one part says of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relationship {
    /// Its name among the relationships of the part.
    pub id: String,
    /// The last word of its type, the same in strict and transitional files.
    pub kind: String,
    /// The name of the other part.
    pub part: String,
}

impl<'c> Package<'c> {
    /// Opens the archive.
    ///
    /// # Errors
    /// [`ErrorKind::Format`](crate::ErrorKind::Format) when it is broken.
    pub fn open(input: Input<'c>) -> Result<Self> {
        let control = input.control;
        let archive = ZipArchive::new(input).map_err(|error| not_unpacked("archive", error))?;
        let mut parts = HashMap::new();
        for (index, name) in archive.file_names().enumerate() {
            if let Ok(name) = name {
                parts.entry(key(&name)).or_insert(index);
            }
        }
        Ok(Self {
            archive,
            parts,
            control,
        })
    }

    /// True when there is a part of this name.
    pub fn has(&self, part: &str) -> bool {
        self.parts.contains_key(&key(part))
    }

    /// Reads a part from its front: `work` gets window after window. False when there is no such part.
    ///
    /// # Errors
    /// [`ErrorKind::Format`](crate::ErrorKind::Format) when it cannot be unpacked or is no XML; what
    /// `work` returns.
    pub fn walk(
        &self,
        part: &str,
        work: &mut dyn FnMut(&mut Tokens<'_>, &mut Open) -> std::result::Result<Flow, Trouble>,
    ) -> Result<bool> {
        let Some(index) = self.parts.get(&key(part)) else {
            return Ok(false);
        };
        // The clone shares the bytes and the directory.
        let mut archive = self.archive.clone();
        let file = archive
            .by_index(*index)
            .map_err(|error| not_unpacked(part, error))?;
        let size = file.size();
        feed::feed(part, file, size, self.control, work)?;
        Ok(true)
    }

    /// As [`Package::walk`], token by token: for small parts.
    ///
    /// # Errors
    /// As [`Package::walk`].
    pub fn each(
        &self,
        part: &str,
        work: &mut dyn FnMut(Token<'_>, usize) -> Result<()>,
    ) -> Result<bool> {
        self.walk(part, &mut |tokens, open| {
            while let Some(token) = tokens.next(open)? {
                work(token, open.depth())?;
            }
            Ok(Flow::On)
        })
    }

    /// The relationships of a part, or of the package when the name is empty. An optional part.
    ///
    /// # Errors
    /// As [`Package::walk`].
    pub fn relationships(&self, part: &str) -> Result<Vec<Relationship>> {
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let mut found = Vec::new();
        let name = join(folder, &format!("_rels/{file}.rels"));
        self.each(&name, &mut |token, _| {
            if let Token::Start(tag) = token
                && tag.name == "Relationship"
                && tag.value("TargetMode") != Some("External")
                && let (Some(id), Some(kind), Some(target)) =
                    (tag.value("Id"), tag.value("Type"), tag.value("Target"))
            {
                let kind = kind.rsplit('/').next().unwrap_or_default();
                found.push(Relationship {
                    id: attribute(id),
                    kind: kind.to_owned(),
                    part: join(folder, &attribute(target)),
                });
            }
            Ok(())
        })?;
        Ok(found)
    }
}

/// A name as archives are searched for it: some writers differ in case and slashes.
fn key(name: &str) -> String {
    let name = name.replace('\\', "/").to_ascii_lowercase();
    name.trim_start_matches('/').to_owned()
}

/// The name of the part that a target in a folder means (RFC 3986, 5.2).
fn join(folder: &str, target: &str) -> String {
    let target = target.replace('\\', "/");
    let (folder, target) = match target.strip_prefix('/') {
        Some(absolute) => ("", absolute),
        None => (folder, target.as_str()),
    };
    let mut steps: Vec<&str> = folder.split('/').filter(|step| !step.is_empty()).collect();
    for step in target.split('/') {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()),
            step => steps.push(step),
        }
    }
    steps.join("/")
}

/// The error for a part that cannot be unpacked.
fn not_unpacked(part: &str, error: ZipError) -> Error {
    broken(Format::Xlsx, format!("{part}: {error}")).because(error)
}

/// The error for a part that is not there.
pub fn no_part(part: &str) -> Error {
    broken(Format::Xlsx, format!("there is no part {part}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_found_from_the_folder_of_their_part() {
        for (folder, target, part) in [
            ("xl", "worksheets/sheet1.xml", "xl/worksheets/sheet1.xml"),
            (
                "xl",
                "/xl/worksheets/sheet1.xml",
                "xl/worksheets/sheet1.xml",
            ),
            (
                "xl/worksheets",
                "../tables/table1.xml",
                "xl/tables/table1.xml",
            ),
            ("xl", ".\\worksheets\\a.xml", "xl/worksheets/a.xml"),
            ("", "xl/workbook.xml", "xl/workbook.xml"),
            ("xl", "../../../a.xml", "a.xml"),
        ] {
            assert_eq!(join(folder, target), part);
        }
    }
}
