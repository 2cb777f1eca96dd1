//! The operating system's files.
//!
//! Only regular files are read and written: `regular` rejects all others. Reading follows links, so that a tier's file
//! may be on another disk. Writing never does: a new file is created exclusively, and a lock is opened without
//! following links.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use super::regular;
use super::storage::{Lock, ReadFile, ReadStorage, Storage, WriteFile};

/// The operating system's files.
#[derive(Clone, Copy, Debug)]
pub struct Disk;

impl ReadStorage for Disk {
    fn open(&self, path: &Path) -> io::Result<Box<dyn ReadFile>> {
        Ok(Box::new(regular::open(path)?))
    }
}

impl Storage for Disk {
    fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return regular::dangling(folder).map_or_else(|| Ok(Vec::new()), Err);
            }
            entries => entries?,
        };
        let names = entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        let mut names = names.collect::<io::Result<Vec<String>>>()?;
        names.sort();
        Ok(names)
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn WriteFile>> {
        Ok(Box::new(regular::create(path)?))
    }

    fn open_to_write(&self, path: &Path) -> io::Result<Box<dyn WriteFile>> {
        Ok(Box::new(regular::open_to_write(path)?))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn exchange(&self, folder: &Path, other: &Path) -> io::Result<bool> {
        let aside = other.with_extension("old");
        if !other.exists() && aside.exists() {
            // An earlier exchange was stopped between its steps.
            fs::rename(&aside, other)?;
        }
        if !other.exists() {
            return fs::rename(folder, other).map(|()| false);
        }
        #[cfg(any(target_os = "linux", target_os = "macos"))]
        {
            use rustix::fs::{CWD, RenameFlags, renameat_with};
            use rustix::io::Errno;
            match renameat_with(CWD, folder, CWD, other, RenameFlags::EXCHANGE) {
                // The file system has no such operation, so continue with two renames.
                Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
                done => return Ok(done.map(|()| true)?),
            }
        }
        fs::rename(other, &aside)?;
        if let Err(error) = fs::rename(folder, other) {
            fs::rename(&aside, other)?;
            return Err(error);
        }
        fs::rename(&aside, folder).map(|()| true)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        match fs::remove_file(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            done => done,
        }
    }

    fn create_folder(&self, path: &Path) -> io::Result<bool> {
        match fs::create_dir(path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists && path.is_dir() => Ok(false),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(regular::no_folder(path)),
            done => done.map(|()| true),
        }
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        // Only Unix can open a folder as a file and sync it. On other systems renames need no sync.
        if cfg!(unix) { File::open(here(path))?.sync_all() } else { Ok(()) }
    }

    #[cfg(unix)]
    fn free_bytes(&self, folder: &Path) -> Option<u64> {
        let system = rustix::fs::statvfs(here(folder)).ok()?;
        Some(system.f_bavail.saturating_mul(system.f_frsize))
    }

    #[cfg(unix)]
    fn disk(&self, folder: &Path) -> Option<u64> {
        Some(fs::metadata(here(folder)).ok()?.dev())
    }

    fn lock(&self, path: &Path) -> io::Result<Result<Lock, String>> {
        let mut tries = 0;
        loop {
            let mut file = regular::open_lock(path)?;
            match file.try_lock() {
                // The last holder removed this file after it was opened here. Another process would lock a new file of
                // that name, so open the path again.
                Ok(()) if !is_at(&file, path)? => {}
                Ok(()) => {
                    file.set_len(0)?;
                    write!(file, "{HOLDER}{}", std::process::id())?;
                    return Ok(Ok(Box::new(DiskLock(file))));
                }
                // Perhaps a process only shares the lock for a moment (see `Disk::holder`), so try again.
                Err(fs::TryLockError::WouldBlock) if tries < LOCK_TRIES => {
                    tries += 1;
                    sleep(LOCK_PAUSE);
                }
                Err(fs::TryLockError::WouldBlock) => return Ok(Err(holder(&file))),
                Err(fs::TryLockError::Error(error)) => return Err(error),
            }
        }
    }
}

