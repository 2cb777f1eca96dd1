//! Writing a file of values by several processes at once.
//!
//! Each first writes its own blocks one after the other into a **part**, in whatever order it makes them. When all are made, the
//! processes tell each other their lengths, so that everybody knows where each block belongs, and each copies its own blocks
//! into their places. The file has the same bytes as one that a [`Writer`](super::Writer) has written.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::directory::Directory;
use super::{Header, MAGIC, block_checksum};
use crate::crew::Crew;
use crate::files::{FileError, Storage, WriteFile, Written, envelope, io_error, temporary_name};
use crate::format::codec::Block;
use crate::format::hash::Hash;

/// The length of a block, and its chunks.
type Sizes = (u32, u16);

/// The blocks that this process has made.
pub(crate) struct Part {
    path: PathBuf,
    file: Box<dyn WriteFile>,
    end: u64,
    /// The groups, each with the place of its blocks in the part and their sizes.
    groups: Vec<(u64, u64, Vec<Sizes>)>,
}

impl Part {
    /// Begins the part of a member for the file that will be at `path`.
    pub fn create(storage: &dyn Storage, path: &Path, crew: &dyn Crew) -> Result<Part, FileError> {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{}", crew.number()));
        let path = temporary_name(Path::new(&name));
        let file = storage.create(&path).map_err(io_error(&path, "create"))?;
        Ok(Part { path, file, end: 0, groups: Vec::new() })
    }

    /// Appends the blocks of a group.
    pub fn add(&mut self, group: u64, blocks: &[Block]) -> Result<(), FileError> {
        self.groups.push((
            group,
            self.end,
            blocks.iter().map(|block| (block.payload.len() as u32, block.chunks)).collect(),
        ));
        for Block { payload, .. } in blocks {
            self.file.write_all(payload).map_err(io_error(&self.path, "write"))?;
            self.end += payload.len() as u64;
        }
        Ok(())
    }

    /// Writes down the groups: number, number of blocks, and the sizes of each.
    fn tell(&self) -> Vec<u8> {
        let mut told = Vec::new();
        for (group, _, blocks) in &self.groups {
            told.extend_from_slice(&group.to_le_bytes());
            told.extend_from_slice(&(blocks.len() as u32).to_le_bytes());
            for (length, chunks) in blocks {
                told.extend_from_slice(&length.to_le_bytes());
                told.extend_from_slice(&chunks.to_le_bytes());
            }
        }
        told
    }
}

/// Reads what [`Part::tell`] has written.
fn groups(mut told: &[u8], mut found: impl FnMut(u64, Vec<Sizes>)) -> Option<()> {
    while !told.is_empty() {
        let (group, rest) = told.split_first_chunk()?;
        let (count, rest) = rest.split_first_chunk()?;
        let (blocks, rest) = rest.split_at_checked(6 * u32::from_le_bytes(*count) as usize)?;
        let sizes = |block: &[u8; 6]| {
            let [a, b, c, d, e, f] = *block;
            (u32::from_le_bytes([a, b, c, d]), u16::from_le_bytes([e, f]))
        };
        found(u64::from_le_bytes(*group), blocks.as_chunks().0.iter().map(sizes).collect());
        told = rest;
    }
    Some(())
}

/// Where the blocks of a group belong.
#[derive(Clone, Default)]
struct Place {
    offset: u64,
    first_block: u64,
    blocks: Vec<Sizes>,
}

/// A file that several processes write.
pub(crate) struct Together<'a> {
    pub storage: &'a dyn Storage,
    /// Where the file will be.
    pub path: &'a Path,
    pub header: &'a Header,
    pub crew: &'a dyn Crew,
}

