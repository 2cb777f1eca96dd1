//! A tier file: an envelope that says what it is, blocks, and a directory of the blocks.
//!
//! ```text
//! envelope     magic "fourtier", record Header
//! blocks       one after the other, each a zstd frame
//! directory    for each block: u32 length, u64 checksum
//! trailer      u64 offset of the directory, u64 number of blocks, u64 checksum of directory and trailer
//! ```
//!
//! A checksum is XXH3-64 seeded with the hash of the header and the number of the block, so that a block that is whole
//! but belongs elsewhere (another tier, another board, another place) does not pass.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::envelope::{self, u32_at, u64_at};
use super::storage::{ReadFile, Storage, WriteFile};
use crate::error::DatabaseError;
use crate::kernel::Values;

const MAGIC: &[u8; 8] = b"fourtier";
const TRAILER: usize = 24;
const DIRECTORY_ENTRY: usize = 12;
/// The number that seeds the directory's checksum: no block has it.
const DIRECTORY: u64 = u64::MAX;

/// What a tier file says about itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Header {
    /// The board's name.
    pub board: String,
    pub values: Values,
    pub ply: u32,
    /// Entries of the tier.
    pub entries: u64,
    /// Entries of a block; the last one may have fewer.
    pub block_entries: u32,
}

impl std::fmt::Display for Header {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Header { board, values, ply, entries, block_entries } = self;
        write!(f, "{board} {values} ply {ply} of {entries} entries in blocks of {block_entries}")
    }
}

/// The seed of a block's checksum; `identity` is the hash of the sealed header.
fn seed(identity: u64, block: u64) -> u64 {
    identity.wrapping_add(block)
}

/// A tier file that is being written, under a temporary name until [`Writer::finish`].
pub(crate) struct Writer<'a> {
    storage: &'a dyn Storage,
    path: PathBuf,
    temporary: PathBuf,
    file: Box<dyn WriteFile>,
    identity: u64,
    offset: u64,
    directory: Vec<u8>,
}

impl<'a> Writer<'a> {
    /// Starts the file that will be at `path`.
    pub fn create(storage: &'a dyn Storage, path: &Path, header: &Header) -> Result<Writer<'a>, DatabaseError> {
        let temporary = temporary_name(path);
        let file = storage.create(&temporary).map_err(io_error(&temporary, "create"))?;
        let header = envelope::seal(MAGIC, header);
        let mut writer = Writer {
            storage,
            path: path.to_path_buf(),
            temporary,
            file,
            offset: 0,
            directory: Vec::new(),
            identity: xxh3_64(&header),
        };
        writer.write(&header)?;
        Ok(writer)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), DatabaseError> {
        self.offset += bytes.len() as u64;
        self.file.write_all(bytes).map_err(io_error(&self.temporary, "write"))
    }

    /// Appends the next block.
    pub fn block(&mut self, payload: &[u8]) -> Result<(), DatabaseError> {
        let number = (self.directory.len() / DIRECTORY_ENTRY) as u64;
        self.directory.extend_from_slice(&(payload.len() as u32).to_le_bytes());
        let checksum = xxh3_64_with_seed(payload, seed(self.identity, number));
        self.directory.extend_from_slice(&checksum.to_le_bytes());
        self.write(payload)
    }

    /// Writes the directory, makes everything durable and gives the file its name. Returns its length.
    pub fn finish(mut self) -> Result<u64, DatabaseError> {
        let blocks = (self.directory.len() / DIRECTORY_ENTRY) as u64;
        let mut end = std::mem::take(&mut self.directory);
        end.extend_from_slice(&self.offset.to_le_bytes());
        end.extend_from_slice(&blocks.to_le_bytes());
        let checksum = xxh3_64_with_seed(&end, seed(self.identity, DIRECTORY));
        end.extend_from_slice(&checksum.to_le_bytes());
        self.write(&end)?;
        self.file.sync().map_err(io_error(&self.temporary, "write"))?;
        publish(self.storage, &self.temporary, &self.path)?;
        Ok(self.offset)
    }
}

/// Returns the name under which a file is written before it is whole.
pub(crate) fn temporary_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(TEMPORARY);
    name.into()
}

/// What ends the name of a file that is not whole.
pub(crate) const TEMPORARY: &str = ".new";

