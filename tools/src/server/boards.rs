//! The boards that the server can answer for: databases that come and go while it runs, and searches for all others.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fourbase::Board;
use fourbase::analysis::{Analyst, SearchPool};
use fourbase::search::Options;
use fourbase_tiers::database::{Database, DatabaseError, When, choose};

use crate::arguments::CacheArgument;

/// How long a database that was found is believed to be the best one.
const BELIEVED: Duration = Duration::from_secs(2);

/// The most boards that are open at a time. Their tables and caches take memory.
const MOST_OPEN: usize = 16;

/// The most bytes of the table of a search.
const TABLE_BYTES: usize = 32 << 20;

/// Finds what answers for a board.
pub struct Boards {
    root: PathBuf,
    cache: CacheArgument,
    open: Mutex<Vec<Entry>>,
    /// The searches of all boards, with their tables, while nobody uses them.
    pool: Arc<SearchPool>,
}

struct Entry {
    board: Board,
    known: Arc<Known>,
    looked: Instant,
    used: Instant,
}

/// What answers for a board.
pub struct Known {
    analyst: Analyst<Database>,
    identity: Identity,
}

/// What answers depend on: the database with its hash, and how far it is solved; `None` without one.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Identity(Option<(Option<String>, Option<u32>)>);

impl Known {
    /// Returns what to ask.
    pub fn analyst(&self) -> &Analyst<Database> {
        &self.analyst
    }

    /// Returns the database; `None` where everything is searched.
    pub fn database(&self) -> Option<&Database> {
        self.analyst.lookup()
    }

    /// Returns the hash of the database; `None` without a database that is solved to its end.
    pub fn hash(&self) -> Option<&str> {
        self.identity.0.as_ref()?.0.as_deref()
    }

    /// Tells whether the answer about a position with so many pieces, with its moves, may take a search; and with best play,
    /// which goes on to the end of the game.
    pub fn may_search(&self, ply: usize, with_line: bool) -> bool {
        self.analyst.may_search() || self.is_beyond(ply, with_line)
    }

    /// Tells whether the database keeps too few plies for such an answer.
    pub fn is_beyond(&self, ply: usize, with_line: bool) -> bool {
        let most = self.database().and_then(|database| database.manifest().keep_plies());
        most.is_some_and(|most| with_line || ply >= most as usize)
    }
}

impl Boards {
    /// Looks for databases in `root`, each with a cache of its own. As many searches keep their tables as run at a time.
    pub fn new(root: PathBuf, cache: CacheArgument, searches: usize) -> Boards {
        let pool = SearchPool::new(Options { table_bytes: TABLE_BYTES, ..Options::default() });
        Boards { root, cache, open: Mutex::default(), pool: Arc::new(pool.keep_idle(searches)) }
    }

    /// Finds what answers for a board: a complete database, or the embedded one, or a search. This may read files.
    ///
    /// # Errors
    ///
    /// A database that cannot be read.
    pub fn find(&self, board: Board) -> Result<Arc<Known>, DatabaseError> {
        if let Some(known) = self.at_hand(board) {
            return Ok(known);
        }
        // Others go on with the one that is open meanwhile.
        if let Some(entry) = self.lock().iter_mut().find(|entry| entry.board == board) {
            entry.looked = Instant::now();
        }
        let known = self.look(board)?;
        let now = Instant::now();
        let mut open = self.lock();
        if let Some(entry) = open.iter_mut().find(|entry| entry.board == board) {
            entry.looked = now;
            // The open one has its cache filled.
            if entry.known.identity != known.identity {
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

    /// Returns what answers for a board if that was looked up just now.
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
        let analyst = choose(board, When::Auto, find, || Arc::clone(&self.pool))?;
        let identity = analyst.lookup().map(|database| {
            let manifest = database.manifest();
            (manifest.hash().map(|hash| hash.to_string()), manifest.next_ply(board))
        });
        Ok(Known { analyst, identity: Identity(identity) })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
