//! The engine of one board: it keeps the table from one question to the next, and finds scores by null-window searches.

use super::budget::{Limit, ThreadNodes};
use super::grid::{ANY_HEIGHT, Grid, State};
use super::moves::{CellMerits, cell_merits};
use super::score::{Scale, Score, next_beta};
use super::table::Table;
use super::word::Word;
use super::worker::Worker;
use super::{Oracle, SearchError, SearchOptions};
use crate::{Board, Position};

/// The number of nodes after which a question gets more threads: some 50 milliseconds of search.
const NODES_BEFORE_THREADS: u64 = 1 << 19;

/// Finds scores on one board. Hides the word size and the height of the grid from callers.
pub(super) trait Engine: Send {
    /// Returns the score of `position` if the score is in `range`, else the nearer end of the range or a number beyond
    /// that end. The position must be of the engine's board and not finished. Adds the visited nodes to
    /// [`Engine::nodes`]; the node limit applies to this call alone. Trusts the oracle, if there is one.
    fn score(
        &mut self,
        position: &Position,
        range: (Score, Score),
        oracle: Option<&dyn Oracle>,
        options: &SearchOptions,
    ) -> Result<Score, SearchError>;

    /// Returns how many nodes all calls of [`Engine::score`] have visited.
    fn nodes(&self) -> u64;
}

/// Returns the fastest engine for `board`.
pub(super) fn engine(board: Board, options: &SearchOptions) -> Box<dyn Engine> {
    /// Makes a [`GridEngine`] with these parameters.
    macro_rules! engine {
        ($word:ty, $height:expr, $columns:expr) => {
            Box::new(GridEngine::<$word, $height, $columns>::new(board, options))
        };
    }
    let fits_64_bits = board.width() * (board.height() + 1) <= 64;
    match (fits_64_bits, board.width(), board.height()) {
        (true, ..=8, 4) if board.connect() == 4 => engine!(u64, 4, 8),
        (true, ..=8, 5) if board.connect() == 4 => engine!(u64, 5, 8),
        (true, ..=8, 6) if board.connect() == 4 => engine!(u64, 6, 8),
        (true, ..=8, 7) if board.connect() == 4 => engine!(u64, 7, 8),
        (true, ..=8, _) => engine!(u64, ANY_HEIGHT, 8),
        (true, ..=16, _) => engine!(u64, ANY_HEIGHT, 16),
        (true, ..) => engine!(u64, ANY_HEIGHT, 32),
        (false, ..=16, _) => engine!(u128, ANY_HEIGHT, 16),
        (false, ..) => engine!(u128, ANY_HEIGHT, 32),
    }
}

struct GridEngine<W, const HEIGHT: u32, const COLUMNS: usize> {
    grid: Grid<W, HEIGHT, COLUMNS>,
    scale: Scale,
    is_misere: bool,
    table: Table,
    /// The merits of the cells, for each thread.
    merits: Vec<CellMerits>,
    /// How many nodes all questions have visited; this number decides when the table grows.
    nodes: u64,
}

/// A question: a position, and how to search it.
struct Asked<'a, W> {
    state: State<W>,
    fold: bool,
    oracle: Option<(Board, &'a dyn Oracle)>,
    options: &'a SearchOptions,
    /// The nodes that earlier questions have visited.
    nodes_before: u64,
}

impl<W: Word, const HEIGHT: u32, const COLUMNS: usize> GridEngine<W, HEIGHT, COLUMNS> {
    fn new(board: Board, options: &SearchOptions) -> Self {
        let grid = Grid::new(board);
        GridEngine {
            scale: Scale::new(board),
            is_misere: board.is_misere(),
            table: Table::new(grid.key_bits(), options.table_bytes),
            merits: (0..options.threads.max(1)).map(|thread| cell_merits(&grid, thread)).collect(),
            nodes: 0,
            grid,
        }
    }

