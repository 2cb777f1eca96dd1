//! What a player sees on a board, one position at a time, with the rules of the game alone.
//!
//! This is the definition of `docs/algorithm.md` written down once more. The solver finds the same 64 entries at a time
//! with masks; nothing of those is used here, nor what a probe uses.

use fourbase::{Outcome, Player, Position, Value, has_line};

/// What the board alone tells of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Seen {
    /// The outcome, with its remoteness.
    Decided(Outcome),
    /// The only column worth playing.
    Forced(usize),
    /// Nothing: the position is quiet.
    Quiet,
}

/// Looks at a position.
pub(super) fn look(position: &Position) -> Seen {
    if let Some(value) = position.primitive() {
        return decided(value, 0);
    }
    let (mover, other) = (position.to_move(), position.to_move().other());
    let open = || (0..position.board().width()).filter(|column| position.can_play(*column));
    if position.board().is_misere() {
        let mut safe = open().filter(|column| !completes(position, mover, *column));
        return match (safe.next(), safe.next()) {
            (None, _) => decided(Value::Lose, 1),
            (Some(column), None) => Seen::Forced(column),
            (Some(_), Some(_)) => Seen::Quiet,
        };
    }
    if open().any(|column| completes(position, mover, column)) {
        return decided(Value::Win, 1);
    }
    let mut threats = open().filter(|column| completes(position, other, *column));
    match (threats.next(), threats.next()) {
        (Some(_), Some(_)) => return decided(Value::Lose, 2),
        (Some(column), None) => return Seen::Forced(column),
        (None, _) => {}
    }
    let mut open = open();
    match (open.next(), open.next()) {
        (Some(column), None) => Seen::Forced(column),
        _ => Seen::Quiet,
    }
}

fn decided(value: Value, remoteness: u32) -> Seen {
    Seen::Decided(Outcome { value, remoteness: Some(remoteness) })
}

/// Tells whether a piece of `player`, dropped into an open column, completes a line.
fn completes(position: &Position, player: Player, column: usize) -> bool {
    let board = position.board();
    let cell = board.cell(column, position.height(column));
    has_line(board, position.pieces(player) | 1 << cell)
}
