//! Chunks in files: written beside, put on the disk, then given their name. What has a name is whole, and never written
//! again.

use std::fs::File;
use std::io::{self, Seek, Write};

use rustix::fs::Stat;

use super::encoding::{Decoder, Encoder};
use super::error::{Error, Kind, Result};
use super::folders::Folders;
use super::holder::Holder;
use super::name::Name;

/// Disks give space in blocks of this size.
const BLOCK: u64 = 4096;

/// Bytes that a file of this length takes.
pub fn taken(length: u64) -> u64 {
    length.div_ceil(BLOCK) * BLOCK
}

/// Bytes that a file takes.
pub fn taken_by(stat: &Stat) -> u64 {
    taken(u64::try_from(stat.st_size).unwrap_or(0))
}

/// Puts a chunk into the store, unless it is there; the bytes that it takes anew. Its name is on the disk once the folder
/// of objects has been synced.
pub fn put(
    folders: &Folders,
    holder: &Holder,
    encoder: &mut Encoder,
    name: &Name,
    plain: &[u8],
) -> Result<u64> {
    let own = name.to_string();
    if folders.objects.touch(&own)? {
        return Ok(0);
    }
    let (how, bytes) = encoder.encode(plain);
    let beside = write_beside(folders, holder, &[&[how], bytes])?;
    if let Err(error) = folders.unfinished.rename(&beside, &folders.objects, &own) {
        let _ = folders.unfinished.remove(&beside);
        return Err(error);
    }
    Ok(taken(bytes.len() as u64 + 1))
}

/// A new file with these bytes, on the disk, under a name that says that it is not finished.
pub fn write_beside(folders: &Folders, holder: &Holder, parts: &[&[u8]]) -> Result<String> {
    write_unfinished(folders, holder, parts, File::sync_data)
}

/// The same; `after` is what it takes until it counts as written.
pub fn write_unfinished(
    folders: &Folders,
    holder: &Holder,
    parts: &[&[u8]],
    after: impl FnOnce(&File) -> io::Result<()>,
) -> Result<String> {
    let name = holder.unfinished();
    let mut file = folders.unfinished.create(&name)?;
    let written = parts
        .iter()
        .try_for_each(|part| file.write_all(part))
        .and_then(|()| after(&file));
    match written {
        Ok(()) => Ok(name),
        Err(error) => {
            let _ = folders.unfinished.remove(&name);
            Err(Error::system(&folders.unfinished.path().join(&name), error))
        }
    }
}

/// The plain bytes of a chunk, proved to be those that were asked for. An object that is proved to be damaged is taken away,
/// so that the next save of the same bytes mends it.
pub fn get<'a>(
    folders: &Folders,
    decoder: &'a mut Decoder,
    name: &Name,
    expected: usize,
) -> Result<&'a [u8]> {
    let own = name.to_string();
    let told = |error: io::Error| Error::system(&folders.objects.path().join(&own), error);
    let Some((mut file, stat)) = folders.objects.read(&own)? else {
        let text = format!("the object {own} is gone");
        return Err(Error::new(Kind::Missing, text));
    };
    let length = u64::try_from(stat.st_size).unwrap_or(0);
    let fault = match decoder.decode(&mut file, length, expected) {
        Ok(plain) if Name::of(plain) == *name => None,
        Ok(_) => Some("its bytes are not those that were saved".to_owned()),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Some(error.to_string()),
        Err(error) => return Err(told(error)),
    };
    let Some(fault) = fault else {
        return Ok(decoder.plain());
    };
    // The manifest may be the one that is wrong.
    file.rewind().map_err(told)?;
    let whole = decoder.decode_any(&mut file);
    if !whole.is_ok_and(|plain| Name::of(plain) == *name) {
        let _ = folders.objects.remove(&own);
    }
    let text = format!("the object {own} is damaged: {fault}");
    Err(Error::new(Kind::Damaged, text))
}
