//! The server that all requests share: limits, who waits for whom, and answers about positions.
//!
//! Every question that may read files or compute for long waits for a [`ThreadPermit`] and then [runs](Client::run) on a thread of
//! its own, for as long as its client waits.

use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use fourbase::analysis::json::{AnalysisJson, AnswerJson};
use fourbase::analysis::{Analysis, AnalysisError, Budget, Cost, Listener};
use fourbase::search::Monitor;
use fourbase::{Board, Position};
use fourbase_tiers::database::DatabaseError;
use fourbase_tiers::files::counted;
use quick_cache::sync::Cache;
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, timeout};

use super::boards::{BoardSource, Boards};
use super::failure::{Failure, TOO_MANY_REQUESTS};
use super::fair_semaphore::{FairSemaphore, Permit};
use super::metrics::Metrics;
use super::origins::Origins;
use super::request::Client;
use super::{Arguments, look_ups};

/// The most requests that are being answered, to the end of their bodies; and of an address.
const MAX_REQUESTS: usize = 512;
const MAX_REQUESTS_OF_ADDRESS: usize = 128;

/// The most batches among them, because each holds its positions; and of an address.
const MAX_BATCHES: usize = 32;
pub const MAX_BATCHES_OF_ADDRESS: usize = 8;

/// For each search of its share, an address may have this many single questions waiting.
const WAITING_PER_SEARCH: usize = 4;

/// How long a single question may wait for a look-up.
const LOOK_UP_PATIENCE: Duration = Duration::from_secs(5);

/// How many searches of full length, one after another, it may wait for. Every other address may have its share first, by default
/// half of the searches that run at a time. So this suffices for 60 other addresses that always ask for more, if its own address asks
/// one question at a time.
const SEARCHES_BEFORE: u32 = 30;

/// The most answers that are kept: 2 KiB each with their moves and lines, mostly half of that.
const MAX_ANSWERS: usize = 1 << 15;

/// How long an undecided answer is kept.
const UNDECIDED_TIME: Duration = Duration::from_secs(300);

/// How many nodes a look-up may search for a position where the database does not keep a ply that it needs: some tenths of a
/// second. Of random positions of 7x6 before ply 12 fewer than 1 % need more.
const LOOK_UP_NODES: u64 = 1 << 19;

/// How long these searches may take for all positions of a request.
const LOOK_UP_TIME: Duration = Duration::from_secs(1);

/// What all requests share.
pub struct Server {
    pub arguments: Arguments,
    pub origins: Origins,
    pub boards: Boards,
    pub metrics: Metrics,
    pub requests: FairSemaphore,
    pub batches: FairSemaphore,
    look_ups: FairSemaphore,
    /// For work that may wait for slow storage before anything can be looked up.
    storage: FairSemaphore,
    pub searches: FairSemaphore,
    /// For single questions that search or wait for a search.
    search_line: FairSemaphore,
    /// For searches of batches, which leave one to single questions if there are several.
    batch_searches: Arc<Semaphore>,
    /// How long a search may take.
    time: Duration,
    answers: Cache<AnalysisRequest, CachedAnswer>,
    /// Whether searches end and answer what they know by then.
    pub is_stopping: watch::Sender<bool>,
}

/// What is asked about a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct AnalysisRequest {
    pub position: Position,
    /// Whether best play is wanted.
    pub with_line: bool,
    /// Whether only the database may answer.
    pub is_looked_up: bool,
}

impl AnalysisRequest {
    /// Asks for the position and its moves.
    pub fn of(position: Position) -> AnalysisRequest {
        AnalysisRequest { position, with_line: false, is_looked_up: false }
    }
}

/// What a request does on its thread: within which limits, and what that has cost so far.
#[derive(Clone)]
pub struct RequestWork {
    pub server: Arc<Server>,
    pub budget: Budget,
    /// Whether it may search as far as the server allows, or only for a short time.
    pub is_search: bool,
}

/// What a thread is for. Each kind has threads of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ThreadKind {
    /// Finds databases, lists them and reads their counts, which may wait for slow storage.
    Storage,
    /// Looks up in an open database.
    LookUp,
    Search,
}

/// The right to use a thread. Dropped, another question may use it.
pub struct ThreadPermit {
    is_search: bool,
    _permit: Permit,
    _in_line: Option<Permit>,
}

