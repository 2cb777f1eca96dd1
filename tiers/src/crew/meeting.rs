//! How the members of a crew find out, before they begin, that they do the same in the same folders.

use std::path::{Path, PathBuf};

use super::error::CrewError;
use super::member::Crew;
use crate::files::{FileError, Lock, Storage, create_folder, io_error, write_file};

/// The file by which members find out that they see the same folders.
const TOKEN: &str = "crew.new";

/// Makes sure that all members do the same: what each says has to be equal, besides its version and byte order.
pub(crate) fn greet(crew: &dyn Crew, what: &str) -> Result<(), CrewError> {
    let byte_order = if cfg!(target_endian = "big") { "big" } else { "little" };
    let greeting = format!("fourbase {}, {byte_order}-endian: {what}", env!("CARGO_PKG_VERSION"));
    let greetings = crew.exchange(greeting.as_bytes());
    match greetings.iter().position(|other| other != greeting.as_bytes()) {
        Some(member) => Err(CrewError::Unlike {
            member: member as u32,
            expected: greeting,
            found: greetings.get(member).map(|found| String::from_utf8_lossy(found).into_owned()).unwrap_or_default(),
        }),
        None => Ok(()),
    }
}

/// Gives the numbers that every member has to all.
pub(crate) fn exchange_numbers(crew: &dyn Crew, own: &[u64]) -> Result<Vec<Vec<u64>>, CrewError> {
    let own: Vec<u8> = own.iter().flat_map(|number| number.to_le_bytes()).collect();
    let all = crew.exchange(&own);
    let numbers = all.iter().enumerate().map(|(member, told)| match told.as_chunks() {
        (numbers, []) => Ok(numbers.iter().map(|number| u64::from_le_bytes(*number)).collect()),
        _ => Err(CrewError::Told { member: member as u32 }),
    });
    numbers.collect()
}

/// Makes folders, which are added to `made`, but never `existing`, and takes a lock, or finds the name of its holder. Of a
/// crew member 0 does so for all.
pub(crate) fn hold(
    crew: Option<&dyn Crew>,
    storage: &dyn Storage,
    existing: Option<&Path>,
    folders: &[&Path],
    lock: &Path,
    made: &mut Vec<PathBuf>,
) -> Result<Result<Option<Lock>, String>, FileError> {
    if crew.is_some_and(|crew| crew.number() != 0) {
        return Ok(Ok(None));
    }
    folders.iter().try_for_each(|folder| create_folder(storage, existing, folder, made))?;
    Ok(storage.lock(lock).map_err(io_error(lock, "lock"))?.map(Some))
}

/// Makes sure that all members see one folder: member 0 writes a file there, and the others find it.
pub(crate) fn share_folder(
    crew: &dyn Crew,
    storage: &dyn Storage,
    folder: &Path,
) -> Result<Result<(), CrewError>, FileError> {
    let token = format!("{:?} {}", std::time::SystemTime::now(), std::process::id());
    if crew.number() == 0 {
        write_file(storage, folder, TOKEN, token.as_bytes())?;
    }
    let tokens = crew.exchange(token.as_bytes());
    let expected = tokens.first().cloned().unwrap_or_default();
    let path = folder.join(TOKEN);
    let mut found = vec![0; expected.len()];
    let is_read = storage.open(&path).and_then(|file| file.read_exact_at(&mut found, 0)).is_ok();
    let is_shared = is_read && found == expected;
    let all = crew.exchange(&[u8::from(is_shared)]);
    if crew.number() == 0 {
        storage.remove(&path).map_err(io_error(&path, "remove"))?;
    }
    Ok(match all.iter().position(|seen| seen != &[1]) {
        Some(member) => Err(CrewError::NotShared { folder: folder.to_path_buf(), member: member as u32 }),
        None => Ok(()),
    })
}
