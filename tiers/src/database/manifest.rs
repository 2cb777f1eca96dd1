//! The manifest: what a database folder holds and how far its solve has come.
//!
//! It is rewritten whenever tiers have become durable, so that a solve that is stopped goes on from there. There is no
//! time, machine, thread count or kernel in it: equal work gives equal bytes.

use std::path::Path;

use fourbase::{Board, Outcome, Value};
use serde::{Deserialize, Serialize};

use super::container::{Written, io_error, publish, temporary_name};
use super::envelope;
use super::storage::Storage;
use crate::error::DatabaseError;
use crate::kernel::Values;

/// The manifest's name in its folder.
pub(crate) const NAME: &str = "manifest";
const MAGIC: &[u8; 8] = b"fourmani";

/// How far a solve has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum State {
    /// Tiers are missing.
    Solving,
    /// All tiers are there.
    Complete,
}

/// One finished tier.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TierRecord {
    /// Pieces on the board.
    pub ply: u32,
    /// Entries.
    pub entries: u64,
    /// Length of the tier's file; 0 for a tier that is not stored.
    pub bytes: u64,
}

/// What a database folder holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Manifest {
    board: String,
    values: Values,
    /// How far the solve has come.
    pub state: State,
    /// Finished tiers, from the full board down.
    pub tiers: Vec<TierRecord>,
    /// The tier of which all values are kept to go on from, while solving.
    pub checkpoint: Option<u32>,
    /// Value (0 lose, 1 tie, 2 win) and remoteness of the empty board, when complete.
    root: Option<(u8, Option<u32>)>,
}

impl Manifest {
    /// Starts the manifest of a solve.
    pub fn new(board: Board, values: Values) -> Manifest {
        Manifest {
            board: board.to_string(),
            values,
            state: State::Solving,
            tiers: Vec::new(),
            checkpoint: None,
            root: None,
        }
    }

    /// Returns the outcome of the empty board, when complete.
    pub fn root(&self) -> Option<Outcome> {
        let (value, remoteness) = self.root?;
        let value = [Value::Lose, Value::Tie, Value::Win].get(usize::from(value)).copied()?;
        Some(Outcome { value, remoteness })
    }

    /// Notes that all tiers are there, and the outcome of the empty board.
    pub fn complete(&mut self, root: Outcome) {
        let value = match root.value {
            Value::Lose => 0,
            Value::Tie => 1,
            Value::Win => 2,
        };
        self.state = State::Complete;
        self.checkpoint = None;
        self.root = Some((value, root.remoteness));
    }

    /// Returns the ply to solve next, or `None` when all are done.
    pub fn next_ply(&self, board: Board) -> Option<u32> {
        (board.cells() as u32).checked_sub(self.tiers.len() as u32)
    }

    /// Sums the entries of the finished tiers.
    pub fn entries(&self) -> u64 {
        self.tiers.iter().map(|tier| tier.entries).sum()
    }

    /// Reads the manifest of a folder; `None` where there is none.
    ///
    /// # Errors
    /// [`DatabaseError::Wrong`] where it is of another board or other values, and as for every file.
    pub fn read(
        storage: &dyn Storage,
        folder: &Path,
        board: Board,
        values: Values,
    ) -> Result<Option<Manifest>, DatabaseError> {
        let path = folder.join(NAME);
        let file = match storage.open(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            file => file.map_err(io_error(&path, "open"))?,
        };
        let (manifest, _): (Manifest, u64) = envelope::unseal(&*file, &path, MAGIC)?;
        let found = format!("{} {}", manifest.board, manifest.values);
        let expected = format!("{board} {values}");
        if found != expected {
            return Err(DatabaseError::Wrong { file: path, what: "the board", expected, found });
        }
        let plies = (0..=board.cells() as u32).rev();
        let in_order = manifest.tiers.iter().zip(plies).all(|(tier, ply)| tier.ply == ply);
        let goes_on = manifest.checkpoint == manifest.tiers.last().map(|tier| tier.ply);
        let whole = manifest.tiers.len() == board.cells() + 1;
        let complete = manifest.state == State::Complete;
        if !in_order || goes_on == complete || manifest.tiers.len() > board.cells() + 1 || whole != complete {
            return Err(DatabaseError::Damaged { file: path, offset: 0, what: "tiers are missing or too many" });
        }
        Ok(Some(manifest))
    }

    /// Writes the manifest of a folder durably. Returns its length.
    pub fn write(&self, storage: &dyn Storage, folder: &Path) -> Result<u64, DatabaseError> {
        let path = folder.join(NAME);
        let temporary = temporary_name(&path);
        let bytes = envelope::seal(MAGIC, self);
        let mut file = storage.create(&temporary).map_err(io_error(&temporary, "create"))?;
        file.write_all(&bytes).map_err(io_error(&temporary, "write"))?;
        publish(storage, folder, vec![Written::new(path, temporary, file, bytes.len() as u64)])?;
        Ok(bytes.len() as u64)
    }
}
