//! Reading a file of values: its header and directory when it is opened, then blocks in any order.
//!
//! Nothing that a file says about its size is believed beyond the length that the file has.

#![cfg_attr(not(test), deny(clippy::indexing_slicing))]

use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::{DIRECTORY_ENTRY, Header, MAGIC, TRAILER, block_checksum, directory_checksum};
use crate::database::chunk::GROUP_CHUNKS;
use crate::database::envelope::{self, TOO_SHORT, take_u16, take_u32, take_u64};
use crate::database::publish::io_error;
use crate::database::storage::{ReadFile, Storage};
use crate::error::DatabaseError;

/// A file that is open for reading; shared by threads.
#[derive(Debug)]
pub(crate) struct Reader {
    path: PathBuf,
    file: Box<dyn ReadFile>,
    identity: u64,
    blocks: Blocks,
}

/// Where the blocks are, and what they hold.
#[derive(Debug, Default)]
struct Blocks {
    /// Where each block begins, and the end of the last.
    starts: Vec<u64>,
    /// The first chunk of each block, and the number of all chunks.
    first_chunks: Vec<u64>,
    checksums: Vec<u32>,
}

impl Reader {
    /// Opens a file and reads its header and, where `check` accepts the header and the file's length, its directory.
    /// Returns with it what `check` makes of them.
    pub fn open<T>(
        storage: &dyn Storage,
        path: &Path,
        check: impl FnOnce(&Header, u64) -> Result<T, DatabaseError>,
    ) -> Result<(Reader, T), DatabaseError> {
        let damaged = |offset, what| DatabaseError::Damaged { file: path.to_path_buf(), offset, what };
        let file = match storage.open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Err(damaged(0, "the file is missing")),
            file => file.map_err(io_error(path, "open"))?,
        };
        let (header, header_bytes): (Header, u64) = envelope::unseal(&*file, path, MAGIC)?;
        let size = file.size().map_err(io_error(path, "read"))?;
        let checked = check(&header, size)?;
        let Some(trailer_at) = size.checked_sub(TRAILER as u64).filter(|at| *at >= header_bytes) else {
            return Err(damaged(size, TOO_SHORT));
        };
        let mut sealed = vec![0; header_bytes as usize];
        envelope::read(&*file, path, &mut sealed, 0)?;
        let identity = xxh3_64(&sealed);
        let mut trailer = [0; TRAILER];
        envelope::read(&*file, path, &mut trailer, trailer_at)?;
        let mut numbers = trailer.as_slice();
        let (Some(directory_at), Some(count), Some(checksum)) =
            (take_u64(&mut numbers), take_u64(&mut numbers), take_u64(&mut numbers))
        else {
            return Err(damaged(trailer_at, TOO_SHORT));
        };
        let directory_bytes = count.checked_mul(DIRECTORY_ENTRY as u64);
        let reaches_trailer = directory_bytes.and_then(|bytes| directory_at.checked_add(bytes)) == Some(trailer_at);
        if !reaches_trailer || directory_at < header_bytes {
            return Err(damaged(trailer_at, "the trailer is wrong"));
        }
        let mut directory = vec![0; (size - directory_at) as usize - size_of::<u64>()];
        envelope::read(&*file, path, &mut directory, directory_at)?;
        if directory_checksum(&directory, identity) != checksum {
            return Err(damaged(directory_at, "the checksum of the directory is wrong"));
        }
        let chunks = header.entries.div_ceil(u64::from(header.chunk_entries.max(1)));
        let blocks = Blocks::parse(&directory, count as usize, header_bytes)
            .filter(|blocks| blocks.starts.last() == Some(&directory_at) && blocks.first_chunks.last() == Some(&chunks))
            .ok_or_else(|| damaged(directory_at, "the blocks do not hold the tier"))?;
        Ok((Reader { path: path.to_path_buf(), file, identity, blocks }, checked))
    }

    /// Returns the number of blocks.
    pub fn blocks(&self) -> usize {
        self.blocks.checksums.len()
    }

    /// Returns the number of the block that holds a chunk, and the chunk's place in it.
    pub fn block_of(&self, chunk: u64) -> (usize, usize) {
        let first_chunks = &self.blocks.first_chunks;
        let block = first_chunks.partition_point(|first| *first <= chunk).saturating_sub(1);
        (block, first_chunks.get(block).map_or(0, |first| (chunk - first) as usize))
    }

    /// Returns the number of chunks of a block.
    pub fn chunks(&self, block: usize) -> usize {
        span(&self.blocks.first_chunks, block).map_or(0, |chunks| (chunks.end - chunks.start) as usize)
    }

    /// Reads one block and checks it.
    ///
    /// # Errors
    /// [`DatabaseError::Checksum`] where the bytes are not those that were written as this block of this tier.
    pub fn block(&self, number: usize) -> Result<Vec<u8>, DatabaseError> {
        let (Some(bytes), Some(&expected)) = (span(&self.blocks.starts, number), self.blocks.checksums.get(number))
        else {
            return Err(self.damaged(number, "there is no such block"));
        };
        let mut payload = vec![0; (bytes.end - bytes.start) as usize];
        envelope::read(&*self.file, &self.path, &mut payload, bytes.start)?;
        let found = block_checksum(&payload, self.identity, number as u64);
        if found != expected {
            let (file, block) = (self.path.clone(), number as u64);
            return Err(DatabaseError::Checksum { file, block, offset: bytes.start, expected, found });
        }
        Ok(payload)
    }

    /// Makes the error of a block that does not hold what it should.
    pub fn damaged(&self, block: usize, what: &'static str) -> DatabaseError {
        let offset = self.blocks.starts.get(block).copied().unwrap_or(0);
        DatabaseError::Damaged { file: self.path.clone(), offset, what }
    }
}

