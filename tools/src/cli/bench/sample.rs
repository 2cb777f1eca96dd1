//! Random legal positions to look up, and how probes find their values.

use fourbase::players::{Source, random_position};
use fourbase::{Board, Position};
use fourbase_tiers::format::Manifest;
use fourbase_tiers::quiet::{StaticEvaluation, evaluate};
use serde::Serialize;

/// Draws positions: a random ply each, and random moves from the empty board up to it. Positions of the first plies come
/// up many times.
pub fn positions(board: Board, count: usize, seed: u64) -> Vec<Position> {
    let mut source = Source::new(seed, 0);
    let draws = std::iter::repeat_with(|| random_position(board, &mut source));
    draws.flatten().map(|(position, _)| position).take(count).collect()
}

/// Returns whether a probe looks up this position itself: it is quiet, and its tier has a file.
pub fn is_looked_up(position: &Position, manifest: &Manifest) -> bool {
    let stored = manifest.tiers.iter().any(|tier| tier.ply as usize == position.ply() && tier.bytes > 0);
    stored && evaluate(position) == StaticEvaluation::Quiet
}

/// How a probe finds the values of a sample.
#[derive(Serialize, Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Kinds {
    /// The board alone decides the value.
    pub decided: u64,
    /// The reply is forced, so the value is that of the child.
    pub forced: u64,
    /// The position is looked up.
    pub looked_up: u64,
    /// Its tier has no file, so the value is the best of the children's.
    pub looked_ahead: u64,
}

impl Kinds {
    /// Counts the positions of a sample by kind.
    pub fn of(positions: &[Position], manifest: &Manifest) -> Kinds {
        let mut kinds = Kinds::default();
        for position in positions {
            *match evaluate(position) {
                StaticEvaluation::Decided(_) => &mut kinds.decided,
                StaticEvaluation::Forced(_) => &mut kinds.forced,
                StaticEvaluation::Quiet if is_looked_up(position, manifest) => &mut kinds.looked_up,
                StaticEvaluation::Quiet => &mut kinds.looked_ahead,
            } += 1;
        }
        kinds
    }
}
