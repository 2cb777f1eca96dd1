//! Checks before a job begins: all ranks run the same job in the same folders, which nobody else uses.

use std::path::{Path, PathBuf};

use super::Communicator;
use super::error::CommunicatorError;
use crate::files::{FileError, Lock, Storage, create_folder, io_error, write_file};

/// The file by which ranks find out that they see the same folders.
const TOKEN: &str = "job.new";

/// Compares the job of all ranks: its description, the version of the program and the byte order.
pub(crate) fn check_same_job(all: &dyn Communicator, description: &str) -> Result<(), CommunicatorError> {
    let byte_order = if cfg!(target_endian = "big") { "big" } else { "little" };
    let expected = format!("fourbase {}, {byte_order}-endian: {description}", env!("CARGO_PKG_VERSION"));
    for (rank, found) in (0..).zip(all.all_gather(expected.as_bytes())) {
        if found != expected.as_bytes() {
            let found = String::from_utf8_lossy(&found).into_owned();
            return Err(CommunicatorError::OtherJob { rank, expected, found });
        }
    }
    Ok(())
}

/// At rank 0 makes folders, which are added to `made` (but never `existing`), and takes a lock, or finds the name of its
/// holder.
pub(crate) fn lock_output(
    all: &dyn Communicator,
    storage: &dyn Storage,
    existing: Option<&Path>,
    folders: &[&Path],
    lock: &Path,
    made: &mut Vec<PathBuf>,
) -> Result<Result<Option<Lock>, String>, FileError> {
    if !all.is_root() {
        return Ok(Ok(None));
    }
    folders.iter().try_for_each(|folder| create_folder(storage, existing, folder, made))?;
    Ok(storage.lock(lock).map_err(io_error(lock, "lock"))?.map(Some))
}

/// Makes sure that all ranks see one folder: rank 0 writes a file there, and the others find it.
pub(crate) fn check_shared_folder<E: From<FileError> + From<CommunicatorError>>(
    all: &dyn Communicator,
    storage: &dyn Storage,
    folder: &Path,
) -> Result<(), E> {
    if all.is_alone() {
        return Ok(());
    }
    let token = format!("{:?} {}", std::time::SystemTime::now(), std::process::id());
    if all.is_root() {
        write_file(storage, folder, TOKEN, token.as_bytes())?;
    }
    let expected = all.all_gather(token.as_bytes()).swap_remove(0);
    let path = folder.join(TOKEN);
    let mut found = vec![0; expected.len()];
    let is_read = storage.open(&path).and_then(|file| file.read_exact_at(&mut found, 0)).is_ok();
    let is_seen = all.all_gather(&[u8::from(is_read && found == expected)]);
    if all.is_root() {
        storage.remove(&path).map_err(io_error(&path, "remove"))?;
    }
    let blind = is_seen.iter().position(|seen| seen != &[1]).map(|rank| rank as u32);
    blind.map_or(Ok(()), |rank| Err(CommunicatorError::NotShared { folder: folder.to_path_buf(), rank }.into()))
}
