//! Reads the file of a tier: first its header and end, then blocks in any order.
//!
//! The reader trusts no recorded size beyond the length of the file. The directory is divided into pages, and a page is
//! read when one of its blocks is first needed. The widest tier of 7x6 has a directory of some megabytes, of which a
//! probe reads only one page (ten kilobytes) besides the list of the pages.

use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use xxhash_rust::xxh3::xxh3_64;

use super::{DIRECTORY_ENTRY, END, Header, PAGE_BLOCKS, PAGE_ENTRY, TRAILER, checksum};
use crate::files::envelope::{self, TOO_SHORT};
use crate::files::{FileError, ReadFile, ReadStorage, frame, io_error, is_address};
use crate::format::chunk::{Chunks, GROUP_CHUNKS};

/// A file that is open for reading; shared by threads.
#[derive(Debug)]
pub(crate) struct Reader {
    pub path: PathBuf,
    /// How the tier is divided into chunks.
    pub chunks: Chunks,
    file: Box<dyn ReadFile>,
    identity: u64,
    directory_at: u64,
    pub blocks: u64,
    /// The start of each page of the directory.
    pages: Vec<Start>,
    /// For each page that has been read, the starts of its blocks.
    read: Vec<OnceLock<Vec<Start>>>,
    /// A zstd frame that contains the number of entries of every shape.
    shapes: Vec<u8>,
}

/// The longest end of a file that shows which header the file has: as many bytes as a file at a host keeps of its end.
const MOST_END_BYTES: usize = 32 << 10;

/// The start of a block, or of the first block of a page. The last item of a list of starts is where the last block or
/// page ends.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Start {
    offset: u64,
    chunk: u64,
    checksum: u64,
}

/// Returns the index of the block or page that holds a chunk; for a chunk beyond the list, that of the list's end.
fn find(starts: &[Start], chunk: u64) -> usize {
    starts.partition_point(|start| start.chunk <= chunk).saturating_sub(1)
}

