//! Who knows what positions are worth: the seam between the questions of `fourbase query` and where answers come from.

use anyhow::Context;
use fourbase::{Outcome, Position, excerpt};
use fourbase_tiers::database::{Database, Move};
use fourbase_tiers::error::kept;

/// How many positions of a batch are answered together where each may have to be searched: enough for all threads,
/// few enough that answers keep coming.
const AT_ONCE: usize = 256;

/// How much of the name of a folder is told.
const FOLDER_BYTES: usize = 1024;

/// Answers questions about the positions of one board.
pub trait Answerer {
    /// Begins with another position: limits start anew.
    fn begin(&self) {}

    /// Returns what a position is worth for its player to move.
    fn outcome(&self, position: &Position) -> anyhow::Result<Outcome>;

    /// Returns whether a position is worth just this, remoteness included.
    fn is_worth(&self, position: &Position, outcome: Outcome) -> anyhow::Result<bool> {
        Ok(self.outcome(position)? == outcome)
    }

    /// Lists the legal moves, best first, equally good ones by column; none once the game is over.
    fn moves(&self, position: &Position) -> anyhow::Result<Vec<Move>> {
        let moves = position.moves().map(|column| {
            let outcome = self.outcome(&position.drop_piece(column))?.parent();
            Ok(Move { column, outcome })
        });
        let mut moves = moves.collect::<anyhow::Result<Vec<_>>>()?;
        sort(&mut moves);
        Ok(moves)
    }

    /// Returns the columns of best play to the end of the game, the lowest among equals; `None` without remotenesses,
    /// where best is unknown.
    fn best_line(&self, position: &Position) -> anyhow::Result<Option<Vec<usize>>> {
        let (mut position, mut line, mut outcome) = (*position, Vec::new(), self.outcome(position)?);
        while outcome.remoteness != Some(0) {
            let Some(child) = after_best_play(outcome) else { return Ok(None) };
            let mut best = None;
            for column in position.moves() {
                if self.is_worth(&position.drop_piece(column), child)? {
                    best = Some(column);
                    break;
                }
            }
            let column = best.with_context(|| format!("no move of {position} is worth what the position is"))?;
            line.push(column);
            (position, outcome) = (position.drop_piece(column), child);
        }
        Ok(Some(line))
    }

    /// Returns what each of some positions is worth, in their order.
    fn outcomes(&self, positions: &[Position]) -> Vec<anyhow::Result<Outcome>> {
        let outcome = |position| {
            self.begin();
            self.outcome(position)
        };
        positions.iter().map(outcome).collect()
    }

    /// Says where the answers so far come from, if not just out of a database.
    fn note(&self) -> Option<String> {
        None
    }

    /// Returns the deepest ply that the database keeps, where there is one that does not keep all.
    fn keep_plies(&self) -> Option<u32> {
        None
    }

    /// Returns how many positions are worth being answered together.
    fn at_once(&self) -> usize {
        usize::MAX
    }
}

/// Sorts moves, best first, equally good ones by column.
pub fn sort(moves: &mut [Move]) {
    moves.sort_by_key(|of| (of.outcome, of.column));
}

/// Returns what the best move leads to, for the player to move there; `None` where it is not known how far the end is.
fn after_best_play(outcome: Outcome) -> Option<Outcome> {
    let remoteness = outcome.remoteness?.checked_sub(1)?;
    Some(Outcome { value: outcome.value.flip(), remoteness: Some(remoteness) })
}

impl Answerer for Database {
    fn outcome(&self, position: &Position) -> anyhow::Result<Outcome> {
        Ok(self.probe(position)?)
    }

    fn outcomes(&self, positions: &[Position]) -> Vec<anyhow::Result<Outcome>> {
        self.probe_many(positions).into_iter().map(|outcome| Ok(outcome?)).collect()
    }

    fn moves(&self, position: &Position) -> anyhow::Result<Vec<Move>> {
        Ok(Database::moves(self, position)?)
    }

    fn best_line(&self, position: &Position) -> anyhow::Result<Option<Vec<usize>>> {
        Ok(Database::best_line(self, position)?)
    }

    fn note(&self) -> Option<String> {
        let kept = kept(self.manifest().keep_plies());
        let folder = excerpt(&self.folder().display().to_string(), FOLDER_BYTES);
        (self.searched() > 0).then(|| format!("searched forward: {folder} keeps {kept}"))
    }

    fn keep_plies(&self) -> Option<u32> {
        self.manifest().keep_plies()
    }

    fn at_once(&self) -> usize {
        self.keep_plies().map_or(usize::MAX, |_| AT_ONCE)
    }
}
