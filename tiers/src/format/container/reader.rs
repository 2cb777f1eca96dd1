//! Reading a file of values: its header and end when it is opened, then blocks in any order.
//!
//! Nothing that a file says about its size is believed beyond the length that the file has.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::pages::{Block, Page, Pages};
use super::{
    DIRECTORY_ENTRY, Header, MAGIC, PAGE_BLOCKS, PAGE_ENTRY, TRAILER, block_checksum, end_checksum, page_checksum,
};
use crate::files::envelope::{self, TOO_SHORT, take_u64};
use crate::files::{FileError, ReadFile, Storage, frame, io_error};

/// A file that is open for reading; shared by threads.
#[derive(Debug)]
pub(crate) struct Reader {
    path: PathBuf,
    file: Box<dyn ReadFile>,
    identity: u64,
    directory_at: u64,
    pages: Pages,
    /// A frame around the entries of every shape.
    shapes: Vec<u8>,
}

impl Reader {
    /// Opens a file of a tier of at most `most_shapes` shapes and reads its header and, where `check` accepts the header and
    /// the file's length, its end. Returns with it what `check` makes of them.
    pub fn open<T>(
        storage: &dyn Storage,
        path: &Path,
        most_shapes: u128,
        check: impl FnOnce(&Header, u64) -> Result<T, FileError>,
    ) -> Result<(Reader, T), FileError> {
        let damaged = |offset, what| FileError::Damaged { file: path.to_path_buf(), offset, what };
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
        let page_bytes = (count.div_ceil(PAGE_BLOCKS)).checked_mul(PAGE_ENTRY as u64);
        let directory_end = count.checked_mul(DIRECTORY_ENTRY as u64).and_then(|bytes| directory_at.checked_add(bytes));
        let shape_bytes = directory_end
            .filter(|_| directory_at >= header_bytes)
            .and_then(|end| trailer_at.checked_sub(end)?.checked_sub(page_bytes?))
            .filter(|bytes| {
                u128::from(*bytes) <= frame::most_bytes(most_shapes.saturating_mul(size_of::<u64>() as u128))
            });
        let (Some(end_at), Some(shape_bytes)) = (directory_end, shape_bytes) else {
            return Err(damaged(trailer_at, "the trailer is wrong"));
        };
        let mut end = vec![0; (size - end_at) as usize - size_of::<u64>()];
        envelope::read(&*file, path, &mut end, end_at)?;
        if end_checksum(&end, identity) != checksum {
            return Err(damaged(end_at, "the checksum of the end is wrong"));
        }
        end.truncate((trailer_at - end_at) as usize);
        let list = end.split_off((shape_bytes as usize).min(end.len()));
        let chunks = header.entries.div_ceil(u64::from(header.chunk_entries.max(1)));
        let pages = Pages::parse(&list, count, [(header_bytes, 0), (directory_at, chunks)])
            .ok_or_else(|| damaged(end_at, "the blocks do not hold the tier"))?;
        Ok((Reader { path: path.to_path_buf(), file, identity, directory_at, pages, shapes: end }, checked))
    }

    /// Expands the entries of every shape, of which there are at most `most`.
    ///
    /// # Errors
    /// [`FileError::Damaged`] where there are more, or the frame is none.
    pub fn shape_entries(&self, most: usize) -> Result<Vec<u64>, FileError> {
        let bytes = frame::expand(&self.shapes, most.saturating_mul(size_of::<u64>()));
        let mut bytes = bytes.as_deref().ok_or_else(|| self.damaged_directory("the shapes do not expand"))?;
        Ok(std::iter::from_fn(|| take_u64(&mut bytes)).collect())
    }

    /// Returns the number of blocks.
    pub fn blocks(&self) -> u64 {
        self.pages.blocks()
    }

    /// Returns the number of the block that holds a chunk, and the chunk's place in it.
    ///
    /// # Errors
    /// [`FileError::Io`] or [`FileError::Damaged`] if the directory cannot be read.
    pub fn block_of(&self, chunk: u64) -> Result<(u64, usize), FileError> {
        let number = self.pages.of_chunk(chunk);
        let page = self.page(number)?;
        let inside = page.of_chunk(chunk);
        let block = page.block(inside).ok_or_else(|| self.damaged_directory("a chunk has no block"))?;
        let place = chunk.checked_sub(block.chunks.start).filter(|_| block.chunks.contains(&chunk));
        let place = place.ok_or_else(|| self.damaged_directory("a chunk has no block"))?;
        Ok((number as u64 * PAGE_BLOCKS + inside as u64, place as usize))
    }

