//! Opens regular files; rejects everything else.
//!
//! A folder of databases may come from strangers. A FIFO in it would block a reader for ever, a device would return
//! endless bytes, and a link would redirect writes elsewhere.

use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
#[cfg(unix)]
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

#[cfg(unix)]
use rustix::fs::OFlags;

use super::text::shown;

/// Opens a regular file for reading, following links.
///
/// # Errors
/// An error of the system; or a folder, a FIFO, a device, or a link to nothing.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let file = match open_with(path, OpenOptions::new().read(true), true) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(dangling(path).unwrap_or(error)),
        Err(error) => return Err(fs::metadata(path).ok().and_then(|found| check(&found).err()).unwrap_or(error)),
    };
    check(&file.metadata()?)?;
    Ok(file)
}

/// Creates a regular file with a single name. If an earlier process left a regular file of that name, removes that name
/// first.
///
/// # Errors
/// An error of the system, or something other than a regular file. A link is neither followed nor removed.
pub(super) fn create(path: &Path) -> io::Result<File> {
    let create = || OpenOptions::new().write(true).create_new(true).open(path);
    match create() {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            check(&fs::symlink_metadata(path)?)?;
            fs::remove_file(path)?;
            create()
        }
        created => created,
    }
}

/// Opens a regular file for writing, without following links.
///
/// # Errors
/// An error of the system, or something other than a regular file.
pub(super) fn open_to_write(path: &Path) -> io::Result<File> {
    check(&fs::symlink_metadata(path)?)?;
    open_with(path, OpenOptions::new().write(true), false)
}

/// Opens or creates the file of a lock.
///
/// # Errors
/// An error of the system, something other than a regular file, a link, or a file with several names (hard links).
pub(super) fn open_lock(path: &Path) -> io::Result<File> {
    let found = || fs::symlink_metadata(path).ok().and_then(|found| check(&found).err());
    // Unix has a flag to reject links when a file is opened. On other systems, check for a link first.
    if !cfg!(unix)
        && let Some(error) = found()
    {
        return Err(error);
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let file = open_with(path, &mut options, false).map_err(|error| found().unwrap_or(error))?;
    check(&file.metadata()?)?;
    #[cfg(unix)]
    if file.metadata()?.nlink() > 1 {
        return Err(io::Error::other("the file has other names (hard links), through which nothing is written"));
    }
    Ok(file)
}

/// Opens a file. Does not wait for the writer of a FIFO, and does not let a terminal become the process's controlling
/// terminal.
fn open_with(path: &Path, options: &mut OpenOptions, follows_links: bool) -> io::Result<File> {
    #[cfg(not(unix))]
    let _ = follows_links;
    #[cfg(unix)]
    {
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        let flags = if follows_links { flags } else { flags | OFlags::NOFOLLOW };
        options.custom_flags(flags.bits() as i32);
    }
    options.open(path)
}

/// Returns an error for anything but a regular file.
fn check(found: &Metadata) -> io::Result<()> {
    let kind = found.file_type();
    if kind.is_symlink() {
        return Err(io::Error::other("it is a link, and nothing is written through links"));
    }
    let other = || io::Error::other(format!("it is {}, not a regular file", name(kind)));
    if kind.is_file() { Ok(()) } else { Err(other()) }
}

/// Returns the name of a kind of file that is neither regular nor a link.
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

/// Returns the error of a path that should be a folder and is something else.
pub(super) fn no_folder(path: &Path) -> io::Error {
    dangling(path).unwrap_or_else(|| io::Error::new(ErrorKind::AlreadyExists, "it exists and is not a folder"))
}

/// Returns the error of a path that leads through a link to nothing; `None` if the path is only missing.
pub(super) fn dangling(path: &Path) -> Option<io::Error> {
    path.ancestors().find_map(|path| {
        let target = fs::read_link(path).ok()?;
        let is_missing = fs::metadata(path).is_err_and(|error| error.kind() == ErrorKind::NotFound);
        let text = || format!("{} is a link to {}, which does not exist", shown(path), shown(&target));
        is_missing.then(|| io::Error::other(text()))
    })
}