    /// Decides whether the score of a position is at least `beta`, and returns a bound like [`Worker::search`]. The
    /// search stops when the table should grow or when more threads should help. It then starts again and reuses what
    /// it has stored in the table.
    fn test(&mut self, asked: &Asked<'_, W>, beta: Score) -> Result<Score, SearchError> {
        let limit = asked.options.node_limit.unwrap_or(u64::MAX);
        loop {
            let nodes = self.nodes - asked.nodes_before;
            let has_threads = self.merits.len() > 1 && nodes >= NODES_BEFORE_THREADS;
            let threads = if has_threads { self.merits.len() } else { 1 };
            let mut allowed = limit.saturating_sub(nodes);
            if self.table.can_grow() {
                allowed = allowed.min(self.until_growth().max(1));
            }
            if self.merits.len() > threads {
                allowed = allowed.min(NODES_BEFORE_THREADS - nodes);
            }
            let test = Limit::new(allowed, asked.options, asked.oracle.map(|(_, oracle)| oracle));
            let (score, visited) = self.test_within(asked, beta, &test, threads);
            self.nodes += visited;
            let nodes = nodes + visited;
            if let Some(score) = score {
                return Ok(score);
            }
            if test.is_cancelled() {
                return Err(SearchError::Cancelled { nodes });
            }
            if nodes >= limit {
                return Err(SearchError::NodeLimit { nodes });
            }
            if self.table.can_grow() && self.until_growth() == 0 {
                self.table.grow::<W>();
            }
        }
    }

    /// Returns how many more nodes may be visited before the table should grow: once the engine has visited as many
    /// nodes as the table has entries. (Growing at half as many nodes is 5 % slower on Test_L2_R2, because the table
    /// then outgrows the processor's cache sooner.)
    fn until_growth(&self) -> u64 {
        (self.table.capacity() as u64).saturating_sub(self.nodes)
    }

    /// Searches with `threads` threads within `limit`. Returns the first answer that a thread finds, and the number of
    /// nodes that all threads have visited.
    fn test_within(&self, asked: &Asked<'_, W>, beta: Score, limit: &Limit, threads: usize) -> (Option<Score>, u64) {
        let search = |merits: &CellMerits| {
            let mut worker = Worker {
                grid: &self.grid,
                scale: self.scale,
                table: &self.table,
                merits,
                nodes: ThreadNodes::new(limit),
                fold: asked.fold,
                oracle: asked.oracle,
            };
            let state = &asked.state;
            let score = if self.is_misere { worker.search_misere(state, beta) } else { worker.search(state, beta) };
            if score.is_some() {
                limit.finish();
            }
            worker.nodes.report();
            (score, worker.nodes.visited)
        };
        let (own, helping) = self.merits.split_first().map_or((None, &[][..]), |(own, rest)| (Some(own), rest));
        let helping = &helping[..(threads - 1).min(helping.len())];
        let Some(own) = own else { return (None, 0) };
        if helping.is_empty() {
            return search(own);
        }
        std::thread::scope(|scope| {
            let search = &search;
            // If a thread can't be started, the search runs without it.
            let spawn = |merits| std::thread::Builder::new().spawn_scoped(scope, move || search(merits)).ok();
            let helpers = helping.iter().filter_map(spawn).collect::<Vec<_>>();
            let (mut score, mut visited) = search(own);
            for (other_score, other_visited) in helpers.into_iter().filter_map(|helper| helper.join().ok()) {
                score = score.or(other_score);
                visited += other_visited;
            }
            (score, visited)
        })
    }
}

impl<W: Word, const HEIGHT: u32, const COLUMNS: usize> Engine for GridEngine<W, HEIGHT, COLUMNS> {
    fn score(
        &mut self,
        position: &Position,
        (low, high): (Score, Score),
        oracle: Option<&dyn Oracle>,
        options: &SearchOptions,
    ) -> Result<Score, SearchError> {
        let (mine, all) = self.grid.pieces(position);
        let state = State::new(&self.grid, mine, all);
        if !self.grid.has_lines() {
            return Ok(0);
        }
        if !self.is_misere && state.playable(&self.grid) & state.my_spots != W::ZERO {
            return Ok(self.scale.win_on(state.ply + 1));
        }
        let asked = Asked {
            state,
            fold: self.grid.mirror(all ^ mine) & mine == W::ZERO,
            oracle: oracle.map(|oracle| (position.board(), oracle)),
            options,
            nodes_before: self.nodes,
        };
        let (mut low, mut high) =
            (low.max(-self.scale.win_on(state.ply + 1)), high.min(self.scale.win_on(state.ply + 2)));
        let mut score = low;
        while low < high {
            let beta = next_beta(low, high);
            score = self.test(&asked, beta)?;
            if score >= beta { low = score } else { high = score }
        }
        Ok(score)
    }

    fn nodes(&self) -> u64 {
        self.nodes
    }
}