impl Blocks {
    /// Reads the entries of a directory; `None` where there are fewer than `count`, or one without a chunk or with more
    /// than a group has.
    fn parse(mut directory: &[u8], count: usize, header_bytes: u64) -> Option<Blocks> {
        let mut blocks = Blocks { starts: vec![header_bytes], first_chunks: vec![0], checksums: Vec::new() };
        let (mut start, mut chunk) = (header_bytes, 0u64);
        for _ in 0..count {
            start += u64::from(take_u32(&mut directory)?);
            let chunks = u32::from(take_u16(&mut directory)?);
            chunk += (1..=GROUP_CHUNKS).contains(&chunks).then_some(u64::from(chunks))?;
            blocks.starts.push(start);
            blocks.first_chunks.push(chunk);
            blocks.checksums.push(take_u32(&mut directory)?);
        }
        Some(blocks)
    }
}

/// Returns what lies between two neighbours of a list.
fn span(bounds: &[u64], number: usize) -> Option<Range<u64>> {
    Some(*bounds.get(number)?..*bounds.get(number + 1)?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use xxhash_rust::xxh3::xxh3_64;

    use super::super::{Content, Header};
    use super::*;
    use crate::database::Disk;
    use crate::kernel::Values;

    fn header(entries: u64) -> Header {
        let (board, values, content) = ("4x4".to_owned(), Values::Wdl, Content::Quiet);
        Header { board, values, content, ply: 9, entries, chunk_entries: 256 }
    }

    /// Writes a file whose directory and trailer say this; all checksums fit.
    fn craft(header: &Header, blocks: &[u8], directory: &[u8], directory_at: u64, count: u64) -> Vec<u8> {
        let mut file = envelope::seal(MAGIC, header);
        let identity = xxh3_64(&file);
        file.extend(blocks);
        let end = [directory, &directory_at.to_le_bytes(), &count.to_le_bytes()].concat();
        file.extend(&end);
        file.extend(directory_checksum(&end, identity).to_le_bytes());
        file
    }

    fn open(file: &[u8]) -> Result<Reader, DatabaseError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tier-09");
        std::fs::write(&path, file).unwrap();
        Reader::open(&Disk, &path, |_, _| Ok(())).map(|(reader, ())| reader)
    }

    fn entry(length: u32, chunks: u16) -> Vec<u8> {
        [&length.to_le_bytes()[..], &chunks.to_le_bytes(), &[0; 4]].concat()
    }

    #[test]
    fn a_directory_that_does_not_hold_the_tier_is_refused_though_its_checksum_fits() {
        let header = header(1000);
        let start = envelope::seal(MAGIC, &header).len() as u64;
        let good = craft(&header, &[7; 20], &entry(20, 4), start + 20, 1);
        assert_eq!(open(&good).unwrap().blocks(), 1);
        for bad in [
            craft(&header, &[7; 20], &entry(21, 4), start + 20, 1),
            craft(&header, &[7; 20], &entry(19, 4), start + 20, 1),
            craft(&header, &[7; 20], &entry(20, 3), start + 20, 1),
            craft(&header, &[7; 20], &entry(20, 5), start + 20, 1),
            craft(&header, &[7; 20], &[entry(20, 4), entry(0, 0)].concat(), start + 20, 2),
            craft(&header, &[7; 20], &entry(20, 4), start + 20, 0),
            craft(&header, &[7; 20], &entry(20, 4), start + 20, u64::MAX),
            craft(&header, &[7; 20], &entry(20, 4), u64::MAX, 1),
            craft(&header, &[7; 20], &entry(20, 4), start + 20, u64::MAX / 10 + 2),
            craft(&header, &[], &[0; 20], 0, (start + 20) / 10),
            craft(&header, &[], &[], start, 0),
        ] {
            assert!(open(&bad).unwrap_err().is_damage());
        }
        // More chunks in a block than a group has.
        let large = self::header(300 * 256);
        assert!(open(&craft(&large, &[7; 20], &entry(20, 300), start + 20, 1)).unwrap_err().is_damage());
    }

    proptest! {
        #[test]
        fn whatever_a_directory_says_is_refused_or_stays_inside_the_file(
            entries in prop_oneof![0..10_000u64, any::<u64>()],
            blocks: Vec<u8>,
            directory: Vec<u8>,
            directory_at in prop_oneof![0..200u64, any::<u64>()],
            count in prop_oneof![0..20u64, any::<u64>()],
        ) {
            let file = craft(&header(entries), &blocks, &directory, directory_at, count);
            if let Ok(reader) = open(&file) {
                for number in 0..reader.blocks() {
                    let _ = reader.block(number);
                }
            }
        }

        #[test]
        fn bytes_that_are_no_file_of_ours_are_refused(bytes: Vec<u8>) {
            prop_assert!(open(&bytes).unwrap_err().is_damage());
            let ours = [&MAGIC[..], &envelope::VERSION.to_le_bytes(), &bytes].concat();
            prop_assert!(open(&ours).unwrap_err().is_damage());
        }
    }
}