/// An answer, when it was found, and the tag of its database.
type CachedAnswer = (Instant, Option<HeaderValue>, Analysis);

/// Ends the searches of a question whose client has gone away.
struct CancelOnDrop(Arc<Monitor>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Server {
    pub fn new(arguments: &Arguments) -> Arc<Server> {
        let searches = arguments.searches();
        let share = arguments.searches_per_client.map_or_else(|| searches.div_ceil(2), usize::from);
        Arc::new(Server {
            arguments: arguments.clone(),
            origins: Origins(arguments.allow_origin.clone()),
            boards: Boards::new(arguments.database.root.clone(), arguments.cache, searches),
            metrics: Metrics::new(),
            requests: FairSemaphore::new(MAX_REQUESTS, MAX_REQUESTS_OF_ADDRESS),
            batches: FairSemaphore::new(MAX_BATCHES, MAX_BATCHES_OF_ADDRESS),
            look_ups: FairSemaphore::new(look_ups(), look_ups() / 4),
            storage: FairSemaphore::new(look_ups(), look_ups() / 4),
            searches: FairSemaphore::new(searches, share),
            search_line: FairSemaphore::new(MAX_REQUESTS, share * (1 + WAITING_PER_SEARCH)),
            batch_searches: Arc::new(Semaphore::new((searches - 1).max(1))),
            time: Duration::from_secs(arguments.search_seconds.into()),
            answers: Cache::new(MAX_ANSWERS),
            is_stopping: watch::Sender::new(false),
        })
    }

    /// Returns an answer that is still at hand.
    pub fn cached(&self, source: &BoardSource, request: &AnalysisRequest) -> Option<Analysis> {
        let (_, _, analysis) = self.answers.get(request).filter(|(when, tag, analysis)| {
            *tag == source.tag && (analysis.limit.is_none() || when.elapsed() < UNDECIDED_TIME)
        })?;
        self.metrics.cached.inc();
        Some(analysis)
    }

    /// Writes an answer about a position as `fourbase query --json` does. `text` is what was asked.
    pub fn query_json(&self, analysis: &Analysis, text: &str) -> AnswerJson<AnalysisJson> {
        AnalysisJson::of(analysis, text, analysis.limit.map(|limit| self.limit_text(limit)))
    }

    /// Refuses a question whose answer is not decided, by the limit that was reached.
    pub fn undecided(&self, limit: Option<AnalysisError>) -> Failure {
        match limit {
            // Those whose client went away are answered to nobody.
            Some(AnalysisError::Cancelled { .. }) => Failure::unavailable("this server is stopping"),
            Some(limit) => Failure::unanswerable(self.limit_text(limit)),
            None => Failure::unanswerable("no remoteness of these moves is known"),
        }
    }

    /// Says which limit was reached.
    fn limit_text(&self, limit: AnalysisError) -> String {
        let within = match limit {
            AnalysisError::NodeLimit { nodes, .. } => counted(nodes, "node"),
            error if error.is_limit() => counted(self.time.as_secs(), "second"),
            error => return error.to_string(),
        };
        format!("not decided within {within}, which is what this server allows for a question")
    }
}

impl RequestWork {
    /// Analyses a position, unless the answer is cached: with at most `nodes`, or with all that this server allows for a position
    /// (`None`). All positions of a request share its time. Keeps an answer if it is whole, or if another request would find no
    /// more: what was cancelled, had a quick look, or had only a part of the time may be decided next time.
    ///
    /// # Errors
    ///
    /// A database that cannot be read.
    pub fn analyse(
        &mut self,
        source: &BoardSource,
        request: AnalysisRequest,
        nodes: Option<u64>,
        listener: Listener,
    ) -> Result<Analysis, DatabaseError> {
        let RequestWork { server, budget, is_search } = self;
        if let Some(analysis) = server.cached(source, &request) {
            return Ok(analysis);
        }
        server.metrics.not_cached.inc();
        let has_all = *is_search && nodes.is_none() && !budget.spent.has_searched();
        let mut own = Budget { nodes: nodes.or(budget.nodes), spent: Cost::default(), ..budget.clone() };
        let analysis = source.analyse(&request, &mut own, listener);
        budget.spent += own.spent;
        let analysis = analysis?;
        let is_cancelled = matches!(analysis.limit, Some(AnalysisError::Cancelled { .. }));
        if analysis.limit.is_none() || has_all && !is_cancelled {
            server.answers.insert(request, (Instant::now(), source.tag.clone(), analysis.clone()));
        }
        Ok(analysis)
    }
}

/// What a client may have done for it.
impl Client {
    /// Waits for a thread.
    ///
    /// # Errors
    ///
    /// For single questions: too many of the address wait, or this one waited too long. A search, if only the head is asked for.
    pub async fn thread(&self, kind: ThreadKind) -> Result<ThreadPermit, Failure> {
        let Server { searches, look_ups, storage, search_line, batch_searches, .. } = &*self.server;
        let (semaphore, patience) = match kind {
            ThreadKind::Storage => (storage, LOOK_UP_PATIENCE),
            ThreadKind::LookUp => (look_ups, LOOK_UP_PATIENCE),
            ThreadKind::Search => (searches, self.server.time * SEARCHES_BEFORE),
        };
        let is_search = kind == ThreadKind::Search;
        if is_search && self.is_head {
            let reason = "a request with HEAD does not search; ask with GET";
            return Err(Failure::new(StatusCode::METHOD_NOT_ALLOWED, reason)
                .with(header::ALLOW, HeaderValue::from_static("GET")));
        }
        let in_line = (is_search && !self.is_batch).then(|| search_line.try_acquire(self.address)).transpose();
        let in_line = in_line.map_err(|limit| Failure::limited(limit, "too many searches of your address wait"))?;
        let batch = Some(batch_searches).filter(|_| is_search && self.is_batch);
        // A batch has its own time limit.
        let patience = if self.is_batch { Duration::MAX } else { patience };
        let taken = if is_search { "all searches of this server are taken" } else { TOO_MANY_REQUESTS };
        let permit = timeout(patience, semaphore.acquire(self.address, batch)).await;
        let permit = permit.map_err(|_| Failure::unavailable(taken))?;
        Ok(ThreadPermit { is_search, _permit: permit, _in_line: in_line })
    }

    /// Runs `work` on a thread for look-ups, and if its answer is open then, again on a thread for searches. Runs it there alone if
    /// it `may_search`.
    ///
    /// # Errors
    ///
    /// Those of [`Client::thread`] and of `work`.
    pub async fn ask<T: Send + 'static>(
        &self,
        may_search: bool,
        is_open: impl Fn(&T) -> bool,
        work: impl FnOnce(&mut RequestWork) -> Result<T, Failure> + Clone + Send + 'static,
    ) -> Result<T, Failure> {
        if !may_search {
            let answer = self.run(self.thread(ThreadKind::LookUp).await?, work.clone()).await?;
            if !is_open(&answer) {
                return Ok(answer);
            }
        }
        self.run(self.thread(ThreadKind::Search).await?, work).await
    }

    /// Runs `work` on a thread of its own, within the limits of a look-up or of a search, and returns what it returns. Its budget is
    /// cancelled when the client goes away or the server stops.
    ///
    /// # Errors
    ///
    /// The error of `work`, or the thread failed.
    pub async fn run<T: Send + 'static>(
        &self,
        permit: ThreadPermit,
        work: impl FnOnce(&mut RequestWork) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let server = &self.server;
        let monitor = Arc::new(Monitor::default());
        let cancel = CancelOnDrop(Arc::clone(&monitor));
        let (most_nodes, most_time) =
            if permit.is_search { (u64::MAX, Duration::MAX) } else { (LOOK_UP_NODES, LOOK_UP_TIME) };
        let nodes = server.arguments.search_nodes.min(most_nodes);
        // What it knows by then comes within milliseconds.
        let deadline = std::time::Instant::now().checked_add(server.time.min(most_time));
        let budget = Budget { nodes: Some(nodes), deadline, monitor: Some(monitor), spent: Cost::default() };
        let mut own = RequestWork { server: Arc::clone(server), budget, is_search: permit.is_search };
        let mut is_stopping = server.is_stopping.subscribe();
        // The permit ends with the thread, which takes some milliseconds to notice that it is cancelled.
        let mut thread = tokio::task::spawn_blocking(move || {
            let answer = work(&mut own);
            own.server.metrics.count(&own.budget, own.is_search);
            drop(permit);
            answer
        });
        let stopped = async { drop(is_stopping.wait_for(|is_stopping| *is_stopping).await) };
        let joined = tokio::select! {
            joined = &mut thread => joined,
            () = stopped => {
                drop(cancel);
                thread.await
            }
        };
        joined.map_err(|error| Failure::broken(&error))?
    }

    /// Finds what answers for a board.
    ///
    /// # Errors
    ///
    /// A database that cannot be read; too many requests that wait for storage.
    pub async fn find(&self, board: Board) -> Result<Arc<BoardSource>, Failure> {
        let permit = match self.server.boards.at_hand(board) {
            Some((source, true)) => return Ok(source),
            // If storage is too slow to look again, what was open answers.
            Some((source, false)) => match self.thread(ThreadKind::Storage).await {
                Ok(permit) => permit,
                Err(_) => return Ok(source),
            },
            None => self.thread(ThreadKind::Storage).await?,
        };
        self.run(permit, move |work| Ok(work.server.boards.find(board)?)).await
    }

    /// Answers about a position: from the cache, or else when a thread is free.
    ///
    /// # Errors
    ///
    /// A database that cannot be read; too many questions.
    pub async fn answer(&self, source: &Arc<BoardSource>, request: AnalysisRequest) -> Result<Analysis, Failure> {
        if let Some(analysis) = self.server.cached(source, &request) {
            return Ok(analysis);
        }
        let (may_search, source) = (source.may_search(&request), Arc::clone(source));
        let is_open = |analysis: &Analysis| analysis.limit.is_some();
        self.ask(may_search, is_open, move |work| Ok(work.analyse(&source, request, None, None)?)).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use axum::extract::Request;
    use axum::response::IntoResponse;

    use super::*;
    use crate::server::routes::tests::server_over;

    #[tokio::test]
    async fn what_a_look_up_leaves_open_is_asked_again_as_a_search() {
        let server = server_over("db", &[]);
        let client = Client::of(&server, &Request::default());
        let (look_up, search) = ((false, Some(LOOK_UP_NODES)), (true, Some(20_000_000)));
        for (may_search, is_open, expected) in
            [(false, false, vec![look_up]), (false, true, vec![look_up, search]), (true, true, vec![search])]
        {
            let runs = Arc::new(Mutex::new(Vec::new()));
            let seen = Arc::clone(&runs);
            let work = move |work: &mut RequestWork| {
                seen.lock().unwrap().push((work.is_search, work.budget.nodes));
                Ok(())
            };
            client.ask(may_search, |()| is_open, work).await.ok().unwrap();
            assert_eq!(*runs.lock().unwrap(), expected);
        }
    }

    /// The clock of tokio stands still while anything happens, and then jumps to the next limit.
    #[tokio::test(start_paused = true)]
    async fn a_search_may_wait_as_long_as_thirty_others_take() {
        for (options, seconds) in [(&["--searches", "1"][..], 300), (&["--searches", "1", "--search-seconds", "2"], 60)]
        {
            let server = server_over("db", options);
            let client = |last| Client { address: [1, 1, 1, last].into(), ..Client::of(&server, &Request::default()) };
            let _running = client(1).thread(ThreadKind::Search).await.ok().unwrap();
            let begin = Instant::now();
            let failure = client(2).thread(ThreadKind::Search).await.err().unwrap();
            assert_eq!(failure.into_response().status(), StatusCode::SERVICE_UNAVAILABLE);
            assert_eq!(begin.elapsed().as_secs(), seconds);
        }
    }

    #[tokio::test]
    async fn slow_storage_takes_no_threads_of_look_ups_and_of_an_address_its_share() {
        // This host takes connections and never answers.
        let host = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = server_over(&format!("http://{}", host.local_addr().unwrap()), &[]);
        let client = |last| Client { address: [1, 1, 1, last].into(), ..Client::of(&server, &Request::default()) };
        for address in 1..6_u8 {
            for width in 2..10 {
                let (greedy, board) = (client(address), format!("{width}x{address}").parse().unwrap());
                tokio::spawn(async move { greedy.find(board).await.is_ok() });
            }
            let all = usize::from(address) * 8;
            while server.storage.taken() + server.storage.waiting() < all {
                tokio::task::yield_now().await;
            }
            let of_each = (look_ups() / 4).min(8);
            assert_eq!(server.storage.taken(), (usize::from(address) * of_each).min(look_ups()));
            assert!(client(6).thread(ThreadKind::LookUp).await.is_ok());
        }
    }
}
