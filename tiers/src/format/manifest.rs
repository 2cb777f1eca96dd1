//! The manifest: the contents of a database folder, and the progress of its solve.
//!
//! The solver rewrites the manifest whenever tiers have become durable, and a stopped solve resumes from the manifest.
//! The manifest records no time, machine, thread count or kernel, so that equal work gives equal bytes.
//!
//! The manifest lists the files with their hashes. A file's hash is the BLAKE3 of its bytes. A database's hash is the
//! BLAKE3 of the hashes of its tier files, 32 bytes each, in the order of their plies; the files' headers name board,
//! values and version, so the hash covers these too. Equal databases have equal hashes on every machine. To compute the
//! hash: `for file in tier-*; do b3sum --raw $file; done | b3sum`.

use std::fmt;
use std::path::Path;

use fourbase::{Board, Outcome, Value};
use rayon::prelude::*;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::chunk::Chunks;
use super::folder::{MANIFEST, board_and_values_of, tier_path};
use crate::files::{FileError, ReadStorage, Storage, VERSION, envelope, io_error, open_existing, write_file};
use crate::index::TierDirectory;
use crate::kernel::Values;

const MAGIC: &[u8; 8] = b"fourmani";

/// Bytes of a file that are hashed at a time.
const PORTION_BYTES: u64 = 1 << 20;

/// The possible values of the empty board. The manifest stores an index into this list.
const ROOT_VALUES: [Value; 3] = [Value::Lose, Value::Tie, Value::Win];

/// Returns whether the tier with `ply` pieces is stored. Only odd plies are stored; probes of even plies look one ply
/// ahead. On every board that was tried, the odd plies were the smaller half.
pub(crate) fn is_stored(ply: u32) -> bool {
    !ply.is_multiple_of(2)
}

/// How far a solve has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum State {
    /// Some tiers are missing.
    Solving,
    /// All tiers are finished.
    Complete,
}

/// One finished tier.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TierRecord {
    /// Pieces on the board.
    pub ply: u32,
    /// Entries of the tier.
    pub entries: u64,
    /// Length of the tier's file in bytes; 0 if the tier is not stored.
    pub bytes: u64,
    /// Hash of the tier's file, if the tier is stored.
    pub hash: Option<Hash>,
}

impl TierRecord {
    /// Compares the hash of the tier's file in `folder` with the recorded one. After reading each portion, calls
    /// `goes_on` with the number of bytes of the portion. If `goes_on` returns `false`, stops and returns `false`.
    ///
    /// # Errors
    /// [`FileError::Wrong`] if the hashes differ; an error if the file can't be read.
    pub(crate) fn check_hash(
        &self,
        storage: &dyn ReadStorage,
        folder: &Path,
        goes_on: &dyn Fn(u64) -> bool,
    ) -> Result<bool, FileError> {
        let file = tier_path(folder, self.ply);
        let Some(found) = Hash::of_file(storage, &file, goes_on)? else { return Ok(false) };
        if self.hash == Some(found) {
            return Ok(true);
        }
        let expected = self.hash.map_or("none".to_string(), |hash| hash.to_string());
        Err(FileError::wrong(&file, "the hash", expected, found))
    }
}

/// The contents of a database folder.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// The board.
    #[serde(with = "board_name")]
    pub board: Board,
    /// The kind of values.
    pub values: Values,
    /// The deepest ply whose tier is kept; `None` if all are kept.
    pub keep_plies: Option<u32>,
    /// How far the solve has come.
    state: State,
    /// Finished tiers, from the full board down.
    pub tiers: Vec<TierRecord>,
    /// The ply of the tier whose values are all kept, so that an unfinished solve can resume from this tier.
    pub checkpoint: Option<u32>,
    /// The value (an index into [`ROOT_VALUES`]) and the remoteness of the empty board; `None` until the solve is
    /// complete.
    root: Option<(u8, Option<u32>)>,
    /// Hash of the tiers' hashes; `None` until the solve is complete. Equal databases have equal hashes on every
    /// machine.
    pub hash: Option<Hash>,
}

impl Manifest {
    /// Makes the manifest of a new solve that keeps the tiers of at most `keep_plies` pieces.
    pub fn new(board: Board, values: Values, keep_plies: Option<u32>) -> Manifest {
        Manifest {
            board,
            values,
            keep_plies,
            state: State::Solving,
            tiers: Vec::new(),
            checkpoint: None,
            root: None,
            hash: None,
        }
    }

    /// Returns whether all tiers are finished.
    pub fn is_complete(&self) -> bool {
        self.state == State::Complete
    }

    /// Returns whether the tier with `ply` pieces has a file.
    pub(crate) fn keeps(&self, ply: u32) -> bool {
        is_stored(ply) && self.keep_plies.is_none_or(|most| ply <= most)
    }

