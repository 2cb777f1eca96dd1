//! Looking positions up.
//!
//! A probe first looks at the board (see [`crate::quiet`]). A quiet position of an odd ply is found by its rank: the
//! rank's chunk, the chunk's block, the block's symbols, and among those the one that the quiet mask of the chunk
//! says. A quiet position of an even ply is worth the best of its children.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use fourbase::{Board, MAX_COLUMNS, Outcome, Position, Value};
use quick_cache::sync::Cache;
use rayon::prelude::*;

use super::chunk::{self, Chunks};
use super::codec::Expanded;
use super::container::{Content, Reader};
use super::folder::{folder_of, tier_path};
use super::manifest::{Manifest, State};
use super::storage::{Disk, Storage};
use super::writer::{is_stored, open};
use crate::error::DatabaseError;
use crate::index::{Index, TierDirectory};
use crate::kernel::{Coding, Kernel, Values};
use crate::quiet::{Sight, sight};

/// Memory of the cache where the caller does not say.
pub const DEFAULT_CACHE_BYTES: u64 = 256 << 20;

/// A legal move and what it is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    /// Column, from 0.
    pub column: usize,
    /// What the move is worth to the player who makes it; the remoteness counts from the position before it.
    pub outcome: Outcome,
}

#[derive(Debug)]
struct OpenTier {
    directory: TierDirectory,
    coding: Coding,
    reader: Reader,
    chunks: Chunks,
}

/// What the cache holds, by ply and number.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Block(u32, u64),
    Chunk(u32, u64),
}

#[derive(Clone)]
enum Cached {
    /// The symbols of a block.
    Block(Arc<Expanded>),
    /// The codes of a chunk's quiet entries in their places, plane after plane.
    Chunk(Arc<[u64]>),
}

#[derive(Clone)]
struct ByBytes;

impl quick_cache::Weighter<Key, Cached> for ByBytes {
    fn weight(&self, _: &Key, cached: &Cached) -> u64 {
        64 + match cached {
            Cached::Block(block) => block.bytes() as u64,
            Cached::Chunk(words) => size_of_val(&**words) as u64,
        }
    }
}

/// A database that is open for probing. Threads share it by reference.
///
/// Tiers are opened, and the tables of the index made, when a probe first needs them; expanded blocks stay in a bounded
/// cache.
pub struct Database {
    folder: PathBuf,
    manifest: Manifest,
    values: Values,
    index: Index,
    tiers: Vec<OnceLock<OpenTier>>,
    cache: Cache<Key, Cached, ByBytes>,
    storage: Box<dyn Storage>,
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database").field("folder", &self.folder).field("values", &self.values).finish_non_exhaustive()
    }
}

impl Database {
    /// Opens the database of a folder `<db>/<board>/<values>`.
    ///
    /// # Errors
    /// [`DatabaseError::Missing`] where there is no manifest, and as for every file.
    pub fn open(folder: &Path) -> Result<Database, DatabaseError> {
        let name = |path: Option<&Path>| Some(path?.file_name()?.to_str()?.to_string());
        let board = name(folder.parent()).and_then(|name| name.parse::<Board>().ok());
        let values = [Values::Wdl, Values::Remoteness].into_iter().find(|v| Some(v.to_string()) == name(Some(folder)));
        let (Some(board), Some(values)) = (board, values) else {
            return Err(DatabaseError::Wrong {
                file: folder.to_path_buf(),
                what: "the folder's name",
                expected: "<db>/<board>/<values>".to_string(),
                found: folder.display().to_string(),
            });
        };
        let root = folder.ancestors().nth(2).unwrap_or(folder).to_path_buf();
        Database::open_as(folder, board, values)?.ok_or(DatabaseError::Missing { board, root })
    }

