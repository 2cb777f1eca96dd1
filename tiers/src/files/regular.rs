//! Opening regular files, and saying what else stands in the place of one.
//!
//! A folder of databases may be anybody's. A FIFO there would hold a reader for ever, a device would give bytes without end,
//! and a link would turn a write into one elsewhere.

use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
#[cfg(unix)]
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

#[cfg(unix)]
use rustix::fs::OFlags;

use super::shown::shown;

/// Opens a regular file for reading. Links are followed.
///
/// # Errors
/// The system's, or what else is there: a folder, a FIFO, a device, a link to nothing.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    // A FIFO would wait for a writer, and a terminal would become that of the process.
    #[cfg(unix)]
    flags(&mut options, OFlags::NONBLOCK | OFlags::NOCTTY);
    let file = match options.open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(dangling(path).unwrap_or(error)),
        Err(error) => return Err(fs::metadata(path).ok().and_then(|found| refused(&found)).unwrap_or(error)),
    };
    refused(&file.metadata()?).map_or(Ok(file), Err)
}

/// Creates a regular file, which has no other name. A regular file that an earlier process has left there is removed.
///
/// # Errors
/// The system's, or what else is there. A link is not followed and not removed.
pub(super) fn create(path: &Path) -> io::Result<File> {
    let create = || OpenOptions::new().write(true).create_new(true).open(path);
    match create() {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            if let Some(error) = refused(&fs::symlink_metadata(path)?) {
                return Err(error);
            }
            fs::remove_file(path)?;
            create()
        }
        created => created,
    }
}

/// Opens a regular file for writing. A link is not followed.
///
/// # Errors
/// The system's, or what else is there.
pub(super) fn open_to_write(path: &Path) -> io::Result<File> {
    if let Some(error) = refused(&fs::symlink_metadata(path)?) {
        return Err(error);
    }
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    flags(&mut options, OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW);
    options.open(path)
}

/// Opens the file of a lock, or creates it.
///
/// # Errors
/// The system's, or what else is there. A link is not followed, and a file with several names (hard links) is refused.
pub(super) fn open_lock(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    flags(&mut options, OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW);
    let found = || fs::symlink_metadata(path).ok().and_then(|found| refused(&found));
    // Other systems have no such flag: a link is looked for first.
    if !cfg!(unix)
        && let Some(error) = found()
    {
        return Err(error);
    }
    let file = options.open(path).map_err(|error| found().unwrap_or(error))?;
    let metadata = file.metadata()?;
    if let Some(error) = refused(&metadata) {
        return Err(error);
    }
    #[cfg(unix)]
    if metadata.nlink() > 1 {
        return Err(io::Error::other("the file has other names (hard links), through which nothing is written"));
    }
    Ok(file)
}

#[cfg(unix)]
fn flags(options: &mut OpenOptions, flags: OFlags) {
    options.custom_flags(flags.bits() as i32);
}

/// Makes the error of something that is no regular file.
fn refused(found: &Metadata) -> Option<io::Error> {
    let kind = found.file_type();
    if kind.is_file() {
        return None;
    }
    Some(io::Error::other(if kind.is_symlink() {
        "it is a link, and nothing is written through links".to_string()
    } else {
        format!("it is {}, not a regular file", name(kind))
    }))
}

/// Names a kind of file that is not regular and no link.
fn name(kind: FileType) -> &'static str {
    if kind.is_dir() {
        return "a folder";
    }
    #[cfg(unix)]
    if kind.is_fifo() {
        return "a FIFO";
    } else if kind.is_socket() {
        return "a socket";
    }
    "a device"
}

/// Makes the error of a path where a folder is wanted and something else is.
pub(super) fn no_folder(path: &Path) -> io::Error {
    dangling(path).unwrap_or_else(|| io::Error::new(ErrorKind::AlreadyExists, "it exists and is not a folder"))
}

/// Makes the error of a path that leads through a link to nothing; `None` for one that is only missing.
pub(super) fn dangling(path: &Path) -> Option<io::Error> {
    path.ancestors().find_map(|path| {
        let target = fs::read_link(path).ok()?;
        let is_missing = fs::metadata(path).is_err_and(|error| error.kind() == ErrorKind::NotFound);
        let text = || format!("{} is a link to {}, which does not exist", shown(path), shown(&target));
        is_missing.then(|| io::Error::other(text()))
    })
}