/// Gives a whole, durable file its name, durably.
pub(crate) fn publish(storage: &dyn Storage, temporary: &Path, path: &Path) -> Result<(), DatabaseError> {
    storage.rename(temporary, path).map_err(io_error(path, "rename to"))?;
    match path.parent() {
        Some(folder) => storage.sync_folder(folder).map_err(io_error(folder, "sync")),
        None => Ok(()),
    }
}

/// Makes an I/O error of this layer.
pub(crate) fn io_error(path: &Path, action: &'static str) -> impl FnOnce(std::io::Error) -> DatabaseError {
    move |source| DatabaseError::Io { file: path.to_path_buf(), action, source }
}

/// A tier file that is open for reading; shared by threads.
#[derive(Debug)]
pub(crate) struct Reader {
    path: PathBuf,
    file: Box<dyn ReadFile>,
    header: Header,
    identity: u64,
    /// Where each block begins, and the end of the last.
    starts: Vec<u64>,
    checksums: Vec<u64>,
}

impl Reader {
    /// Opens a tier file and reads its header and directory.
    pub fn open(storage: &dyn Storage, path: &Path) -> Result<Reader, DatabaseError> {
        let file = storage.open(path).map_err(io_error(path, "open"))?;
        let (header, header_bytes): (Header, u64) = envelope::unseal(&*file, path, MAGIC)?;
        let damaged = |offset, what| DatabaseError::Damaged { file: path.to_path_buf(), offset, what };
        let size = file.size().map_err(io_error(path, "read"))?;
        let Some(trailer_at) = size.checked_sub(TRAILER as u64).filter(|at| *at >= header_bytes) else {
            return Err(damaged(size, "the file ends too early"));
        };
        let mut trailer = [0; TRAILER];
        envelope::read(&*file, path, &mut trailer, trailer_at)?;
        let (directory_at, blocks) = (u64_at(&trailer, 0), u64_at(&trailer, 8));
        let expected = header.entries.div_ceil(u64::from(header.block_entries.max(1)));
        let length = blocks.checked_mul(DIRECTORY_ENTRY as u64);
        if blocks != expected || length.and_then(|length| directory_at.checked_add(length)) != Some(trailer_at) {
            return Err(damaged(trailer_at, "the trailer is wrong"));
        }
        let mut directory = vec![0; blocks as usize * DIRECTORY_ENTRY + TRAILER - 8];
        envelope::read(&*file, path, &mut directory, directory_at)?;
        let mut sealed = vec![0; header_bytes as usize];
        envelope::read(&*file, path, &mut sealed, 0)?;
        let identity = xxh3_64(&sealed);
        if xxh3_64_with_seed(&directory, seed(identity, DIRECTORY)) != u64_at(&trailer, 16) {
            return Err(damaged(directory_at, "the checksum of the directory is wrong"));
        }
        let mut starts = vec![header_bytes];
        let mut checksums = Vec::with_capacity(blocks as usize);
        let mut at = header_bytes;
        for entry in directory.chunks_exact(DIRECTORY_ENTRY).take(blocks as usize) {
            at += u64::from(u32_at(entry, 0));
            starts.push(at);
            checksums.push(u64_at(entry, 4));
        }
        if at != directory_at {
            return Err(damaged(directory_at, "the blocks do not reach the directory"));
        }
        Ok(Reader { path: path.to_path_buf(), file, header, identity, starts, checksums })
    }

    /// Returns what the file says about itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the file's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the number of blocks.
    pub fn blocks(&self) -> usize {
        self.checksums.len()
    }

    /// Reads one block and checks it.
    ///
    /// # Errors
    /// [`DatabaseError::Damaged`] where the bytes are not those that were written as this block of this tier.
    pub fn block(&self, number: usize) -> Result<Vec<u8>, DatabaseError> {
        let start = self.starts[number];
        let mut payload = vec![0; (self.starts[number + 1] - start) as usize];
        envelope::read(&*self.file, &self.path, &mut payload, start)?;
        if xxh3_64_with_seed(&payload, seed(self.identity, number as u64)) != self.checksums[number] {
            return Err(self.damaged(number, "the checksum of a block is wrong"));
        }
        Ok(payload)
    }

    /// Makes the error of a block that does not hold what it should.
    pub fn damaged(&self, block: usize, what: &'static str) -> DatabaseError {
        DatabaseError::Damaged { file: self.path.clone(), offset: self.starts[block], what }
    }
}