    /// Returns whether the tier with `ply` pieces stores forced positions too. That is so for the deepest tier of a
    /// database that lacks later tiers, because a forced reply leads to a position that only the later tiers could
    /// evaluate. Databases of older versions never store forced positions.
    pub(crate) fn keeps_forced(&self, ply: u32) -> bool {
        self.keeps(ply) && !self.keeps(ply + 2) && ply as usize + 2 <= self.board.cells()
    }

    /// Returns the chunks that the file of a tier is divided into.
    pub(crate) fn chunks(&self, tier: &TierDirectory) -> Chunks {
        Chunks::of_tier(tier, !self.keeps_like(None), self.keeps_forced(tier.ply))
    }

    /// Returns the outcome of the empty board, or `None` if the solve is not complete.
    pub fn root(&self) -> Option<Outcome> {
        let (value, remoteness) = self.root?;
        Some(Outcome { value: *ROOT_VALUES.get(usize::from(value))?, remoteness })
    }

    /// Records that all tiers are finished, and the outcome of the empty board.
    pub fn complete(&mut self, root: Outcome) {
        let value = ROOT_VALUES.iter().position(|value| *value == root.value).unwrap_or_default();
        self.state = State::Complete;
        self.checkpoint = None;
        self.root = Some((value as u8, root.remoteness));
        self.hash = Some(self.hash_of_tiers());
    }

    /// Combines the hashes of the stored tiers, from the empty board up.
    fn hash_of_tiers(&self) -> Hash {
        let mut hasher = blake3::Hasher::new();
        for hash in self.tiers.iter().rev().filter_map(|tier| tier.hash) {
            hasher.update(&hash.0);
        }
        Hash(*hasher.finalize().as_bytes())
    }

    /// Returns the ply to solve next, or `None` if all tiers are finished.
    pub fn next_ply(&self) -> Option<u32> {
        (self.board.cells() as u32).checked_sub(self.tiers.len() as u32)
    }

    /// Returns the record of a finished tier.
    pub(crate) fn tier(&self, ply: u32) -> Option<&TierRecord> {
        self.tiers.iter().find(|tier| tier.ply == ply)
    }

    /// Lists the finished tiers that have a file, from the full board down.
    pub(crate) fn stored_tiers(&self) -> impl Iterator<Item = &TierRecord> {
        self.tiers.iter().filter(|tier| tier.bytes > 0)
    }

    /// Returns the total number of entries of the finished tiers.
    pub fn entries(&self) -> u64 {
        self.tiers.iter().map(|tier| tier.entries).fold(0, u64::saturating_add)
    }

    /// Returns the total length, in bytes, of the finished tiers' files and of the manifest itself.
    pub fn bytes(&self) -> u64 {
        let own = envelope::seal(VERSION, MAGIC, self).len() as u64;
        self.tiers.iter().map(|tier| tier.bytes).fold(own, u64::saturating_add)
    }

    /// Reads the manifest of a folder; `None` if the folder has none. If the folder's path names a board and values,
    /// the manifest must have the same board and values.
    ///
    /// # Errors
    /// [`FileError::Wrong`] if the manifest has another board or other values; [`FileError::Io`] or
    /// [`FileError::Damaged`] if it can't be read.
    pub fn read(storage: &dyn ReadStorage, folder: &Path) -> Result<Option<Manifest>, FileError> {
        let path = folder.join(MANIFEST);
        let Some(file) = open_existing(storage, &path)? else { return Ok(None) };
        let (_, manifest, sealed): (_, Manifest, _) = envelope::unseal(VERSION..=VERSION, &*file, &path, MAGIC)?;
        if file.size().map_err(io_error(&path, "read"))? != sealed.len() as u64 {
            return Err(FileError::damaged(&path, sealed.len() as u64, "bytes after the end"));
        }
        manifest.check().map_err(|what| FileError::damaged(&path, 0, what))?;
        let found = (manifest.board, manifest.values);
        match board_and_values_of(folder).filter(|names| *names != found) {
            Some(names) => {
                let [expected, found] = [names, found].map(|(board, values)| format!("{board} {values}"));
                Err(FileError::wrong(&path, "the board", expected, found))
            }
            None => Ok(Some(manifest)),
        }
    }