impl Reader {
    /// Opens a file of `expected_bytes` bytes, for a tier of at most `most_shapes` shapes. Reads its header and, if
    /// `check` accepts the header and the file's length, its end. At an address the header is not read, which saves a
    /// request, if the file's end has the checksum of a file with one of the `likely` headers.
    pub fn open(
        storage: &dyn ReadStorage,
        path: &Path,
        expected_bytes: u64,
        most_shapes: u128,
        likely: impl Iterator<Item = Header>,
        check: impl FnOnce(&Header, u64) -> Result<(), FileError>,
    ) -> Result<Reader, FileError> {
        let damaged = |offset, what| FileError::damaged(path, offset, what);
        let file = match storage.open_expecting(path, expected_bytes) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Err(damaged(0, "the file is missing")),
            file => file.map_err(io_error(path, "open"))?,
        };
        let size = file.size().map_err(io_error(path, "read"))?;
        let is_expected = is_address(path) && size == expected_bytes;
        let known = if is_expected { recognise(&*file, path, size, likely)? } else { None };
        let (header, sealed) = known.map_or_else(|| Header::unseal(&*file, path), Ok)?;
        let (header_bytes, identity) = (sealed.len() as u64, xxh3_64(&sealed));
        check(&header, size)?;
        let chunks = header.chunks;
        let trailer_at = size.checked_sub(TRAILER as u64).filter(|at| *at >= header_bytes);
        let trailer_at = trailer_at.ok_or_else(|| damaged(size, TOO_SHORT))?;
        let mut trailer = [0; TRAILER];
        envelope::read(&*file, path, &mut trailer, trailer_at)?;
        let numbers = numbers(&trailer);
        let [directory_at, blocks, expected] = [0, 1, 2].map(|number| numbers.get(number).copied().unwrap_or_default());
        let end_at = u128::from(directory_at) + u128::from(blocks) * DIRECTORY_ENTRY as u128;
        let page_bytes = u128::from(blocks.div_ceil(PAGE_BLOCKS)) * PAGE_ENTRY as u128;
        let most_bytes = frame::most_bytes(most_shapes.saturating_mul(size_of::<u64>() as u128));
        let shape_bytes = u128::from(trailer_at).checked_sub(end_at + page_bytes);
        let shape_bytes = shape_bytes.filter(|bytes| directory_at >= header_bytes && *bytes <= most_bytes);
        let shape_bytes = shape_bytes.ok_or_else(|| damaged(trailer_at, "the trailer is wrong"))? as usize;
        let end_at = end_at as u64;
        let mut end = vec![0; (size - end_at) as usize - size_of::<u64>()];
        envelope::read(&*file, path, &mut end, end_at)?;
        if checksum(&end, identity, END) != expected {
            return Err(damaged(end_at, "the checksum of the end is wrong"));
        }
        end.truncate((trailer_at - end_at) as usize);
        let list = end.split_off(shape_bytes.min(end.len()));
        let pages = parse_pages(&list, [(header_bytes, 0), (directory_at, chunks.count())])
            .ok_or_else(|| damaged(end_at, "the blocks do not hold the tier"))?;
        let read = (1..pages.len()).map(|_| OnceLock::new()).collect();
        let path = path.to_path_buf();
        Ok(Reader { path, chunks, file, identity, directory_at, blocks, pages, read, shapes: end })
    }

    /// Returns the number of entries of every shape. `most` is the maximum number of shapes.
    ///
    /// # Errors
    /// [`FileError::Damaged`] if the file lists more shapes, or if the zstd frame is invalid.
    pub fn shape_entries(&self, most: usize) -> Result<Vec<u64>, FileError> {
        let bytes = frame::expand(&self.shapes, most.saturating_mul(size_of::<u64>()));
        Ok(numbers(bytes.as_deref().ok_or_else(|| self.damaged_directory("the shapes do not expand"))?))
    }

    /// Returns the number of the block that holds a chunk, and the chunk's place in it.
    ///
    /// # Errors
    /// [`FileError::Io`] or [`FileError::Damaged`] if the directory cannot be read.
    pub fn block_of(&self, chunk: u64) -> Result<(u64, usize), FileError> {
        let number = find(&self.pages, chunk);
        let page = self.page(number)?;
        let inside = find(page, chunk);
        let place = page.get(inside).and_then(|start| chunk.checked_sub(start.chunk));
        let place = place.filter(|_| inside + 1 < page.len());
        let place = place.ok_or_else(|| self.damaged_directory("a chunk has no block"))?;
        Ok((number as u64 * PAGE_BLOCKS + inside as u64, place as usize))
    }

    /// Returns the first chunk of a block.
    ///
    /// # Errors
    /// [`FileError::Io`] or [`FileError::Damaged`] if the directory cannot be read.
    pub fn first_chunk(&self, block: u64) -> Result<u64, FileError> {
        Ok(self.entry(block)?.start.chunk)
    }

    /// Reads and checks one block. Returns its bytes and the number of its chunks.
    ///
    /// # Errors
    /// [`FileError::Wrong`] if the bytes are not those that were written as this block of this tier.
    pub fn block(&self, number: u64) -> Result<(Vec<u8>, usize), FileError> {
        let Range { start, end } = self.entry(number)?;
        let mut payload = vec![0; (end.offset - start.offset) as usize];
        envelope::read(&*self.file, &self.path, &mut payload, start.offset)?;
        let (expected, found) = (start.checksum as u32, checksum(&payload, self.identity, number) as u32);
        if found != expected {
            let found = format!("{found:08x} (block {number} at byte {})", start.offset);
            return Err(FileError::wrong(&self.path, "the checksum of a block", format!("{expected:08x}"), found));
        }
        Ok((payload, (end.chunk - start.chunk) as usize))
    }

    /// Announces that the blocks of `chunks` will be read soon, as well as the directory pages that list these blocks.
    /// Skips blocks for which `is_known` returns `true`.
    pub fn read_ahead(&self, chunks: &[u64], is_known: impl Fn(u64) -> bool) {
        let mut pages: Vec<usize> = chunks.iter().map(|chunk| find(&self.pages, *chunk)).collect();
        pages.sort_unstable();
        pages.dedup();
        let unread = pages.into_iter().filter(|page| self.read.get(*page).is_some_and(|read| read.get().is_none()));
        let unread: Vec<Range<u64>> = unread.map(|page| self.page_range(page)).collect();
        self.file.read_ahead(&unread);
        // Ignore errors here, since the look-up will report them. After the first error, announce no further blocks.
        let numbers = chunks.iter().map_while(|chunk| self.block_of(*chunk).ok()).map(|(number, _)| number);
        let unknown = numbers.filter(|number| !is_known(*number)).map_while(|number| self.entry(number).ok());
        let blocks: Vec<_> = unknown.map(|block| block.start.offset..block.end.offset).collect();
        self.file.read_ahead(&blocks);
    }

    /// Returns the byte range of a page of the directory.
    fn page_range(&self, number: usize) -> Range<u64> {
        let first = number as u64 * PAGE_BLOCKS;
        let entries = PAGE_BLOCKS.min(self.blocks.saturating_sub(first));
        let offset = self.directory_at + first * DIRECTORY_ENTRY as u64;
        offset..offset + entries * DIRECTORY_ENTRY as u64
    }

    /// Returns the error of a block with invalid contents.
    pub fn damaged(&self, block: u64, what: &'static str) -> FileError {
        FileError::damaged(&self.path, self.entry(block).map_or(0, |block| block.start.offset), what)
    }

    fn damaged_directory(&self, what: &'static str) -> FileError {
        FileError::damaged(&self.path, self.directory_at, what)
    }

    /// Returns the start and the end of a block.
    fn entry(&self, block: u64) -> Result<Range<Start>, FileError> {
        let page = self.page(usize::try_from(block / PAGE_BLOCKS).unwrap_or(usize::MAX))?;
        match page.get((block % PAGE_BLOCKS) as usize..) {
            Some([start, end, ..]) => Ok(*start..*end),
            _ => Err(self.damaged_directory("there is no such block")),
        }
    }

    /// Returns the starts of the blocks of a page, after reading and checking the page if necessary.
    fn page(&self, number: usize) -> Result<&[Start], FileError> {
        let (Some(read), Some([start, end, ..])) = (self.read.get(number), self.pages.get(number..)) else {
            return Err(self.damaged_directory("there is no such page"));
        };
        if let Some(page) = read.get() {
            return Ok(page);
        }
        let range = self.page_range(number);
        let damaged = |what| FileError::damaged(&self.path, range.start, what);
        let mut entries = vec![0; (range.end - range.start) as usize];
        envelope::read(&*self.file, &self.path, &mut entries, range.start)?;
        if checksum(&entries, self.identity, END - 1 - number as u64) != start.checksum {
            return Err(damaged("the checksum of the directory is wrong"));
        }
        let page = parse_page(&entries, *start, *end).ok_or_else(|| damaged("the blocks do not hold the tier"))?;
        Ok(read.get_or_init(|| page))
    }
}

