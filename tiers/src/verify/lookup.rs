//! Looks up the outcome of a position in the files. This module decodes blocks, finds quiet entries and combines the
//! outcomes of moves with its own code. It shares with probes only the ranking, the file layout and the forward search.
//!
//! The board alone decides a finished position, a position with a winning move, and one with two threats against it. A
//! forced position has the outcome of its only reply, unless its tier stores forced positions too. A quiet position
//! (defined in `walk`) of a stored tier has a value in the file. The rank of the position gives its chunk. The block
//! that contains the chunk is decoded, and the chunk's quiet entries are found one by one. If n of them come before the
//! position, its value is the chunk's value number n, counted from 0. Any other quiet position has the best outcome of
//! its moves, or, if the next tier is not kept, the outcome of a forward search.

use std::collections::BTreeMap;
use std::sync::Arc;

use bitvec::prelude::*;
use fourbase::analysis::{Budget, Cost, SearchPool};
use fourbase::search::{Search, SearchError};
use fourbase::{Outcome, Position, Value};

use super::report::{Fault, FaultKind, words};
use super::tier::{Block, StoredTier};
use super::walk::{Evaluation, each_quiet, static_evaluation};
use super::work::Work;
use crate::database::{BlockCache, BlockWeighter, Database, DatabaseError, searches};
use crate::kernel::Values;

/// The stored tiers of a database, and a cache of decoded blocks. All threads share one `FileLookup`.
pub(super) struct FileLookup<'a> {
    pub database: &'a Database,
    /// The stored tiers by ply.
    pub tiers: BTreeMap<u32, StoredTier>,
    blocks: BlockCache<Block>,
    searches: SearchPool,
}

