//! The boards that the server can answer for. Databases may appear and disappear while the server runs; boards without a database
//! are searched. `GET api/v1/boards` lists the boards with a database. `GET api/v1/stats` returns how many positions of a board are
//! won, tied and lost, if `fourbase stats` has counted them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Extension;
use axum::http::HeaderValue;
use axum::response::Response;
use fourbase::Board;
use fourbase::analysis::json::Envelope;
use fourbase::analysis::{Analysis, Analyst, Budget, Listener, SearchPool};
use fourbase::search::SearchOptions;
use fourbase_tiers::counts::{Stats, read_kept};
use fourbase_tiers::database::{self, BoardJson, Database, DatabaseError, Listing, Misplaced, When, choose};
use fourbase_tiers::files::is_address;
use fourbase_tiers::format::Manifest;
use fourbase_tiers::kernel::Values;
use quick_cache::sync::Cache;
use serde::{Deserialize, Serialize};

use super::failure::Failure;
use super::request::{Client, Fields};
use super::response::{REVALIDATE, json_response, tag};
use super::service::{AnalysisRequest, ThreadKind};
use crate::arguments::CacheArgument;
use crate::remedy;

/// How long the server uses the database that it found for a board before it looks for a better one: in a folder, and at a web
/// address, where looking takes longer.
const BELIEVED: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(60)];

/// The most boards that are open at a time; the limit exists because an open database keeps tables in memory.
const MAX_OPEN: usize = 16;

/// The size of the transposition table of one search, in bytes.
const TABLE_BYTES: usize = 32 << 20;

/// Finds what answers for a board.
pub struct Boards {
    /// The folder with the databases, or its address.
    pub root: PathBuf,
    /// A cache that all databases share for their blocks.
    cache: database::Cache,
    /// The open boards: when each was found, and what answers for it.
    open: Cache<Board, (Instant, Arc<BoardSource>)>,
    /// Idle searches and their tables, for use by any board.
    pool: Arc<SearchPool>,
}

/// What answers for a board.
pub struct BoardSource {
    /// Call [`BoardSource::analyse`] instead of this analyst for clients: answers of the analyst name the database's folder.
    pub analyst: Analyst<Database>,
    /// The ETag of answers from the database; `None` if the board has none, or one that is being solved.
    pub tag: Option<HeaderValue>,
}

impl BoardSource {
    /// Analyses a position as far as the budget allows, without reasons.
    ///
    /// # Errors
    ///
    /// A database that cannot be read.
    pub fn analyse(
        &self,
        request: &AnalysisRequest,
        budget: &mut Budget,
        listener: Listener,
    ) -> Result<Analysis, DatabaseError> {
        let AnalysisRequest { position, with_line, is_looked_up, .. } = request;
        let mut analysis = if *is_looked_up {
            let databases = Analyst::new(self.analyst.board, &self.analyst.databases, None);
            databases.analyse(position, *with_line, budget, listener)?
        } else {
            self.analyst.analyse(position, *with_line, budget, listener)?
        };
        // Clients must not learn the folders of the server.
        analysis.database.folder = None;
        Ok(analysis)
    }

    /// Returns the database that is asked first; `None` if the board has none and all positions are searched.
    pub fn database(&self) -> Option<&Database> {
        self.analyst.databases.first()
    }

    /// Tells whether the answer may take a search, or proofs, which take as long as a short one.
    pub fn may_search(&self, request: &AnalysisRequest) -> bool {
        request.with_reasons
            || !request.is_looked_up && (self.analyst.may_search() || self.searched_from(request).is_some())
    }

    /// Returns the ply from which on the database searches, because none stores the remoteness; `None` if the answer needs no such
    /// search.
    pub fn searched_from(&self, request: &AnalysisRequest) -> Option<u32> {
        // Only the first database searches, and one of all plies never does.
        self.database()?.manifest.keep_plies?;
        let has_remoteness = |database: &&Database| database.is_complete() && database.values() == Values::Remoteness;
        let kept =
            self.analyst.databases.iter().filter(has_remoteness).filter_map(|database| database.manifest.keep_plies);
        let most = kept.max().unwrap_or_default();
        (request.with_line || request.position.ply() >= most as usize).then_some(most)
    }
}

impl Boards {
    /// Looks for databases in the folder or at the address `root`. Keeps the tables of at most `searches` idle searches, which is
    /// how many searches run at a time.
    pub fn new(root: PathBuf, cache: CacheArgument, searches: usize) -> Boards {
        let pool = SearchPool::new(SearchOptions { table_bytes: TABLE_BYTES, ..SearchOptions::default() });
        let cache = database::Cache::new(cache.bytes());
        Boards { root, cache, open: Cache::new(MAX_OPEN), pool: Arc::new(pool.keep_idle(searches)) }
    }

    /// Finds what answers for a board: a complete database, or the embedded one, or a search. This may read files.
    ///
    /// # Errors
    ///
    /// A database that cannot be read.
    pub fn find(&self, board: Board) -> Result<Arc<BoardSource>, DatabaseError> {
        let open = self.open.get(&board).map(|(_, source)| source);
        let found = self.look(board)?;
        let manifests = |source: &BoardSource| {
            source.analyst.databases.iter().map(|database| database.manifest.clone()).collect::<Vec<_>>()
        };
        // If the databases are still the same, keep the open ones: their cache is filled.
        let open = open.filter(|open| manifests(open) == manifests(&found));
        let source = open.unwrap_or_else(|| Arc::new(found));
        self.open.insert(board, (Instant::now(), Arc::clone(&source)));
        Ok(source)
    }

