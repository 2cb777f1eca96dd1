//! Opening a database, comparing its files with its manifest, and listing the databases of a folder.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use fourbase::analysis::SearchPool;
use fourbase::search::SearchOptions;
use fourbase::{Board, Outcome};

use super::cache::{Cache, DEFAULT_CACHE_BYTES};
use super::error::DatabaseError;
use super::misplaced::check_root;
use super::tier::OpenTier;
use crate::files::{Disk, FileError, ReadStorage, Storage, io_error, is_address, query_first, storage_of};
use crate::format::plausible::check_manifest;
use crate::format::{MANIFEST, Manifest, REPLACEMENT, TierRecord, board_and_values_of, folder_of, tier_path};
use crate::index::{Index, TierDirectory};
use crate::kernel::{Kernel, Values};

/// The largest number of search results that a database keeps: they take about 3 MiB.
const MOST_ANSWERS: usize = 1 << 16;

/// The most bytes of one search's table. The table starts with some kilobytes and grows.
const TABLE_BYTES: usize = 64 << 20;

/// A search and its table are dropped after the search has visited this many nodes. Until then the table fits a
/// processor's cache.
const NODES_TO_REMEMBER: u64 = 1 << 16;

/// Makes the pool of searches for positions whose tiers a database does not keep.
pub(crate) fn searches() -> SearchPool {
    SearchPool::new(SearchOptions { table_bytes: TABLE_BYTES, ..SearchOptions::default() })
        .drop_after(NODES_TO_REMEMBER)
}

/// A database that is open for probing. Threads share it by reference.
///
/// Tiers are opened, and tables of the index are made, when a probe first needs them. Expanded blocks stay in a bounded
/// cache. If the database does not store the tier of a position (`keep_plies` of [`Manifest`]), a forward search solves
/// the position.
pub struct Database {
    pub(super) folder: PathBuf,
    /// The manifest.
    pub manifest: Manifest,
    pub(super) index: Index,
    pub(super) tiers: Vec<OnceLock<OpenTier>>,
    /// The cache of expanded blocks and unpacked chunks.
    pub cache: Cache,
    /// Searches for positions whose tiers are not kept.
    pub(super) searches: SearchPool,
    /// The number of positions that were searched so far.
    pub(super) searched: AtomicU64,
    /// Results of searches. The key has the bitboards of both players.
    pub(super) answers: quick_cache::sync::Cache<[u64; 2], Outcome>,
    pub(super) storage: Arc<dyn ReadStorage>,
    /// Why another database, which would have been preferred to this one, was not opened; `None` if there was none.
    pub passed_over: Option<DatabaseError>,
    /// Whether the database is built into the program ([`Database::embedded`]), so that its folder is not on disk.
    pub is_embedded: bool,
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database").field("folder", &self.folder).field("values", &self.values()).finish_non_exhaustive()
    }
}

impl Database {
    /// Opens the database of a folder, normally `<db>/<board>/<values>`. The manifest names the board and the values; a
    /// folder whose name says otherwise is rejected. With the cargo feature `http`, the folder may be an address such
    /// as `http://host/7x6/remoteness?key=1`: [`Http`](crate::files::Http) describes the requests to the host.
    ///
    /// # Errors
    /// [`DatabaseError::Missing`] for a folder without a manifest, [`DatabaseError::File`] for files that can't be read
    /// or are damaged, [`DatabaseError::Index`] for a board that is too large.
    pub fn open(folder: &Path) -> Result<Database, DatabaseError> {
        Database::open_on(storage_of(folder), &query_first(folder))
    }

    /// Opens a database as [`Database::open`] does, from files in the given storage.
    ///
    /// # Errors
    /// The errors of [`Database::open`].
    pub fn open_on(storage: Arc<dyn ReadStorage>, folder: &Path) -> Result<Database, DatabaseError> {
        if let Some(manifest) = Manifest::read(&*storage, folder)? {
            check_manifest(&manifest, folder)?;
            let board = manifest.board;
            return Ok(Database {
                folder: folder.to_path_buf(),
                searches: searches(),
                searched: AtomicU64::new(0),
                answers: quick_cache::sync::Cache::new(MOST_ANSWERS),
                manifest,
                index: Index::new(board, Kernel::detect())?,
                tiers: (0..=board.cells()).map(|_| OnceLock::new()).collect(),
                cache: Cache::new(DEFAULT_CACHE_BYTES),
                storage,
                passed_over: None,
                is_embedded: false,
            });
        }
        let Some((board, _)) = board_and_values_of(folder) else {
            let expected = "that of a database, <db>/<board>/<values>";
            return Err(FileError::wrong(folder, "the folder", expected, "one without a manifest").into());
        };
        Err(DatabaseError::Missing { board, root: folder.ancestors().nth(2).unwrap_or(folder).to_path_buf() })
    }