    /// Opens the database of a board under the folder of all databases, the one with remoteness if there are two.
    /// A complete database is preferred to one that is being solved.
    ///
    /// # Errors
    /// [`DatabaseError::Missing`] where the board has none, with the command that makes it.
    pub fn find(root: &Path, board: Board) -> Result<Database, DatabaseError> {
        let mut solving = None;
        for values in [Values::Remoteness, Values::Wdl] {
            match Database::open_as(&folder_of(root, board, values), board, values)? {
                Some(database) if database.is_complete() => return Ok(database),
                found => solving = solving.or(found),
            }
        }
        solving.ok_or_else(|| DatabaseError::Missing { board, root: root.to_path_buf() })
    }

    fn open_as(folder: &Path, board: Board, values: Values) -> Result<Option<Database>, DatabaseError> {
        let storage = Box::new(Disk);
        let Some(manifest) = Manifest::read(&*storage, folder, board, values)? else { return Ok(None) };
        Ok(Some(Database {
            folder: folder.to_path_buf(),
            manifest,
            values,
            index: Index::new(board, Kernel::detect())?,
            tiers: (0..=board.cells()).map(|_| OnceLock::new()).collect(),
            cache: cache(DEFAULT_CACHE_BYTES),
            storage,
        }))
    }

    /// Sets the memory of the cache of expanded blocks (default: 256 MiB), emptying it.
    #[must_use]
    pub fn with_cache(mut self, bytes: u64) -> Database {
        self.cache = cache(bytes);
        self
    }

    /// Returns the board.
    pub fn board(&self) -> Board {
        self.index.board()
    }

