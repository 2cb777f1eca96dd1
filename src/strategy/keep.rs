//! Measures how well a rule plays by comparing it with exact values that the caller supplies.

use super::counts::result;
use super::memo::Map;
use super::rule::answer;
use super::{Check, CheckError, Rule};
use crate::{MAX_COLUMNS, Player, Position, Value};

/// The most bytes of memory that a position and its value take.
const MET_BYTES: u64 = 200;

/// The number of positions in which a rule keeps the value of the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KeptCounts {
    /// Positions in which the game is not over and the rule is asked for a move.
    pub strategy_to_move: u64,
    /// How many of these have a reply worth as much as the best move, whatever the opponent's last move was.
    pub kept: u64,
    /// All positions that are met, finished ones included.
    pub all: u64,
    /// Positions from which the rule, followed to the end, is sure to get the value against every reply. No rule is
    /// sure to get more.
    pub secured: u64,
}

impl Check {
    /// Compares the checked rule with known values. Passes each position that the check has met to `values` once, many
    /// positions in one call. `values` must return the values of these positions in the same order, each for the player
    /// to move.
    ///
    /// Visits all positions of the check again, and keeps them in memory.
    ///
    /// # Errors
    ///
    /// Any error of `values`, and [`CheckError::Memory`] if all positions together need more than `memory_bytes`.
    ///
    /// ```
    /// use fourbase::search::{Search, SearchOptions};
    /// use fourbase::strategy::{Centre, CheckError, check};
    /// use fourbase::{Board, Player};
    ///
    /// let board: Board = "4x3".parse()?;
    /// let mut search = Search::new(board, SearchOptions::default());
    /// let mut values = |position: &_| search.value(position).expect("no limit was set");
    /// let kept = check(&Centre, board, Player::First, 1 << 30)?.keep(&Centre, 1 << 30, |positions| {
    ///     Ok::<_, CheckError>(positions.iter().map(&mut values).collect())
    /// })?;
    /// assert_eq!((kept.kept, kept.strategy_to_move), (153, 157));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn keep<E: From<CheckError>>(
        &self,
        rule: &dyn Rule,
        memory_bytes: u64,
        mut values: impl FnMut(&[Position]) -> Result<Vec<Value>, E>,
    ) -> Result<KeptCounts, E> {
        let positions = self.positions.all;
        if positions.saturating_mul(MET_BYTES) > memory_bytes {
            let refutation = self.refutation.clone();
            let ply = self.board.cells();
            return Err(CheckError::Memory { ply, positions, limit_bytes: memory_bytes, refutation }.into());
        }
        let mut run = KeepRun { rule, player: self.player, met: Map::default() };
        let start = Position::start(self.board);
        match self.player {
            Player::First => run.attacked(start, None),
            Player::Second => run.answered(start),
        };
        let mut met = run.met;
        let positions = met.keys().copied().collect::<Vec<_>>();
        for portion in positions.chunks(PORTION) {
            for (position, value) in portion.iter().zip(values(portion)?) {
                if let Some(entry) = met.get_mut(position) {
                    entry.value = Some(value);
                }
            }
        }
        Ok(count(&met, self.player))
    }
}

/// The most positions whose values are requested in one call.
const PORTION: usize = 1 << 16;

/// Returns the worse of two results for the rule's player. `None` is the worst: the rule may be undefined.
fn worse(one: Option<Value>, other: Option<Value>) -> Option<Value> {
    Some(one?.max(other?))
}

/// A position that was met.
#[derive(Clone, Copy)]
struct MetPosition {
    /// The worst result for the rule's player from here, whatever the opponent plays and whatever the last move was;
    /// `None` if the rule may be undefined.
    sure: Option<Value>,
    /// The columns that the rule played here, one bit each.
    replies: u32,
    /// Whether the rule was asked for a move.
    asked: bool,
    /// Whether the rule was undefined after at least one last move.
    undefined: bool,
    /// The value for the player to move.
    value: Option<Value>,
}

impl MetPosition {
    /// Makes a position in which the rule is not asked for a move.
    fn new(sure: Option<Value>) -> MetPosition {
        MetPosition { sure, replies: 0, asked: false, undefined: false, value: None }
    }

    /// Merges in the results for the same position after another last move.
    fn join(&mut self, other: &MetPosition) {
        self.sure = worse(self.sure, other.sure);
        self.replies |= other.replies;
        self.undefined |= other.undefined;
    }
}

// `replies` has a bit for each column of any board.
const _: () = assert!(MAX_COLUMNS <= u32::BITS as usize);

/// Visits all positions depth first. A line has at most 64 plies, so the recursion can't exhaust the stack.
struct KeepRun<'a> {
    rule: &'a dyn Rule,
    player: Player,
    met: Map<MetPosition>,
}

impl KeepRun<'_> {
    /// Visits a position with the opponent to move, and returns the worst result for the rule's player.
    fn answered(&mut self, position: Position) -> Option<Value> {
        if let Some(met) = self.met.get(&position) {
            return met.sure;
        }
        // A finished position has no moves to reduce, so its own result counts.
        let after_moves = position.moves().map(|column| self.attacked(position.drop_piece(column), Some(column)));
        let sure = after_moves.reduce(worse).unwrap_or_else(|| result(&position, self.player));
        self.met.insert(position, MetPosition::new(sure));
        sure
    }

    /// Visits a position after the opponent's move in `last`, and returns the worst result for the rule's player. No
    /// position is visited twice with the same `last`, because the moves from each earlier position are tried only
    /// once.
    fn attacked(&mut self, position: Position, last: Option<usize>) -> Option<Value> {
        let new = match result(&position, self.player) {
            Some(result) => MetPosition::new(Some(result)),
            None => match answer(self.rule, &position, last) {
                Some((column, answered)) => {
                    MetPosition { replies: 1 << column, asked: true, ..MetPosition::new(self.answered(answered)) }
                }
                None => MetPosition { asked: true, undefined: true, ..MetPosition::new(None) },
            },
        };
        self.met.entry(position).and_modify(|met| met.join(&new)).or_insert(new);
        new.sure
    }
}

/// Counts the positions in which the rule keeps or secures the value. All values must be known.
fn count(met: &Map<MetPosition>, player: Player) -> KeptCounts {
    let mut kept = KeptCounts { strategy_to_move: 0, kept: 0, all: 0, secured: 0 };
    for (position, entry) in met {
        let Some(value) = entry.value else { continue };
        kept.all += 1;
        kept.secured += u64::from(entry.sure == Some(value.for_player(player, position.to_move())));
        if entry.asked {
            kept.strategy_to_move += 1;
            kept.kept += u64::from(keeps(met, position, entry, value));
        }
    }
    kept
}

/// Returns whether the rule has a reply in a position for every last move, and each reply is worth as much as the
/// position.
fn keeps(met: &Map<MetPosition>, position: &Position, entry: &MetPosition, value: Value) -> bool {
    let mut replies = (0..position.board().width()).filter(|&column| entry.replies >> column & 1 == 1);
    let is_as_good = |column| {
        let after = met.get(&position.drop_piece(column)).and_then(|entry| entry.value);
        after.is_some_and(|after| after.flip() == value)
    };
    !entry.undefined && replies.all(is_as_good)
}
