//! [`Server`], the state that all requests share: limits, queues, and the cache of answers.
//!
//! A question that may read files or compute for long first waits for a [`ThreadPermit`]. Then [`Client::run`] runs it on a thread
//! of its own, and cancels it if its client goes away.

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

/// The most requests under way, until their answers are sent: in all, and from one address.
const MAX_REQUESTS: usize = 512;
const MAX_REQUESTS_OF_ADDRESS: usize = 128;

/// The most batches under way, because each keeps its positions in memory: in all, and from one address.
const MAX_BATCHES: usize = 32;
pub const MAX_BATCHES_OF_ADDRESS: usize = 8;

/// An address may have this many single questions waiting for each search that it may run at a time.
const WAITING_PER_SEARCH: usize = 4;

/// How long a single question may wait for a look-up.
const LOOK_UP_PATIENCE: Duration = Duration::from_secs(5);

/// A single question may wait for a search as long as this many searches of full length take, one after another. Every other
/// address may run its share of searches first, by default half of those that run at a time. So a client that asks one question at
/// a time gets its turn even if 60 other addresses always ask for more.
const SEARCHES_BEFORE: u32 = 30;

/// The most answers in the cache. An answer with its moves and lines takes up to 2 KiB, mostly half of that.
const MAX_ANSWERS: usize = 1 << 15;

/// How long the cache keeps an undecided answer.
const UNDECIDED_TIME: Duration = Duration::from_secs(300);

/// The most nodes that a look-up may search for a position if it needs plies that the database does not keep. They take some tenths
/// of a second. Fewer than 1 % of random 7x6 positions before ply 12 need more.
const LOOK_UP_NODES: u64 = 1 << 19;

/// How long the searches of a look-up may take for all positions of a request together.
const LOOK_UP_TIME: Duration = Duration::from_secs(1);

/// The state that all requests share.
pub struct Server {
    pub arguments: Arguments,
    pub origins: Origins,
    pub boards: Boards,
    pub metrics: Metrics,
    pub requests: FairSemaphore,
    pub batches: FairSemaphore,
    look_ups: FairSemaphore,
    /// For work that may wait for slow storage: finding databases and reading their counts.
    storage: FairSemaphore,
    pub searches: FairSemaphore,
    /// Limits the single questions that search or wait for a search.
    search_line: FairSemaphore,
    /// Limits the searches of batches: if several searches run at a time, one stays free for single questions.
    batch_searches: Arc<Semaphore>,
    /// How long a search may take (`--search-seconds`).
    time: Duration,
    answers: Cache<AnalysisRequest, CachedAnswer>,
    /// True once the server stops: searches then end and return what they have found so far.
    pub is_stopping: watch::Sender<bool>,
}

/// A question about a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct AnalysisRequest {
    pub position: Position,
    /// Whether best play is wanted.
    pub with_line: bool,
    /// Whether the reasons of the position and of its moves are wanted.
    pub with_reasons: bool,
    /// Whether only the database may answer.
    pub is_looked_up: bool,
}

impl AnalysisRequest {
    /// Asks for the position and its moves.
    pub fn of(position: Position) -> AnalysisRequest {
        AnalysisRequest { position, with_line: false, with_reasons: false, is_looked_up: false }
    }
}

/// The state of a request that runs on its thread: its limits, and what it has cost so far.
#[derive(Clone)]
pub struct RequestWork {
    pub server: Arc<Server>,
    pub budget: Budget,
    /// Whether the request may search as far as the server allows; if not, it may search only for a short time.
    pub is_search: bool,
}

/// What a thread is for. Each kind has its own limit of threads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ThreadKind {
    /// Finds databases, lists them and reads their counts, which may wait for slow storage.
    Storage,
    /// Looks up in an open database.
    LookUp,
    Search,
}

/// The right to use a thread. Dropping it lets another question have the thread.
pub struct ThreadPermit {
    is_search: bool,
    _permit: Permit,
    _in_line: Option<Permit>,
}

/// When an answer was found, the tag of its database, and the answer.
type CachedAnswer = (Instant, Option<HeaderValue>, Analysis);