    /// Returns the first chunk of a block.
    ///
    /// # Errors
    /// [`FileError::Io`] or [`FileError::Damaged`] if the directory cannot be read.
    pub fn first_chunk(&self, block: u64) -> Result<u64, FileError> {
        Ok(self.entry(block)?.chunks.start)
    }

    /// Reads one block and checks it. Returns it with the number of its chunks.
    ///
    /// # Errors
    /// [`FileError::Checksum`] where the bytes are not those that were written as this block of this tier.
    pub fn block(&self, number: u64) -> Result<(Vec<u8>, usize), FileError> {
        let Block { bytes, chunks, checksum: expected } = self.entry(number)?;
        let mut payload = vec![0; (bytes.end - bytes.start) as usize];
        envelope::read(&*self.file, &self.path, &mut payload, bytes.start)?;
        let found = block_checksum(&payload, self.identity, number);
        if found != expected {
            let file = self.path.clone();
            return Err(FileError::Checksum { file, block: number, offset: bytes.start, expected, found });
        }
        Ok((payload, (chunks.end - chunks.start) as usize))
    }

    /// Makes the error of a block that does not hold what it should.
    pub fn damaged(&self, block: u64, what: &'static str) -> FileError {
        let offset = self.entry(block).map_or(0, |block| block.bytes.start);
        FileError::Damaged { file: self.path.clone(), offset, what }
    }

    fn damaged_directory(&self, what: &'static str) -> FileError {
        FileError::Damaged { file: self.path.clone(), offset: self.directory_at, what }
    }

    fn entry(&self, block: u64) -> Result<Block, FileError> {
        let page = self.page(usize::try_from(block / PAGE_BLOCKS).unwrap_or(usize::MAX))?;
        let entry = page.block((block % PAGE_BLOCKS) as usize);
        entry.ok_or_else(|| self.damaged_directory("there is no such block"))
    }

