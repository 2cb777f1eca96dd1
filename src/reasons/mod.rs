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
//! | zugzwang | the player wins by force, parries threats, and else answers in the same column, with the exceptions given |
//! | must answer | the opponent completes a line unless the player to move plays in one column |
//! | hold | the player never loses: parries threats, and else answers in the same column, with the exceptions given |
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

/// The most positions that a search for a proof visits, some milliseconds.
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
    /// The player does not lose, by answering in the same column.
    Hold,
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
    /// Who wins; for [`ReasonKind::MustAnswer`] who has to answer, for [`ReasonKind::Hold`] who does not lose. `None` if
    /// nobody wins.
    pub player: Option<Player>,
    /// The board.
    pub board: Board,
    /// A line of play (columns from 0). For a proved win it is played to the end, and as long as the rule lets it be.
    pub line: Vec<usize>,
    /// The cells (column and row from 0) in which the moves of `line` land.
    pub places: Vec<(usize, usize)>,
    /// The cells of the completed lines at the end of `line`; for [`ReasonKind::MustAnswer`] the cell of the threat.
    pub cells: u64,
    /// For [`ReasonKind::Zugzwang`] and [`ReasonKind::Hold`]: after the opponent plays in the cell (column and row), the column to play in, if it
    /// has room, instead of the same one.
    pub exceptions: Vec<((usize, usize), usize)>,
    /// Whether `player` moves first in `line`.
    moves_first: bool,
    /// Whether answers in the same column land in even rows (claimeven), until a threat is parried elsewhere.
    claims_even: bool,
    /// Whether every last move of the opponent in `line` would let `player` complete a line.
    is_squeezed: bool,
}

/// Returns the cells into which a piece can fall now and in which `player` would complete a line.
fn open_threats(position: &Position, player: Player) -> u64 {
    winning_cells(position.board(), position.pieces(player)) & position.playable_cells()
}

/// Returns the column of the lowest of `cells`.
fn column_of(board: Board, cells: u64) -> usize {
    cells.trailing_zeros() as usize / board.height()
}

impl Reason {
    /// Proves that `winner` wins a position; `None` if there is no proof within 20,000 positions for the search
    /// and as many for its check. Under misère only a finished game has a reason.
    pub fn of(position: &Position, winner: Player) -> Option<Reason> {
        if position.primitive().is_some() {
            return (position.winner() == Some(winner)).then(|| Reason::of_end(position));
        }
        if position.board().is_misere() {
            return None;
        }
        if position.to_move() == winner { Reason::of_winner(position) } else { Reason::of_loser(position) }
    }

    /// Proves that `player` does not lose an unfinished position, by a rule; `None` if there is no proof within the limits of
    /// [`Reason::of`].
    pub fn of_hold(position: &Position, player: Player) -> Option<Reason> {
        if position.board().is_misere() || position.primitive().is_some() {
            return None;
        }
        Reason::of_rule(position, player, true)
    }

    /// Explains a position whose value is known, with the right `value`: a proof, else what the board shows, else [`Reason::best_play`].
    pub fn with_value(position: &Position, value: Value, line: Option<&[usize]>) -> Reason {
        let proof = winner(position, value).and_then(|winner| Reason::of(position, winner));
        let of_board = || if value == Value::Lose { None } else { Reason::of_board(position) };
        let players = [position.to_move().other(), position.to_move()];
        let of_tie =
            || players.into_iter().filter(|_| value == Value::Tie).find_map(|of| Reason::of_hold(position, of));
        proof.or_else(of_board).or_else(of_tie).unwrap_or_else(|| Reason::best_play(position, value, line))
    }

    /// Returns best play as the reason of a position. `line` has its moves, none if they are not known.
    pub fn best_play(position: &Position, value: Value, line: Option<&[usize]>) -> Reason {
        Reason::new(position, ReasonKind::BestPlay, winner(position, value), line.unwrap_or_default().to_vec())
    }

    /// Returns a reason that the board shows: the game is over, a threat must be answered, or no line is left.
    fn of_board(position: &Position) -> Option<Reason> {
        let (board, player) = (position.board(), position.to_move());
        if position.primitive().is_some() {
            return Some(Reason::of_end(position));
        }
        let dangers = open_threats(position, player.other());
        if dangers.is_power_of_two() && open_threats(position, player) == 0 && !board.is_misere() {
            let line = vec![column_of(board, dangers)];
            return Some(Reason {
                cells: dangers,
                ..Reason::new(position, ReasonKind::MustAnswer, Some(player), line)
            });
        }
        let [first, second] = position.bitboards();
        let is_open = |line: u64| line & first == 0 || line & second == 0;
        (!lines(board).any(is_open)).then(|| Reason::new(position, ReasonKind::NoLine, None, Vec::new()))
    }

