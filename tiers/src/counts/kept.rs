//! Reads and writes the counts that are kept beside the counted database. The file is
//! `<db>/<board>/<values>.stats.json`, one JSON object.
//!
//! The file holds a checksum and the hash of its database. A reader checks the checksum, and whether the tables are
//! possible for this board. If a check fails, the file is reported as damaged, and a new count restores it. Counts with
//! the hash of another database are ignored.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use fourbase::{Board, Outcome, notation};
use serde::{Deserialize, Serialize};

use super::table::{Counts, OutcomeCount, PlyCounts};
use crate::files::{FileError, ReadStorage, Storage, io_error, is_address, read_small, write_file};
use crate::format::{Manifest, lock_path};
use crate::kernel::Values;
use crate::solve::SolveError;

/// The version of the file format. Version 1 held the whole manifest and no checksum. Version 2 lacked the plies of
/// outcomes, and version 3 lacked the examples of outcomes.
const VERSION: u32 = 4;

/// The limit for the size of a file that is read. The counts of any board take fewer bytes: 65 plies, each with 130
/// outcomes of at most 200 bytes.
const MOST_BYTES: u64 = 1 << 21;

/// The contents of the file.
#[derive(Serialize, Deserialize)]
struct Kept {
    version: u32,
    /// The hash of the counted database.
    database: String,
    counts: Counts,
    /// The BLAKE3 hash of the other three fields, written as a JSON array.
    checksum: String,
}

impl Kept {
    fn new(database: String, counts: Counts) -> Result<Kept, serde_json::Error> {
        let fields = serde_json::to_vec(&(VERSION, &database, &counts))?;
        Ok(Kept { version: VERSION, database, counts, checksum: blake3::hash(&fields).to_string() })
    }
}

/// Returns the path of the counts of the database in `folder`.
pub fn kept_path(folder: &Path) -> PathBuf {
    folder.with_extension("stats.json")
}

/// Returns whether an error means that the file does not exist. Some web hosts answer a request for a missing file with
/// status 403 or with a web page.
fn is_absent(file: &Path, kind: ErrorKind) -> bool {
    kind == ErrorKind::NotFound
        || is_address(file) && matches!(kind, ErrorKind::PermissionDenied | ErrorKind::Unsupported)
}

/// Reads the counts beside a database. Returns `None` if there are none, if they belong to another database, or if an
/// older version of the program wrote them.
///
/// # Errors
/// [`FileError::Damaged`] if the file has changed since it was written, or its tables are impossible for the database;
/// [`FileError::Newer`] if a newer program wrote it; [`FileError::Io`] if it can't be read or is not a regular file.
pub fn read_kept(
    storage: &dyn ReadStorage,
    folder: &Path,
    board: Board,
    manifest: &Manifest,
) -> Result<Option<Counts>, FileError> {
    let file = kept_path(folder);
    let bytes = match read_small(storage, &file, MOST_BYTES) {
        Err(FileError::Io { source, .. }) if is_absent(&file, source.kind()) => return Ok(None),
        read => read?,
    };
    let damaged = |what| FileError::Damaged { file: file.clone(), offset: 0, what };
    let json: serde_json::Value = serde_json::from_slice(&bytes).map_err(|_| damaged("it holds no counts"))?;
    // The counts of older versions lack some fields, so they are not read. Files of version 1 had no version number.
    let version = json.get("version").map_or(Some(1), serde_json::Value::as_u64);
    if json.get("counts").is_some() && version.is_some_and(|version| version < VERSION.into()) {
        return Ok(None);
    }
    if let Some(found) = version.filter(|version| *version > VERSION.into()) {
        let found = u32::try_from(found).unwrap_or(u32::MAX);
        return Err(FileError::Newer { file, found, known: VERSION });
    }
    let kept: Kept = serde_json::from_value(json).map_err(|_| damaged("it holds no counts"))?;
    let sealed = Kept::new(kept.database.clone(), kept.counts.clone());
    if kept.version != VERSION || sealed.map_or(true, |sealed| sealed.checksum != kept.checksum) {
        return Err(damaged("the checksum of the counts is wrong"));
    }
    if manifest.hash.is_none_or(|hash| hash.to_string() != kept.database) {
        return Ok(None);
    }
    check(&kept.counts, board, manifest.values, manifest.root()).map_err(damaged)?;
    Ok(Some(kept.counts))
}

/// Writes the counts of a complete database beside it. Readers never see a partly written file.
///
/// # Errors
/// [`SolveError::File`] if the file can't be written, [`SolveError::Busy`] if another process has locked the database.
pub fn write_kept(
    storage: &dyn Storage,
    folder: &Path,
    manifest: &Manifest,
    counts: &Counts,
) -> Result<(), SolveError> {
    let file = kept_path(folder);
    let hash = manifest.hash.map(|hash| hash.to_string()).unwrap_or_default();
    let kept = Kept::new(hash, counts.clone()).and_then(|kept| serde_json::to_vec(&kept));
    let kept = kept.map_err(|error| io_error(&file, "write")(error.into()))?;
    // The lock is needed because two simultaneous writers would write to the same temporary file.
    let lock = lock_path(folder);
    let held = storage.lock(&lock).map_err(io_error(&lock, "lock"))?;
    let _held = held.map_err(|holder| SolveError::Busy { folder: folder.to_path_buf(), holder })?;
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(write_file(storage, file.parent().unwrap_or(folder), &name, &kept)?)
}

