//! What all requests share.

use std::path::PathBuf;
use std::sync::Arc;

use fourbase::Board;
use tokio::sync::Semaphore;

use super::ask::{Askers, Reach};
use super::boards::{Boards, Known};
use super::cache::Answers;
use super::failure::Failure;
use super::metrics::Metrics;
use crate::arguments::CacheArgument;

/// The most requests that are being answered, to the end of their bodies.
const MOST_REQUESTS: usize = 512;

/// The most batches: each holds its positions.
const MOST_BATCHES: usize = 32;

/// What the command line says.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The folder with the databases.
    pub root: PathBuf,
    /// The cache of each database.
    pub cache: CacheArgument,
    /// Begins every address.
    pub base_path: String,
    /// How far a search may go.
    pub reach: Reach,
    /// How many searches run at a time.
    pub searches: usize,
    /// How many probes.
    pub probes: usize,
}

impl Settings {
    /// Returns how many threads may wait for databases and searches.
    pub fn threads(&self) -> usize {
        // Some more open databases.
        self.searches + self.probes + 2
    }
}

/// What all requests share.
pub struct Server {
    pub settings: Settings,
    pub boards: Boards,
    pub askers: Askers,
    pub answers: Answers,
    /// For requests that are being answered.
    pub requests: Arc<Semaphore>,
    /// For batches among them.
    pub batches: Arc<Semaphore>,
    pub metrics: Arc<Metrics>,
}

impl Server {
    pub fn new(settings: Settings) -> Arc<Server> {
        let metrics = Arc::new(Metrics::new());
        Arc::new(Server {
            boards: Boards::new(settings.root.clone(), settings.cache, settings.searches),
            askers: Askers::new(settings.reach, settings.probes, settings.searches, Arc::clone(&metrics)),
            answers: Answers::new(),
            requests: Arc::new(Semaphore::new(MOST_REQUESTS)),
            batches: Arc::new(Semaphore::new(MOST_BATCHES)),
            metrics,
            settings,
        })
    }

    /// Finds who answers for a board, on a thread that may read files.
    ///
    /// # Errors
    ///
    /// A database that cannot be read.
    pub async fn find(self: &Arc<Server>, board: Board) -> Result<Arc<Known>, Failure> {
        if let Some(known) = self.boards.at_hand(board) {
            return Ok(known);
        }
        let looking = Arc::clone(self);
        Ok(self.askers.look(move || looking.boards.find(board)).await??)
    }
}