    fn of_end(position: &Position) -> Reason {
        Reason::new(position, ReasonKind::Over, position.winner(), Vec::new())
    }

    fn of_winner(position: &Position) -> Option<Reason> {
        let player = position.to_move();
        if let Some(line) = ThreatSearch::default().win(position, MOST_FORCED) {
            let kind = match line.len() {
                1 => ReasonKind::EndsNow,
                3 => ReasonKind::TwoThreats,
                _ => ReasonKind::Forced,
            };
            return Some(Reason::new(position, kind, Some(player), line));
        }
        Reason::of_rule(position, player, false)
    }

    fn of_loser(position: &Position) -> Option<Reason> {
        let (board, winner) = (position.board(), position.to_move().other());
        let dangers = open_threats(position, winner);
        if dangers.count_ones() > 1 && open_threats(position, position.to_move()) == 0 {
            let line = [dangers, dangers & (dangers - 1)].map(|cells| column_of(board, cells)).to_vec();
            return Some(Reason::new(position, ReasonKind::TwoThreats, Some(winner), line));
        }
        Reason::of_rule(position, winner, false)
    }

    /// Looks for a rule by which `player` wins or, if that is enough, holds.
    fn of_rule(position: &Position, player: Player, holds: bool) -> Option<Reason> {
        // The first move of the player is free; of equally simple rules take the one after the most central move.
        let columns = position.board().central_columns().into_iter().filter(|column| position.can_play(*column));
        let children = match player == position.to_move() {
            true => columns.map(|column| (Some(column), position.drop_piece(column))).collect(),
            false => vec![(None, *position)],
        };
        let (mut search, mut left) = (PlayOut::new(player, Vec::new(), holds, MOST_NODES), MOST_NODES);
        for deviations in 0..=MOST_DEVIATIONS {
            for (first, child) in &children {
                if search.wins(child, deviations).is_none() {
                    continue;
                }
                let exceptions = search.deviations(child, deviations).into_iter().collect();
                let Some((mut proof, exceptions)) = strict(player, child, exceptions, holds, &mut left) else {
                    continue;
                };
                let kind = match holds {
                    true => ReasonKind::Hold,
                    false if is_forced(&mut proof, child) => ReasonKind::EveryReply,
                    false => ReasonKind::Zugzwang,
                };
                let longest = if holds { Vec::new() } else { proof.longest(child) };
                let height = position.board().height();
                let place = |(cell, column): Exception| ((cell / height, cell % height), column);
                let exceptions = exceptions.into_iter().map(place).collect();
                let line = first.iter().copied().chain(longest).collect();
                return Some(Reason { exceptions, ..Reason::new(position, kind, Some(player), line) });
            }
        }
        None
    }

    /// Makes a reason. A `line` that leaves the rules is cut there.
    fn new(position: &Position, kind: ReasonKind, player: Option<Player>, mut line: Vec<usize>) -> Reason {
        let (mut end, mut places, mut is_squeezed) = (*position, Vec::new(), false);
        for (number, &column) in line.iter().enumerate() {
            if number + 2 == line.len() {
                let allows = |column| player.is_some_and(|player| open_threats(&end.drop_piece(column), player) != 0);
                is_squeezed = end.moves().all(allows);
            }
            let Ok(next) = end.play(column) else { break };
            places.push((column, end.height(column)));
            end = next;
        }
        line.truncate(places.len());
        let (board, moves_first, cells) = (position.board(), player == Some(position.to_move()), end.completed_lines());
        let first = places.first().filter(|_| moves_first).map(|(column, _)| *column);
        let height = |column| position.height(column) + usize::from(first == Some(column));
        let claims_even =
            board.height().is_multiple_of(2) && (0..board.width()).all(|column| height(column).is_multiple_of(2));
        Reason {
            kind,
            player,
            board,
            line,
            places,
            cells,
            exceptions: Vec::new(),
            moves_first,
            claims_even,
            is_squeezed,
        }
    }

    /// Returns the cell that completes the line at the end of `line`, or of the threat that must be answered.
    pub fn last(&self) -> Option<(usize, usize)> {
        self.places.last().copied().filter(|_| self.cells != 0)
    }
}

/// Returns who wins a position with this value.
fn winner(position: &Position, value: Value) -> Option<Player> {
    match value {
        Value::Win => Some(position.to_move()),
        Value::Lose => Some(position.to_move().other()),
        Value::Tie => None,
    }
}

