//! Looking positions up.
//!
//! A probe first looks at the board (see [`crate::quiet`]). A quiet position of an odd ply is found by its rank: the
//! rank's chunk, the chunk's block, the block's symbols, and among those the one that the quiet mask of the chunk
//! says (see [`super::tier`]). A quiet position of an even ply is worth the best of its children. Where that tier is not
//! kept the position is searched forward (see [`super::beyond`]).

use fourbase::{MAX_COLUMNS, Outcome, Position, Value};

use super::beyond::Effort;
use super::error::DatabaseError;
use super::open::Database;
use crate::format::is_stored;
use crate::kernel::Values;
use crate::quiet::{Sight, sight};

impl Database {
    /// Looks a position up. Any well-formed position has an answer, even one that no game reaches.
    ///
    /// A position of a ply whose tier is not kept ([`Manifest::keep_plies`](crate::format::Manifest::keep_plies)) is searched
    /// forward instead, to the end, however long that takes: microseconds late in a game, on large boards minutes early
    /// in one.
    ///
    /// # Errors
    /// [`DatabaseError::OtherBoard`], [`DatabaseError::NotSolved`] while the board is being solved, [`DatabaseError::File`]
    /// for files that cannot be read or are damaged.
    pub fn probe(&self, position: &Position) -> Result<Outcome, DatabaseError> {
        self.probe_with(position, &mut Effort::default())
    }

    /// Looks a position up like [`Database::probe`], and counts in `effort` what was searched for it.
    ///
    /// # Errors
    /// The same as [`Database::probe`], and [`DatabaseError::Search`] where the monitor is cancelled.
    pub(crate) fn probe_with(&self, position: &Position, effort: &mut Effort) -> Result<Outcome, DatabaseError> {
        self.check_board(position)?;
        if let Some(value) = position.primitive() {
            return Ok(Outcome { value, remoteness: (self.values() == Values::Remoteness).then_some(0) });
        }
        Ok(self.outcome(self.value(position, effort)?))
    }

    /// Forgets the remoteness that a sight can tell where the database has none.
    fn outcome(&self, outcome: Outcome) -> Outcome {
        let remoteness = outcome.remoteness.filter(|_| self.values() == Values::Remoteness);
        Outcome { remoteness, ..outcome }
    }

    fn value(&self, position: &Position, effort: &mut Effort) -> Result<Outcome, DatabaseError> {
        match sight(position) {
            Sight::Decided(outcome) => Ok(self.outcome(outcome)),
            Sight::Forced(column) => Ok(self.value(&position.drop_piece(column), effort)?.parent()),
            Sight::Quiet if !self.reaches(position.ply() as u32) => Ok(self.beyond().outcome(position, effort)?),
            Sight::Quiet if is_stored(position.ply() as u32) => self.stored(position),
            Sight::Quiet => self.best_child(position, effort),
        }
    }

    /// Tells whether the tier is kept in which a quiet position of `ply` pieces is looked up.
    fn reaches(&self, ply: u32) -> bool {
        let stored = if is_stored(ply) { ply } else { ply + 1 };
        self.manifest().keeps(stored)
    }

    pub(super) fn check_board(&self, position: &Position) -> Result<(), DatabaseError> {
        if position.board() == self.board() {
            return Ok(());
        }
        Err(DatabaseError::OtherBoard { expected: self.board(), found: position.board() })
    }

    /// Looks a quiet position of a stored tier up.
    fn stored(&self, position: &Position) -> Result<Outcome, DatabaseError> {
        Ok(self.tier(position.ply() as u32)?.outcome(self.index(), self.cache(), position)?)
    }

    /// Finds the best child of a quiet position: first by the board, which may show a win, then in the database.
    ///
    /// A child whose reply is forced can take many look-ups (the worst probe of 6x4 makes 423, the mean is 7.7), but to
    /// look at those last saved none: 7.8, and the same worst.
    fn best_child(&self, position: &Position, effort: &mut Effort) -> Result<Outcome, DatabaseError> {
        // In a quiet position no win is sooner than in 3, under misère no sooner than in 2, and none there is in 3.
        let settles =
            |outcome: Outcome| outcome.value == Value::Win && outcome.remoteness.is_none_or(|plies| plies <= 3);
        let mut best: Option<Outcome> = None;
        let mut improve = |outcome: Outcome| {
            best = Some(best.map_or(outcome, |best| best.min(outcome)));
            settles(outcome)
        };
        let mut unseen = [None; MAX_COLUMNS];
        let columns = centre_first(position.board().width()).filter(|column| position.can_play(*column));
        for (column, slot) in columns.zip(&mut unseen) {
            match sight(&position.drop_piece(column)) {
                Sight::Decided(outcome) => {
                    let outcome = self.outcome(outcome).parent();
                    if improve(outcome) {
                        return Ok(outcome);
                    }
                }
                sight => *slot = Some((column as u8, sight)),
            }
        }
        // What is searched comes last: a win that is stored may save it.
        let is_searched = |sight: &Sight| matches!(sight, Sight::Forced(_)) && !self.reaches(position.ply() as u32 + 2);
        for searched in [false, true] {
            for (column, sight) in unseen.iter().flatten().filter(|(_, sight)| is_searched(sight) == searched) {
                let child = position.drop_piece(usize::from(*column));
                let outcome = match sight {
                    Sight::Forced(reply) => self.value(&child.drop_piece(*reply), effort)?.parent(),
                    _ => self.stored(&child)?,
                }
                .parent();
                if improve(outcome) {
                    return Ok(outcome);
                }
            }
        }
        best.ok_or_else(|| self.manifest_error("a position has no moves"))
    }
}

/// Lists columns from the centre outwards: a win, which ends the look-ups, is more often there.
fn centre_first(width: usize) -> impl Iterator<Item = usize> {
    let centre = width / 2;
    let sides = (1..=centre).flat_map(move |away| [centre - away, centre + away]);
    std::iter::once(centre).chain(sides).filter(move |column| *column < width)
}
