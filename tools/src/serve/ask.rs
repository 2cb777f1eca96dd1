//! Asks about a position on a thread of its own, within the limits of the server, for as long as somebody waits.

use std::sync::Arc;
use std::time::Duration;

use fourbase::Position;
use fourbase::search::Monitor;
use fourbase_tiers::answer::{AnswerError, Limits, News, Question};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::boards::Known;
use super::failure::Failure;
use super::metrics::Metrics;
use crate::number::counted;
use crate::query::found::Found;

/// As many questions may wait for one that is searched.
const WAITING_PER_SEARCH: i64 = 4;

/// How far a search may go.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    pub nodes: u64,
    pub time: Duration,
}

/// Hears what is found out on the way.
pub type Listener = Box<dyn Fn(News) + Send + Sync>;

/// Shares out the threads.
pub struct Askers {
    reach: Reach,
    metrics: Arc<Metrics>,
    /// For positions that are looked up.
    probes: Arc<Semaphore>,
    /// For positions that may take a search, and the most that wait for one.
    searches: Arc<Semaphore>,
    most_waiting: i64,
}

/// Ends a search when nobody waits for it any more.
struct Waiting {
    monitor: Arc<Monitor>,
    metrics: Arc<Metrics>,
    is_over: bool,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if !self.is_over {
            self.monitor.cancel();
            self.metrics.abandoned.inc();
        }
    }
}

/// The right to a thread; dropped, another one may have it.
struct Turn {
    metrics: Arc<Metrics>,
    is_search: bool,
    _permit: OwnedSemaphorePermit,
}

impl Drop for Turn {
    fn drop(&mut self) {
        if self.is_search {
            self.metrics.searching.dec();
        }
    }
}

impl Askers {
    pub fn new(reach: Reach, probes: usize, searches: usize, metrics: Arc<Metrics>) -> Askers {
        let most_waiting = WAITING_PER_SEARCH * searches as i64;
        let [probes, searches] = [probes, searches].map(|most| Arc::new(Semaphore::new(most)));
        Askers { reach, metrics, probes, searches, most_waiting }
    }

    /// Waits for a thread.
    ///
    /// # Errors
    ///
    /// Too many searches.
    async fn turn(&self, is_search: bool) -> Result<Turn, Failure> {
        let metrics = Arc::clone(&self.metrics);
        if !is_search {
            let permit = Arc::clone(&self.probes).acquire_owned().await.map_err(|_| Failure::busy())?;
            return Ok(Turn { metrics, is_search, _permit: permit });
        }
        let permit = match Arc::clone(&self.searches).try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => self.searches_in_turn().await?,
        };
        metrics.searching.inc();
        Ok(Turn { metrics, is_search, _permit: permit })
    }

    /// Waits for a search to end, at most as long as one may take.
    async fn searches_in_turn(&self) -> Result<OwnedSemaphorePermit, Failure> {
        /// Counts who waits, and is dropped with a request that goes away.
        struct InLine<'a>(&'a Metrics);
        impl Drop for InLine<'_> {
            fn drop(&mut self) {
                self.0.waiting.dec();
            }
        }
        let before = self.metrics.waiting.inc();
        let _in_line = InLine(&self.metrics);
        if before >= self.most_waiting {
            return Err(Failure::too_many_searches());
        }
        let permit = tokio::time::timeout(self.reach.time, Arc::clone(&self.searches).acquire_owned()).await;
        permit.ok().and_then(Result::ok).ok_or_else(Failure::too_many_searches)
    }

    /// Finds out what the limits allow for about a position. `listen` hears what is found on the way.
    ///
    /// # Errors
    ///
    /// A database that cannot be read; too many searches.
    pub async fn find(
        &self,
        known: &Known,
        position: Position,
        with_line: bool,
        listen: Option<Listener>,
    ) -> Result<Found<String>, Failure> {
        let answerer = Arc::clone(known.answerer());
        let explain = self.explainer();
        self.ask(known.may_search(position.ply()), move |limits| {
            let mut question = Question::new(limits);
            if let Some(listen) = listen {
                question = question.with_listener(listen);
            }
            let found = Found::of(&*answerer, &position, with_line, &mut question);
            (found.map(|found| found.explained(explain)), question.work().has_searched())
        })
        .await
    }

    /// Reads files on a thread of its own.
    ///
    /// # Errors
    ///
    /// The thread failed.
    pub async fn look<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
        let turn = self.turn(false).await?;
        let looked = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            work()
        });
        looked.await.map_err(|error| Failure::broken(error.to_string()))
    }

    /// Does something on a thread of its own, and cancels it when the time is over or nobody waits for it. `work` returns
    /// whether it has searched, too.
    ///
    /// # Errors
    ///
    /// That of `work`; too many searches.
    pub async fn ask<T: Send + 'static>(
        &self,
        may_search: bool,
        work: impl FnOnce(Limits) -> (Result<T, AnswerError>, bool) + Send + 'static,
    ) -> Result<T, Failure> {
        let turn = self.turn(may_search).await?;
        let monitor = Arc::new(Monitor::default());
        let limits = Limits { nodes: Some(self.reach.nodes), monitor: Some(Arc::clone(&monitor)) };
        let mut waiting = Waiting { monitor: Arc::clone(&monitor), metrics: Arc::clone(&self.metrics), is_over: false };
        // The turn ends with the thread, which goes on for some milliseconds after a client has gone away.
        let mut thread = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            work(limits)
        });
        let joined = match tokio::time::timeout(self.reach.time, &mut thread).await {
            Ok(joined) => joined,
            Err(_) => {
                // What it knows so far comes within milliseconds.
                monitor.cancel();
                thread.await
            }
        };
        waiting.is_over = true;
        let (answer, has_searched) = joined.map_err(|error| Failure::broken(error.to_string()))?;
        let counter = if has_searched { &self.metrics.searches } else { &self.metrics.probes };
        counter.inc();
        Ok(answer?)
    }

    /// Returns what says which limit was reached.
    pub fn explainer(&self) -> impl Fn(AnswerError) -> String + Send + use<> {
        let time = self.reach.time;
        move |error| {
            let within = match error {
                AnswerError::NodeLimit { nodes, .. } => counted(nodes, "node"),
                AnswerError::Cancelled { .. } => counted(time.as_secs(), "second"),
                error => return error.to_string(),
            };
            format!("not decided within {within}, which is what this server allows for a question")
        }
    }
}
