//! The boards that the server can answer for: databases that come and go while it runs, and searches for all others.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fourbase::Board;
use fourbase_tiers::answer::{Answerer, Searcher, When, choose};
use fourbase_tiers::database::{Database, DatabaseError};

use crate::arguments::CacheArgument;
use crate::query::source::options;

/// How long a database that was found is believed to be the best one.
const BELIEVED: Duration = Duration::from_secs(2);

/// The most boards that are open at a time. Their tables and caches take memory.
const MOST_OPEN: usize = 16;

/// Finds who answers for a board.
pub struct Boards {
    root: PathBuf,
    cache: CacheArgument,
    open: Mutex<Vec<Entry>>,
}

struct Entry {
    board: Board,
    known: Arc<Known>,
    looked: Instant,
    used: Instant,
}

/// Who answers for a board.
pub struct Known {
    answerer: Arc<dyn Answerer>,
    /// What answers depend on: the database's hash, or nothing.
    hash: String,
}

impl Known {
    /// Returns whom to ask.
    pub fn answerer(&self) -> &Arc<dyn Answerer> {
        &self.answerer
    }

    /// Returns the database; `None` where everything is searched.
    pub fn database(&self) -> Option<&Database> {
        self.answerer.database()
    }

    /// Returns what answers depend on, for their tags.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Tells whether the answer about a position with so many pieces, with its moves, may take a search.
    pub fn may_search(&self, ply: usize) -> bool {
        let keep_plies = self.database().map(|database| database.manifest().keep_plies());
        self.answerer.may_search() || keep_plies.is_none_or(|most| most.is_some_and(|most| ply >= most as usize))
    }
}

impl Boards {
    /// Looks for databases in `root`, each with a cache of its own.
    pub fn new(root: PathBuf, cache: CacheArgument) -> Boards {
        Boards { root, cache, open: Mutex::default() }
    }

    /// Finds who answers for a board: a complete database, or the embedded one, or a search. This may read files.
    ///
    /// # Errors
    ///
    /// A database that cannot be read.
    pub fn find(&self, board: Board) -> Result<Arc<Known>, DatabaseError> {
        if let Some(known) = self.at_hand(board) {
            return Ok(known);
        }
        let known = self.look(board)?;
        let now = Instant::now();
        let mut open = self.lock();
        if let Some(entry) = open.iter_mut().find(|entry| entry.board == board) {
            entry.looked = now;
            // The open one has its cache filled.
            if entry.known.hash != known.hash {
                entry.known = Arc::new(known);
            }
            return Ok(Arc::clone(&entry.known));
        }
        if open.len() >= MOST_OPEN
            && let Some((oldest, _)) = open.iter().enumerate().min_by_key(|(_, entry)| entry.used)
        {
            open.swap_remove(oldest);
        }
        let known = Arc::new(known);
        open.push(Entry { board, known: Arc::clone(&known), looked: now, used: now });
        Ok(known)
    }

    /// Returns who answers for a board if that was looked up just now.
    pub fn at_hand(&self, board: Board) -> Option<Arc<Known>> {
        let now = Instant::now();
        let mut open = self.lock();
        let entry = open.iter_mut().find(|entry| entry.board == board)?;
        entry.used = now;
        (now.duration_since(entry.looked) < BELIEVED).then(|| Arc::clone(&entry.known))
    }

    /// Returns the folder with the databases.
    pub fn root(&self) -> &PathBuf {
        &self.root
    }

    fn look(&self, board: Board) -> Result<Known, DatabaseError> {
        let find = || Ok(self.cache.apply(Database::find_or_embedded(&self.root, board)?));
        let answerer = choose(When::Auto, find, || Searcher::new(board, options(1)))?;
        let manifest = answerer.database().map(Database::manifest);
        let hash = manifest.and_then(|manifest| manifest.hash()).map_or_else(String::new, |hash| hash.to_string());
        Ok(Known { answerer, hash })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