/// Checks that the counts are possible for a database of `board` and `values` in which the empty board has the outcome
/// `root`.
fn check(counts: &Counts, board: Board, values: Values, root: Option<Outcome>) -> Result<(), &'static str> {
    let cells = board.cells() as u32;
    if counts.board != board || counts.values != Some(values) {
        return Err("the counts are of another board, or of other values");
    }
    if !counts.plies.iter().map(|ply| ply.ply).eq(0..=cells) {
        return Err("the plies are not those of the board");
    }
    let is_possible = |row: &OutcomeCount| {
        row.remoteness.is_some() == (values == Values::Remoteness)
            && row.ply.checked_add(row.remoteness.unwrap_or(0)).is_some_and(|end| end <= cells)
            && row.example.as_ref().is_none_or(|moves| is_example(board, row, moves))
    };
    if !counts.outcomes.iter().all(is_possible) {
        return Err("the outcomes are not those of the board");
    }
    let adds_up = |ply: &PlyCounts| {
        let of_ply = counts.outcomes.iter().filter(|row| row.ply == ply.ply);
        let over = of_ply.filter(|row| row.remoteness == Some(0)).map(|row| row.legal);
        let is_over = values == Values::Wdl || over.fold(0, u64::saturating_add) == ply.primitive;
        is_over && ply.win.checked_add(ply.lose).and_then(|sum| sum.checked_add(ply.tie)) == Some(ply.legal)
    };
    let rebuilt = Counts::new(board, Some(values), counts.plies.clone(), counts.outcomes.clone());
    if rebuilt != *counts || !counts.plies.iter().all(adds_up) {
        return Err("the wins, losses and ties do not add up to the legal positions");
    }
    let start = counts.outcomes.iter().filter(|row| row.ply == 0).map(|row| (row.legal, Some(row.value)));
    if !start.eq([(1, root.map(|root| root.value))]) {
        return Err("the empty board is not what it is in the database");
    }
    Ok(())
}

/// Returns whether the moves lead to a position that can have the outcome of the row.
fn is_example(board: Board, row: &OutcomeCount, moves: &str) -> bool {
    notation::parse(board, moves).is_ok_and(|position| {
        let primitive = position.primitive();
        let is_over = row.remoteness.map_or(primitive.is_some(), |plies| plies == 0);
        position.ply() == row.ply as usize
            && primitive.is_some() == is_over
            && primitive.is_none_or(|value| value == row.value)
    })
}

#[cfg(test)]
mod tests {
    use fourbase::Value;

    use super::*;
    use crate::context::Context;
    use crate::counts::count_by_value;
    use crate::files::Memory;
    use crate::solve::Solve;

    const FOLDER: &str = "db/4x3/remoteness";

    /// Writes a file with a valid checksum.
    fn put(files: &Memory, manifest: &Manifest, counts: Counts) {
        let kept = Kept::new(manifest.hash.unwrap().to_string(), counts).unwrap();
        let bytes = serde_json::to_vec(&kept).unwrap();
        write_file(files, "db/4x3".as_ref(), "remoteness.stats.json", &bytes).unwrap();
    }

    #[test]
    fn tables_that_cannot_be_true_are_refused_though_the_checksum_fits() {
        let solve = Solve::new("4x3".parse().unwrap(), Values::Remoteness);
        let (files, sound) = (Memory::default(), count_by_value(&solve, &Context::default()).unwrap());
        let mut manifest = Manifest::new(sound.board, Values::Remoteness, None);
        manifest.complete(Outcome { value: Value::Tie, remoteness: Some(12) });
        let changes: [fn(&mut Counts); 20] = [
            |counts| counts.board = "4x3m".parse().unwrap(),
            |counts| counts.values = Some(Values::Wdl),
            |counts| counts.plies.clear(),
            |counts| counts.plies.truncate(12),
            |counts| counts.plies.swap(3, 4),
            |counts| counts.plies[5].legal += 1,
            |counts| counts.plies[5].win += 1,
            |counts| (counts.plies[9].win, counts.plies[9].lose) = (counts.plies[9].win - 1, counts.plies[9].lose + 1),
            |counts| (counts.plies[5].legal, counts.plies[5].tie) = (u64::MAX, u64::MAX),
            |counts| counts.plies[5].primitive = counts.plies[5].legal + 1,
            |counts| counts.plies[9].primitive -= 1,
            |counts| counts.plies[12].primitive -= 1,
            |counts| (counts.plies[0].tie, counts.plies[0].win) = (0, 1),
            |counts| counts.outcomes.clear(),
            |counts| counts.outcomes[0].legal = u64::MAX,
            |counts| counts.outcomes[0].remoteness = None,
            |counts| counts.outcomes.push(counts.outcomes[0].clone()),
            |counts| counts.outcomes[0].example = Some("1".to_owned()),
            |counts| counts.outcomes[0].example = Some("nonsense".to_owned()),
            |counts| counts.outcomes.iter_mut().for_each(|row| row.ply = u32::MAX),
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let mut counts = sound.clone();
            change(&mut counts);
            put(&files, &manifest, counts);
            let error = read_kept(&files, FOLDER.as_ref(), sound.board, &manifest);
            let error = error.expect_err(&format!("change {number}"));
            assert!(error.is_damage(), "change {number}: {error}");
        }
        put(&files, &manifest, sound.clone());
        assert_eq!(read_kept(&files, FOLDER.as_ref(), sound.board, &manifest).unwrap(), Some(sound));
    }
}
