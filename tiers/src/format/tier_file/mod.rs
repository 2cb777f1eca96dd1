//! The file of a tier: an envelope that describes it, blocks, and a directory of the blocks.
//!
//! ```text
//! envelope     magic "fourtier", record Header; version 5 if forced positions are stored too, else 4
//! blocks       one after the other
//! directory    for each block: u32 length, u16 chunks of entries, u32 checksum
//! shapes       a zstd frame: for each shape of the tier, u64 entries
//! pages        for each 1,024 blocks: u64 offset, u64 first chunk, u64 checksum of their part of the directory
//! trailer      u64 offset of the directory, u64 number of blocks, u64 checksum of shapes, pages and trailer
//! ```
//!
//! Each checksum is XXH3-64 (for blocks its low half), seeded with the hash of the header plus a number: for a block
//! its own number, for other parts a number near [`END`]. So a valid block that has been moved does not pass, whether
//! it comes from another tier, from another board or from another place in the same file.

mod reader;
mod writer;

use std::path::Path;

use fourbase::Board;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

pub(crate) use reader::Reader;
#[cfg(feature = "testing")]
pub(crate) use writer::Writer;
pub(crate) use writer::write_tier;

use super::chunk::Chunks;
use super::folder::{MANIFEST, is_of_database};
use super::manifest::board_name;
use crate::files::envelope::{self, VERSION, VERSION_WITH_FORCED};
use crate::files::{FileError, ReadFile, Storage, io_error};
use crate::kernel::Values;

const MAGIC: &[u8; 8] = b"fourtier";
const TRAILER: usize = 24;
const DIRECTORY_ENTRY: usize = 10;
const PAGE_ENTRY: usize = 24;
/// The number of blocks that a page of the directory lists.
const PAGE_BLOCKS: u64 = 1024;
/// The number that seeds the checksum of the file's end (shapes, pages and the trailer's first two numbers). The
/// checksum of page `n` of the directory uses `END - 1 - n`. No block has a number that high.
const END: u64 = u64::MAX;

/// What a file records about itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Header {
    #[serde(with = "board_name")]
    pub board: Board,
    pub values: Values,
    pub ply: u32,
    pub chunks: Chunks,
}

impl Header {
    /// Returns the sealed header, which is the first bytes of the file.
    pub fn seal(&self) -> Vec<u8> {
        envelope::seal(if self.chunks.has_forced { VERSION_WITH_FORCED } else { VERSION }, MAGIC, self)
    }

    /// Reads the header of a file. Returns the header and its bytes.
    fn unseal(file: &dyn ReadFile, path: &Path) -> Result<(Header, Vec<u8>), FileError> {
        let (version, mut header, bytes): (_, Header, _) =
            envelope::unseal(VERSION..=VERSION_WITH_FORCED, file, path, MAGIC)?;
        header.chunks.has_forced = version == VERSION_WITH_FORCED;
        Ok((header, bytes))
    }
}

/// Checks that no newer fourbase has written a tier's file in a folder. Damaged files pass.
pub(crate) fn check_versions(storage: &dyn Storage, folder: &Path) -> Result<(), FileError> {
    let names = storage.names(folder).map_err(io_error(folder, "list"))?;
    for name in names.iter().filter(|name| is_of_database(name) && *name != MANIFEST) {
        let path = folder.join(name);
        let file = storage.open(&path).map_err(io_error(&path, "open"))?;
        FileError::unless_damaged(Header::unseal(&*file, &path))?;
    }
    Ok(())
}

/// Returns the checksum of a part of the file. `number` is the number of a block, or for the other parts a number that
/// [`END`] describes. `identity` is the hash of the sealed header.
fn checksum(bytes: &[u8], identity: u64, number: u64) -> u64 {
    xxh3_64_with_seed(bytes, identity.wrapping_add(number))
}
