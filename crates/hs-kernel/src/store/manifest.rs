//! Manifests: what a checkpoint is made of. A text file: one line with the version and the BLAKE3 of the rest, then JSON.

use std::io::Read;
use std::sync::Arc;

use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::error::{Error, Kind, Result};
use super::folders::Folders;
use super::group::Group;
use super::name::{Id, Name};

const TITLE: &str = "headstart checkpoint ";
const VERSION: u32 = 1;
/// More than this is no manifest: 2 GiB of chunks are named in a tenth of a megabyte.
const LONGEST: u64 = 64 << 20;

/// A name that was not kept, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skipped {
    /// The name in the session.
    pub name: String,
    /// Why, for the user.
    pub reason: String,
}

/// What the caller says of a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// The session that it belongs to.
    #[serde(default)]
    pub session: String,
    /// The cell after which it was made: code, number, time.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub cell: Value,
    /// What was not kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<Skipped>,
    /// Whether it is the state before the first cell.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub startup: bool,
    /// Whatever else the caller keeps with it.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub extra: Value,
}

/// A checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Its own id.
    pub id: Id,
    /// The checkpoint that the kernel held before the cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Id>,
    /// When it was made: milliseconds since 1970.
    pub created: u64,
    /// What the caller says of it.
    pub about: About,
    /// The values; the place of a group here is its number.
    #[serde(serialize_with = "write_groups", deserialize_with = "read_groups")]
    pub groups: Vec<Arc<Group>>,
}

fn write_groups<S: Serializer>(
    groups: &[Arc<Group>],
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    let mut list = serializer.serialize_seq(Some(groups.len()))?;
    for group in groups {
        list.serialize_element(&**group)?;
    }
    list.end()
}

fn read_groups<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Vec<Arc<Group>>, D::Error> {
    let groups = Vec::<Group>::deserialize(deserializer)?;
    Ok(groups.into_iter().map(Arc::new).collect())
}

impl Manifest {
    /// The bytes of its file: the first line, and the rest.
    pub(super) fn written(&self) -> (String, Vec<u8>) {
        let body = serde_json::to_vec(self).expect("texts, numbers and JSON are JSON");
        (format!("{TITLE}{VERSION} {}\n", Name::of(&body)), body)
    }

    /// The manifest of an id, as it was written.
    ///
    /// # Errors
    /// There is none, it is damaged or newer, or cannot be read.
    pub(super) fn read(folders: &Folders, id: &Id) -> Result<Self> {
        let own = id.to_string();
        let Some((file, _)) = folders.manifests.read(&own)? else {
            return Err(Error::new(
                Kind::Missing,
                format!("there is no checkpoint {id}"),
            ));
        };
        let mut bytes = Vec::new();
        let read = file.take(LONGEST).read_to_end(&mut bytes);
        read.map_err(|error| Error::system(&folders.manifests.path().join(&own), error))?;
        Self::parsed(id, &bytes)
    }

    fn parsed(id: &Id, bytes: &[u8]) -> Result<Self> {
        let damaged = |what: &str| {
            Error::new(
                Kind::Damaged,
                format!("the checkpoint {id} is damaged: {what}"),
            )
        };
        let line = bytes.iter().position(|byte| *byte == b'\n');
        let (line, body) = bytes.split_at(line.ok_or_else(|| damaged("it has no first line"))?);
        let body = &body[1..];
        let line = std::str::from_utf8(line).unwrap_or_default();
        let Some((version, hash)) = line
            .strip_prefix(TITLE)
            .and_then(|rest| rest.split_once(' '))
        else {
            return Err(damaged("its first line is another one"));
        };
        match version.parse::<u32>() {
            Ok(VERSION) => {}
            Ok(version) if version > VERSION => {
                let text = format!(
                    "the checkpoint {id} was written by a newer headstart (version {version}, this one knows {VERSION}); update headstart"
                );
                return Err(Error::new(Kind::Newer, text));
            }
            _ => return Err(damaged("its first line is another one")),
        }
        if hash.parse::<Name>().ok() != Some(Name::of(body)) {
            return Err(damaged("its bytes are not those that were saved"));
        }
        let manifest: Self =
            serde_json::from_slice(body).map_err(|error| damaged(&error.to_string()))?;
        if manifest.id != *id {
            return Err(damaged(&format!("it is that of {}", manifest.id)));
        }
        Ok(manifest)
    }

    /// The objects that it is made of; one that stands in it twice is given twice.
    pub(super) fn objects(&self) -> impl Iterator<Item = &Name> {
        self.groups.iter().flat_map(|group| group.objects())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn manifest(names: Vec<String>, code: &str, bytes: Vec<u8>) -> Manifest {
        let pickle = super::super::Stream {
            length: bytes.len() as u64,
            chunks: vec![super::super::group::Chunk::Inline(bytes)],
        };
        let group = Group {
            types: names
                .iter()
                .map(|name| (name.clone(), "int".to_owned()))
                .collect(),
            names,
            one: false,
            buffers: vec![pickle.clone()],
            pickle,
        };
        Manifest {
            id: "00112233445566778899aabbccddeeff".parse().expect("an id"),
            parent: None,
            created: 1,
            about: About {
                session: "main".to_owned(),
                cell: serde_json::json!({"code": code, "number": 3}),
                ..About::default()
            },
            groups: vec![Arc::new(group)],
        }
    }

    proptest! {
        #[test]
        fn what_is_read_is_what_was_written(
            names in proptest::collection::vec(any::<String>(), 1..5), code in any::<String>(),
            bytes in proptest::collection::vec(any::<u8>(), 1..256),
        ) {
            let manifest = manifest(names, &code, bytes);
            let (line, body) = manifest.written();
            let file = [line.as_bytes(), &body].concat();
            prop_assert_eq!(Manifest::parsed(&manifest.id, &file).expect("readable"), manifest);
        }

        #[test]
        fn no_damaged_manifest_is_believed(at in any::<proptest::sample::Index>(), bits in 1..=255u8, cut in any::<bool>()) {
            let manifest = manifest(vec!["x".to_owned()], "x = 1", vec![1, 2, 3]);
            let (line, body) = manifest.written();
            let mut file = [line.as_bytes(), &body].concat();
            let place = at.index(file.len());
            if cut {
                file.truncate(place);
            } else {
                file[place] ^= bits;
            }
            let error = Manifest::parsed(&manifest.id, &file).expect_err("damaged");
            prop_assert!(matches!(error.kind(), Kind::Damaged | Kind::Newer), "{error}");
        }
    }
}