    /// Checks that the manifest is possible for its board. The error says what is impossible.
    fn check(&self) -> Result<(), &'static str> {
        let board = self.board;
        let plies = (0..=board.cells() as u32).rev();
        let in_order = self.tiers.iter().map(|tier| tier.ply).eq(plies.take(self.tiers.len()));
        let complete = self.is_complete();
        let is_whole = self.next_ply().is_none();
        let resumes_from = self.tiers.last().filter(|_| !complete).map(|tier| tier.ply);
        let sum = |of: fn(&TierRecord) -> u64| self.tiers.iter().map(of).try_fold(0, u64::checked_add);
        let with_remoteness = self.values == Values::Remoteness;
        let in_range = |(value, remoteness): (u8, Option<u32>)| {
            let fits = remoteness.is_none_or(|plies| plies <= board.cells() as u32);
            value <= 2 && remoteness.is_some() == with_remoteness && fits
        };
        let is_keeping_none = |most: u32| most == 0 || most as usize >= board.cells();
        let faults = [
            (self.keep_plies.is_some_and(is_keeping_none), "not a ply up to which tiers can be kept"),
            (!in_order || is_whole != complete, "tiers are missing or too many"),
            (self.checkpoint != resumes_from, "the checkpoint is not that of the last tier"),
            (
                self.tiers.iter().any(|tier| [self.keeps(tier.ply), tier.hash.is_some()] != [tier.bytes > 0; 2]),
                "a tier that should be stored has no file or no hash, or the other way round",
            ),
            (self.hash != complete.then(|| self.hash_of_tiers()), "the hash is not that of the tiers"),
            // A block holds at most one group of chunks, so at most 2^20 entries. A block takes more than 8 bytes: a
            // few of its own and ten in the file's directory of blocks. So a file has at most 2^17 entries per byte.
            (
                self.stored_tiers().any(|tier| tier.entries >> 17 > tier.bytes),
                "a tier has more entries than its file can have",
            ),
            (
                sum(|tier| tier.entries).and(sum(|tier| tier.bytes)).is_none(),
                "more entries or bytes than can be counted",
            ),
            (
                self.root.is_some() != complete || !self.root.is_none_or(in_range),
                "the value of the empty board is not what it can be",
            ),
        ];
        faults.into_iter().find(|(is_fault, _)| *is_fault).map_or(Ok(()), |(_, what)| Err(what))
    }

    /// Reads the files of the finished tiers, several at a time, and checks their hashes. If there are several
    /// processes, each reads a part of the files; the pair has the number of this process and the number of processes.
    /// [`TierRecord::check_hash`] explains `goes_on`.
    ///
    /// # Errors
    /// The error of the first file, from the full board down, that can't be read or has another hash.
    pub(crate) fn check_hashes(
        &self,
        storage: &dyn ReadStorage,
        folder: &Path,
        (number, parts): (usize, usize),
        goes_on: &(dyn Fn(u64) -> bool + Sync),
    ) -> Result<bool, FileError> {
        let stored: Vec<&TierRecord> = self.stored_tiers().skip(number).step_by(parts.max(1)).collect();
        let checked = stored.into_par_iter().map(|tier| tier.check_hash(storage, folder, goes_on));
        checked.find_first(|done| !matches!(done, Ok(true))).unwrap_or(Ok(true))
    }

    /// Returns whether a database that keeps the tiers of at most `keep_plies` pieces (`None`: all tiers) has the same
    /// files as this database. Different limits can give the same files, because only odd plies have files.
    pub(crate) fn keeps_like(&self, keep_plies: Option<u32>) -> bool {
        let other = Manifest::new(self.board, self.values, keep_plies);
        (0..=self.board.cells() as u32).all(|ply| self.keeps(ply) == other.keeps(ply))
    }

    /// Checks that the files of the finished tiers exist and have the recorded lengths.
    pub(crate) fn check_files(&self, storage: &dyn ReadStorage, folder: &Path) -> Result<(), FileError> {
        for tier in self.stored_tiers() {
            let file = tier_path(folder, tier.ply);
            let open = open_existing(storage, &file)?;
            let open = open.ok_or_else(|| FileError::damaged(&file, 0, "the file is missing"))?;
            check_length(&file, tier.bytes, open.size().map_err(io_error(&file, "open"))?)?;
        }
        Ok(())
    }

    /// Writes the manifest of a folder durably.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn write(&self, storage: &dyn Storage, folder: &Path) -> Result<(), FileError> {
        write_file(storage, folder, MANIFEST, &envelope::seal(VERSION, MAGIC, self))
    }
}

/// Writes a board as its name, and reads it back.
pub(crate) mod board_name {
    use super::*;

