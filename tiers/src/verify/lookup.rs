//! What a position is worth, looked up in the files by code that shares nothing with a probe.
//!
//! A position that is finished or that the board decides needs no file. One whose reply is forced is worth what the
//! reply leads to. A quiet one of a stored tier has a value in the file: its rank tells the chunk, the block of the
//! chunk is decoded, the quiet entries of the chunk are found one by one, and the value is that with as many before it
//! as the chunk has quiet entries before the position. Any other quiet position is worth the best of its moves, or,
//! where the tier after it is not kept, what a search forward finds.

use std::sync::{Arc, Mutex, PoisonError};

use fourbase::search::{self, Search, SearchError};
use fourbase::{Outcome, Position, Value};
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::collector::Collector;
use super::decode::Block;
use super::fault::Fault;
use super::known::{Known, Place};
use super::sight::{Seen, look};
use super::tier::{Chunk, StoredTier};
use crate::database::{Database, DatabaseError};
use crate::kernel::Values;

/// The most that the table of one search takes.
const TABLE_BYTES: usize = 64 << 20;

/// After how many nodes a search forgets what it has found: a small table is faster.
const NODES_TO_REMEMBER: u64 = 1 << 16;

/// The stored tiers of a database, with what was lately decoded. Threads share it.
pub(super) struct Lookup<'a> {
    database: &'a Database,
    /// By ply; `None` where a tier is not stored.
    tiers: Vec<Option<StoredTier>>,
    /// By ply and number.
    blocks: Cache<(u32, u64), Arc<Block>, ByBytes>,
    chunks: Cache<(u32, u64), Arc<Chunk>, ByBytes>,
    /// Searches that no thread uses, each with its nodes when it last forgot.
    idle: Mutex<Vec<(Search, u64)>>,
}

/// Where the value of a quiet position is found.
enum Source<'a> {
    Stored(&'a StoredTier),
    Moves,
    Search,
}

#[derive(Clone)]
struct ByBytes;

impl Weighter<(u32, u64), Arc<Block>> for ByBytes {
    fn weight(&self, _: &(u32, u64), block: &Arc<Block>) -> u64 {
        64 + block.bytes() as u64
    }
}

impl Weighter<(u32, u64), Arc<Chunk>> for ByBytes {
    fn weight(&self, _: &(u32, u64), chunk: &Arc<Chunk>) -> u64 {
        64 + chunk.bytes() as u64
    }
}

impl<'a> Lookup<'a> {
    /// Takes the stored tiers. What is decoded is remembered in as much memory as the cache of the database may take.
    pub fn new(database: &'a Database, stored: Vec<StoredTier>) -> Lookup<'a> {
        let mut tiers: Vec<Option<StoredTier>> = (0..=database.board().cells()).map(|_| None).collect();
        for tier in stored {
            let ply = tier.ply as usize;
            if let Some(slot) = tiers.get_mut(ply) {
                *slot = Some(tier);
            }
        }
        let (block_bytes, chunk_bytes) = (database.cache_bytes() / 4, database.cache_bytes() / 4 * 3);
        Lookup {
            database,
            tiers,
            blocks: Cache::with_weighter((block_bytes / 16_384) as usize, block_bytes, ByBytes),
            chunks: Cache::with_weighter((chunk_bytes / 1024) as usize, chunk_bytes, ByBytes),
            idle: Mutex::default(),
        }
    }

    /// Returns the database.
    pub fn database(&self) -> &'a Database {
        self.database
    }

    /// Lists the stored tiers from the full board down.
    pub fn tiers(&self) -> impl Iterator<Item = &StoredTier> {
        self.tiers.iter().rev().flatten()
    }

    /// Returns a stored tier.
    pub fn tier(&self, ply: u32) -> Option<&StoredTier> {
        self.tiers.get(ply as usize)?.as_ref()
    }

    /// Returns what a position is worth to the player to move.
    ///
    /// # Errors
    /// What is wrong with a file.
    pub fn outcome(&self, position: &Position) -> Result<Outcome, DatabaseError> {
        self.outcome_with(position, look(position), &Known::default())
    }

    fn outcome_with(&self, position: &Position, seen: Seen, known: &Known) -> Result<Outcome, DatabaseError> {
        match seen {
            Seen::Decided(Outcome { value, remoteness }) => {
                let remoteness = remoteness.filter(|_| self.database.values() == Values::Remoteness);
                Ok(Outcome { value, remoteness })
            }
            Seen::Forced(column) => {
                let next = position.drop_piece(column);
                Ok(self.outcome_with(&next, look(&next), known)?.parent())
            }
            Seen::Quiet => match self.source(position) {
                Source::Stored(tier) => self.stored(tier, position, known),
                Source::Moves => self.best_of_moves(position, known),
                Source::Search => Ok(self.search(position)?),
            },
        }
    }