/// A position whose outcome is read from a file or searched, and not computed from its moves.
pub(super) enum Leaf<'a> {
    /// An entry of a stored tier.
    Stored(&'a StoredTier, u64),
    /// A position whose tier and next tier are both not stored.
    Unstored(&'a Position),
}

impl<'a> FileLookup<'a> {
    /// Makes the lookup. Its cache has the same memory limit as the database's cache.
    pub fn new(database: &'a Database, stored: Vec<StoredTier>) -> FileLookup<'a> {
        let tiers = stored.into_iter().map(|tier| (tier.ply, tier)).collect();
        let bytes = database.cache.bytes;
        let blocks = BlockCache::with_weighter((bytes / 65_536) as usize, bytes, BlockWeighter);
        FileLookup { database, tiers, blocks, searches: searches() }
    }

    /// Returns the outcome of a position for the player to move.
    ///
    /// # Errors
    /// The fault of a file.
    pub fn outcome(&self, position: &Position) -> Result<Outcome, DatabaseError> {
        self.evaluate(position, static_evaluation(position), &mut |leaf| self.read(&leaf))
    }

    /// Returns the best outcome of the moves of a quiet position. `read` returns the outcome of a leaf.
    ///
    /// # Errors
    /// The errors of `read`, and an error if a position of a stored tier has no entry.
    pub fn best_of_moves(
        &self,
        position: &Position,
        read: &mut dyn FnMut(Leaf) -> Result<Outcome, DatabaseError>,
    ) -> Result<Outcome, DatabaseError> {
        let child = |column| {
            let child = position.drop_piece(column);
            (child, static_evaluation(&child))
        };
        let mut children: Vec<_> = position.moves().map(child).collect();
        // Try the children that the board decides first: if the move to one of them wins, nothing is looked up.
        children.sort_by_key(|(_, evaluation)| !matches!(evaluation, Evaluation::Decided(_)));
        let mut best: Option<Outcome> = None;
        for (child, evaluation) in children {
            let outcome = self.evaluate(&child, evaluation, read)?.parent();
            best = Some(best.map_or(outcome, |best| best.min(outcome)));
            // A quiet position wins in 3 plies at the soonest. Under misère it wins in 2 at the soonest, and never in
            // exactly 3. So a win that takes at most 3 plies is the best outcome.
            if outcome.value == Value::Win && outcome.remoteness.is_none_or(|plies| plies <= 3) {
                break;
            }
        }
        // A quiet position has at least two moves, so `best` is never `None`.
        Ok(best.unwrap_or(Outcome { value: Value::Tie, remoteness: None }))
    }

    fn evaluate(
        &self,
        position: &Position,
        evaluation: Evaluation,
        read: &mut dyn FnMut(Leaf) -> Result<Outcome, DatabaseError>,
    ) -> Result<Outcome, DatabaseError> {
        let (ply, index) = (position.ply() as u32, self.database.index());
        let tier = || self.tiers.get(&ply);
        match evaluation {
            Evaluation::Decided(Outcome { value, remoteness }) => {
                let remoteness = remoteness.filter(|_| self.database.values() == Values::Remoteness);
                Ok(Outcome { value, remoteness })
            }
            Evaluation::Forced(column) if tier().is_none_or(|tier| !tier.open.reader.chunks.has_forced) => {
                let next = position.drop_piece(column);
                Ok(self.evaluate(&next, static_evaluation(&next), read)?.parent())
            }
            Evaluation::Forced(_) | Evaluation::Quiet => {
                let Some(tier) = tier() else {
                    let is_next_stored = self.tiers.contains_key(&(ply + 1));
                    return if is_next_stored {
                        self.best_of_moves(position, read)
                    } else {
                        read(Leaf::Unstored(position))
                    };
                };
                let entry = tier.open.directory.rank(index, &index.split.parts(position));
                read(Leaf::Stored(tier, entry.ok_or_else(|| tier.open.reader.damaged(0, "a position has no entry"))?))
            }
        }
    }

    /// Returns the outcome of a leaf, from its file or by a search.
    ///
    /// # Errors
    /// The fault of the file.
    pub fn read(&self, leaf: &Leaf) -> Result<Outcome, DatabaseError> {
        let (tier, entry) = match *leaf {
            Leaf::Stored(tier, entry) => (tier, entry),
            Leaf::Unstored(position) => {
                let ask = |search: &mut Search| searched(search, self.database.values(), position);
                return Ok(self.searches.ask(position.board(), &mut Budget::default(), Cost::default(), ask)?);
            }
        };
        let (chunk, place) = tier.open.reader.chunks.place(entry);
        let (number, chunk_of_block) = tier.open.reader.block_of(chunk)?;
        let block = self.block(tier, number)?;
        let code = block.code(chunk_of_block, place, &tier.codes, || self.quiet_entries(tier, chunk));
        let outcome = code.map(|code| tier.codes.outcome(code).ok_or("a code stands for no outcome"));
        let outcome = outcome.unwrap_or(Err("a chunk's number of values differs from its number of quiet entries"));
        outcome.map_err(|what| tier.open.reader.damaged(number, what).into())
    }

    /// Returns a mask of the quiet entries of a chunk.
    fn quiet_entries(&self, tier: &StoredTier, chunk: u64) -> BitVec {
        let (directory, chunks) = (&tier.open.directory, tier.open.reader.chunks);
        let (entries, mut quiet) = (tier.entries(chunk), bitvec![0; chunks.each as usize]);
        let start = entries.start;
        each_quiet(self.database.index(), directory, chunks.has_forced, entries, |entry, _| {
            quiet.set((entry - start) as usize, true);
        });
        quiet
    }

    /// Reads and decodes a block.
    ///
    /// # Errors
    /// The fault of the block.
    pub fn block(&self, tier: &StoredTier, number: u64) -> Result<Arc<Block>, DatabaseError> {
        let (_, block) = self.blocks.get_or_insert_with(&(0, tier.ply, number), || {
            let block = tier.read_block(number)?;
            let block = block.map_err(|_| tier.open.reader.damaged(number, "a block does not decode"))?;
            Ok::<_, DatabaseError>((block.most_bytes, Arc::new(block)))
        })?;
        Ok(block)
    }

    /// Reports a fault if a probe of `position` does not return `expected`. Users get their answers from probes; no
    /// other check relies on them.
    pub fn check_probe(&self, position: &Position, expected: Outcome, work: &Work) {
        match self.database.probe(position) {
            Ok(found) if found == expected => {}
            Ok(found) => {
                let [found, expected] = [found, expected].map(words);
                let what = format!("a probe answers {found}, expected {expected}");
                work.push(Fault::at(FaultKind::Probe, "", position, what).comparing(found, expected));
            }
            Err(error) => work.push_file_error(&error),
        }
    }
}

/// Searches a position for its value, or for its value and remoteness.
pub(super) fn searched(search: &mut Search, values: Values, position: &Position) -> Result<Outcome, SearchError> {
    match values {
        Values::Wdl => search.value(position).map(|value| Outcome { value, remoteness: None }),
        Values::Remoteness => search.solve(position),
    }
}
