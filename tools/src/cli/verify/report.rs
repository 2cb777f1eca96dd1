//! The result of `fourbase verify`, for people and as JSON.

use std::fmt;

use fourbase::analysis::json::{OutcomeJson, PositionJson};
use fourbase::{Board, Outcome, Player, Position};
use fourbase_tiers::database::Database;
use fourbase_tiers::files::{bytes, counted, grouped, plain};
use fourbase_tiers::verify::{Fault, FaultKind, VerifyReport};
use serde::Serialize;

use crate::output::wording;

/// The result.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Verified {
    board: String,
    stores: String,
    /// null if it is built in.
    folder: Option<String>,
    sound: bool,
    /// What the empty board is worth.
    #[serde(flatten)]
    outcome: OutcomeJson,
    files: u64,
    bytes: u64,
    /// The deepest ply in the database; null if it has all.
    keep_plies: Option<u32>,
    /// The hash of the whole database in the manifest; the files were compared with it.
    hash: Option<String>,
    /// The number of stored values that were recomputed.
    checked_values: u64,
    /// The number of all stored values.
    stored_values: u64,
    /// The number of legal positions of the kept plies, if they were counted.
    legal: Option<u64>,
    /// The number of positions that were searched forward, and of those that were given up.
    searched: u64,
    undecided_positions: u64,
    /// Fields that the kind of a fault does not have are null.
    faults: Vec<FaultJson>,
    faults_in_all: u64,
    /// Files that cannot be read, or that a newer fourbase has written.
    unread: Vec<String>,
    #[serde(skip)]
    root: Option<Outcome>,
}

/// A fault of the database.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Fault"))]
struct FaultJson {
    #[cfg_attr(test, schemars(with = "String", extend("enum" = [
        "file", "entries", "value", "unanswered", "block", "count", "no outcome", "probe", "root", "no entry", "search", "counts"
    ])))]
    kind: FaultKind,
    /// The tier.
    ply: Option<u32>,
    /// The block in the tier's file, from 0.
    block: Option<u64>,
    /// The entry in the tier, from 0.
    entry: Option<u64>,
    position: Option<PositionJson>,
    /// What the database has: an outcome, a number or a code.
    found: Option<String>,
    /// What it should have.
    expected: Option<String>,
    /// The place and what is wrong there, for people.
    message: String,
}

impl FaultJson {
    fn of(board: Board, fault: &Fault) -> FaultJson {
        let Fault { kind, ply, block, entry, position, found, expected, message } = fault.clone();
        let position = position.and_then(|[first, second]| Position::from_bitboards(board, first, second).ok());
        let position = position.as_ref().map(PositionJson::of);
        FaultJson { kind, ply, block, entry, position, found, expected, message }
    }
}

impl Verified {
    /// Makes the report about a database.
    pub fn of(report: &VerifyReport, database: &Database) -> Verified {
        let manifest = &database.manifest;
        Verified {
            board: database.board().to_string(),
            stores: database.values().to_string(),
            folder: (!database.is_embedded).then(|| plain(database.folder())),
            sound: report.is_sound(),
            outcome: OutcomeJson::of(report.root),
            files: report.files,
            bytes: manifest.bytes(),
            keep_plies: manifest.keep_plies,
            hash: manifest.hash.map(|hash| hash.to_string()),
            checked_values: report.checked,
            stored_values: report.stored,
            legal: report.legal,
            searched: report.searched,
            undecided_positions: report.undecided,
            faults: report.faults.iter().map(|fault| FaultJson::of(database.board(), fault)).collect(),
            faults_in_all: report.faults_in_all,
            unread: report.unread.values().map(|file| file.message.clone()).collect(),
            root: report.root,
        }
    }
}

impl fmt::Display for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.sound {
            "sound"
        } else if self.faults_in_all == 0 {
            // No fault was found, but the files that cannot be read may have some.
            "not checked in full"
        } else if self.faults.iter().all(|fault| fault.kind == FaultKind::Counts) {
            "NOT sound (the counts beside the database, not the database)"
        } else {
            "NOT sound"
        };
        write!(f, "{} {}: {verdict}", self.board, self.stores)?;
        for fault in &self.faults {
            write!(f, "\n{}", fault.message)?;
        }
        let more = self.faults_in_all - self.faults.len() as u64;
        if more > 0 {
            write!(f, "\nand {} more", grouped(more.into()))?;
        }
        self.unread.iter().try_for_each(|file| write!(f, "\nnot read: {file}"))?;
        let files = counted(self.files, "file");
        if self.unread.is_empty() {
            write!(f, "\n\n{files}, {}: read through", bytes(self.bytes.into()))?;
        } else {
            write!(f, "\n\n{files} read through, {} could not be read", self.unread.len())?;
        }
        if self.keep_plies.is_some() {
            write!(f, "; {} are kept, later positions are searched forward", wording::kept(self.keep_plies))?;
        }
        if self.checked_values == 0 && self.searched == 0 && !self.sound {
            return write!(f, "\nnothing else was tried");
        }
        let is_sample = self.checked_values < self.stored_values;
        let of_all = if is_sample { format!(" of {}", grouped(self.stored_values.into())) } else { String::new() };
        let values = if is_sample || self.checked_values != 1 { "stored values" } else { "stored value" };
        write!(f, "\n{}{of_all} {values}: recomputed from their moves", grouped(self.checked_values.into()))?;
        if let Some(root) = self.root {
            write!(f, "\n{}", wording::sentence(Player::First, root))?;
        }
        if let Some(legal) = self.legal {
            let kept = self.keep_plies.map(|_| format!(" of {}", wording::kept(self.keep_plies)));
            write!(f, "\n{}{}: counted", counted(legal, "legal position"), kept.unwrap_or_default())?;
        }
        write!(f, "\n{}: searched forward", counted(self.searched, "position"))?;
        if self.undecided_positions > 0 {
            write!(f, ", {} given up", grouped(self.undecided_positions.into()))?;
        }
        self.hash.iter().filter(|_| self.sound).try_for_each(|hash| write!(f, "\nhash {hash}"))
    }
}
