//! Files in memory, which are lost when the process ends.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::storage::{Lock, ReadFile, ReadStorage, Storage, WriteFile};

/// A file system in memory. A file's folder need not be created first; locks are always free.
#[derive(Clone, Debug, Default)]
pub struct Memory(Arc<Mutex<BTreeMap<PathBuf, MemoryFile>>>);

type MemoryFile = Arc<Mutex<Vec<u8>>>;

/// Locks a mutex, even if a thread panicked while it held it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Memory {
    fn file(&self, path: &Path) -> io::Result<MemoryFile> {
        Ok(lock(&self.0).get(path).cloned().ok_or(ErrorKind::NotFound)?)
    }
}

impl ReadStorage for Memory {
    fn open(&self, path: &Path) -> io::Result<Box<dyn ReadFile>> {
        Ok(Box::new(self.file(path)?))
    }
}

impl Storage for Memory {
    fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        let files = lock(&self.0);
        let names = files.keys().filter(|path| path.parent() == Some(folder)).filter_map(|path| path.file_name());
        Ok(names.map(|name| name.to_string_lossy().into_owned()).collect())
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn WriteFile>> {
        let file = MemoryFile::default();
        lock(&self.0).insert(path.to_path_buf(), file.clone());
        Ok(Box::new(file))
    }

    fn open_to_write(&self, path: &Path) -> io::Result<Box<dyn WriteFile>> {
        Ok(Box::new(self.file(path)?))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut files = lock(&self.0);
        let file = files.remove(from).ok_or(ErrorKind::NotFound)?;
        files.insert(to.to_path_buf(), file);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        lock(&self.0).remove(path);
        Ok(())
    }

    /// Not supported: memory starts empty in every process, so it has no older database to replace.
    fn exchange(&self, _: &Path, _: &Path) -> io::Result<bool> {
        Err(ErrorKind::Unsupported.into())
    }

    fn create_folder(&self, _: &Path) -> io::Result<bool> {
        Ok(false)
    }

    fn remove_folder(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn lock(&self, _: &Path) -> io::Result<Result<Lock, String>> {
        Ok(Ok(Box::new(())))
    }
}

impl WriteFile for MemoryFile {
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let (mut file, start) = (lock(self), offset as usize);
        let end = start + bytes.len();
        if file.len() < end {
            file.resize(end, 0);
        }
        file.get_mut(start..end).unwrap_or_default().copy_from_slice(bytes);
        Ok(())
    }

    /// Frees unused capacity.
    fn sync(&self) -> io::Result<()> {
        lock(self).shrink_to_fit();
        Ok(())
    }
}

impl ReadFile for MemoryFile {
    fn size(&self) -> io::Result<u64> {
        Ok(lock(self).len() as u64)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        lock(self).as_slice().read_at(buffer, offset)
    }
}

/// A slice of bytes, as a read-only file.
impl ReadFile for &[u8] {
    fn size(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        usize::try_from(offset).ok().and_then(|offset| self.get(offset..)).unwrap_or_default().read(buffer)
    }
}