    /// Returns what answered for a board last, and whether it is recent enough to use. If it is not, the caller has to call
    /// [`Boards::find`]; other requests use the old source meanwhile.
    pub fn at_hand(&self, board: Board) -> Option<(Arc<BoardSource>, bool)> {
        let (when, source) = self.open.get(&board)?;
        let is_new = when.elapsed() < BELIEVED[usize::from(is_address(&self.root))];
        if !is_new {
            self.open.insert(board, (Instant::now(), Arc::clone(&source)));
        }
        Some((source, is_new))
    }

    fn look(&self, board: Board) -> Result<BoardSource, DatabaseError> {
        let find = || {
            let found = Database::find_all(&self.root, board).or_else(|error| match error {
                // `root` is a host that has no database of this board. That is no mistake of a client, so use the embedded database
                // or report that the board has none.
                DatabaseError::Misplaced { found: Misplaced::Elsewhere, root, .. } => {
                    let embedded = Database::embedded(board)?.ok_or(DatabaseError::Missing { board, root })?;
                    Ok(vec![embedded])
                }
                error => Err(error),
            });
            Ok(found?.into_iter().map(|database| database.with_cache(&self.cache)).collect())
        };
        let analyst = choose(board, When::Auto, find, || Arc::clone(&self.pool))?;
        // A database that is being solved has no hash, and answers change while it grows.
        let hashes = analyst.databases.iter().map(|database| Some(database.manifest.hash?.to_string()));
        let hashes = hashes.collect::<Option<Vec<_>>>().filter(|hashes| !hashes.is_empty());
        Ok(BoardSource { analyst, tag: hashes.and_then(|hashes| tag(&hashes.join("-"))) })
    }

    /// Lists the boards that have a database, smallest first.
    ///
    /// # Errors
    ///
    /// A folder that cannot be read.
    fn list(&self) -> Result<BoardList, DatabaseError> {
        let mut boards = BoardList::new();
        let mut add = |board: Board, manifest: &Manifest, embedded| {
            let key = (board.cells(), board.width(), board.to_string());
            boards.insert(key, BoardJson::of(board, manifest, embedded));
        };
        for board in Database::embedded_boards() {
            if let Some(database) = Database::embedded(board)? {
                add(board, &database.manifest, true);
            }
        }
        if is_address(&self.root) {
            // A web host does not list its folders, so list only the boards that clients have asked for.
            for (board, (_, source)) in self.open.iter() {
                if let Some(database) = source.database().filter(|database| database.is_complete()) {
                    add(board, &database.manifest, database.is_embedded);
                }
            }
            return Ok(boards);
        }
        let Listing { mut databases, faults, .. } = database::list(&self.root)?;
        // A board may have two databases. The one with remoteness comes last, so it replaces the other in the list.
        databases.sort_by_key(|(_, manifest)| manifest.values == Values::Remoteness);
        for (board, manifest) in databases.iter().filter(|(_, manifest)| manifest.is_complete()) {
            add(*board, manifest, false);
        }
        for fault in faults {
            // The texts name folders of the server, so they go only into its log.
            tracing::warn!("{}", remedy::describe(&fault));
        }
        Ok(boards)
    }
}

/// A list of boards, sorted by their number of cells, width and name.
type BoardList = BTreeMap<(usize, usize, String), BoardJson>;

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Listed {
    boards: Vec<BoardJson>,
}

/// Answers `GET api/v1/boards`.
pub async fn boards(Extension(client): Extension<Client>) -> Result<Response, Failure> {
    let boards = listed(&client).await?.into_values().collect();
    json_response(&Envelope::new("boards", Listed { boards }), REVALIDATE)
}

/// Lists the boards that have a database.
///
/// # Errors
///
/// A folder that cannot be read; too many look-ups.
pub async fn listed(client: &Client) -> Result<BoardList, Failure> {
    client.run(client.thread(ThreadKind::Storage).await?, |work| Ok(work.server.boards.list()?)).await
}

/// Which board.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BoardQuery {
    /// Columns x rows, then cN for lines of N instead of 4, then m for misère.
    pub board: String,
}

/// Answers `GET api/v1/stats`.
pub async fn stats(
    Extension(client): Extension<Client>,
    Fields(query): Fields<BoardQuery>,
) -> Result<Response, Failure> {
    let board: Board = query.board.parse()?;
    let source = client.find(board).await?;
    let stats = client.run(client.thread(ThreadKind::Storage).await?, move |_| {
        let Some(database) = source.database().filter(|database| !database.is_embedded) else { return Ok(None) };
        let counts = read_kept(database.storage(), database.folder(), board, &database.manifest);
        let counts = counts.map_err(|error| Failure::broken(&error))?;
        let stats = |counts| Stats::of(&counts, Some((database.folder(), &database.manifest)));
        Ok(counts.map(|counts| Stats { folder: None, ..stats(counts) }))
    });
    let stats = stats.await?.ok_or_else(|| {
        Failure::missing(format!(
            "the positions of {board} are not counted on this server; count them with: fourbase solve \
             {board} --stats, or if the board is solved: fourbase stats {board}"
        ))
    })?;
    json_response(&Envelope::new("stats", stats), REVALIDATE)
}
