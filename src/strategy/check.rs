//! The check: plays every move of the opponent against a rule, and visits each position only once.

use std::collections::hash_map::Entry;

use super::counts::{LineCounts, PositionCounts, result};
use super::memo::{BackLink, History, Layer, Map};
use super::rule::answer;
use super::{CheckError, Rule, Verdict};
use crate::{Board, Player, Position, Value};

/// The most bytes that a position with the opponent to move takes: its node and its place in the map of a [`Layer`],
/// while both collections grow.
const NODE_BYTES: usize = 300;

/// The most bytes that any other position of the current step takes, while its map grows.
const MET_BYTES: usize = 160;

/// The most bytes that the link to a position takes, while the vector of links grows.
const LINK_BYTES: usize = 2 * size_of::<BackLink>();

/// The result of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    /// The board.
    pub board: Board,
    /// The player who played by the rule.
    pub player: Player,
    /// The positions that were met.
    pub positions: PositionCounts,
    /// How the lines end.
    pub lines: LineCounts,
    /// The shortest line that the player loses (columns from 0, both players' moves). Of equally short lines it is the
    /// first in lexicographic order. `None` if the player loses no line.
    pub refutation: Option<Vec<usize>>,
    /// The shortest line to a position where the rule is undefined, the first in lexicographic order; `None` if there
    /// is no such position.
    pub undefined: Option<Vec<usize>>,
}

impl Check {
    /// Returns the verdict for the player.
    pub fn verdict(&self) -> Verdict {
        let LineCounts { undefined, won_by, ties, .. } = self.lines;
        if *won_by.of(self.player.other()) > 0 {
            Verdict::Loses
        } else if undefined > 0 {
            Verdict::Undefined
        } else if *won_by.of(self.player) == 0 {
            Verdict::Ties
        } else if ties > 0 {
            Verdict::NeverLoses
        } else {
            Verdict::Wins
        }
    }
}

/// Plays every move of the opponent against a rule that `player` follows, on `board` from its start.
///
/// The time is proportional to the number of positions met, some five million a second. The memory holds the positions
/// of two plies and a link to each position with the opponent to move; its limit is about `memory_bytes`. A rule that
/// serves only the other player is undefined at once.
///
/// # Errors
///
/// [`CheckError::Memory`] if the check needs more memory, [`CheckError::Lines`] if there are more than 2^128 lines.
///
/// ```
/// use fourbase::strategy::{Centre, Verdict, check};
/// use fourbase::{Board, Player, notation};
///
/// let board: Board = "4x4c3".parse()?;
/// let first = check(&Centre, board, Player::First, 1 << 30)?;
/// assert_eq!(first.verdict(), Verdict::Loses);
/// let second = check(&Centre, board, Player::Second, 1 << 30)?;
/// assert_eq!(second.refutation.map(notation::columns_to_text).as_deref(), Some("12121"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check(rule: &dyn Rule, board: Board, player: Player, memory_bytes: u64) -> Result<Check, CheckError> {
    let empty = Check {
        board,
        player,
        positions: PositionCounts::default(),
        lines: LineCounts::default(),
        refutation: None,
        undefined: None,
    };
    let (history, next) = (History::default(), Layer::default());
    let (answered, ended) = (Map::default(), Map::default());
    CheckRun { rule, memory_bytes, check: empty, history, next, answered, ended }.go()
}

/// A check in progress, ply by ply.
struct CheckRun<'a> {
    rule: &'a dyn Rule,
    memory_bytes: u64,
    check: Check,
    history: History,
    /// The latest positions with the opponent to move. Each step replaces them with the positions two plies
    /// later.
    next: Layer,
    /// The positions after the opponent's move in this step, and whether the rule is known to be undefined there.
    answered: Map<bool>,
    /// The positions in which the rule's move in this step has ended the game.
    ended: Map<()>,
}

/// A move of the opponent from one of the latest positions.
#[derive(Clone, Copy)]
struct Attack {
    /// The position before the move, as an index into the latest positions.
    parent: usize,
    /// The column of the move; `None` on the empty board if the rule moves first.
    column: Option<usize>,
    /// How many lines lead to the move.
    lines: u128,
}