    /// Opens the best database of a board under `root`, the folder of all databases: that of [`Database::find_all`]
    /// without the built-in one. If the other one can't be read, stores the error in [`Database::passed_over`].
    ///
    /// # Errors
    /// [`DatabaseError::Missing`] if the board has no database, [`DatabaseError::Misplaced`] if no board has one. If
    /// the board has databases but none can be opened, the first error of opening them.
    pub fn find(root: &Path, board: Board) -> Result<Database, DatabaseError> {
        let mut databases = Database::in_root(root, board)?;
        Ok(databases.swap_remove(0))
    }

    /// Opens all databases of a board, the best one first: under `root`, the folder of all databases, and the one that
    /// is built in. Prefers complete ones, those of `root`, and those with remoteness. A database with the remoteness
    /// of all plies needs no others.
    ///
    /// # Errors
    /// The errors of [`Database::find`].
    pub fn find_all(root: &Path, board: Board) -> Result<Vec<Database>, DatabaseError> {
        let mut databases = match Database::in_root(root, board) {
            Err(DatabaseError::Missing { .. }) => Vec::new(),
            found => found?,
        };
        if !databases.first().is_some_and(Database::has_all_remoteness) {
            databases.extend(Database::embedded(board)?);
            databases.sort_by_key(|database| !database.is_complete());
        }
        if databases.is_empty() {
            Err(DatabaseError::Missing { board, root: root.to_path_buf() })
        } else {
            Ok(databases)
        }
    }

