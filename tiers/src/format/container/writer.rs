//! Writing a file of values, block after block.

use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::directory::Directory;
use super::{Header, MAGIC, block_checksum};
use crate::files::{FileError, Storage, WriteFile, Written, envelope, io_error, temporary_name};
use crate::format::hash::Hash;

/// A file that is being written, under a temporary name.
pub(crate) struct Writer {
    path: PathBuf,
    temporary: PathBuf,
    file: Box<dyn WriteFile>,
    directory: Directory,
    hasher: blake3::Hasher,
}

impl Writer {
    /// Starts the file that will be at `path`.
    pub fn create(storage: &dyn Storage, path: &Path, header: &Header) -> Result<Writer, FileError> {
        let temporary = temporary_name(path);
        let file = storage.create(&temporary).map_err(io_error(&temporary, "create"))?;
        let header = envelope::seal(MAGIC, header);
        let directory = Directory::new(xxh3_64(&header), header.len() as u64);
        let mut writer = Writer { path: path.to_path_buf(), temporary, file, directory, hasher: blake3::Hasher::new() };
        writer.write(&header)?;
        Ok(writer)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.hasher.update(bytes);
        self.file.write_all(bytes).map_err(io_error(&self.temporary, "write"))
    }

    /// Appends the next block, which holds the entries of `chunks` chunks.
    pub fn block(&mut self, payload: &[u8], chunks: u16) -> Result<(), FileError> {
        let checksum = block_checksum(payload, self.directory.identity, self.directory.blocks());
        self.directory.add(payload.len() as u32, chunks, checksum);
        self.write(payload)
    }

    /// Takes away what is written.
    pub fn abandon(self, storage: &dyn Storage) -> Result<(), FileError> {
        let Writer { temporary, file, .. } = self;
        // A file that is open cannot be removed everywhere.
        drop(file);
        storage.remove(&temporary).map_err(io_error(&temporary, "remove"))
    }

    /// Writes the directory and the entries of every shape of the tier. The file has its name only after
    /// [`publish`](crate::files::publish). Returns it with its hash.
    pub fn finish(mut self, shape_entries: &[u64]) -> Result<(Written, Hash), FileError> {
        let directory = std::mem::replace(&mut self.directory, Directory::new(0, 0));
        let offset = directory.offset;
        let end = directory.finish(shape_entries).map_err(io_error(&self.temporary, "compress"))?;
        self.write(&end)?;
        let hash = Hash::of(&self.hasher);
        Ok((Written::new(self.path, self.temporary, Some(self.file), offset + end.len() as u64), hash))
    }
}