    /// Returns a page of the directory, read and checked where it was not yet.
    fn page(&self, number: usize) -> Result<&Page, FileError> {
        if let Some(page) = self.pages.get(number) {
            return Ok(page);
        }
        let (Some(range), Some(expected)) = (self.pages.range(number), self.pages.checksum(number)) else {
            return Err(self.damaged_directory("there is no such page"));
        };
        let offset = self.directory_at + range.start;
        let damaged = |what| FileError::Damaged { file: self.path.clone(), offset, what };
        let mut entries = vec![0; (range.end - range.start) as usize];
        envelope::read(&*self.file, &self.path, &mut entries, offset)?;
        if page_checksum(&entries, self.identity, number as u64) != expected {
            return Err(damaged("the checksum of the directory is wrong"));
        }
        self.pages.take(number, &entries).ok_or_else(|| damaged("the blocks do not hold the tier"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use xxhash_rust::xxh3::xxh3_64;

    use super::super::Writer;
    use super::*;
    use crate::files::{Disk, publish};
    use crate::kernel::Values;

    fn header(entries: u64) -> Header {
        Header { board: "4x4".to_owned(), values: Values::Wdl, ply: 9, entries, chunk_entries: 256 }
    }

    /// Writes a file whose directory, of one page, and trailer say this; all checksums fit.
    fn craft(header: &Header, blocks: &[u8], directory: &[u8], directory_at: u64, count: u64) -> Vec<u8> {
        let mut file = envelope::seal(MAGIC, header);
        let (identity, start) = (xxh3_64(&file), file.len() as u64);
        file.extend(blocks);
        file.extend(directory);
        let mut end = frame::compress(&[7; 8], 1).unwrap();
        if count > 0 {
            end.extend(
                [start, 0, page_checksum(directory, identity, 0)].iter().flat_map(|number| number.to_le_bytes()),
            );
        }
        end.extend([directory_at, count].iter().flat_map(|number| number.to_le_bytes()));
        file.extend(&end);
        file.extend(end_checksum(&end, identity).to_le_bytes());
        file
    }

    fn open(file: &[u8]) -> Result<Reader, FileError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tier-09");
        std::fs::write(&path, file).unwrap();
        let (reader, ()) = Reader::open(&Disk, &path, 1000, |_, _| Ok(()))?;
        (0..reader.blocks()).step_by(PAGE_BLOCKS as usize).try_for_each(|block| reader.entry(block).map(drop))?;
        Ok(reader)
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
        assert_eq!(open(&good).unwrap().block_of(3).unwrap(), (0, 3));
        assert!(open(&good).unwrap().block_of(4).unwrap_err().is_damage());
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

    /// Writes a file of `count` blocks of different lengths, each with the chunks that its number has low bits.
    fn write(folder: &Path, count: u64) -> PathBuf {
        let chunks = |block: u64| (block % 3 + 1) as u16;
        let entries = (0..count).map(|block| u64::from(chunks(block)) * 256).sum();
        let mut writer = Writer::create(&Disk, &folder.join("tier-09"), &header(entries)).unwrap();
        (0..count).for_each(|block| writer.block(&vec![block as u8; (block % 5) as usize], chunks(block)).unwrap());
        let (written, _) = writer.finish(&[entries, 0, 7]).unwrap();
        publish(&Disk, folder, vec![written]).unwrap();
        folder.join("tier-09")
    }

    #[test]
    fn blocks_of_many_pages_are_found_by_their_chunks() {
        for count in [0, 1, 1023, 1024, 1025, 2048, 2500] {
            let folder = tempfile::tempdir().unwrap();
            let (reader, ()) = Reader::open(&Disk, &write(folder.path(), count), 3, |_, _| Ok(())).unwrap();
            assert_eq!(reader.blocks(), count);
            assert_eq!(reader.shape_entries(3).unwrap()[1..], [0, 7]);
            assert!(reader.shape_entries(2).unwrap_err().is_damage());
            let mut chunk = 0;
            for block in 0..count {
                let (bytes, chunks) = reader.block(block).unwrap();
                assert_eq!((bytes, chunks), (vec![block as u8; (block % 5) as usize], (block % 3 + 1) as usize));
                for place in 0..chunks {
                    assert_eq!(reader.block_of(chunk).unwrap(), (block, place));
                    chunk += 1;
                }
            }
            assert!(reader.block_of(chunk).unwrap_err().is_damage());
            assert!(reader.block(count).unwrap_err().is_damage());
        }
    }

    #[test]
    fn a_page_of_the_directory_that_is_not_as_written_is_found_when_it_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = write(folder.path(), 2500);
        let mut file = std::fs::read(&path).unwrap();
        let (reader, ()) = Reader::open(&Disk, &path, 1000, |_, _| Ok(())).unwrap();
        let second = reader.directory_at as usize + PAGE_BLOCKS as usize * DIRECTORY_ENTRY;
        file[second + 4] ^= 1;
        std::fs::write(&path, &file).unwrap();
        let (reader, ()) = Reader::open(&Disk, &path, 1000, |_, _| Ok(())).unwrap();
        assert!(reader.block(0).is_ok() && reader.block(2048).is_ok());
        assert!(reader.block(1024).unwrap_err().to_string().contains("the checksum of the directory"));
    }

    #[test]
    #[cfg(unix)]
    fn an_end_that_is_far_too_long_is_refused_before_it_is_read() {
        let header = header(1000);
        let start = envelope::seal(MAGIC, &header).len() as u64;
        let file = craft(&header, &[7; 20], &entry(20, 4), start + 20, 1);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tier-09");
        std::fs::write(&path, &file).unwrap();
        // A hole of a terabyte before the trailer: shapes, as far as the trailer says.
        let sparse = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        sparse.set_len(1 << 40).unwrap();
        std::os::unix::fs::FileExt::write_all_at(&sparse, &file[file.len() - TRAILER..], (1 << 40) - TRAILER as u64)
            .unwrap();
        let error = Reader::open(&Disk, &path, 1000, |_, _| Ok(())).map(drop).unwrap_err();
        assert!(error.to_string().contains("the trailer is wrong"), "{error}");
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