    /// Returns the kind of values.
    pub fn values(&self) -> Values {
        self.values
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns the index of the board.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Tells whether all tiers were solved when the database was opened.
    pub fn is_complete(&self) -> bool {
        self.manifest.state == State::Complete
    }

    /// Looks a position up. Any well-formed position is answered, also one that no play reaches.
    ///
    /// # Errors
    /// [`DatabaseError::OtherBoard`], [`DatabaseError::NotSolved`] while the solve goes on, and as for every file.
    pub fn probe(&self, position: &Position) -> Result<Outcome, DatabaseError> {
        if position.board() != self.board() {
            return Err(DatabaseError::OtherBoard { expected: self.board(), found: position.board() });
        }
        if let Some(value) = position.primitive() {
            return Ok(Outcome { value, remoteness: (self.values == Values::Remoteness).then_some(0) });
        }
        Ok(self.outcome(self.value(position)?))
    }

    /// Looks many positions up, on all threads of rayon's current pool and in an order that reuses what is read. The
    /// results are in the order of the positions.
    pub fn probe_many(&self, positions: &[Position]) -> Vec<Result<Outcome, DatabaseError>> {
        let mut order: Vec<(u128, usize)> =
            positions.par_iter().enumerate().map(|(number, position)| (self.order(position), number)).collect();
        order.par_sort_unstable();
        let found: Vec<_> = order
            .into_par_iter()
            .with_min_len(64)
            .map(|(_, number)| (number, self.probe(&positions[number])))
            .collect();
        let mut results: Vec<_> = positions.iter().map(|_| None).collect();
        for (number, result) in found {
            results[number] = Some(result);
        }
        results.into_iter().flatten().collect()
    }

    /// Returns a number by which positions that lie together in a file are near each other.
    fn order(&self, position: &Position) -> u128 {
        if position.board() != self.board() {
            return 0;
        }
        let parts = self.index.split().parts(position);
        let parts = if parts.left < parts.right { parts.mirror() } else { parts };
        let fields = [
            (position.ply() as u128, 8),
            (u128::from(parts.left.0), 26),
            (u128::from(parts.right.0), 26),
            (u128::from(parts.spine.bits), 32),
            (u128::from(parts.left_bits) >> 8, 24),
        ];
        fields.into_iter().fold(0, |order, (field, bits)| order << bits | field)
    }

    /// Forgets the remoteness that a sight can tell where the database has none.
    fn outcome(&self, outcome: Outcome) -> Outcome {
        let remoteness = outcome.remoteness.filter(|_| self.values == Values::Remoteness);
        Outcome { remoteness, ..outcome }
    }

    fn value(&self, position: &Position) -> Result<Outcome, DatabaseError> {
        match sight(position) {
            Sight::Decided(outcome) => Ok(self.outcome(outcome)),
            Sight::Forced(column) => Ok(self.value(&position.drop_piece(column))?.parent()),
            Sight::Quiet if is_stored(position.ply() as u32) => self.stored(position),
            Sight::Quiet => self.best_child(position),
        }
    }

    /// Looks at the children of a quiet position: first on the board, which may show a win, then in the database.
    fn best_child(&self, position: &Position) -> Result<Outcome, DatabaseError> {
        // In a quiet position no win is sooner than in 3.
        let settles =
            |outcome: Outcome| outcome.value == Value::Win && outcome.remoteness.is_none_or(|plies| plies <= 3);
        let mut best: Option<Outcome> = None;
        let mut unseen = [(0u8, Sight::Quiet); MAX_COLUMNS];
        let mut count = 0;
        for column in centre_first(position.board().width()).filter(|column| position.can_play(*column)) {
            match sight(&position.drop_piece(column)) {
                Sight::Decided(outcome) => {
                    let outcome = self.outcome(outcome).parent();
                    best = Some(best.map_or(outcome, |best| best.min(outcome)));
                    if settles(outcome) {
                        return Ok(outcome);
                    }
                }
                sight => {
                    unseen[count] = (column as u8, sight);
                    count += 1;
                }
            }
        }
        for (column, sight) in unseen[..count].iter() {
            let child = position.drop_piece(usize::from(*column));
            let outcome = match sight {
                Sight::Forced(reply) => self.value(&child.drop_piece(*reply))?.parent(),
                _ => self.stored(&child)?,
            }
            .parent();
            best = Some(best.map_or(outcome, |best| best.min(outcome)));
            if settles(outcome) {
                break;
            }
        }
        best.ok_or_else(|| self.damaged(position.ply() as u32, "a position has no moves"))
    }

    fn damaged(&self, ply: u32, what: &'static str) -> DatabaseError {
        DatabaseError::Damaged { file: tier_path(&self.folder, ply), offset: 0, what }
    }

    /// Looks a quiet position of a stored tier up.
    fn stored(&self, position: &Position) -> Result<Outcome, DatabaseError> {
        let ply = position.ply() as u32;
        let tier = self.tier(ply)?;
        let rank = tier.directory.rank(&self.index, &self.index.split().parts(position));
        let rank = rank.ok_or_else(|| self.damaged(ply, "a position has no entry"))?;
        let (number, entry) = tier.chunks.place(rank);
        let words = tier.chunks.words();
        let chunk = self.chunk(tier, number)?;
        let code = (0..tier.coding.planes())
            .fold(0u8, |code, plane| code | ((chunk[plane * words + entry / 64] >> (entry % 64) & 1) as u8) << plane);
        tier.coding.decode(code).ok_or_else(|| self.damaged(ply, "a position has no value"))
    }

    /// Looks all moves of a position up, best first: win soonest, tie, loss latest, then by column. A finished game
    /// has none.
    ///
    /// # Errors
    /// As for [`Database::probe`].
    pub fn moves(&self, position: &Position) -> Result<Vec<Move>, DatabaseError> {
        let mut moves = Vec::new();
        for column in position.moves() {
            moves.push(Move { column, outcome: self.probe(&position.drop_piece(column))?.parent() });
        }
        moves.sort_by(|a, b| a.outcome.cmp(&b.outcome).then(a.column.cmp(&b.column)));
        Ok(moves)
    }

    /// Plays the best moves to the end, the lowest column among equals; `None` in a database without remoteness.
    ///
    /// # Errors
    /// As for [`Database::probe`].
    pub fn best_line(&self, position: &Position) -> Result<Option<Vec<usize>>, DatabaseError> {
        if self.values == Values::Wdl {
            return Ok(None);
        }
        let (mut position, mut line) = (*position, Vec::new());
        while let Some(best) = self.moves(&position)?.first() {
            line.push(best.column);
            position = position.drop_piece(best.column);
        }
        Ok(Some(line))
    }

    fn solved(&self, ply: u32) -> Result<(), DatabaseError> {
        if self.manifest.tiers.iter().any(|tier| tier.ply == ply) {
            return Ok(());
        }
        let folder = self.folder.clone();
        Err(DatabaseError::NotSolved { folder, board: self.board(), values: self.values, ply })
    }

    fn tier(&self, ply: u32) -> Result<&OpenTier, DatabaseError> {
        let slot = &self.tiers[ply as usize];
        if let Some(tier) = slot.get() {
            return Ok(tier);
        }
        self.solved(ply)?;
        let directory = TierDirectory::new(&self.index, ply);
        let path = tier_path(&self.folder, ply);
        let (index, entries) = (&self.index, directory.entries());
        let (reader, chunks) = open(&*self.storage, &path, index, self.values, Content::Quiet, ply, entries)?;
        let coding = Coding::new(self.board(), self.values, ply);
        // Two threads may open a tier at the same time: one of the two is kept.
        Ok(slot.get_or_init(|| OpenTier { directory, coding, reader, chunks }))
    }

    /// Expands a block, or finds it in the cache.
    fn block(&self, tier: &OpenTier, number: usize) -> Result<Arc<Expanded>, DatabaseError> {
        let key = Key::Block(tier.directory.ply(), number as u64);
        if let Some(Cached::Block(block)) = self.cache.get(&key) {
            return Ok(block);
        }
        let payload = tier.reader.block(number)?;
        let block = Expanded::new(&payload, tier.reader.chunks(number), &tier.coding)
            .ok_or_else(|| tier.reader.damaged(number, "a block does not expand to its symbols"))?;
        let block = Arc::new(block);
        self.cache.insert(key, Cached::Block(block.clone()));
        Ok(block)
    }

    /// Puts the symbols of a chunk in their places, or finds it in the cache.
    fn chunk(&self, tier: &OpenTier, number: u64) -> Result<Arc<[u64]>, DatabaseError> {
        let key = Key::Chunk(tier.directory.ply(), number);
        if let Some(Cached::Chunk(chunk)) = self.cache.get(&key) {
            return Ok(chunk);
        }
        let (block_number, place) = tier.reader.block_of(number);
        let block = self.block(tier, block_number)?;
        let quiet = chunk::quiet(&self.index, &tier.directory, &tier.chunks, number);
        let count = block.count(place);
        if quiet.iter().map(|word| word.count_ones() as usize).sum::<usize>() != count {
            return Err(tier.reader.damaged(block_number, "a chunk has not as many symbols as quiet entries"));
        }
        let symbols = block.planes(&tier.coding, place);
        let mut words = vec![0; tier.coding.planes() * tier.chunks.words()];
        for (plane, words) in words.chunks_exact_mut(tier.chunks.words()).enumerate() {
            let symbols = &symbols[plane * count.div_ceil(64)..][..count.div_ceil(64)];
            self.index.kernel().unpack(symbols, &quiet, words);
        }
        let chunk: Arc<[u64]> = words.into();
        self.cache.insert(key, Cached::Chunk(chunk.clone()));
        Ok(chunk)
    }
}

/// Lists columns from the centre outwards: a win, which ends the look-ups, is more often there.
fn centre_first(width: usize) -> impl Iterator<Item = usize> {
    let centre = width / 2;
    let sides = (1..=centre).flat_map(move |away| [centre - away, centre + away]);
    std::iter::once(centre).chain(sides).filter(move |column| *column < width)
}

/// Makes a cache of at most so many bytes.
fn cache(bytes: u64) -> Cache<Key, Cached, ByBytes> {
    Cache::with_weighter((bytes / 1024) as usize, bytes, ByBytes)
}