/// Cancels the searches of a question when dropped. It is dropped with the handler of the request when the client goes away.
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

    /// Returns an answer from the cache. The answer must be from the current database and, if undecided, less than five minutes
    /// old.
    pub fn cached(&self, source: &BoardSource, request: &AnalysisRequest) -> Option<Analysis> {
        let (_, _, analysis) = self.answers.get(request).filter(|(when, tag, analysis)| {
            *tag == source.tag && (analysis.limit.is_none() || when.elapsed() < UNDECIDED_TIME)
        })?;
        self.metrics.cached.inc();
        Some(analysis)
    }

    /// Returns the JSON of an answer about a position, as `fourbase query --json` prints it. `text` is the position as it was
    /// asked.
    pub fn query_json(&self, analysis: &Analysis, text: &str) -> AnswerJson<AnalysisJson> {
        AnalysisJson::of(analysis, text, analysis.limit.map(|limit| self.limit_text(limit)))
    }

    /// Returns the refusal of a question whose answer is not decided. Its reason is the limit that was reached.
    pub fn undecided(&self, limit: Option<AnalysisError>) -> Failure {
        match limit {
            // A question is cancelled if the server stops or if its client went away, and then nobody reads this.
            Some(AnalysisError::Cancelled { .. }) => Failure::unavailable("this server is stopping"),
            Some(limit) => Failure::unanswerable(self.limit_text(limit)),
            None => Failure::unanswerable("no remoteness of these moves is known"),
        }
    }

    /// Writes which limit was reached.
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
    /// Returns the analysis of a position, from the cache if possible. Searches at most `nodes` nodes, or with `None` as many as
    /// this server allows for a position. All positions of a request share its time.
    ///
    /// Caches a whole answer. Caches an undecided answer only if its search had all the nodes and time that this server allows and
    /// was not cancelled; another request could decide any other. Reasons are not cached: they are added to the answer without them.
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
        if request.with_reasons {
            let request = AnalysisRequest { with_reasons: false, ..request };
            let mut analysis = self.analyse(source, request, nodes, listener)?;
            // Proofs take longer than looking values up.
            if let Some(listener) = listener {
                listener(&analysis);
            }
            analysis.explain();
            return Ok(analysis);
        }
        if let Some(analysis) = self.server.cached(source, &request) {
            return Ok(analysis);
        }
        let RequestWork { server, budget, is_search } = self;
        server.metrics.not_cached.inc();
        let has_all = *is_search && nodes.is_none() && !budget.spent.has_searched();
        let mut own = Budget {
            nodes: [nodes, budget.nodes].into_iter().flatten().min(),
            spent: Cost::default(),
            ..budget.clone()
        };
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

/// Work for a client: waiting for threads, and running work on them.
impl Client {
    /// Waits for the permit to use a thread of the given kind.
    ///
    /// # Errors
    ///
    /// A single question is refused if too many searches of its address wait, or if it has waited too long. A search is refused for
    /// a request with HEAD.
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

    /// Runs `work` on a thread for look-ups, and if its answer is still open, a second time on a thread for searches. If
    /// `may_search`, runs it only on a thread for searches.
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

    /// Runs `work` on a thread of its own and returns its result. The permit's kind sets the limits, those of a look-up or of a
    /// search. Cancels the work when the client goes away or the server stops.
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
        // At the deadline the work ends within milliseconds and returns what it has found.
        let deadline = std::time::Instant::now().checked_add(server.time.min(most_time));
        let budget = Budget { nodes: Some(nodes), deadline, monitor: Some(monitor), spent: Cost::default() };
        let mut own = RequestWork { server: Arc::clone(server), budget, is_search: permit.is_search };
        let mut is_stopping = server.is_stopping.subscribe();
        // The thread owns the permit, because cancelled work goes on for some milliseconds until it notices.
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
            // If storage is too slow to look for a newer database, the one that is open answers.
            Some((source, false)) => match self.thread(ThreadKind::Storage).await {
                Ok(permit) => permit,
                Err(_) => return Ok(source),
            },
            None => self.thread(ThreadKind::Storage).await?,
        };
        self.run(permit, move |work| Ok(work.server.boards.find(board)?)).await
    }

    /// Analyses a position: returns the cached answer, or else waits for a thread and computes it.
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

    /// Tokio's paused clock moves only when all tasks wait: it then jumps to the next timer.
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
        // This host accepts connections and never answers, like very slow storage.
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
