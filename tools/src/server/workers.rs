//! Asks about a position on a thread of its own, within the limits of the server, for as long as somebody waits.

use std::sync::Arc;
use std::time::Duration;

use fourbase::Position;
use fourbase::analysis::json::{AnalysisJson, AnswerJson};
use fourbase::analysis::{Analysis, AnalysisError, Budget};
use fourbase::search::Monitor;
use fourbase_tiers::database::DatabaseError;
use fourbase_tiers::files::counted;
use quick_cache::sync::Cache;
use tokio::sync::watch;
use tokio::time::Instant;

use super::boards::BoardSource;
use super::failure::Failure;
use super::http::Client;
use super::metrics::Metrics;
use super::queue::{Queue, Slot};
use super::{Arguments, probes};

/// How long a question that takes no search may wait.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long one may wait for a search: others have theirs before its turn comes.
const SEARCH_PATIENCE: Duration = Duration::from_secs(30);

/// How long the server remembers what a search found out, or did not decide.
const REMEMBERED: Duration = Duration::from_secs(300);

/// How many such analyses it remembers: some kilobytes each.
const MOST_REMEMBERED: usize = 4096;

/// How long a search of a batch takes before it gives way to a single question; each time that it did, twice as long.
const SHORT_TURN: Duration = Duration::from_secs(1);

/// How many nodes a look-up may search where the database does not keep a ply that it needs: some tenths of a second. Of random
/// positions of 7x6 before ply 12 fewer than 1 % need more.
const SHORT_NODES: u64 = 1 << 19;

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
    /// How far a search may go.
    nodes: u64,
    time: Duration,
    metrics: Arc<Metrics>,
    /// For positions that are looked up.
    probes: Arc<Queue>,
    /// For positions that may take a search.
    searches: Arc<Queue>,
    /// What was searched for a position, with best play or without: when, of which database, and what it cost.
    remembered: Cache<(Position, bool), (Instant, Option<String>, Analysis)>,
    /// Whether the server is told to stop.
    stopping: watch::Sender<bool>,
}

