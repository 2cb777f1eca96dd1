//! The files of values: an envelope that says what it is, blocks, and a directory of the blocks.
//!
//! ```text
//! envelope     magic "fourtier", record Header
//! blocks       one after the other
//! directory    for each block: u32 length, u16 chunks of entries, u32 checksum
//! trailer      u64 offset of the directory, u64 number of blocks, u64 checksum of directory and trailer
//! ```
//!
//! A checksum is XXH3-64 (of a block: its low half) seeded with the hash of the header and the number of the block, so
//! that a block that is whole but belongs elsewhere (another tier, another board, another place) does not pass.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::envelope::{self, u32_at, u64_at};
use super::storage::{ReadFile, Storage, WriteFile};
use crate::error::DatabaseError;
use crate::kernel::Values;

const MAGIC: &[u8; 8] = b"fourtier";
const TRAILER: usize = 24;
const DIRECTORY_ENTRY: usize = 10;
/// The number that seeds the directory's checksum: no block has it.
const DIRECTORY: u64 = u64::MAX;

/// Which entries of a tier a file holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Content {
    /// The quiet ones: a tier of the database.
    Quiet,
    /// All: what a stopped solve goes on from.
    All,
}

/// What a file says about itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Header {
    /// The board's name.
    pub board: String,
    pub values: Values,
    pub content: Content,
    pub ply: u32,
    /// Entries of the tier.
    pub entries: u64,
    /// Entries of a chunk; the last one may have fewer.
    pub chunk_entries: u32,
}

impl std::fmt::Display for Header {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Header { board, values, content, ply, entries, chunk_entries } = self;
        write!(f, "{board} {values} ply {ply} ({content:?}) of {entries} entries in chunks of {chunk_entries}")
    }
}

/// The checksum of a block.
fn checksum(payload: &[u8], identity: u64, number: u64) -> u32 {
    xxh3_64_with_seed(payload, seed(identity, number)) as u32
}

/// The seed of a block's checksum; `identity` is the hash of the sealed header.
fn seed(identity: u64, block: u64) -> u64 {
    identity.wrapping_add(block)
}

/// A file that is being written, under a temporary name.
pub(crate) struct Writer {
    path: PathBuf,
    temporary: PathBuf,
    file: Box<dyn WriteFile>,
    identity: u64,
    offset: u64,
    directory: Vec<u8>,
}

impl Writer {
    /// Starts the file that will be at `path`.
    pub fn create(storage: &dyn Storage, path: &Path, header: &Header) -> Result<Writer, DatabaseError> {
        let temporary = temporary_name(path);
        let file = storage.create(&temporary).map_err(io_error(&temporary, "create"))?;
        let header = envelope::seal(MAGIC, header);
        let identity = xxh3_64(&header);
        let path = path.to_path_buf();
        let mut writer = Writer { path, temporary, file, offset: 0, directory: Vec::new(), identity };
        writer.write(&header)?;
        Ok(writer)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), DatabaseError> {
        self.offset += bytes.len() as u64;
        self.file.write_all(bytes).map_err(io_error(&self.temporary, "write"))
    }

    /// Appends the next block, which holds the entries of `chunks` chunks.
    pub fn block(&mut self, payload: &[u8], chunks: u16) -> Result<(), DatabaseError> {
        let number = (self.directory.len() / DIRECTORY_ENTRY) as u64;
        self.directory.extend_from_slice(&(payload.len() as u32).to_le_bytes());
        self.directory.extend_from_slice(&chunks.to_le_bytes());
        self.directory.extend_from_slice(&checksum(payload, self.identity, number).to_le_bytes());
        self.write(payload)
    }

    /// Writes the directory. The file has its name only after [`publish`].
    pub fn finish(mut self) -> Result<Written, DatabaseError> {
        let blocks = (self.directory.len() / DIRECTORY_ENTRY) as u64;
        let mut end = std::mem::take(&mut self.directory);
        end.extend_from_slice(&self.offset.to_le_bytes());
        end.extend_from_slice(&blocks.to_le_bytes());
        let checksum = xxh3_64_with_seed(&end, seed(self.identity, DIRECTORY));
        end.extend_from_slice(&checksum.to_le_bytes());
        self.write(&end)?;
        Ok(Written { path: self.path, temporary: self.temporary, file: self.file, bytes: self.offset })
    }
}

/// A file that is written, but neither durable nor under its name.
pub(crate) struct Written {
    path: PathBuf,
    temporary: PathBuf,
    file: Box<dyn WriteFile>,
    /// Length of the file.
    pub bytes: u64,
}

