//! How the members of a crew find out, before they begin, that they do the same in the same folders.

use std::path::Path;

use super::error::SolveError;
use crate::crew::Crew;
use crate::files::{Storage, io_error, write_file};

/// The file by which members find out that they see the same folders.
const TOKEN: &str = "crew.new";

/// Makes sure that all members do the same: what each says has to be equal, besides its version and byte order.
pub(crate) fn greet(crew: &dyn Crew, what: &str) -> Result<(), SolveError> {
    let byte_order = if cfg!(target_endian = "big") { "big" } else { "little" };
    let greeting = format!("fourbase {}, {byte_order}-endian: {what}", env!("CARGO_PKG_VERSION"));
    let greetings = crew.exchange(greeting.as_bytes());
    match greetings.iter().position(|other| other != greeting.as_bytes()) {
        Some(member) => Err(SolveError::Crew {
            member: member as u32,
            expected: greeting,
            found: greetings.get(member).map(|found| String::from_utf8_lossy(found).into_owned()).unwrap_or_default(),
        }),
        None => Ok(()),
    }
}

/// Makes sure that all members see one folder: member 0 writes a file there, and the others find it.
pub(crate) fn share_folder(crew: &dyn Crew, storage: &dyn Storage, folder: &Path) -> Result<(), SolveError> {
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
    match all.iter().position(|seen| seen != &[1]) {
        Some(member) => Err(SolveError::NotShared { folder: folder.to_path_buf(), member: member as u32 }),
        None => Ok(()),
    }
}
