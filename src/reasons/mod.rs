//! Why a position is worth what it is worth, in reasons that are proved.
//!
//! [`Reason::of`] proves that a player wins, without a database: a line that can be completed now, two threats at once,
//! a win by force, or a simple rule that wins against every reply. What it returns is true whatever else is known; it
//! returns no reason where it finds no proof within its limit. [`Analysis::explain`](crate::analysis::Analysis::explain)
//! gives a reason for a position and for each of its moves.
//!
//! | kind | what is proved |
//! |---|---|
//! | ends now | the player to move completes a line |
//! | two threats | the player has two threats at once, or makes them with the next move; the opponent can meet one |
//! | forced | every move of the player makes a threat, until the line is complete |
//! | every reply | every move of the opponent allows the player to win by force |
//! | zugzwang | the player answers in the same column, with the exceptions given, until the opponent has to allow a line |
//! | must answer | the opponent completes a line unless the player to move plays in one column |
//! | no line | neither player has a place left for a line, so the game is a tie |
//! | best play | nothing: no reason above was found within some milliseconds |
//!
//! ```
//! use fourbase::reasons::{Reason, ReasonKind};
//! use fourbase::{Board, Player, notation};
//!
//! let board: Board = "7x6".parse()?;
//! let reason = Reason::of(&notation::parse(board, "2112424273744666")?, Player::First).ok_or("no proof")?;
//! assert_eq!((reason.kind, reason.line.as_slice()), (ReasonKind::EveryReply, &[1, 0, 4, 4, 4][..]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod force;
mod play_out;

#[cfg(test)]
mod tests;

use std::fmt;

use crate::notation::columns_to_text;
use crate::{Board, Player, Position, Value, lines, winning_cells};
use force::ThreatSearch;
use play_out::{Exception, MOST_DEVIATIONS, MOST_FORCED, PlayOut, ReplyKind};

/// The most positions that a proof visits, some milliseconds.
const MOST_NODES: u64 = 20_000;

/// The most exceptions of a rule that still count as a reason.
const MOST_EXCEPTIONS: usize = 4;

/// What a reason proves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ReasonKind {
    /// The game is over.
    Over,
    /// The player to move completes a line.
    EndsNow,
    /// The player has two threats at once, or makes them with the next move.
    TwoThreats,
    /// The player wins by force: every reply is forced.
    Forced,
    /// Every move of the opponent allows the player to win by force.
    EveryReply,
    /// The player wins by answering in the same column.
    Zugzwang,
    /// The opponent of `player` must be stopped now.
    MustAnswer,
    /// Neither player can complete a line any more.
    NoLine,
    /// No simple reason was found: `line` is best play, as far as it is known.
    BestPlay,
}

/// A proved reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason {
    /// What is proved.
    pub kind: ReasonKind,
    /// Who wins. For [`ReasonKind::MustAnswer`] who has to answer; without a winner, the player to move.
    pub player: Player,
    /// The board.
    pub board: Board,
    /// A line of play (columns from 0). For a win it is played to the end, and as long as the opponent can make it.
    pub line: Vec<usize>,
    /// The cells of the completed lines at the end of `line`; for [`ReasonKind::MustAnswer`] the cell of the threat.
    pub cells: u64,
    /// The cell (column and row from 0) that completes the line.
    pub last: Option<(usize, usize)>,
    /// For [`ReasonKind::Zugzwang`]: after the opponent plays in the cell (column and row), the column to play in
    /// instead of the same one.
    pub exceptions: Vec<((usize, usize), usize)>,
    /// Whether the player moves first in `line`.
    moves_first: bool,
}

/// Returns the empty cells in which `player` would complete a line.
fn threats(position: &Position, player: Player) -> u64 {
    winning_cells(position.board(), position.pieces(player)) & !position.occupied()
}

/// Returns the column of the lowest of `cells`.
fn column_of(board: Board, cells: u64) -> usize {
    cells.trailing_zeros() as usize / board.height()
}

impl Reason {
    /// Proves that `winner` wins a position; `None` if there is no proof within some milliseconds. Under misère only a
    /// finished game has a reason.
    pub fn of(position: &Position, winner: Player) -> Option<Reason> {
        if position.primitive().is_some() {
            return (position.winner() == Some(winner))
                .then(|| Reason::new(position, ReasonKind::Over, winner, Vec::new()));
        }
        if position.board().is_misere() {
            return None;
        }
        if position.to_move() == winner { Reason::of_winner(position) } else { Reason::of_loser(position) }
    }