/// Returns the header that the checksum of a file's end belongs to, and its bytes; `None` if the end is long or belongs
/// to no likely header.
fn recognise(
    file: &dyn ReadFile,
    path: &Path,
    size: u64,
    likely: impl Iterator<Item = Header>,
) -> Result<Option<(Header, Vec<u8>)>, FileError> {
    let Some(trailer_at) = size.checked_sub(TRAILER as u64) else { return Ok(None) };
    let mut trailer = [0; TRAILER];
    envelope::read(file, path, &mut trailer, trailer_at)?;
    let trailer = numbers(&trailer);
    let &[directory_at, blocks, expected] = trailer.as_slice() else { return Ok(None) };
    let end_at = blocks.checked_mul(DIRECTORY_ENTRY as u64).and_then(|bytes| directory_at.checked_add(bytes));
    let length = end_at.and_then(|at| size.checked_sub(at)?.checked_sub(size_of::<u64>() as u64));
    let length = length.and_then(|length| usize::try_from(length).ok()).filter(|length| *length <= MOST_END_BYTES);
    let (Some(end_at), Some(length)) = (end_at, length) else { return Ok(None) };
    let mut end = vec![0; length];
    envelope::read(file, path, &mut end, end_at)?;
    let is_right = |(_, sealed): &(Header, Vec<u8>)| checksum(&end, xxh3_64(sealed), END) == expected;
    Ok(likely.map(|header| (header, header.seal())).find(is_right))
}

