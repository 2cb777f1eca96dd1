//! One stored value against the values of its moves.

use fourbase::Position;

use super::collector::Collector;
use super::fault::Fault;
use super::known::Known;
use super::lookup::Lookup;
use super::tier::StoredTier;

/// A stored value, and where it is.
#[derive(Clone, Copy)]
pub(super) struct Value {
    pub block: u64,
    pub entry: u64,
    pub position: Position,
    pub code: u8,
}

/// Compares a stored value with the best of its moves, and with what a probe answers.
pub(super) fn check_value(lookup: &Lookup, tier: &StoredTier, value: &Value, known: &Known, faults: &Collector) {
    let (ply, Value { block, entry, position, code }) = (tier.ply, *value);
    let Some(stored) = tier.outcome(code) else {
        return faults.push(Fault::NoOutcome { ply, block, entry, position, code });
    };
    match lookup.best_of_moves(&position, known) {
        Ok(expected) if expected == stored => {}
        Ok(expected) => faults.push(Fault::Value { ply, block, entry, position, stored, expected }),
        Err(source) => faults.push(Fault::Unanswered { ply, entry, position, source }),
    }
    lookup.check_probe(&position, stored, faults);
}

/// Makes the fault of a chunk that has not as many values as quiet entries.
pub(super) fn wrong_count(tier: &StoredTier, block: u64, chunk: u64, found: usize, expected: usize) -> Fault {
    let (found, expected) = (found as u32, expected as u32);
    Fault::Count { ply: tier.ply, block, chunk, entry: tier.entries(chunk).start, found, expected }
}