impl Written {
    /// Takes a file that was written by other means.
    pub fn new(path: PathBuf, temporary: PathBuf, file: Box<dyn WriteFile>, bytes: u64) -> Written {
        Written { path, temporary, file, bytes }
    }
}

/// Makes files durable and gives them their names, durably. They must be in `folder`.
pub(crate) fn publish(storage: &dyn Storage, folder: &Path, files: Vec<Written>) -> Result<(), DatabaseError> {
    // Side by side, because a file system can make several files durable in one go.
    let synced: Vec<Result<_, DatabaseError>> = files
        .into_par_iter()
        .map(|mut written| {
            written.file.sync().map_err(io_error(&written.temporary, "write"))?;
            Ok((written.temporary, written.path))
        })
        .collect();
    for names in synced {
        let (temporary, path) = names?;
        storage.rename(&temporary, &path).map_err(io_error(&path, "rename to"))?;
    }
    storage.sync_folder(folder).map_err(io_error(folder, "sync"))
}

/// Returns the name under which a file is written before it is whole.
pub(crate) fn temporary_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(TEMPORARY);
    name.into()
}

/// What ends the name of a file that is not whole.
pub(crate) const TEMPORARY: &str = ".new";

/// Makes an I/O error of this layer.
pub(crate) fn io_error(path: &Path, action: &'static str) -> impl FnOnce(std::io::Error) -> DatabaseError {
    move |source| DatabaseError::Io { file: path.to_path_buf(), action, source }
}

/// A file that is open for reading; shared by threads.
#[derive(Debug)]
pub(crate) struct Reader {
    path: PathBuf,
    file: Box<dyn ReadFile>,
    header: Header,
    identity: u64,
    /// Where each block begins, and the end of the last.
    starts: Vec<u64>,
    /// The first chunk of each block, and the number of all chunks.
    first_chunks: Vec<u64>,
    checksums: Vec<u32>,
}

impl Reader {
    /// Opens a file and reads its header and directory.
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
        let chunks = header.entries.div_ceil(u64::from(header.chunk_entries.max(1)));
        let length = blocks.checked_mul(DIRECTORY_ENTRY as u64);
        if blocks > chunks || length.and_then(|length| directory_at.checked_add(length)) != Some(trailer_at) {
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
        let (mut first_chunks, mut checksums) = (vec![0], Vec::with_capacity(blocks as usize));
        let (mut at, mut chunk) = (header_bytes, 0);
        for entry in directory.chunks_exact(DIRECTORY_ENTRY).take(blocks as usize) {
            at += u64::from(u32_at(entry, 0));
            starts.push(at);
            chunk += u64::from(u16::from_le_bytes([entry[4], entry[5]]));
            first_chunks.push(chunk);
            checksums.push(u32_at(entry, 6));
        }
        if at != directory_at || chunk != chunks {
            return Err(damaged(directory_at, "the blocks do not hold the tier"));
        }
        Ok(Reader { path: path.to_path_buf(), file, header, identity, starts, first_chunks, checksums })
    }

    /// Returns what the file says about itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the number of blocks.
    pub fn blocks(&self) -> usize {
        self.checksums.len()
    }

    /// Returns the number of the block that holds a chunk, and the chunk's place in it.
    pub fn block_of(&self, chunk: u64) -> (usize, usize) {
        let block = self.first_chunks.partition_point(|first| *first <= chunk) - 1;
        (block, (chunk - self.first_chunks[block]) as usize)
    }

    /// Returns the number of chunks of a block.
    pub fn chunks(&self, block: usize) -> usize {
        (self.first_chunks[block + 1] - self.first_chunks[block]) as usize
    }

    /// Reads one block and checks it.
    ///
    /// # Errors
    /// [`DatabaseError::Damaged`] where the bytes are not those that were written as this block of this tier.
    pub fn block(&self, number: usize) -> Result<Vec<u8>, DatabaseError> {
        let start = self.starts[number];
        let mut payload = vec![0; (self.starts[number + 1] - start) as usize];
        envelope::read(&*self.file, &self.path, &mut payload, start)?;
        if checksum(&payload, self.identity, number as u64) != self.checksums[number] {
            return Err(self.damaged(number, "the checksum of a block is wrong"));
        }
        Ok(payload)
    }

    /// Makes the error of a block that does not hold what it should.
    pub fn damaged(&self, block: usize, what: &'static str) -> DatabaseError {
        DatabaseError::Damaged { file: self.path.clone(), offset: self.starts[block], what }
    }
}