    pub fn serialize<S: Serializer>(board: &Board, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(board)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Board, D::Error> {
        let name = String::deserialize(deserializer)?;
        let board = name.parse::<Board>().map_err(D::Error::custom)?;
        // Every board has exactly one valid name.
        if board.to_string() == name { Ok(board) } else { Err(D::Error::custom("the name is not in the short form")) }
    }
}

/// Compares a file's length with the one in the manifest.
pub(crate) fn check_length(file: &Path, expected: u64, found: u64) -> Result<(), FileError> {
    if expected == found {
        return Ok(());
    }
    let [expected, found] = [expected, found].map(|bytes| format!("{bytes} bytes"));
    Err(FileError::wrong(file, "the length", expected, found))
}

/// A BLAKE3 hash, written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Hash([u8; 32]);

impl Hash {
    /// Returns the hash of a file. After reading each portion, calls `goes_on` with the number of bytes of the portion.
    /// If `goes_on` returns `false`, stops and returns `None`.
    pub(crate) fn of_file(
        storage: &dyn ReadStorage,
        path: &Path,
        goes_on: &dyn Fn(u64) -> bool,
    ) -> Result<Option<Hash>, FileError> {
        let file = storage.open(path).map_err(io_error(path, "open"))?;
        let size = file.size().map_err(io_error(path, "read"))?;
        let (mut hasher, mut portion, mut at) = (blake3::Hasher::new(), Vec::new(), 0);
        while at < size {
            portion.resize(PORTION_BYTES.min(size - at) as usize, 0);
            envelope::read(&*file, path, &mut portion, at)?;
            hasher.update_rayon(&portion);
            at += portion.len() as u64;
            if !goes_on(portion.len() as u64) {
                return Ok(None);
            }
        }
        Ok(Some(Hash(*hasher.finalize().as_bytes())))
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use serde::de::value::StrDeserializer;

    use super::*;
    use crate::files::Memory;

    /// Returns a manifest like one that a solve of 2x2 writes.
    fn complete() -> Manifest {
        let mut manifest = Manifest::new("2x2".parse().unwrap(), Values::Remoteness, None);
        let record = |ply: u32| {
            let hash = is_stored(ply).then(Hash::default);
            TierRecord { ply, entries: 3, bytes: if is_stored(ply) { 100 } else { 0 }, hash }
        };
        manifest.tiers = (0..=4).rev().map(record).collect();
        manifest.complete(Outcome { value: Value::Tie, remoteness: Some(4) });
        manifest
    }

    fn read(bytes: &[u8]) -> Result<Manifest, FileError> {
        let (files, folder) = (Memory::default(), Path::new("2x2/remoteness"));
        files.create(&folder.join(MANIFEST)).unwrap().write_all_at(bytes, 0).unwrap();
        Manifest::read(&files, folder).map(Option::unwrap)
    }

    #[test]
    fn what_cannot_be_true_is_refused_though_the_checksum_fits() {
        assert_eq!(read(&envelope::seal(VERSION, MAGIC, &complete())).unwrap(), complete());
        let changes: [fn(&mut Manifest); 23] = [
            |manifest| manifest.board = "3x3".parse().unwrap(),
            |manifest| manifest.values = Values::Wdl,
            |manifest| manifest.state = State::Solving,
            |manifest| manifest.root = None,
            |manifest| manifest.root = Some((3, Some(4))),
            |manifest| manifest.root = Some((1, None)),
            |manifest| manifest.root = Some((1, Some(5))),
            |manifest| manifest.checkpoint = Some(0),
            |manifest| manifest.tiers.truncate(4),
            |manifest| manifest.tiers.clear(),
            |manifest| manifest.tiers.reverse(),
            |manifest| manifest.tiers.push(manifest.tiers[0]),
            |manifest| manifest.tiers[1].bytes = 0,
            |manifest| manifest.tiers[0].bytes = 1,
            |manifest| manifest.hash = None,
            |manifest| manifest.hash = Some(Hash::default()),
            |manifest| manifest.tiers[1].hash = None,
            |manifest| manifest.tiers[0].hash = Some(Hash::default()),
            |manifest| manifest.tiers[0].entries = u64::MAX,
            |manifest| manifest.tiers[1].entries = 1 << 40,
            |manifest| manifest.tiers.iter_mut().filter(|tier| tier.bytes > 0).for_each(|tier| tier.bytes = u64::MAX),
            |manifest| (manifest.state, manifest.root, manifest.checkpoint) = (State::Solving, None, Some(0)),
            |manifest| {
                manifest.tiers.truncate(3);
                (manifest.state, manifest.root, manifest.checkpoint) = (State::Solving, None, Some(3));
            },
        ];
        let name = |name: &'static str| board_name::deserialize(StrDeserializer::<serde::de::value::Error>::new(name));
        assert_eq!([name("2x2"), name("2x2c4"), name("no board")].map(|read| read.is_ok()), [true, false, false]);
        for (number, change) in changes.into_iter().enumerate() {
            let mut manifest = complete();
            change(&mut manifest);
            let error = read(&envelope::seal(VERSION, MAGIC, &manifest)).expect_err(&format!("change {number}"));
            assert!(error.is_damage(), "change {number}: {error}");
        }
    }
}
