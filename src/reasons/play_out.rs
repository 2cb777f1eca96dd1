//! Plays a rule out against every reply, which proves that its player wins, or at least does not lose.
//!
//! The rule is *follow-up* with threats first: its player completes a line, parries a threat, wins by force, or answers
//! in the column of the opponent's last move. So the player gets the cell above each cell of the opponent, until the
//! opponent has to play under a threat (zugzwang). V. Allis, *A Knowledge-based Approach of Connect-Four* (1988), calls
//! the second player's form claimeven. An *exception* names a cell and a column: after the opponent plays in the cell,
//! the rule plays in the column, if that has room, instead of following.

use std::collections::BTreeSet;

use super::force::ThreatSearch;
use super::{column_of, open_threats};
use crate::strategy::Map;
use crate::{Player, Position, lines};

/// The most own moves of a win by force.
pub(super) const MOST_FORCED: u32 = 12;

/// The most deviations from the rule in one game while exceptions are sought.
pub(super) const MOST_DEVIATIONS: usize = 2;

/// After the opponent plays in the cell (as a number of [`Board::cell`](crate::Board::cell)), the rule plays in the
/// column (from 0) if that has room.
pub(super) type Exception = (usize, usize);

/// Plays the rule of one player out. It stops without a proof once it has visited `limit` positions.
pub(super) struct PlayOut {
    player: Player,
    exceptions: Vec<Exception>,
    /// Whether it is enough that the opponent has no place left for a line.
    holds: bool,
    force: ThreatSearch,
    /// For each position with the opponent to move, by the number of deviations that are left: the plies until the
    /// player has won, or holds; `None` if the rule does not do that.
    met: Map<[Option<Option<u32>>; MOST_DEVIATIONS + 1]>,
    nodes: u64,
    limit: u64,
}

/// The move of the rule, and the plies until the player has won, at most.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Reply {
    pub kind: ReplyKind,
    pub column: usize,
    pub plies: u32,
}

/// How the rule has found its move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ReplyKind {
    Win,
    /// None is needed: the opponent has no place left for a line.
    Held,
    Parry,
    /// The first move of a line by force.
    Force(Vec<usize>),
    Follow,
    /// One of the exceptions.
    Exception,
    /// Any other move. It becomes an exception of the rule.
    Deviation,
}

impl PlayOut {
    pub fn new(player: Player, exceptions: Vec<Exception>, holds: bool, limit: u64) -> PlayOut {
        PlayOut { player, exceptions, holds, force: ThreatSearch::default(), met: Map::default(), nodes: 0, limit }
    }

    /// Returns how many positions were visited so far.
    pub fn visited(&self) -> u64 {
        self.nodes + self.force.nodes
    }

    /// Returns whether the limit was reached. Nothing is proved from then on.
    pub fn is_over(&self) -> bool {
        self.visited() > self.limit
    }

    /// Returns the plies until the player has won, at most, whatever the opponent, who is to move, plays. The player
    /// may deviate from the rule `deviations` times. `None` if that does not win, or the limit was reached.
    pub fn wins(&mut self, position: &Position, deviations: usize) -> Option<u32> {
        if let Some(known) = self.met.get(position).and_then(|met| met[deviations]) {
            return known;
        }
        self.nodes += 1;
        if self.is_over() || open_threats(position, self.player.other()) != 0 {
            return None;
        }
        let mut plies = Some(0);
        for column in position.moves() {
            let reply = self.reply(&position.drop_piece(column), column, deviations);
            plies = plies.zip(reply).map(|(most, reply)| most.max(reply.plies + 1));
            if plies.is_none() {
                break;
            }
        }
        // A proof is stored completely, because `longest` looks it up.
        if self.is_over() {
            return None;
        }
        // A full board is a tie.
        let plies = plies.filter(|plies| *plies > 0 || self.holds);
        self.met.entry(*position).or_default()[deviations] = Some(plies);
        plies
    }

