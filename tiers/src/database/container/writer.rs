//! Writing a file of values, block after block.

use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::{DIRECTORY_ENTRY, Header, MAGIC, block_checksum, directory_checksum};
use crate::database::envelope;
use crate::database::hash::Hash;
use crate::database::publish::{Written, io_error, temporary_name};
use crate::database::storage::{Storage, WriteFile};
use crate::error::DatabaseError;

/// A file that is being written, under a temporary name.
pub(crate) struct Writer {
    path: PathBuf,
    temporary: PathBuf,
    file: Box<dyn WriteFile>,
    identity: u64,
    offset: u64,
    directory: Vec<u8>,
    hasher: blake3::Hasher,
}

impl Writer {
    /// Starts the file that will be at `path`.
    pub fn create(storage: &dyn Storage, path: &Path, header: &Header) -> Result<Writer, DatabaseError> {
        let temporary = temporary_name(path);
        let file = storage.create(&temporary).map_err(io_error(&temporary, "create"))?;
        let header = envelope::seal(MAGIC, header);
        let identity = xxh3_64(&header);
        let path = path.to_path_buf();
        let hasher = blake3::Hasher::new();
        let mut writer = Writer { path, temporary, file, offset: 0, directory: Vec::new(), identity, hasher };
        writer.write(&header)?;
        Ok(writer)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), DatabaseError> {
        self.offset += bytes.len() as u64;
        self.hasher.update(bytes);
        self.file.write_all(bytes).map_err(io_error(&self.temporary, "write"))
    }

    /// Appends the next block, which holds the entries of `chunks` chunks.
    pub fn block(&mut self, payload: &[u8], chunks: u16) -> Result<(), DatabaseError> {
        let number = (self.directory.len() / DIRECTORY_ENTRY) as u64;
        self.directory.extend_from_slice(&(payload.len() as u32).to_le_bytes());
        self.directory.extend_from_slice(&chunks.to_le_bytes());
        self.directory.extend_from_slice(&block_checksum(payload, self.identity, number).to_le_bytes());
        self.write(payload)
    }

    /// Writes the directory. The file has its name only after [`publish`](crate::database::publish::publish).
    pub fn finish(mut self) -> Result<Written, DatabaseError> {
        let blocks = (self.directory.len() / DIRECTORY_ENTRY) as u64;
        let mut end = std::mem::take(&mut self.directory);
        end.extend_from_slice(&self.offset.to_le_bytes());
        end.extend_from_slice(&blocks.to_le_bytes());
        let checksum = directory_checksum(&end, self.identity);
        end.extend_from_slice(&checksum.to_le_bytes());
        self.write(&end)?;
        let hash = Hash::of(&self.hasher);
        Ok(Written { hash: Some(hash), ..Written::new(self.path, self.temporary, self.file, self.offset) })
    }
}
