//! Counts that are kept beside the database that was counted: `<db>/<board>/<values>.stats.json`, one object of JSON.
//!
//! The file has the hash of its database and a checksum. What is read is checked: a number that was changed, or a table
//! that cannot be one of this board, is damage. Counting again costs only time.

use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use fourbase::{Board, Outcome, Value};
use serde::{Deserialize, Serialize};

use super::table::{Counts, PlyCounts, RemotenessCount};
use crate::files::{FileError, Storage, io_error, read_small, write_file};
use crate::format::{Manifest, lock_path};
use crate::kernel::Values;

/// The version of the file. Version 1 had the whole manifest and no checksum.
const VERSION: u32 = 2;

/// More bytes than the counts of any board take: 65 plies and 195 remotenesses, of 160 bytes at most.
const MOST_BYTES: u64 = 1 << 16;

/// The contents of the file.
#[derive(Serialize, Deserialize)]
struct Kept {
    version: u32,
    /// The hash of the counted database.
    database: String,
    counts: Counts,
    /// BLAKE3 of the other fields, as they are written.
    checksum: String,
}

impl Kept {
    fn new(database: String, counts: Counts) -> Result<Kept, serde_json::Error> {
        let fields = serde_json::to_vec(&(VERSION, &database, &counts))?;
        Ok(Kept { version: VERSION, database, counts, checksum: blake3::hash(&fields).to_string() })
    }
}

/// Returns the path of the counts of a database.
pub fn kept_path(folder: &Path) -> PathBuf {
    folder.with_extension(EXTENSION)
}

const EXTENSION: &str = "stats.json";

/// Reads the counts that are kept beside a database; `None` if there are none, or those of another database.
///
/// # Errors
/// [`FileError::Damaged`] where the file is not as it was written, or its tables cannot be those of the database;
/// [`FileError::Io`] where it cannot be read, or is no regular file.
pub fn read_kept(
    storage: &dyn Storage,
    folder: &Path,
    board: Board,
    manifest: &Manifest,
) -> Result<Option<Counts>, FileError> {
    let file = kept_path(folder);
    let bytes = match read_small(storage, &file, MOST_BYTES) {
        Err(FileError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => return Ok(None),
        read => read?,
    };
    let damaged = |what| FileError::Damaged { file: file.clone(), offset: 0, what };
    let kept: Kept = serde_json::from_slice(&bytes).map_err(|_| damaged("it holds no counts"))?;
    let sealed = Kept::new(kept.database.clone(), kept.counts.clone());
    if kept.version != VERSION || sealed.map_or(true, |sealed| sealed.checksum != kept.checksum) {
        return Err(damaged("the checksum of the counts is wrong"));
    }
    if manifest.hash().is_none_or(|hash| hash.to_string() != kept.database) {
        return Ok(None);
    }
    check(&kept.counts, board, manifest.values(), manifest.root()).map_err(damaged)?;
    Ok(Some(kept.counts))
}

/// Keeps the counts of a complete database beside it. A reader sees all of them or none.
///
/// # Errors
/// [`FileError::Io`] where the file cannot be written, or where another process holds the database.
pub fn write_kept(storage: &dyn Storage, folder: &Path, manifest: &Manifest, counts: &Counts) -> Result<(), FileError> {
    let file = kept_path(folder);
    let hash = manifest.hash().map(|hash| hash.to_string()).unwrap_or_default();
    let kept = Kept::new(hash, counts.clone()).and_then(|kept| serde_json::to_vec(&kept));
    let kept = kept.map_err(|error| io_error(&file, "write")(error.into()))?;
    // Two that write at once would write into one file under its temporary name.
    let lock = lock_path(folder);
    let held = storage.lock(&lock).map_err(io_error(&lock, "lock"))?;
    let _held = held.map_err(|holder| io_error(&lock, "lock")(io::Error::other(format!("it is held by {holder}"))))?;
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    write_file(storage, file.parent().unwrap_or(folder), &name, &kept)
}

/// Tells what cannot be true of the counts of a board whose empty board has the outcome `root`.
fn check(counts: &Counts, board: Board, values: Values, root: Option<Outcome>) -> Result<(), &'static str> {
    let cells = board.cells() as u32;
    if counts.board != board || counts.values != values {
        return Err("the counts are of another board, or of other values");
    }
    if !counts.plies.iter().map(|ply| ply.ply).eq(0..=cells) {
        return Err("the plies are not those of the board");
    }
    let sum = |numbers: &[u64]| numbers.iter().try_fold(0, |sum: u64, number| sum.checked_add(*number));
    let adds_up = |ply: &PlyCounts| sum(&[ply.win, ply.lose, ply.tie]) == Some(ply.legal) && ply.primitive <= ply.legal;
    if !counts.plies.iter().all(adds_up) {
        return Err("the wins, losses and ties of a ply are not its legal positions");
    }
    let (first, last) = (counts.plies.first(), counts.plies.last());
    if last.is_none_or(|full| full.primitive != full.legal) {
        return Err("the game goes on where the board is full");
    }
    let one = |value: Value| u64::from(root.is_some_and(|root| root.value == value));
    let empty = PlyCounts {
        legal: 1,
        win: one(Value::Win),
        lose: one(Value::Lose),
        tie: one(Value::Tie),
        ..PlyCounts::default()
    };
    if first.is_none_or(|first| *first != empty) {
        return Err("the empty board is not what it is in the database");
    }
    let total = |of: fn(&PlyCounts) -> u64| sum(&Vec::from_iter(counts.plies.iter().map(of)));
    if total(|ply| ply.legal).is_none() {
        return Err("more positions than can be counted");
    }
    let with_remoteness = values == Values::Remoteness;
    let is_possible = |row: &RemotenessCount| {
        row.remoteness.is_some() == with_remoteness && row.remoteness.is_none_or(|plies| plies <= cells)
    };
    let keys = || counts.remoteness.iter().map(|row| (row.value.to_string(), row.remoteness));
    let are_unlike = keys().collect::<BTreeSet<_>>().len() == counts.remoteness.len();
    if !counts.remoteness.iter().all(is_possible) || !are_unlike {
        return Err("the remotenesses are not those of the board");
    }
    let of = |value: Value| {
        sum(&Vec::from_iter(counts.remoteness.iter().filter(|row| row.value == value).map(|row| row.legal)))
    };
    let of_values = [of(Value::Win), of(Value::Lose), of(Value::Tie)];
    if of_values != [total(|ply| ply.win), total(|ply| ply.lose), total(|ply| ply.tie)] {
        return Err("the remotenesses do not add up to the plies");
    }
    let over = counts.remoteness.iter().filter(|row| row.remoteness == Some(0)).map(|row| row.legal);
    if with_remoteness && sum(&Vec::from_iter(over)) != total(|ply| ply.primitive) {
        return Err("the positions of remoteness 0 are not those in which the game is over");
    }
    Ok(())
}