    /// Returns the player's move after the opponent's move in the column `last`; `None` if it does not win, or hold.
    pub fn reply(&mut self, position: &Position, last: usize, deviations: usize) -> Option<Reply> {
        let board = position.board();
        let wins = open_threats(position, self.player);
        if wins != 0 {
            return Some(Reply { kind: ReplyKind::Win, column: column_of(board, wins), plies: 1 });
        }
        let own = position.pieces(self.player);
        if self.holds && lines(board).all(|line| line & own != 0) {
            return Some(Reply { kind: ReplyKind::Held, column: last, plies: 0 });
        }
        let dangers = open_threats(position, self.player.other());
        if dangers != 0 {
            let parry = column_of(board, dangers);
            return if dangers.is_power_of_two() {
                self.play(position, parry, ReplyKind::Parry, deviations)
            } else {
                None
            };
        }
        if let Some(line) = self.force.win(position, MOST_FORCED) {
            return Some(Reply { column: line[0], plies: line.len() as u32, kind: ReplyKind::Force(line) });
        }
        let with_room = |column: &usize| position.can_play(*column);
        let cell = board.cell(last, position.height(last) - 1);
        let exception = self.exceptions.iter().find(|(of, column)| *of == cell && with_room(column));
        if let Some(&(_, column)) = exception {
            return self.play(position, column, ReplyKind::Exception, deviations);
        }
        let follow = Some(last).filter(with_room);
        follow.and_then(|last| self.play(position, last, ReplyKind::Follow, deviations)).or_else(|| {
            let left = deviations.checked_sub(1)?;
            let others = board.central_columns().into_iter().filter(|column| with_room(column) && *column != last);
            others.into_iter().find_map(|column| self.play(position, column, ReplyKind::Deviation, left))
        })
    }

    fn play(&mut self, position: &Position, column: usize, kind: ReplyKind, deviations: usize) -> Option<Reply> {
        let plies = self.wins(&position.drop_piece(column), deviations)? + 1;
        Some(Reply { kind, column, plies })
    }

    /// Returns the exceptions that the deviations of a proof of [`PlayOut::wins`] make.
    pub fn deviations(&mut self, position: &Position, deviations: usize) -> BTreeSet<Exception> {
        let (mut found, mut seen, mut open) = (BTreeSet::new(), Map::default(), vec![(*position, deviations)]);
        while let Some((position, left)) = open.pop() {
            let seen: &mut [bool; MOST_DEVIATIONS + 1] = seen.entry(position).or_default();
            if std::mem::replace(&mut seen[left], true) {
                continue;
            }
            for last in position.moves() {
                let child = position.drop_piece(last);
                let Some(Reply { kind, column, .. }) = self.reply(&child, last, left) else { continue };
                let deviates = kind == ReplyKind::Deviation;
                if deviates {
                    found.insert((position.board().cell(last, position.height(last)), column));
                }
                if !matches!(kind, ReplyKind::Win | ReplyKind::Held | ReplyKind::Force(_)) {
                    open.push((child.drop_piece(column), left - usize::from(deviates)));
                }
            }
        }
        found
    }

    /// Returns the longest game of a proof of [`PlayOut::wins`] without deviations, the opponent to move.
    pub fn longest(&mut self, position: &Position) -> Vec<usize> {
        let (mut position, mut line) = (*position, Vec::new());
        loop {
            let replies = position.moves().map(|last| Some((last, self.reply(&position.drop_piece(last), last, 0)?)));
            let replies = replies.collect::<Vec<_>>();
            // Of equally long games the leftmost.
            let longest = replies.into_iter().flatten().rev().max_by_key(|(_, reply)| reply.plies);
            let Some((last, Reply { kind, column, .. })) = longest else { return line };
            line.push(last);
            let is_won = matches!(kind, ReplyKind::Win | ReplyKind::Force(_));
            match kind {
                ReplyKind::Force(rest) => line.extend(rest),
                _ => line.push(column),
            }
            if is_won {
                return line;
            }
            position = position.drop_piece(last).drop_piece(column);
        }
    }
}