/// Reads little-endian integers of 8 bytes.
fn numbers(bytes: &[u8]) -> Vec<u64> {
    bytes.as_chunks().0.iter().map(|number| u64::from_le_bytes(*number)).collect()
}

/// Parses the list of the pages. `ends` has two pairs of offset and chunk: where the first block begins and where the
/// last block ends. Returns `None` if the list contradicts `ends` or is not in order.
fn parse_pages(list: &[u8], ends: [(u64, u64); 2]) -> Option<Vec<Start>> {
    let list = numbers(list);
    let page = |&[offset, chunk, checksum]: &[u64; 3]| Start { offset, chunk, checksum };
    let mut pages: Vec<Start> = list.as_chunks().0.iter().map(page).collect();
    let [first, (offset, chunk)] = ends;
    pages.push(Start { offset, chunk, checksum: 0 });
    let in_order = pages.is_sorted_by(|one, other| one.offset <= other.offset && one.chunk < other.chunk);
    (in_order && pages.first().is_some_and(|page| (page.offset, page.chunk) == first)).then_some(pages)
}

/// Parses the entries of a page; `start` is where this page's blocks begin, `end` where they end. Returns `None` if the
/// entries do not lead from `start` to `end`, or if a block has no chunk or more chunks than a group.
fn parse_page(entries: &[u8], start: Start, end: Start) -> Option<Vec<Start>> {
    let (mut offset, mut chunk, mut page) = (start.offset, start.chunk, Vec::new());
    for &[l0, l1, l2, l3, c0, c1, s0, s1, s2, s3] in entries.as_chunks::<DIRECTORY_ENTRY>().0 {
        let (length, chunks) = (u32::from_le_bytes([l0, l1, l2, l3]), u32::from(u16::from_le_bytes([c0, c1])));
        page.push(Start { offset, chunk, checksum: u32::from_le_bytes([s0, s1, s2, s3]).into() });
        offset = offset.checked_add(length.into())?;
        chunk = chunk.checked_add((1..=GROUP_CHUNKS).contains(&chunks).then_some(chunks.into())?)?;
    }
    page.push(Start { offset, chunk, checksum: 0 });
    ((offset, chunk) == (end.offset, end.chunk)).then_some(page)
}

#[cfg(test)]
mod tests {
    use std::iter;

    use super::super::writer::Writer;
    use super::*;
    use crate::communicator::Alone;
    use crate::files::{Disk, Memory, Storage, publish, read_small};
    use crate::format::codec::EncodedBlock;
    use crate::kernel::Values;

    /// Writes a file of `count` blocks of different lengths; block `n` has `n % 3 + 1` chunks.
    fn write(storage: &dyn Storage, folder: &Path, count: u64) -> PathBuf {
        let chunks = |block: u64| (block % 3 + 1) as u16;
        let block =
            |block: u64| vec![EncodedBlock { payload: vec![block as u8; (block % 5) as usize], chunks: chunks(block) }];
        let entries = (0..count).map(|block| u64::from(chunks(block)) * 256).sum();
        let (path, board) = (folder.join("tier-09"), "4x4".parse().unwrap());
        let chunks = Chunks { tier_entries: entries, each: 256, has_forced: false };
        let header = Header { board, values: Values::Wdl, ply: 9, chunks };
        let mut writer = Writer::create(storage, &path, &header, &Alone).unwrap();
        writer.add(&Vec::from_iter((0..count).map(block))).unwrap();
        let file = writer.finish(&[entries, 0, 7]).unwrap().unwrap();
        publish(storage, folder, vec![file.0]).unwrap();
        path
    }