    /// Explains a position whose value is known: a proof, else what the board shows, else best play, of which `line` has
    /// the moves.
    pub fn with_value(position: &Position, value: Value, line: Option<&[usize]>) -> Reason {
        let player = position.to_move();
        let proof = match value {
            Value::Win => Reason::of(position, player),
            Value::Lose => Reason::of(position, player.other()),
            Value::Tie => None,
        };
        let winner = if value == Value::Lose { player.other() } else { player };
        let best_play = || Reason::new(position, ReasonKind::BestPlay, winner, line.unwrap_or_default().to_vec());
        proof.or_else(|| Reason::of_board(position)).unwrap_or_else(best_play)
    }

    /// Returns a reason that does not depend on who wins: the game is over, a threat must be answered, or no line is
    /// left. `None` if there is none.
    pub fn of_board(position: &Position) -> Option<Reason> {
        let (board, player) = (position.board(), position.to_move());
        if position.primitive().is_some() {
            return Some(Reason::new(position, ReasonKind::Over, position.winner().unwrap_or(player), Vec::new()));
        }
        let dangers = threats(position, player.other()) & position.playable_cells();
        if dangers.is_power_of_two() && !board.is_misere() {
            let column = column_of(board, dangers);
            let last = Some((column, position.height(column)));
            return Some(Reason {
                cells: dangers,
                last,
                ..Reason::new(position, ReasonKind::MustAnswer, player, vec![column])
            });
        }
        let [first, second] = position.bitboards();
        let is_open = |line: u64| line & first == 0 || line & second == 0;
        (!lines(board).any(is_open)).then(|| Reason::new(position, ReasonKind::NoLine, player, Vec::new()))
    }

    fn of_winner(position: &Position) -> Option<Reason> {
        let player = position.to_move();
        let mut force = ThreatSearch::default();
        if let Some(line) = force.win(position, MOST_FORCED) {
            let kind = match line.len() {
                1 => ReasonKind::EndsNow,
                3 => ReasonKind::TwoThreats,
                _ => ReasonKind::Forced,
            };
            return Some(Reason::new(position, kind, player, line));
        }
        // The first move is free; of equally simple rules take the one after the most central move.
        let columns = position.board().central_columns().into_iter().filter(|column| position.can_play(*column));
        let children = columns.map(|column| (Some(column), position.drop_piece(column))).collect::<Vec<_>>();
        Reason::of_rule(position, player, &children)
    }

    fn of_loser(position: &Position) -> Option<Reason> {
        let winner = position.to_move().other();
        let dangers = threats(position, winner) & position.playable_cells();
        if dangers.count_ones() > 1 && threats(position, position.to_move()) & position.playable_cells() == 0 {
            let (parry, win) =
                (column_of(position.board(), dangers), column_of(position.board(), dangers & (dangers - 1)));
            return Some(Reason::new(position, ReasonKind::TwoThreats, winner, vec![parry, win]));
        }
        Reason::of_rule(position, winner, &[(None, *position)])
    }

    /// Looks for a rule that wins for `player`, who plays the first column of one of `children`, if any, before the
    /// position beside it.
    fn of_rule(position: &Position, player: Player, children: &[(Option<usize>, Position)]) -> Option<Reason> {
        let mut search = PlayOut::new(player, Vec::new(), MOST_NODES);
        for deviations in 0..=MOST_DEVIATIONS {
            for (first, child) in children {
                if search.wins(child, deviations).is_none() {
                    continue;
                }
                let exceptions = search.deviations(child, deviations);
                if let Some((mut proof, exceptions)) = strict(player, child, exceptions.into_iter().collect()) {
                    let longest = proof.longest(child);
                    let kind = if is_forced(&mut proof, child) { ReasonKind::EveryReply } else { ReasonKind::Zugzwang };
                    let height = position.board().height();
                    let place = |(cell, column): Exception| ((cell / height, cell % height), column);
                    let exceptions = exceptions.into_iter().map(place).collect();
                    let line = first.iter().copied().chain(longest).collect();
                    return Some(Reason { exceptions, ..Reason::new(position, kind, player, line) });
                }
            }
            if search.is_over() {
                break;
            }
        }
        None
    }

    fn new(position: &Position, kind: ReasonKind, player: Player, line: Vec<usize>) -> Reason {
        let end = line.iter().fold(*position, |position, column| position.drop_piece(*column));
        let last = line.last().map(|column| (*column, end.height(*column) - 1));
        let (board, moves_first) = (position.board(), position.to_move() == player);
        Reason { kind, player, board, line, cells: end.completed_lines(), last, exceptions: Vec::new(), moves_first }
    }
}