/// Proves a rule with exceptions, of which it leaves out those that are not needed, and takes the positions that it
/// visits from `left`. `None` if the rule does not win or hold, has too many exceptions, or two for one cell.
fn strict(
    player: Player,
    position: &Position,
    mut exceptions: Vec<Exception>,
    holds: bool,
    left: &mut u64,
) -> Option<(PlayOut, Vec<Exception>)> {
    let mut prove = |exceptions: &[Exception]| {
        let mut proof = PlayOut::new(player, exceptions.to_vec(), holds, *left);
        let is_proved = proof.wins(position, 0).is_some();
        *left = left.saturating_sub(proof.visited());
        is_proved.then_some(proof)
    };
    let has_two = exceptions.windows(2).any(|pair| pair[0].0 == pair[1].0);
    if has_two || exceptions.len() > 2 * MOST_EXCEPTIONS {
        return None;
    }
    let mut proof = prove(&exceptions)?;
    for number in (0..exceptions.len()).rev() {
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
        let reply = proof.reply(&position.drop_piece(last), last, 0);
        reply.is_some_and(|reply| matches!(reply.kind, ReplyKind::Win | ReplyKind::Force(_)))
    })
}

/// Writes a cell as `column 4, row 3`.
fn cell_name((column, row): (usize, usize)) -> String {
    format!("column {}, row {}", columns_to_text([column]), row + 1)
}

impl fmt::Display for Reason {
    /// Writes one or two sentences without the last full stop.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = |player: Option<Player>| player.map_or(' ', Player::mark);
        let (player, other) = (mark(self.player), mark(self.player.map(Player::other)));
        let line = columns_to_text(self.line.iter().copied());
        let first = columns_to_text(self.line.first().copied());
        let place = |back: usize| self.places.iter().rev().nth(back).map_or_else(String::new, |cell| cell_name(*cell));
        let last = place(0);
        match self.kind {
            ReasonKind::Over if self.cells == 0 => write!(f, "the board is full"),
            ReasonKind::Over if self.board.is_misere() => write!(f, "{other} has completed a line"),
            ReasonKind::Over => write!(f, "{player} has completed a line"),
            ReasonKind::EndsNow => write!(f, "{player} completes a line at {last}"),
            ReasonKind::TwoThreats => {
                let start = if self.moves_first { format!("plays {first} and ") } else { String::new() };
                let parried = place(1);
                write!(f, "{player} {start}has two threats at once, {parried} and {last}; {other} can meet only one")
            }
            ReasonKind::Forced => {
                write!(f, "{player} wins by force with {line}: each move of {player} makes a threat, the last one ")?;
                write!(f, "completes a line at {last}")
            }
            ReasonKind::EveryReply => {
                if self.moves_first {
                    write!(f, "{player} plays {first}; ")?;
                }
                write!(f, "whatever {other} plays, {player} wins by force, at the latest with {line} at {last}")
            }
            ReasonKind::Zugzwang => {
                self.fmt_rule(f, player, &first)?;
                write!(f, ". In the longest game, {line}, ")?;
                if self.is_squeezed {
                    write!(f, "every last move of {other} lets ")?;
                }
                let verb = if self.is_squeezed { "complete" } else { "completes" };
                write!(f, "{player} {verb} a line, here at {last} ({})", self.parity())
            }
            ReasonKind::Hold => {
                write!(f, "{other} can't complete a line: ")?;
                self.fmt_rule(f, player, &first)
            }
            ReasonKind::MustAnswer => write!(f, "{other} threatens {last}, so {player} must play there"),
            ReasonKind::NoLine => write!(f, "neither player has a place left for a line"),
            ReasonKind::BestPlay => {
                match self.player {
                    None => write!(f, "neither player can force a win")?,
                    Some(_) if self.board.is_misere() => write!(f, "no reasons are sought where a line loses")?,
                    Some(_) => write!(f, "no simple reason was found, by force or by answers in the same column")?,
                }
                match (&*line, self.cells) {
                    ("", _) => Ok(()),
                    (_, 0) => write!(f, ". Best play is {line}"),
                    (_, _) => write!(f, ". Best play is {line}, up to the line at {last} ({})", self.parity()),
                }
            }
        }
    }
}

impl Reason {
    /// Writes a rule with its exceptions.
    fn fmt_rule(&self, f: &mut fmt::Formatter<'_>, player: char, first: &str) -> fmt::Result {
        let start = if self.moves_first { format!("plays {first} and then ") } else { String::new() };
        let name = if self.claims_even && self.exceptions.is_empty() { " (claimeven)" } else { "" };
        write!(f, "{player} {start}answers in the same column{name}")?;
        for (number, (cell, column)) in self.exceptions.iter().enumerate() {
            let start = if number == 0 { ", but" } else { " and" };
            write!(f, "{start} {} with {} if it has room", cell_name(*cell), columns_to_text([*column]))?;
        }
        write!(f, "; where {player} can win by force, or must parry a threat, {player} does that")
    }

    /// Returns whether the row of the last move is odd or even, counted from 1.
    fn parity(&self) -> &'static str {
        if self.last().is_some_and(|(_, row)| row.is_multiple_of(2)) { "odd" } else { "even" }
    }
}
