//! Asks about a position on a thread of its own, within the limits of the server, for as long as somebody waits.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fourbase::Position;
use fourbase::analysis::json::AnalysisJson;
use fourbase::analysis::{Analysis, AnalysisError, Analyst, Budget};
use fourbase::search::Monitor;
use fourbase_tiers::database::DatabaseError;
use fourbase_tiers::files::counted;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::boards::BoardSource;
use super::failure::Failure;
use super::metrics::Metrics;

/// As many questions may wait for one that is searched.
const WAITING_PER_SEARCH: usize = 4;

/// How long a question that takes no search may wait.
const PATIENCE: Duration = Duration::from_secs(5);

/// How far a search may go.
#[derive(Clone, Copy, Debug)]
pub struct SearchLimits {
    pub nodes: u64,
    pub time: Duration,
}

/// Hears what is known on the way.
type Listener = Box<dyn Fn(&Analysis) + Send + Sync>;

/// What is asked about a position.
pub struct AnalysisRequest {
    pub position: Position,
    /// Whether best play is wanted.
    pub with_line: bool,
    /// Whether only the database may answer.
    pub is_looked_up: bool,
    pub listener: Option<Listener>,
}

/// Shares out the threads.
pub struct Workers {
    limits: SearchLimits,
    metrics: Arc<Metrics>,
    /// For positions that are looked up.
    probes: Arc<Semaphore>,
    /// For positions that may take a search.
    searches: Arc<Semaphore>,
    /// For those that wait for a search.
    line: Semaphore,
    /// Whether the server is told to stop.
    stopping: watch::Sender<bool>,
}

/// The right to a thread; dropped, another question may have it.
pub struct Turn {
    metrics: Arc<Metrics>,
    is_search: bool,
    _permit: OwnedSemaphorePermit,
}

impl Turn {
    fn new(metrics: &Arc<Metrics>, is_search: bool, permit: OwnedSemaphorePermit) -> Turn {
        if is_search {
            metrics.searching.inc();
        }
        Turn { metrics: Arc::clone(metrics), is_search, _permit: permit }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if self.is_search {
            self.metrics.searching.dec();
        }
    }
}

/// Ends a search when nobody waits for it any more.
struct Waiting {
    monitor: Arc<Monitor>,
    metrics: Arc<Metrics>,
    is_search: bool,
    is_over: bool,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if !self.is_over {
            self.monitor.cancel();
            if self.is_search {
                self.metrics.abandoned.inc();
            }
        }
    }
}

impl Workers {
    pub fn new(limits: SearchLimits, probes: usize, searches: usize, metrics: Arc<Metrics>) -> Workers {
        let line = Semaphore::new(WAITING_PER_SEARCH * searches);
        let [probes, searches] = [probes, searches].map(|most| Arc::new(Semaphore::new(most)));
        Workers { limits, metrics, probes, searches, line, stopping: watch::Sender::new(false) }
    }

    /// Ends all searches, now and later: they answer what they know by then.
    pub fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Waits for a thread: for one that searches at most as long as a search may take.
    ///
    /// # Errors
    ///
    /// Too many searches; too many questions.
    pub async fn turn(&self, is_search: bool) -> Result<Turn, Failure> {
        if !is_search {
            let permit = tokio::time::timeout(PATIENCE, Arc::clone(&self.probes).acquire_owned()).await;
            let permit = permit.ok().and_then(Result::ok).ok_or_else(Failure::busy)?;
            return Ok(Turn::new(&self.metrics, is_search, permit));
        }
        if let Ok(permit) = Arc::clone(&self.searches).try_acquire_owned() {
            return Ok(Turn::new(&self.metrics, is_search, permit));
        }
        let _place = self.line.try_acquire().map_err(|_| Failure::too_many_searches())?;
        let permit = tokio::time::timeout(self.limits.time, self.searches_in_turn()).await;
        permit.unwrap_or_else(|_| Err(Failure::too_many_searches()))
    }