    /// Tells where the value of a quiet position is found.
    fn source(&self, position: &Position) -> Source<'_> {
        let ply = position.ply() as u32;
        match (self.tier(ply), self.tier(ply + 1)) {
            (Some(tier), _) => Source::Stored(tier),
            (None, Some(_)) => Source::Moves,
            (None, None) => Source::Search,
        }
    }

    /// Returns the best of what the moves of a quiet position lead to. What is known is not looked up again.
    ///
    /// # Errors
    /// Returns the errors of [`Lookup::outcome`].
    pub fn best_of_moves(&self, position: &Position, known: &Known) -> Result<Outcome, DatabaseError> {
        let mut best: Option<Outcome> = None;
        for (child, seen) in children(position) {
            let outcome = self.outcome_with(&child, seen, known)?.parent();
            best = Some(best.map_or(outcome, |best| best.min(outcome)));
            if is_soonest(outcome) {
                break;
            }
        }
        // A quiet position has two moves at least.
        Ok(best.unwrap_or(Outcome { value: Value::Tie, remoteness: None }))
    }

    /// Lists the stored values that [`Lookup::best_of_moves`] looks up.
    pub fn needed_by_moves(&self, position: &Position, needed: &mut Vec<Place>) {
        for (child, seen) in children(position) {
            self.needed(child, seen, needed);
            if matches!(seen, Seen::Decided(outcome) if is_soonest(outcome.parent())) {
                break;
            }
        }
    }

    fn needed(&self, mut position: Position, mut seen: Seen, needed: &mut Vec<Place>) {
        while let Seen::Forced(column) = seen {
            position = position.drop_piece(column);
            seen = look(&position);
        }
        match (seen, self.source(&position)) {
            (Seen::Quiet, Source::Stored(tier)) => {
                let entry = self.rank(tier, &position).ok();
                needed.extend(entry.map(|entry| (tier.ply, entry)));
            }
            (Seen::Quiet, Source::Moves) => self.needed_by_moves(&position, needed),
            _ => {}
        }
    }

    fn rank(&self, tier: &StoredTier, position: &Position) -> Result<u64, DatabaseError> {
        let index = self.database.index();
        let entry = tier.rank(index, &index.split().parts(position));
        entry.ok_or_else(|| tier.damaged(0, "a position has no entry"))
    }

    /// Finds the value of a quiet position in the file of its tier.
    fn stored(&self, tier: &StoredTier, position: &Position, known: &Known) -> Result<Outcome, DatabaseError> {
        let entry = self.rank(tier, position)?;
        if let Some(outcome) = known.get((tier.ply, entry)) {
            return Ok(outcome);
        }
        let (chunk, place) = tier.chunk_of(entry);
        let code = self.chunk(tier, chunk)?.code(place);
        let what = "a chunk's number of values differs from its number of quiet entries";
        let code = code.ok_or_else(|| tier.damaged(entry, what))?;
        tier.outcome(code).ok_or_else(|| tier.damaged(entry, "a code stands for no outcome"))
    }

    /// Finds the values of a chunk.
    ///
    /// # Errors
    /// What is wrong with its block.
    fn chunk(&self, tier: &StoredTier, number: u64) -> Result<Arc<Chunk>, DatabaseError> {
        if let Some(chunk) = self.chunks.get(&(tier.ply, number)) {
            return Ok(chunk);
        }
        let (block, place) = tier.block_of(number)?;
        let block = self.block(tier, block)?;
        let quiet = tier.quiet_entries(self.database.index(), number);
        let chunk = Arc::new(Chunk::new(&tier.entries(number), &quiet, tier.codes(&block, place)));
        self.chunks.insert((tier.ply, number), chunk.clone());
        Ok(chunk)
    }

    /// Decodes a block.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn block(&self, tier: &StoredTier, number: u64) -> Result<Arc<Block>, DatabaseError> {
        if let Some(block) = self.blocks.get(&(tier.ply, number)) {
            return Ok(block);
        }
        let block = tier.read_block(number).map_err(|fault| match fault {
            Fault::File(error) => error,
            _ => tier.file().reader().damaged(number, "a block does not decode").into(),
        })?;
        let block = Arc::new(block);
        self.blocks.insert((tier.ply, number), block.clone());
        Ok(block)
    }

    /// Searches a position to the end of the game.
    fn search(&self, position: &Position) -> Result<Outcome, SearchError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let options = search::Options { table_bytes: TABLE_BYTES, ..search::Options::default() };
        let (mut search, mut since) = idle.unwrap_or_else(|| (Search::new(position.board(), options), 0));
        if search.nodes() - since > NODES_TO_REMEMBER {
            search.clear();
            since = search.nodes();
        }
        let outcome = match self.database.values() {
            Values::Wdl => search.value(position).map(|value| Outcome { value, remoteness: None }),
            Values::Remoteness => search.solve(position),
        };
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push((search, since));
        outcome
    }

    /// Asks a probe, which is what users get, and compares. The probe is what is tested here: no other check uses it.
    pub fn check_probe(&self, position: &Position, expected: Outcome, faults: &Collector) {
        match self.database.probe(position) {
            Ok(probed) if probed == expected => {}
            Ok(probed) => {
                let ply = position.ply() as u32;
                faults.push(Fault::Probe { ply, position: *position, probed, expected });
            }
            Err(error) => faults.push(Fault::File(error)),
        }
    }
}

/// Lists what the moves of a quiet position lead to, each with what is seen there: first what the board decides, because the
/// others need not be looked up where one of these wins.
fn children(position: &Position) -> Vec<(Position, Seen)> {
    let child = |column| {
        let child = position.drop_piece(column);
        (child, look(&child))
    };
    let mut children: Vec<_> = position.moves().map(child).collect();
    children.sort_by_key(|(_, seen)| !matches!(seen, Seen::Decided(_)));
    children
}

/// Tells whether no outcome of a quiet position is better: from there no win is sooner than in 3, under misère than in 2 (and
/// none is in 3).
fn is_soonest(outcome: Outcome) -> bool {
    outcome.value == Value::Win && outcome.remoteness.is_none_or(|plies| plies <= 3)
}