    /// Opens the databases of a board under `root`, of which there is at least one, the best one first.
    fn in_root(root: &Path, board: Board) -> Result<Vec<Database>, DatabaseError> {
        let (mut databases, mut failure) = (Vec::new(), None);
        for values in [Values::Remoteness, Values::Wdl] {
            match Database::open(&folder_of(root, board, values)) {
                Ok(database) if database.has_all_remoteness() => return Ok(vec![database]),
                Ok(database) => databases.push(database),
                Err(DatabaseError::Missing { .. }) => {}
                // A host that does not answer would take as long for the other manifest.
                Err(error) if is_address(root) && databases.is_empty() => return Err(error),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        databases.sort_by_key(|database| !database.is_complete());
        match databases.first_mut() {
            Some(first) => first.passed_over = failure,
            None => {
                failure.map_or_else(|| check_root(root, Some(board)), Err)?;
                return Err(DatabaseError::Missing { board, root: root.to_path_buf() });
            }
        }
        Ok(databases)
    }

    /// Opens the database of a board with these values under the folder of all databases.
    ///
    /// # Errors
    /// [`DatabaseError::MissingValues`] if there is none, else the errors of [`Database::open`].
    pub fn find_values(root: &Path, board: Board, values: Values) -> Result<Database, DatabaseError> {
        Database::open(&folder_of(root, board, values)).map_err(|error| match error {
            DatabaseError::Missing { board, root } => {
                check_root(&root, Some(board)).err().unwrap_or(DatabaseError::MissingValues { board, values, root })
            }
            error => error,
        })
    }

    /// Replaces the cache (default: one of 256 MiB) by a share of another one, which other databases may use too.
    #[must_use]
    pub fn with_cache(self, cache: &Cache) -> Database {
        Database { cache: cache.share(), ..self }
    }

    /// Restricts this complete database to the tiers of at most `most` pieces; the files of later tiers need not exist.
    /// Later positions are searched forward, and so are forced positions of the deepest kept tier. The hash of the
    /// manifest differs from that of a solve that keeps the same tiers.
    ///
    /// # Errors
    /// [`DatabaseError::NotSolved`] if this database is not complete or does not keep the tiers of up to `most` pieces.
    pub fn with_plies_up_to(self, most: u32) -> Result<Database, DatabaseError> {
        let most = most.clamp(1, (self.board().cells() as u32).saturating_sub(1).max(1));
        let Some(root) = self.manifest.root() else { return Err(self.not_solved(0)) };
        if self.manifest.keep_plies.is_some_and(|kept| kept < most) {
            return Err(self.not_solved(most));
        }
        let mut manifest = Manifest::new(self.board(), self.values(), Some(most));
        manifest.tiers.clone_from(&self.manifest.tiers);
        for tier in &mut manifest.tiers {
            if tier.ply > most {
                (tier.bytes, tier.hash) = (0, None);
            }
        }
        manifest.complete(root);
        Ok(Database { manifest, ..self })
    }

    /// Returns the board.
    pub fn board(&self) -> Board {
        self.index.board()
    }

    /// Returns the kind of values.
    pub fn values(&self) -> Values {
        self.manifest.values
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the index of the board.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Returns whether all tiers were solved when the database was opened.
    pub fn is_complete(&self) -> bool {
        self.manifest.is_complete()
    }

    /// Returns whether the database stores the remoteness of all plies, so that no other one can add to it.
    fn has_all_remoteness(&self) -> bool {
        self.is_complete() && self.values() == Values::Remoteness && self.manifest.keep_plies.is_none()
    }

    /// Returns how many positions probes have searched forward so far, because their tiers are not kept.
    pub fn searched(&self) -> u64 {
        self.searched.load(Ordering::Relaxed)
    }

    /// Returns the storage of its files: the disk, an address, or the program.
    #[must_use]
    pub fn storage(&self) -> &dyn ReadStorage {
        &*self.storage
    }

    /// Returns a stored tier, after opening it if necessary.
    pub(super) fn tier(&self, ply: u32) -> Result<&OpenTier, DatabaseError> {
        let slot = self.tiers.get(ply as usize).ok_or_else(|| self.not_solved(ply))?;
        if let Some(tier) = slot.get() {
            return Ok(tier);
        }
        let record = self.manifest.tier(ply).ok_or_else(|| self.not_solved(ply))?;
        let tier = self.open_tier(record).map_err(|error| {
            // A solver that replaces the database may have removed the file. If the manifest on disk no longer lists
            // the tier, report that the tier is not solved, instead of damage.
            let now = || Manifest::read(&*self.storage, &self.folder).ok().flatten();
            let listed = || now().is_some_and(|now| now.tier(ply).is_some());
            if error.is_damage() && !listed() { self.not_solved(ply) } else { error.into() }
        })?;
        // Two threads may open a tier at the same time; only one of the two is kept.
        Ok(slot.get_or_init(|| tier))
    }

    /// Compares the hashes of all files with the manifest. Does not decode the contents of the files.
    ///
    /// # Errors
    /// The first file that is missing or has another hash.
    pub fn check_hashes(&self) -> Result<(), DatabaseError> {
        self.manifest.check_hashes(self.storage(), self.folder(), (0, 1), &|_| true)?;
        Ok(())
    }

    /// Opens the file of a stored tier, bypassing the tiers that probes have opened.
    pub(crate) fn open_tier(&self, record: &TierRecord) -> Result<OpenTier, FileError> {
        OpenTier::open(self.storage(), self.folder(), self.index(), self.values(), record)
    }

    /// Compares the shapes of a stored tier with the index, and the hash of its file with the manifest's record.
    ///
    /// # Errors
    /// The first difference.
    pub(crate) fn check_shapes_and_hash(&self, tier: &OpenTier, record: &TierRecord) -> Result<(), FileError> {
        // Opening the tier checked only the number of shapes and the sum of their entries, so compare the entries of
        // each shape.
        if tier.directory.shape_entries() != TierDirectory::new(self.index(), record.ply).shape_entries() {
            let file = tier_path(self.folder(), record.ply);
            return Err(FileError::damaged(&file, 0, "the list of shapes does not match the board"));
        }
        record.check_hash(self.storage(), self.folder(), &|_| true).map(drop)
    }

    /// Reads the manifest again and compares it with the one that the database was opened with.
    pub(crate) fn check_manifest(&self) -> Result<(), DatabaseError> {
        match Manifest::read(self.storage(), self.folder())? {
            Some(manifest) if manifest == self.manifest => Ok(()),
            Some(_) => Err(self.manifest_error("changed since the database was opened")),
            None => Err(self.manifest_error("the file is missing")),
        }
    }

    pub(super) fn manifest_error(&self, what: &'static str) -> DatabaseError {
        FileError::damaged(&self.folder.join(MANIFEST), 0, what).into()
    }

    /// Returns the error of a tier that is not solved yet.
    pub fn not_solved(&self, ply: u32) -> DatabaseError {
        // Tiers are solved from the full board down, so no tier from the next one down to ply 0 is solved.
        let ply = self.manifest.next_ply().map_or(ply, |next| next.max(ply));
        let (folder, board, values) = (self.folder.clone(), self.board(), self.values());
        DatabaseError::NotSolved { folder, board, values, keep_plies: self.manifest.keep_plies, ply }
    }
}

/// The databases of a folder, each as its board and its manifest.
#[derive(Debug, Default)]
pub struct Listing {
    /// Databases whose manifest can be read, sorted by name.
    pub databases: Vec<(Board, Manifest)>,
    /// Incomplete databases that will replace others.
    pub replacements: Vec<(Board, Manifest)>,
    /// The faults of the other databases.
    pub faults: Vec<FileError>,
}

/// Lists the databases under `root`, sorted by name. Skips folders and files that are not databases. Lists the other
/// databases even if one manifest can't be read.
///
/// # Errors
/// [`FileError::Io`] if the folder itself can't be listed. A missing folder has no databases.
pub fn list(root: &Path) -> Result<Listing, FileError> {
    let mut listing = Listing::default();
    for name in Disk.names(root).map_err(io_error(root, "list"))? {
        let Some(board) = name.parse::<Board>().ok().filter(|board| board.to_string() == name) else { continue };
        for values in [Values::Wdl, Values::Remoteness] {
            let folder = folder_of(root, board, values);
            let replacing = folder.with_extension(REPLACEMENT);
            let is_marked = replacing.join(REPLACEMENT).exists();
            let replacement = Manifest::read(&Disk, &replacing).ok().flatten();
            let replacement = replacement.filter(|manifest| is_marked && !manifest.is_complete());
            listing.replacements.extend(replacement.map(|manifest| (board, manifest)));
            match Manifest::read(&Disk, &folder) {
                Ok(Some(manifest)) => listing.databases.push((board, manifest)),
                Ok(None) => {}
                Err(fault) => listing.faults.push(fault),
            }
        }
    }
    Ok(listing)
}
