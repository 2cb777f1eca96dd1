//! Answers of a database, and by looking forward what the database leaves open: remotenesses where it has values
//! alone, and positions that are not solved yet.

use std::cell::Cell;

use fourbase::{Outcome, Position};
use fourbase_tiers::database::{Database, Move};
use fourbase_tiers::error::DatabaseError;

use super::answerer::{Answerer, sort};
use super::searcher::Searcher;

/// A database and a search of the same board.
pub struct Both {
    database: Database,
    searcher: Searcher,
    /// Whether the search had to answer anything.
    searched: Cell<bool>,
}

impl Both {
    /// Lets a database answer what it can.
    pub fn new(database: Database, searcher: Searcher) -> Both {
        Both { database, searcher, searched: Cell::new(false) }
    }

    /// Asks the database; `None` where the position is not solved yet.
    fn known(&self, position: &Position) -> anyhow::Result<Option<Outcome>> {
        match self.database.probe(position) {
            Ok(outcome) => Ok(Some(outcome)),
            Err(DatabaseError::NotSolved { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Searches what the database leaves open about a position.
    fn complete(&self, position: &Position, known: Option<Outcome>) -> anyhow::Result<Outcome> {
        match known {
            Some(outcome @ Outcome { remoteness: Some(_), .. }) => Ok(outcome),
            Some(Outcome { value, .. }) => {
                self.searched.set(true);
                Ok(Outcome { value, remoteness: Some(self.searcher.remoteness(&self.database, position, value)?) })
            }
            None => {
                self.searched.set(true);
                self.searcher.outcome(position)
            }
        }
    }
}

impl Answerer for Both {
    fn begin(&self) {
        self.searcher.begin();
    }

    fn outcome(&self, position: &Position) -> anyhow::Result<Outcome> {
        self.complete(position, self.known(position)?)
    }

    /// Of moves that are known to give the value away the remoteness stays open: it may cost much, and nobody plays
    /// them.
    fn moves(&self, position: &Position) -> anyhow::Result<Vec<Move>> {
        let mut known = Vec::new();
        for column in position.moves() {
            let child = position.drop_piece(column);
            known.push((column, child, self.known(&child)?));
        }
        // Unless all are known, any may be the best.
        let outcomes = known.iter().map(|(_, _, outcome)| outcome.map(Outcome::parent));
        let best = outcomes.collect::<Option<Vec<_>>>().and_then(|outcomes| outcomes.into_iter().min());
        let mut moves = Vec::with_capacity(known.len());
        for (column, child, known) in known {
            let outcome = match known.map(Outcome::parent) {
                Some(outcome) if best.is_some_and(|best| outcome.value != best.value) => outcome,
                _ => self.complete(&child, known)?.parent(),
            };
            moves.push(Move { column, outcome });
        }
        sort(&mut moves);
        Ok(moves)
    }

    fn is_worth(&self, position: &Position, outcome: Outcome) -> anyhow::Result<bool> {
        let known = self.known(position)?;
        if known.is_some_and(|known| known.value != outcome.value) {
            return Ok(false);
        }
        Ok(self.complete(position, known)? == outcome)
    }

    fn note(&self) -> Option<String> {
        self.searcher.note().filter(|_| self.searched.get())
    }

    fn keep_plies(&self) -> Option<u32> {
        self.database.keep_plies()
    }

    fn at_once(&self) -> usize {
        self.searcher.at_once()
    }
}