impl CheckRun<'_> {
    /// Goes through ply after ply, from the empty board, until all lines have ended.
    fn go(mut self) -> Result<Check, CheckError> {
        let start = Position::start(self.check.board);
        self.history.begin_layer();
        match self.check.player {
            Player::First => self.meet_attacked(start, Attack { parent: 0, column: None, lines: 1 })?,
            Player::Second => self.meet_answered(start, BackLink { parent: 0, opponent: None, reply: None }, 1)?,
        }
        while !self.next.nodes.is_empty() {
            let nodes = std::mem::take(&mut self.next).nodes;
            self.history.begin_layer();
            (self.answered, self.ended) = (Map::default(), Map::default());
            for (parent, &(position, lines)) in nodes.iter().enumerate() {
                self.require_memory(nodes.len(), position.ply())?;
                for column in position.moves() {
                    let attack = Attack { parent, column: Some(column), lines };
                    self.meet_attacked(position.drop_piece(column), attack)?;
                }
            }
        }
        Ok(self.check)
    }

    /// Handles a position after a move of the opponent: counts it and plays the rule's answer.
    fn meet_attacked(&mut self, position: Position, attack: Attack) -> Result<(), CheckError> {
        let (new, known_undefined) = match self.answered.entry(position) {
            Entry::Vacant(place) => (true, place.insert(false)),
            Entry::Occupied(place) => (false, place.into_mut()),
        };
        let plies = position.ply();
        if let Some(result) = result(&position, self.check.player) {
            return self.end(Some(result), plies, attack, None, new);
        }
        self.check.positions.all += u64::from(new);
        self.check.positions.strategy_to_move += u64::from(new);
        let Some((reply, answered)) = answer(self.rule, &position, attack.column) else {
            let newly_undefined = !std::mem::replace(known_undefined, true);
            return self.end(None, plies, attack, None, newly_undefined);
        };
        match result(&answered, self.check.player) {
            Some(result) => {
                let new = self.ended.insert(answered, ()).is_none();
                self.end(Some(result), plies + 1, attack, Some(reply), new)
            }
            None => {
                let [opponent, reply] = [attack.column, Some(reply)].map(|column| column.map(|column| column as u8));
                self.meet_answered(answered, BackLink { parent: attack.parent, opponent, reply }, attack.lines)
            }
        }
    }

    /// Adds a position with the opponent to move to `next`. If the position is there already, adds `lines` to its
    /// count.
    fn meet_answered(&mut self, position: Position, link: BackLink, lines: u128) -> Result<(), CheckError> {
        if self.next.add(position, lines).ok_or(CheckError::Lines)? {
            self.check.positions.all += 1;
            self.check.positions.opponent_to_move += 1;
            self.history.push(link);
        }
        Ok(())
    }

    /// Counts the lines that end after `plies` plies with the opponent's move in `attack` or, if `reply` is given, with
    /// the rule's reply to that move. `result` is `None` if the rule is undefined in the last position of the lines;
    /// `new` is set if that position is not counted yet.
    fn end(
        &mut self,
        result: Option<Value>,
        plies: usize,
        attack: Attack,
        reply: Option<usize>,
        new: bool,
    ) -> Result<(), CheckError> {
        self.check.lines.add(result, self.check.player, attack.lines).ok_or(CheckError::Lines)?;
        if new {
            self.check.positions.add(result, self.check.player);
        }
        let shortest = match result {
            None => &mut self.check.undefined,
            Some(Value::Lose) => &mut self.check.refutation,
            Some(_) => return Ok(()),
        };
        // Equally long lines come in ascending order. But under misère the rule can lose with its own move, so a line
        // can come before another that is one ply shorter.
        if shortest.as_ref().is_none_or(|shortest| plies < shortest.len()) {
            let mut line = self.history.line_to(attack.parent);
            line.extend(attack.column);
            line.extend(reply);
            *shortest = Some(line);
        }
        Ok(())
    }

    /// Returns an error if the memory limit is exceeded. Called before each position is expanded; `nodes` is the number
    /// of positions at this ply.
    fn require_memory(&self, nodes: usize, ply: usize) -> Result<(), CheckError> {
        let bytes = (nodes + self.next.nodes.len()) * NODE_BYTES
            + (self.answered.len() + self.ended.len()) * MET_BYTES
            + self.history.links * LINK_BYTES;
        if bytes as u64 <= self.memory_bytes {
            return Ok(());
        }
        Err(CheckError::Memory {
            ply,
            positions: self.check.positions.all,
            limit_bytes: self.memory_bytes,
            refutation: self.check.refutation.clone(),
        })
    }
}