impl Together<'_> {
    /// Joins the parts of all members. Member 0 gets the file, which is durable but not under its name, with its hash.
    ///
    /// # Errors
    /// Where a file cannot be read or written.
    pub fn join(&self, mut part: Part, all: u64, shape_entries: &[u64]) -> Result<Option<(Written, Hash)>, FileError> {
        let Together { storage, path, header, crew } = *self;
        part.file.flush().map_err(io_error(&part.path, "write"))?;
        let header = envelope::seal(MAGIC, header);
        let identity = xxh3_64(&header);
        let places = self.places(&part, all, header.len() as u64)?;
        let temporary = temporary_name(path);
        if crew.number() == 0 {
            let mut file = storage.create(&temporary).map_err(io_error(&temporary, "create"))?;
            file.write_all(&header).and_then(|()| file.sync()).map_err(io_error(&temporary, "write"))?;
        }
        // Now the file is there.
        crew.exchange(&[]);
        let checksums = copy(storage, &part, &temporary, &places, identity)?;
        let told = crew.exchange(&checksums);
        storage.remove(&part.path).map_err(io_error(&part.path, "remove"))?;
        if crew.number() != 0 {
            return Ok(None);
        }
        let unread = || self.unread();
        let mut of_groups: Vec<Option<&[u8]>> = vec![None; places.len()];
        for mut told in told.iter().map(|told| &told[..]) {
            while let Some((group, rest)) = told.split_first_chunk() {
                let group = u64::from_le_bytes(*group) as usize;
                let bytes = 4 * places.get(group).ok_or_else(unread)?.blocks.len();
                let (checksums, rest) = rest.split_at_checked(bytes).ok_or_else(unread)?;
                *of_groups.get_mut(group).ok_or_else(unread)? = Some(checksums);
                told = rest;
            }
        }
        let mut directory = Directory::new(identity, header.len() as u64);
        for (place, checksums) in places.iter().zip(of_groups) {
            let checksums = checksums.ok_or_else(unread)?.as_chunks().0;
            for ((length, chunks), checksum) in place.blocks.iter().zip(checksums) {
                directory.add(*length, *chunks, u32::from_le_bytes(*checksum));
            }
        }
        let offset = directory.offset;
        let end = directory.finish(shape_entries).map_err(io_error(&temporary, "compress"))?;
        let file = storage.place(&temporary).map_err(io_error(&temporary, "open"))?;
        file.write_all_at(&end, offset).and_then(|()| file.sync()).map_err(io_error(&temporary, "write"))?;
        let hash = Hash::of_file(storage, &temporary, &|_| true)?.ok_or_else(unread)?;
        Ok(Some((Written::new(path.to_path_buf(), temporary, None, offset + end.len() as u64), hash)))
    }

    /// Finds out where the blocks of all groups belong.
    fn places(&self, part: &Part, all: u64, start: u64) -> Result<Vec<Place>, FileError> {
        let mut places = vec![Place::default(); all as usize];
        for told in self.crew.exchange(&part.tell()) {
            let read = groups(&told, |group, blocks| {
                if let Some(place) = places.get_mut(group as usize) {
                    place.blocks = blocks;
                }
            });
            read.ok_or_else(|| self.unread())?;
        }
        let (mut offset, mut first_block) = (start, 0);
        for place in &mut places {
            (place.offset, place.first_block) = (offset, first_block);
            offset += place.blocks.iter().map(|(length, _)| u64::from(*length)).sum::<u64>();
            first_block += place.blocks.len() as u64;
        }
        Ok(places)
    }

    fn unread(&self) -> FileError {
        let what = "what the members of the crew tell about it does not make a whole file";
        FileError::Damaged { file: self.path.to_path_buf(), offset: 0, what }
    }
}

/// Copies the blocks of a part into their places, on all threads, and makes them durable. Returns the checksums of the blocks of
/// each group after its number.
fn copy(
    storage: &dyn Storage,
    part: &Part,
    temporary: &Path,
    places: &[Place],
    identity: u64,
) -> Result<Vec<u8>, FileError> {
    let from = storage.open(&part.path).map_err(io_error(&part.path, "open"))?;
    let to = storage.place(temporary).map_err(io_error(temporary, "open"))?;
    let (groups, own) = (&part.groups, &*part.path);
    let copied = groups.par_iter().map_init(Vec::new, |bytes, (group, at, blocks)| {
        let Some(place) = places.get(*group as usize) else { return Ok(Vec::new()) };
        bytes.resize(blocks.iter().map(|(length, _)| *length as usize).sum(), 0);
        envelope::read(&*from, own, bytes, *at)?;
        to.write_all_at(bytes, place.offset).map_err(io_error(temporary, "write"))?;
        let (mut told, mut rest) = (group.to_le_bytes().to_vec(), &bytes[..]);
        for ((length, _), number) in blocks.iter().zip(place.first_block..) {
            let (payload, after) = rest.split_at(*length as usize);
            told.extend_from_slice(&block_checksum(payload, identity, number).to_le_bytes());
            rest = after;
        }
        Ok::<_, FileError>(told)
    });
    let told = copied.collect::<Result<Vec<_>, _>>()?.concat();
    to.sync().map_err(io_error(temporary, "write"))?;
    Ok(told)
}