    #[test]
    fn blocks_of_many_pages_are_found_by_their_chunks() {
        for count in [0, 1, 1023, 1024, 1025, 2048, 2500] {
            let storage = Memory::default();
            let path = write(&storage, Path::new("folder"), count);
            let reader = Reader::open(&storage, &path, 0, 3, iter::empty(), |_, _| Ok(())).unwrap();
            assert_eq!(reader.blocks, count);
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
        let path = write(&Disk, folder.path(), 2500);
        let mut file = std::fs::read(&path).unwrap();
        let reader = Reader::open(&Disk, &path, 0, 1000, iter::empty(), |_, _| Ok(())).unwrap();
        let second = reader.directory_at as usize + PAGE_BLOCKS as usize * DIRECTORY_ENTRY;
        file[second + 4] ^= 1;
        std::fs::write(&path, &file).unwrap();
        let reader = Reader::open(&Disk, &path, 0, 1000, iter::empty(), |_, _| Ok(())).unwrap();
        assert!(reader.block(0).is_ok() && reader.block(2048).is_ok());
        assert!(reader.block(1024).unwrap_err().to_string().contains("the checksum of the directory"));
    }

    #[test]
    fn a_trailer_that_cannot_be_true_is_refused_though_its_checksum_fits() {
        let storage = Memory::default();
        let path = write(&storage, Path::new("folder"), 3);
        let reader = Reader::open(&storage, &path, 0, 3, iter::empty(), |_, _| Ok(())).unwrap();
        let file = read_small(&storage, &path, u64::MAX).unwrap();
        let (at, numbers) = (reader.directory_at, file.len() - TRAILER);
        let open = |directory_at: u64, count: u64| {
            let mut file = file.clone();
            file[numbers..][..16].copy_from_slice(&[directory_at.to_le_bytes(), count.to_le_bytes()].concat());
            let end = directory_at.wrapping_add(count.wrapping_mul(DIRECTORY_ENTRY as u64)) as usize;
            let end = file.get(end..numbers + 16).unwrap_or_default();
            let checksum = checksum(end, reader.identity, END);
            file[numbers + 16..].copy_from_slice(&checksum.to_le_bytes());
            storage.create(&path).unwrap().write_all_at(&file, 0).unwrap();
            Reader::open(&storage, &path, 0, 3, iter::empty(), |_, _| Ok(()))?.block(0)
        };
        open(at, 3).unwrap();
        let of_count = [0, 2, 4, u64::MAX, u64::MAX / 10 + 2].map(|count| (at, count));
        for (directory_at, count) in of_count.into_iter().chain([(u64::MAX, 3), (0, at / 10), (at + 1, 3)]) {
            assert!(open(directory_at, count).unwrap_err().is_damage(), "{directory_at} {count}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn an_end_that_is_far_too_long_is_refused_before_it_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = write(&Disk, folder.path(), 1);
        let file = std::fs::read(&path).unwrap();
        // Insert a hole of a terabyte before the trailer. The trailer now claims that the hole lists shapes.
        let mut sparse = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
        sparse.set_len((1 << 40) - TRAILER as u64).unwrap();
        std::io::Write::write_all(&mut sparse, &file[file.len() - TRAILER..]).unwrap();
        let error = Reader::open(&Disk, &path, 0, 1000, iter::empty(), |_, _| Ok(())).map(drop).unwrap_err();
        assert!(error.to_string().contains("the trailer is wrong"), "{error}");
    }
}
