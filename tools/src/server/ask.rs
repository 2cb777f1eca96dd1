//! Asks about a position on a thread of its own, within the limits of the server, for as long as somebody waits.

use std::sync::Arc;
use std::time::Duration;

use fourbase::Position;
use fourbase::search::Monitor;
use fourbase_tiers::answer::{AnswerError, Answerer, Limits, News, Question};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::failure::Failure;
use super::metrics::Metrics;
use crate::cli::query::found::Found;
use crate::number::counted;

/// As many questions may wait for one that is searched.
const WAITING_PER_SEARCH: usize = 4;

/// How long a question that takes no search may wait.
const PATIENCE: Duration = Duration::from_secs(5);

/// How far a search may go.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    pub nodes: u64,
    pub time: Duration,
}

/// Hears what is found out on the way.
pub type Listener = Box<dyn Fn(News) + Send + Sync>;

/// What is asked about a position.
pub struct About {
    pub position: Position,
    /// Whether best play is wanted.
    pub with_line: bool,
    /// Hears what is found on the way.
    pub listen: Option<Listener>,
}

/// Shares out the threads.
pub struct Askers {
    reach: Reach,
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

impl Askers {
    pub fn new(reach: Reach, probes: usize, searches: usize, metrics: Arc<Metrics>) -> Askers {
        let line = Semaphore::new(WAITING_PER_SEARCH * searches);
        let [probes, searches] = [probes, searches].map(|most| Arc::new(Semaphore::new(most)));
        Askers { reach, metrics, probes, searches, line, stopping: watch::Sender::new(false) }
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
        let permit = tokio::time::timeout(self.reach.time, self.searches_in_turn()).await;
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
    pub async fn find(&self, turn: Turn, answerer: &Arc<dyn Answerer>, about: About) -> Result<Found<String>, Failure> {
        let answerer = Arc::clone(answerer);
        let explain = self.explainer();
        self.ask(turn, move |limits| {
            let mut question = Question::new(limits);
            if let Some(listen) = about.listen {
                question = question.with_listener(listen);
            }
            let found = Found::of(&*answerer, &about.position, about.with_line, &mut question);
            (found.map(|found| found.explained(explain)), question.work().has_searched())
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
        answerer: &Arc<dyn Answerer>,
        positions: Vec<Position>,
        with_line: bool,
    ) -> Result<Vec<Result<Found<String>, Failure>>, Failure> {
        let answerer = Arc::clone(answerer);
        let (explain, count) = (self.explainer(), positions.len() as u64);
        let found = self.look(move || {
            let find = |position| {
                let found = Found::of(&*answerer, &position, with_line, &mut Question::default());
                found.map(|found| found.explained(&explain)).map_err(Failure::from)
            };
            positions.into_iter().map(find).collect()
        });
        self.metrics.probes.inc_by(count);
        found.await
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

    /// Does something on a thread of its own, and cancels it when the time is over or nobody waits for it. `work` returns
    /// whether it has searched, too.
    ///
    /// # Errors
    ///
    /// That of `work`.
    pub async fn ask<T: Send + 'static>(
        &self,
        turn: Turn,
        work: impl FnOnce(Limits) -> (Result<T, AnswerError>, bool) + Send + 'static,
    ) -> Result<T, Failure> {
        let monitor = Arc::new(Monitor::default());
        let limits = Limits { nodes: Some(self.reach.nodes), monitor: Some(Arc::clone(&monitor)) };
        let (metrics, is_search) = (Arc::clone(&self.metrics), turn.is_search);
        let mut waiting = Waiting { monitor: Arc::clone(&monitor), metrics, is_search, is_over: false };
        // The turn ends with the thread, which goes on for some milliseconds after a client has gone away.
        let mut thread = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            work(limits)
        });
        let mut stopping = self.stopping.subscribe();
        let stopped = async {
            let _ = stopping.wait_for(|is_stopping| *is_stopping).await;
        };
        let joined = tokio::select! {
            joined = &mut thread => joined,
            () = tokio::time::sleep(self.reach.time) => {
                // What it knows so far comes within milliseconds.
                monitor.cancel();
                thread.await
            }
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
