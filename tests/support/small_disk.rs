//! A disk that says how little is free.

use std::io;
use std::path::Path;

use super::tiers::{Disk, Lock, ReadFile, Storage, WriteFile};

/// The machine's disk, of which so many bytes are free.
#[derive(Debug)]
pub struct SmallDisk {
    pub free_bytes: u64,
}

impl Storage for SmallDisk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn WriteFile>> {
        Disk.create(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn ReadFile>> {
        Disk.open(path)
    }

    fn open_to_write(&self, path: &Path) -> io::Result<Box<dyn WriteFile>> {
        Disk.open_to_write(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        Disk.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        Disk.remove(path)
    }

    fn create_folder(&self, path: &Path) -> io::Result<bool> {
        Disk.create_folder(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        Disk.remove_folder(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        Disk.sync_folder(path)
    }

    fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        Disk.names(folder)
    }

    fn free_bytes(&self, folder: &Path) -> Option<u64> {
        folder.exists().then_some(self.free_bytes)
    }

    fn lock(&self, path: &Path) -> io::Result<Result<Lock, String>> {
        Disk.lock(path)
    }
}
