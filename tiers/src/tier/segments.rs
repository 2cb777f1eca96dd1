//! The segments of a log. A segment holds blocks in the order in which threads finished them.
//!
//! ```text
//! frontier-NN.S     segment S of the log of ply NN: an envelope, then records (reached-NN.S: of reached bits)
//!
//! record   u64  number of the block
//!          u32  length n of the payload
//!          u64  XXH3-64 of the payload, seeded with the sum of the hash of the segment's envelope and the number
//!          n    bytes of the payload: a zstd frame of the block's delta
//! ```
//!
//! Each record is self-contained, so a log needs no journal: reading the log finds the finished blocks, and the
//! checksum rejects a record that was being written when the process ended. A resumed solve starts a new segment.

#![allow(clippy::indexing_slicing, reason = "records are cut to their length before they are taken apart")]

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::memory::BlockMemory;
use super::tier::Kind;
use crate::communicator::{Communicator, gather};
use crate::files::{FileError, ReadFile, Storage, WriteFile, envelope, io_error, remove_named};

const MAGIC: &[u8; 8] = b"fourfron";

/// The version of the format of logs. Up to version 4, a record held a zstd frame of the block's words; since version
/// 5, it holds a zstd frame of the block's delta. A complete database has no logs, so it does not depend on this
/// version.
const VERSION: u32 = 5;

const RECORD: usize = 20;

/// The header of a segment.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct LogHeader {
    pub board: String,
    pub kind: Kind,
    pub ply: u32,
    /// Entries of the tier.
    pub entries: u64,
    /// Blocks of the tier.
    pub blocks: u64,
    /// The approximate number of words in a block before compression.
    pub block_words: u64,
}

/// The place of a block's record in the log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Location {
    segment: u32,
    length: u32,
    /// The offset of the record.
    offset: u64,
}

/// The description of a rank's segment for the other ranks. It has the number in the name of the segment's file and,
/// for each block in order, the number of the block and the length of its payload.
type NewSegment = (u32, Vec<(u64, u32)>);

/// The folder with the logs of a run, and the memory for the tiers that are opened there.
#[derive(Clone, Debug)]
pub(crate) struct TierFolder<'s> {
    pub storage: &'s dyn Storage,
    pub folder: &'s Path,
    pub memory: Arc<BlockMemory>,
    /// The processes that fill the tiers together.
    pub all: &'s dyn Communicator,
}

/// The segments of one tier. Threads share this object.
#[derive(Debug)]
pub(crate) struct Segments<'s> {
    pub tiers: TierFolder<'s>,
    header: LogHeader,
    segments: RwLock<Vec<Segment>>,
    writer: Mutex<Option<Writer>>,
    /// Whether [`Segments::find`] saw files of the tier, valid or not.
    pub has_files: bool,
    /// The error of the first file that [`Segments::find`] ignored, if any. The file has another version, belongs to
    /// another log, or is damaged.
    pub fault: Option<FileError>,
}

#[derive(Debug)]
struct Segment {
    path: PathBuf,
    file: Box<dyn ReadFile>,
    seed: u64,
}

#[derive(Debug)]
struct Writer {
    file: Box<dyn WriteFile>,
    segment: u32,
    /// The offset of the next record.
    end: u64,
    /// A buffer for a record.
    record: Vec<u8>,
    /// The description of the segment for the other ranks. If there are no other ranks, the list of blocks stays empty.
    new: NewSegment,
}

/// Returns the path of a segment.
pub(crate) fn path_of(folder: &Path, kind: Kind, ply: u32, number: u32) -> PathBuf {
    folder.join(format!("{}{ply:02}.{number}", kind.prefix()))
}

/// Parses the ply and the number of a segment from its name.
fn segment_of(name: &str, kind: Kind) -> Option<(u32, u32)> {
    let (ply, number) = name.strip_prefix(kind.prefix())?.split_once('.')?;
    Some((ply.parse().ok()?, number.parse().ok()?))
}

/// Lists the segments of one kind in a folder by ply and number. Each item has the ply, the number and the path.
fn segments_in(storage: &dyn Storage, folder: &Path, kind: Kind) -> Result<Vec<(u32, u32, PathBuf)>, FileError> {
    let names = storage.names(folder).map_err(io_error(folder, "list"))?;
    let segment = |name: &String| segment_of(name, kind).map(|(ply, number)| (ply, number, folder.join(name)));
    let mut segments: Vec<_> = names.iter().filter_map(segment).collect();
    segments.sort();
    Ok(segments)
}

/// Returns whether a folder has logs of a kind.
pub(crate) fn has_any(storage: &dyn Storage, folder: &Path, kind: Kind) -> Result<bool, FileError> {
    Ok(!segments_in(storage, folder, kind)?.is_empty())
}