/// The right to a thread; dropped, another question may have it.
pub enum Turn {
    /// Looks positions up.
    LookUp(#[expect(dead_code, reason = "is dropped")] Slot),
    /// May search; that of a batch gives way to single questions after some time.
    Search(#[expect(dead_code, reason = "is dropped")] Slot, Option<Duration>),
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
    pub fn new(arguments: &Arguments, metrics: Arc<Metrics>) -> Workers {
        let (nodes, time) = (arguments.search_nodes, Duration::from_secs(arguments.search_seconds.into()));
        let most = arguments.searches();
        let share = arguments.searches_per_client.map_or_else(|| most.div_ceil(2), usize::from);
        let gauges = [metrics.searching.clone(), metrics.waiting.clone()];
        let [probes, searches] = [Queue::of_probes(probes()), Queue::of_searches(most, share, gauges)].map(Arc::new);
        let remembered = Cache::new(MOST_REMEMBERED);
        Workers { nodes, time, metrics, probes, searches, remembered, stopping: watch::Sender::new(false) }
    }

    /// Ends all searches, now and later: they answer what they know by then.
    pub fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Waits for a thread.
    ///
    /// # Errors
    ///
    /// Too many searches; too many questions; a search for nobody but the head of its answer.
    pub async fn turn(&self, client: Client, is_search: bool) -> Result<Turn, Failure> {
        if !is_search {
            let slot = tokio::time::timeout(PATIENCE, self.probes.slot(client.address, false)).await;
            return Ok(Turn::LookUp(slot.map_err(|_| Failure::busy())??));
        }
        if client.is_head {
            return Err(Failure::not_searched());
        }
        let slot = tokio::time::timeout(SEARCH_PATIENCE, self.searches.slot(client.address, false)).await;
        Ok(Turn::Search(slot.map_err(|_| Failure::too_many_searches())??, None))
    }

    /// Finds out about a position of a batch, however long it waits for a search.
    ///
    /// # Errors
    ///
    /// A database that cannot be read.
    pub async fn analyse_in_batch(
        &self,
        client: Client,
        source: &Arc<BoardSource>,
        position: Position,
        with_line: bool,
    ) -> Result<Analysis, Failure> {
        let mut length = SHORT_TURN;
        loop {
            if let Some(analysis) = self.remembered(source, &position, with_line) {
                return Ok(analysis);
            }
            let turn = Turn::Search(self.searches.slot(client.address, true).await?, Some(length));
            let request = AnalysisRequest { position, with_line, is_looked_up: false, listener: None };
            let analysis = self.analyse(client, turn, source, request).await?;
            let gave_way = matches!(analysis.limit, Some(AnalysisError::Cancelled { .. }));
            if !gave_way || *self.stopping.borrow() {
                return Ok(analysis);
            }
            // It begins again, and remembers a part.
            length *= 2;
        }
    }

    /// Returns what a search of the last minutes found out about a position.
    pub fn remembered(&self, source: &BoardSource, position: &Position, with_line: bool) -> Option<Analysis> {
        let (when, hash, analysis) = self.remembered.get(&(*position, with_line))?;
        (when.elapsed() < REMEMBERED && hash.as_deref() == source.hash()).then_some(analysis)
    }

    /// Remembers an analysis if it took a search that was not broken off.
    pub fn remember(&self, source: &BoardSource, analysis: &Analysis, with_line: bool) {
        if analysis.cost.has_searched() && !matches!(analysis.limit, Some(AnalysisError::Cancelled { .. })) {
            let of = (Instant::now(), source.hash().map(str::to_owned), analysis.clone());
            self.remembered.insert((analysis.position, with_line), of);
        }
    }

    /// Finds out what the limits allow for about a position. A look-up that goes on beyond the plies that the database keeps, and
    /// is not short, has a turn among the searches.
    ///
    /// # Errors
    ///
    /// A database that cannot be read; too many searches.
    pub async fn analyse(
        &self,
        client: Client,
        mut turn: Turn,
        source: &Arc<BoardSource>,
        request: AnalysisRequest,
    ) -> Result<Analysis, Failure> {
        let AnalysisRequest { position, with_line, is_looked_up, mut listener } = request;
        loop {
            let is_short = matches!(turn, Turn::LookUp(_));
            let (asked, listener) = (Arc::clone(source), listener.take());
            let analysis = self.ask(turn, move |budget| {
                if is_short {
                    budget.nodes = budget.nodes.min(Some(SHORT_NODES));
                }
                let listener = listener.as_deref().map(|listener| listener as &dyn Fn(&Analysis));
                asked.analyse(&position, with_line, is_looked_up, budget, listener)
            });
            let analysis = analysis.await?;
            if !is_short || analysis.limit.is_none() {
                self.remember(source, &analysis, with_line);
                return Ok(analysis);
            }
            turn = self.turn(client, true).await?;
        }
    }

    /// Finds out about positions of a batch what takes no search or a short one, however long they wait for a thread.
    ///
    /// # Errors
    ///
    /// The thread failed.
    pub async fn look_up_in_batch(
        &self,
        client: Client,
        source: &Arc<BoardSource>,
        positions: Vec<Position>,
        with_line: bool,
    ) -> Result<Vec<Result<Analysis, Failure>>, Failure> {
        let (source, count) = (Arc::clone(source), positions.len() as u64);
        let slot = self.probes.slot(client.address, true).await?;
        let analyses = self.look(move || {
            let _slot = slot;
            let short = Budget { nodes: Some(SHORT_NODES), ..Budget::default() };
            let analyse = |position| source.analyse(&position, with_line, false, &mut short.clone(), None);
            positions.into_iter().map(|position| analyse(position).map_err(Failure::from)).collect()
        });
        self.metrics.probes.inc_by(count);
        analyses.await
    }

    /// Writes an analysis as `fourbase query --json` does. `text` is what was asked.
    pub fn json(&self, analysis: &Analysis, text: &str) -> AnswerJson<AnalysisJson> {
        let limit = analysis.limit.map(|limit| self.limit_text(limit));
        AnalysisJson::of(analysis, text, limit)
    }

    /// Reads files on a thread of its own.
    ///
    /// # Errors
    ///
    /// The thread failed.
    pub async fn look<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
        tokio::task::spawn_blocking(work).await.map_err(|error| Failure::broken(&error))
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
            nodes: Some(self.nodes),
            // What it knows by then comes within milliseconds.
            deadline: std::time::Instant::now().checked_add(self.time),
            monitor: Some(Arc::clone(&monitor)),
            ..Budget::default()
        };
        let (is_search, length) = match &turn {
            Turn::LookUp(_) => (false, None),
            Turn::Search(_, length) => (true, *length),
        };
        let metrics = Arc::clone(&self.metrics);
        let mut waiting = Waiting { monitor: Arc::clone(&monitor), metrics, is_search, is_over: false };
        // The turn ends with the thread, which goes on for some milliseconds after a client has gone away.
        let mut thread = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            (work(&mut budget), budget.spent.has_searched())
        });
        let mut stopping = self.stopping.subscribe();
        let gives_way = async {
            match length {
                Some(length) => tokio::time::sleep(length).await,
                None => std::future::pending().await,
            }
            self.searches.are_wanted().await;
        };
        let ends = async {
            tokio::select! {
                _ = stopping.wait_for(|is_stopping| *is_stopping) => {}
                () = gives_way => {}
            }
        };
        let joined = tokio::select! {
            joined = &mut thread => joined,
            () = ends => {
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
            error if error.is_limit() => counted(self.time.as_secs(), "second"),
            error => return error.to_string(),
        };
        format!("not decided within {within}, which is what this server allows for a question")
    }
}