/// Proves a rule with exceptions, of which it leaves out those that are not needed. `None` if the rule does not win, or
/// has too many exceptions.
fn strict(player: Player, position: &Position, mut exceptions: Vec<Exception>) -> Option<(PlayOut, Vec<Exception>)> {
    let prove = |exceptions: &[Exception]| {
        let mut proof = PlayOut::new(player, exceptions.to_vec(), MOST_NODES);
        proof.wins(position, 0).map(|_| proof)
    };
    if exceptions.len() > 2 * MOST_EXCEPTIONS {
        return None;
    }
    let mut proof = prove(&exceptions)?;
    let mut number = exceptions.len();
    while number > 0 {
        number -= 1;
        let removed = exceptions.remove(number);
        match prove(&exceptions) {
            Some(shorter) => proof = shorter,
            None => exceptions.insert(number, removed),
        }
    }
    (exceptions.len() <= MOST_EXCEPTIONS).then_some((proof, exceptions))
}

/// Returns whether every move of the opponent allows a win by force.
fn is_forced(proof: &mut PlayOut, position: &Position) -> bool {
    position.moves().all(|last| {
        let reply = proof.reply(&position.drop_piece(last), Some(last), 0);
        reply.is_some_and(|reply| matches!(reply.kind, ReplyKind::Win | ReplyKind::Force(_)))
    })
}

/// Writes a cell as `column 4, row 3`, counted from 1.
struct Cell((usize, usize));

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}, row {}", self.0.0 + 1, self.0.1 + 1)
    }
}

impl fmt::Display for Reason {
    /// Writes one or two sentences without the last full stop.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (player, other) = (self.player.mark(), self.player.other().mark());
        let text = columns_to_text(self.line.iter().copied());
        let parity = |row: usize| if row.is_multiple_of(2) { "odd" } else { "even" };
        let last = self.last.map_or_else(String::new, |last| format!("{} ({})", Cell(last), parity(last.1)));
        match self.kind {
            ReasonKind::Over if self.cells == 0 => write!(f, "the board is full"),
            ReasonKind::Over if self.board.is_misere() => write!(f, "{other} has completed a line"),
            ReasonKind::Over => write!(f, "{player} has completed a line"),
            ReasonKind::EndsNow => write!(f, "{player} completes a line at {last}"),
            ReasonKind::TwoThreats if self.moves_first => {
                write!(f, "{player} plays {} and has two threats at once; {other} can meet only one", self.line[0] + 1)
            }
            ReasonKind::TwoThreats => write!(f, "{player} has two threats at once; {other} can meet only one"),
            ReasonKind::Forced => {
                write!(f, "{player} wins by force: every move of {text} makes a threat, up to the line at {last}")
            }
            ReasonKind::EveryReply => {
                if self.moves_first {
                    write!(f, "{player} plays {}; ", self.line[0] + 1)?;
                }
                write!(f, "whatever {other} plays, {player} wins by force, at the latest with {text} at {last}")
            }
            ReasonKind::Zugzwang => self.fmt_rule(f, &text, &last),
            ReasonKind::MustAnswer => write!(f, "{other} threatens {last}, so {player} must play there"),
            ReasonKind::NoLine => write!(f, "neither player has a place left for a line"),
            ReasonKind::BestPlay => {
                write!(f, "no simple reason was found: no win by force, and none by answers in the same column")?;
                match (&*text, self.cells) {
                    ("", _) => Ok(()),
                    (_, 0) => write!(f, ". Best play is {text}, up to the full board"),
                    (_, _) => write!(f, ". Best play is {text}, up to the line at {last}"),
                }
            }
        }
    }
}

impl Reason {
    fn fmt_rule(&self, f: &mut fmt::Formatter<'_>, text: &str, last: &str) -> fmt::Result {
        let (player, other) = (self.player.mark(), self.player.other().mark());
        if self.moves_first {
            write!(
                f,
                "{player} plays {} and then, apart from threats, answers every move in the same column",
                self.line[0] + 1
            )?;
        } else {
            write!(f, "apart from threats, {player} answers every move in the same column")?;
        }
        for (number, (cell, column)) in self.exceptions.iter().enumerate() {
            let start = if number == 0 { ", but" } else { " and" };
            write!(f, "{start} {} with {}", Cell(*cell), column + 1)?;
        }
        let is_squeezed = matches!(self.line[..], [.., below, above] if below == above);
        if is_squeezed {
            write!(f, ". In the end {other} has to play under the threat at {last}: {text}")
        } else {
            write!(f, ". The longest game ends at {last}: {text}")
        }
    }
}