/// Removes the logs of one kind for the plies where `is_old` returns `true`.
pub(crate) fn remove(
    storage: &dyn Storage,
    folder: &Path,
    kind: Kind,
    is_old: impl Fn(u32) -> bool,
) -> Result<(), FileError> {
    remove_named(storage, folder, |name| segment_of(name, kind).is_some_and(|(ply, _)| is_old(ply)))
}

/// Returns the checksum of a block's payload.
fn checksum(payload: &[u8], seed: u64, number: u64) -> u64 {
    xxh3_64_with_seed(payload, seed.wrapping_add(number))
}

fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

impl<'s> Segments<'s> {
    /// Makes the log of a tier, without the segments of earlier runs ([`Segments::find`] adds them).
    pub fn new(tiers: TierFolder<'s>, header: LogHeader) -> Segments<'s> {
        let (segments, writer) = (RwLock::new(Vec::new()), Mutex::new(None));
        Segments { tiers, header, segments, writer, has_files: false, fault: None }
    }

    /// Reads the segments of earlier runs, and calls `found` for every block.
    pub fn find(&mut self, mut found: impl FnMut(u64, Location)) -> Result<(), FileError> {
        for (ply, _, path) in segments_in(self.tiers.storage, self.tiers.folder, self.header.kind)? {
            if ply == self.header.ply {
                self.has_files = true;
                match self.scan(path, &mut found) {
                    Err(error) if error.is_damage() => self.fault = self.fault.take().or(Some(error)),
                    scanned => scanned?,
                }
            }
        }
        Ok(())
    }

    /// Calls `found` for each record of a segment before the first damaged one, with the number of the block and the
    /// place of the record. First follows the lengths to find the places of the records; then all threads check
    /// checksums.
    fn scan(&self, path: PathBuf, found: &mut impl FnMut(u64, Location)) -> Result<(), FileError> {
        let (number, mut offset) = self.open_segment(path)?;
        let segments = self.segments();
        let Segment { path, file, .. } = &segments[number as usize];
        let size = file.size().map_err(io_error(path, "read"))?;
        let (mut record, mut places) = ([0; RECORD], Vec::new());
        // A process appends a block only once, and no payload is empty. So a segment has at most one record per block
        // of the tier. This bounds how many records the loop reads from garbage in a torn file.
        while offset + RECORD as u64 <= size && (places.len() as u64) < self.header.blocks {
            envelope::read(&**file, path, &mut record, offset)?;
            let (block, length) = (word(&record[..8]), word(&record[8..12]));
            let end = offset + RECORD as u64 + length;
            if end > size || length == 0 || block >= self.header.blocks {
                break;
            }
            places.push((block, Location { segment: number, length: length as u32, offset }));
            offset = end;
        }
        drop(segments);
        let read = |buffer: &mut Vec<u8>, (block, place): &(u64, Location)| self.read(*block, *place, buffer).map(drop);
        let bad = places.par_iter().map_init(Vec::new, read).enumerate().find_first(|(_, read)| read.is_err());
        if let Some((number, torn)) = bad {
            FileError::unless_damaged(torn)?;
            places.truncate(number);
        }
        places.into_iter().for_each(|(block, place)| found(block, place));
        Ok(())
    }

    /// Opens a segment to read it. Returns its number in this process, and the offset of its first record.
    ///
    /// # Errors
    /// If the segment belongs to another log, if its header is damaged, or if the file can't be read.
    fn open_segment(&self, path: PathBuf) -> Result<(u32, u64), FileError> {
        let file = self.tiers.storage.open(&path).map_err(io_error(&path, "open"))?;
        let (_, header, sealed): (_, LogHeader, _) = envelope::unseal(VERSION..=VERSION, &*file, &path, MAGIC)?;
        if header != self.header {
            return Err(FileError::wrong(&path, "the log", "that of this solve", "that of another solve"));
        }
        let mut segments = self.segments.write().unwrap_or_else(PoisonError::into_inner);
        segments.push(Segment { path, file, seed: xxh3_64(&sealed) });
        Ok((segments.len() as u32 - 1, sealed.len() as u64))
    }

    fn writer(&self) -> MutexGuard<'_, Option<Writer>> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a new segment, with a number above all existing ones.
    fn begin(&self) -> Result<Writer, FileError> {
        let LogHeader { ply, kind, .. } = self.header;
        let segments = segments_in(self.tiers.storage, self.tiers.folder, kind)?;
        let last = segments.iter().filter(|(of, ..)| *of == ply).map(|(_, number, _)| number).max();
        let next = last.map_or(0, |last| last + 1);
        // Several ranks can begin segments at the same time, so each rank uses numbers of its own.
        let name = next.next_multiple_of(self.tiers.all.size()) + self.tiers.all.rank();
        let path = path_of(self.tiers.folder, kind, ply, name);
        let file = self.tiers.storage.create(&path).map_err(io_error(&path, "create"))?;
        let sealed = envelope::seal(VERSION, MAGIC, &self.header);
        file.write_all_at(&sealed, 0).map_err(io_error(&path, "write"))?;
        let (segment, end) = self.open_segment(path)?;
        Ok(Writer { file, segment, end, record: Vec::new(), new: (name, Vec::new()) })
    }

    /// Appends a record with the payload of the block `number`, and returns the place of the record.
    pub fn append(&self, number: u64, payload: &[u8]) -> Result<Location, FileError> {
        let mut slot = self.writer();
        let writer = match &mut *slot {
            Some(writer) => writer,
            slot => slot.insert(self.begin()?),
        };
        let Writer { file, segment, end, record, new } = writer;
        let Segment { path, seed, .. } = &self.segments()[*segment as usize];
        let place = Location { segment: *segment, length: payload.len() as u32, offset: *end };
        record.clear();
        record.extend_from_slice(&number.to_le_bytes());
        record.extend_from_slice(&place.length.to_le_bytes());
        record.extend_from_slice(&checksum(payload, *seed, number).to_le_bytes());
        record.extend_from_slice(payload);
        file.write_all_at(record, *end).map_err(io_error(path, "write"))?;
        *end += record.len() as u64;
        if self.is_shared() {
            new.1.push((number, place.length));
        }
        Ok(place)
    }

    fn segments(&self) -> RwLockReadGuard<'_, Vec<Segment>> {
        self.segments.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads a block's payload. Reads the whole record into `buffer`, which grows if necessary and never shrinks.
    ///
    /// # Errors
    /// [`FileError::Damaged`] if the bytes are not those that were appended as this block.
    pub fn read<'b>(&self, number: u64, place: Location, buffer: &'b mut Vec<u8>) -> Result<&'b [u8], FileError> {
        let segments = self.segments();
        let Segment { path, file, seed, .. } = &segments[place.segment as usize];
        let length = RECORD + place.length as usize;
        buffer.resize(length.max(buffer.len()), 0);
        let bytes = &mut buffer[..length];
        envelope::read(&**file, path, bytes, place.offset)?;
        let (record, payload) = bytes.split_at(RECORD);
        if word(&record[..8]) != number || checksum(payload, *seed, number) != word(&record[12..]) {
            return Err(FileError::damaged(path, place.offset, "the checksum of a block is wrong"));
        }
        Ok(payload)
    }

    /// Returns the error for the block at `place`, whose contents are invalid because of `what`.
    pub fn damaged(&self, place: Location, what: &'static str) -> FileError {
        let segments = self.segments();
        FileError::Damaged { file: segments[place.segment as usize].path.clone(), offset: place.offset, what }
    }

    /// Returns whether other ranks read the log. If so, all blocks of this rank must be in it.
    pub fn is_shared(&self) -> bool {
        !self.tiers.all.is_alone()
    }

    /// Makes the blocks of this rank readable for all ranks, and calls `found` for each block of the others. `is_ended`
    /// is whether this rank has ended early. Returns whether any rank has ended early. Waits for all ranks.
    ///
    /// # Errors
    /// If a file can't be written or read, or if another rank's message is invalid.
    pub fn exchange(&self, is_ended: bool, mut found: impl FnMut(u64, Location)) -> Result<bool, FileError> {
        let all = self.tiers.all;
        if !all.is_on_one_machine() {
            // Processes on other machines are sure to see only data that has reached the disk.
            self.sync()?;
        }
        let LogHeader { ply, kind, .. } = self.header;
        let own = self.writer().as_ref().map(|writer| writer.new.clone());
        let records = gather::<(bool, Option<NewSegment>)>(all, &(is_ended, own))?;
        let mut any_ended = false;
        for (rank, (other_ended, new)) in (0..).zip(records) {
            any_ended |= other_ended;
            let Some((name, blocks)) = new.filter(|_| rank != all.rank()) else { continue };
            let opened = self.open_segment(path_of(self.tiers.folder, kind, ply, name));
            let (segment, mut offset) = FileError::unless_damaged(opened)?.ok_or(FileError::Message { rank })?;
            for (block, length) in blocks {
                found(block, Location { segment, length, offset });
                offset += RECORD as u64 + u64::from(length);
            }
        }
        Ok(any_ended)
    }

    /// Returns how many bytes this process has appended.
    pub fn written_bytes(&self) -> u64 {
        self.writer().as_ref().map_or(0, |writer| writer.end)
    }

    /// Makes all appended blocks durable.
    pub fn sync(&self) -> Result<(), FileError> {
        if let Some(writer) = &*self.writer() {
            writer.file.sync().map_err(io_error(&self.segments()[writer.segment as usize].path, "write"))?;
        }
        self.tiers.storage.sync_folder(self.tiers.folder).map_err(io_error(self.tiers.folder, "sync"))
    }
}
