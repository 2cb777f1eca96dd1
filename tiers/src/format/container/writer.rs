//! Writing a file of values, block after block.

use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::{DIRECTORY_ENTRY, Header, MAGIC, PAGE_BLOCKS, block_checksum, end_checksum, page_checksum};
use crate::files::{FileError, Storage, WriteFile, Written, envelope, frame, io_error, temporary_name};
use crate::format::codec;
use crate::format::hash::Hash;

/// A file that is being written, under a temporary name.
pub(crate) struct Writer {
    path: PathBuf,
    temporary: PathBuf,
    file: Box<dyn WriteFile>,
    identity: u64,
    offset: u64,
    directory: Vec<u8>,
    /// Offset and first chunk of each page of the directory.
    pages: Vec<(u64, u64)>,
    chunks: u64,
    hasher: blake3::Hasher,
}

impl Writer {
    /// Starts the file that will be at `path`.
    pub fn create(storage: &dyn Storage, path: &Path, header: &Header) -> Result<Writer, FileError> {
        let temporary = temporary_name(path);
        let file = storage.create(&temporary).map_err(io_error(&temporary, "create"))?;
        let header = envelope::seal(MAGIC, header);
        let identity = xxh3_64(&header);
        let path = path.to_path_buf();
        let hasher = blake3::Hasher::new();
        let (directory, pages) = (Vec::new(), Vec::new());
        let mut writer = Writer { path, temporary, file, offset: 0, directory, pages, chunks: 0, identity, hasher };
        writer.write(&header)?;
        Ok(writer)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.offset += bytes.len() as u64;
        self.hasher.update(bytes);
        self.file.write_all(bytes).map_err(io_error(&self.temporary, "write"))
    }

    /// Appends the next block, which holds the entries of `chunks` chunks.
    pub fn block(&mut self, payload: &[u8], chunks: u16) -> Result<(), FileError> {
        let number = self.blocks();
        if number.is_multiple_of(PAGE_BLOCKS) {
            self.pages.push((self.offset, self.chunks));
        }
        self.chunks += u64::from(chunks);
        self.directory.extend_from_slice(&(payload.len() as u32).to_le_bytes());
        self.directory.extend_from_slice(&chunks.to_le_bytes());
        self.directory.extend_from_slice(&block_checksum(payload, self.identity, number).to_le_bytes());
        self.write(payload)
    }

    fn blocks(&self) -> u64 {
        (self.directory.len() / DIRECTORY_ENTRY) as u64
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
        let (directory_at, blocks) = (self.offset, self.blocks());
        let directory = std::mem::take(&mut self.directory);
        self.write(&directory)?;
        let shapes: Vec<u8> = shape_entries.iter().flat_map(|entries| entries.to_le_bytes()).collect();
        let mut end = frame::compress(&shapes, codec::LEVEL).map_err(io_error(&self.temporary, "compress"))?;
        let pages = directory.chunks(DIRECTORY_ENTRY * PAGE_BLOCKS as usize);
        for ((page, entries), (offset, chunk)) in pages.enumerate().zip(&self.pages) {
            end.extend_from_slice(&offset.to_le_bytes());
            end.extend_from_slice(&chunk.to_le_bytes());
            end.extend_from_slice(&page_checksum(entries, self.identity, page as u64).to_le_bytes());
        }
        end.extend_from_slice(&directory_at.to_le_bytes());
        end.extend_from_slice(&blocks.to_le_bytes());
        let checksum = end_checksum(&end, self.identity);
        end.extend_from_slice(&checksum.to_le_bytes());
        self.write(&end)?;
        let hash = Hash::of(&self.hasher);
        Ok((Written::new(self.path, self.temporary, self.file, self.offset), hash))
    }
}