    /// Waits for a thread that searches, however long that takes.
    ///
    /// # Errors
    ///
    /// None while the server runs.
    pub async fn searches_in_turn(&self) -> Result<Turn, Failure> {
        /// Counts who waits, and is dropped with a request that goes away.
        struct InLine<'a>(&'a Metrics);
        impl Drop for InLine<'_> {
            fn drop(&mut self) {
                self.0.waiting.dec();
            }
        }
        self.metrics.waiting.inc();
        let _in_line = InLine(&self.metrics);
        let permit = Arc::clone(&self.searches).acquire_owned().await.map_err(|_| Failure::busy())?;
        Ok(Turn::new(&self.metrics, true, permit))
    }

    /// Finds out what the limits allow for about a position.
    ///
    /// # Errors
    ///
    /// A database that cannot be read.
    pub async fn analyse(
        &self,
        turn: Turn,
        source: &Arc<BoardSource>,
        request: AnalysisRequest,
    ) -> Result<Analysis, Failure> {
        let source = Arc::clone(source);
        self.ask(turn, move |budget| {
            let AnalysisRequest { position, with_line, is_looked_up, listener } = request;
            let analyst = source.analyst();
            if is_looked_up {
                let database = Analyst::new(analyst.board(), analyst.lookup(), None);
                return database.analyse(&position, with_line, budget, None);
            }
            let listener = listener.as_deref().map(|listener| listener as &dyn Fn(&Analysis));
            analyst.analyse(&position, with_line, budget, listener)
        })
        .await
    }

    /// Finds out the same about many positions that take no search.
    ///
    /// # Errors
    ///
    /// Too many questions.
    pub async fn look_up(
        &self,
        source: &Arc<BoardSource>,
        positions: Vec<Position>,
        with_line: bool,
    ) -> Result<Vec<Result<Analysis, Failure>>, Failure> {
        let (source, count) = (Arc::clone(source), positions.len() as u64);
        let analyses = self.look(move || {
            let analyse = |position| source.analyst().analyse(&position, with_line, &mut Budget::default(), None);
            positions.into_iter().map(|position| analyse(position).map_err(Failure::from)).collect()
        });
        self.metrics.probes.inc_by(count);
        analyses.await
    }

    /// Writes an analysis as `fourbase query --json` does, without the folder of the database. `text` is what was asked.
    pub fn json(&self, analysis: &Analysis, text: &str) -> AnalysisJson {
        let limit = analysis.limit.map(|limit| self.limit_text(limit));
        AnalysisJson::of(analysis, text, limit).without_folder()
    }

    /// Reads files on a thread of its own.
    ///
    /// # Errors
    ///
    /// Too many questions; the thread failed.
    pub async fn look<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
        let turn = self.turn(false).await?;
        let looked = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            work()
        });
        looked.await.map_err(|error| Failure::broken(&error))
    }

    /// Does something on a thread of its own, and cancels it when nobody waits for it.
    ///
    /// # Errors
    ///
    /// That of `work`.
    pub async fn ask<T: Send + 'static>(
        &self,
        turn: Turn,
        work: impl FnOnce(&mut Budget) -> Result<T, DatabaseError> + Send + 'static,
    ) -> Result<T, Failure> {
        let monitor = Arc::new(Monitor::default());
        let mut budget = Budget {
            nodes: Some(self.limits.nodes),
            // What it knows by then comes within milliseconds.
            deadline: Instant::now().checked_add(self.limits.time),
            monitor: Some(Arc::clone(&monitor)),
            ..Budget::default()
        };
        let (metrics, is_search) = (Arc::clone(&self.metrics), turn.is_search);
        let mut waiting = Waiting { monitor: Arc::clone(&monitor), metrics, is_search, is_over: false };
        // The turn ends with the thread, which goes on for some milliseconds after a client has gone away.
        let mut thread = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            (work(&mut budget), budget.spent.has_searched())
        });
        let mut stopping = self.stopping.subscribe();
        let stopped = async {
            let _ = stopping.wait_for(|is_stopping| *is_stopping).await;
        };
        let joined = tokio::select! {
            joined = &mut thread => joined,
            () = stopped => {
                monitor.cancel();
                thread.await
            }
        };
        waiting.is_over = true;
        let (answer, has_searched) = joined.map_err(|error| Failure::broken(&error))?;
        let counter = if has_searched { &self.metrics.searches } else { &self.metrics.probes };
        counter.inc();
        Ok(answer?)
    }

    /// Says which limit was reached.
    pub fn limit_text(&self, limit: AnalysisError) -> String {
        let within = match limit {
            AnalysisError::NodeLimit { nodes, .. } => counted(nodes, "node"),
            error if error.is_limit() => counted(self.limits.time.as_secs(), "second"),
            error => return error.to_string(),
        };
        format!("not decided within {within}, which is what this server allows for a question")
    }
}
