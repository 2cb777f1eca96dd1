//! Looking positions up.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use fourbase::{Board, Outcome, Position};
use quick_cache::sync::Cache;

use super::codec;
use super::container::{Header, Reader};
use super::folder::folder_of;
use super::manifest::{Manifest, State};
use super::storage::{Disk, Storage};
use super::writer::open_tier;
use crate::error::DatabaseError;
use crate::index::{Index, TierLayout};
use crate::kernel::{Coding, Kernel, Values};
use crate::solve::Tier;

/// Memory of the cache of expanded blocks.
const CACHE_BYTES: u64 = 64 << 20;

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
    layout: TierLayout,
    coding: Coding,
    reader: Reader,
}

#[derive(Clone)]
struct ByLength;

impl quick_cache::Weighter<(u32, usize), Arc<[u8]>> for ByLength {
    fn weight(&self, _: &(u32, usize), planes: &Arc<[u8]>) -> u64 {
        planes.len() as u64 + 64
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
    cache: Cache<(u32, usize), Arc<[u8]>, ByLength>,
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
            cache: Cache::with_weighter(CACHE_BYTES as usize / 8192, CACHE_BYTES, ByLength),
            storage,
        }))
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
        let tier = self.tier(position.ply() as u32)?;
        let damaged = || DatabaseError::Damaged {
            file: tier.reader.path().to_path_buf(),
            offset: 0,
            what: "a position has no value",
        };
        let rank = self.index.rank(&tier.layout, &self.index.split().parts(position)).ok_or_else(damaged)?;
        let block = (rank / u64::from(codec::BLOCK_ENTRIES)) as usize;
        let entry = (rank % u64::from(codec::BLOCK_ENTRIES)) as usize;
        let planes = self.block(tier, block)?;
        tier.coding.decode(codec::code(&planes, &tier.coding, entry)).ok_or_else(damaged)
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

    /// Reads all values of a tier.
    ///
    /// # Errors
    /// As for [`Database::probe`].
    pub fn load(&self, ply: u32) -> Result<Tier, DatabaseError> {
        self.solved(ply)?;
        super::load_tier(&*self.storage, &self.folder, &self.index, self.values, ply)
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
        let layout = TierLayout::new(&self.index, ply);
        let header = Header {
            board: self.board().to_string(),
            values: self.values,
            ply,
            entries: layout.entries(),
            block_entries: codec::BLOCK_ENTRIES,
        };
        let reader = open_tier(&*self.storage, &self.folder, &header)?;
        let coding = Coding::new(self.board(), self.values, ply);
        // Two threads may open a tier at the same time: one of the two is kept.
        Ok(slot.get_or_init(|| OpenTier { layout, coding, reader }))
    }

    fn block(&self, tier: &OpenTier, number: usize) -> Result<Arc<[u8]>, DatabaseError> {
        self.cache.get_or_insert_with(&(tier.layout.ply(), number), || {
            codec::decode(&tier.reader, &tier.coding, number).map(Arc::from)
        })
    }
}