/// Returns a folder, or the current one for an empty path.
fn here(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

impl Disk {
    /// Returns the name of the process that holds the lock of this path; `None` if no process does.
    ///
    /// Only the system knows whether a process holds a lock, since the name in the file outlives a killed process. So
    /// this function shares the lock for a moment, which is why [`Storage::lock`] tries again.
    pub fn holder(&self, path: &Path) -> Option<String> {
        let file = regular::open(path).ok()?;
        match file.try_lock_shared() {
            Err(fs::TryLockError::WouldBlock) => Some(holder(&file)),
            _ => None,
        }
    }
}

/// How often locking is tried again, and the pause between tries.
const LOCK_TRIES: u32 = 5;
const LOCK_PAUSE: Duration = Duration::from_millis(5);

/// Written before the process id of a lock's holder.
const HOLDER: &str = "process ";

/// The most bytes to read from a lock file.
const HOLDER_BYTES: u64 = 32;

/// Reads the holder's name from a lock file.
fn holder(file: &File) -> String {
    let mut text = String::new();
    let is_read = file.take(HOLDER_BYTES).read_to_string(&mut text).is_ok();
    let is_ours = text.strip_prefix(HOLDER).is_some_and(|number| number.parse::<u64>().is_ok());
    if is_read && is_ours { text } else { "another process".to_string() }
}

/// Returns whether `path` still names this open file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let open = file.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(named) => Ok((named.dev(), named.ino()) == (open.dev(), open.ino())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> io::Result<bool> {
    // An open file can't lose its name.
    Ok(true)
}

/// An open, locked file. The file stays when the lock is released.
struct DiskLock(File);

impl Drop for DiskLock {
    fn drop(&mut self) {
        // Closing is not enough, because a child process that is just being started may share the file for a moment.
        let _ = self.0.unlock();
    }
}

impl WriteFile for File {
    #[cfg(unix)]
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(self, bytes, offset)
    }

    #[cfg(windows)]
    fn write_all_at(&self, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            let written = std::os::windows::fs::FileExt::seek_write(self, bytes, offset)?;
            bytes = bytes.get(written..).filter(|_| written > 0).ok_or(ErrorKind::WriteZero)?;
            offset += written as u64;
        }
        Ok(())
    }

    #[cfg(not(any(unix, windows)))]
    fn write_all_at(&self, _: &[u8], _: u64) -> io::Result<()> {
        Err(ErrorKind::Unsupported.into())
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_all()
    }
}

impl ReadFile for File {
    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    #[cfg(unix)]
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(self, buffer, offset)
    }

    #[cfg(windows)]
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(self, buffer, offset)
    }

    /// A browser has no files; [`Memory`](super::Memory) is the storage there.
    #[cfg(not(any(unix, windows)))]
    fn read_at(&self, _: &mut [u8], _: u64) -> io::Result<usize> {
        Err(ErrorKind::Unsupported.into())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_created_again_loses_its_name_and_keeps_its_bytes_under_others() {
        let folder = tempfile::tempdir().unwrap();
        let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
        fs::write(&first, "old").unwrap();
        fs::hard_link(&first, &second).unwrap();
        Disk.create(&first).unwrap().write_all_at(b"new", 0).unwrap();
        assert_eq!([first, second].map(|path| fs::read_to_string(path).unwrap()), ["new", "old"]);
    }

    #[test]
    fn a_lock_is_held_by_one_and_free_for_the_next_also_where_it_was_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let held = Disk.lock(&path).unwrap().map_err(|_| "held").unwrap();
        let holder = Disk.lock(&path).unwrap().map(drop).unwrap_err();
        assert_eq!(holder, format!("process {}", std::process::id()));
        drop(held);
        let held = Disk.lock(&path).unwrap().map_err(|_| "held").unwrap();
        fs::remove_file(&path).unwrap();
        drop(Disk.lock(&path).unwrap().map_err(|_| "held").unwrap());
        drop(held);
        // Other text in the file is not repeated in messages.
        fs::write(&path, "a\nlie").unwrap();
        let other = File::open(&path).unwrap();
        other.lock().unwrap();
        assert_eq!(Disk.lock(&path).unwrap().map(drop).unwrap_err(), "another process");
    }
}
