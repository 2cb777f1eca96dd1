//! The memory of a check. A [`Layer`] stores the positions of one ply, and how many lines lead to each of them. The
//! [`History`] stores how each position was first met, so that a line to any position can be restored.
//!
//! The restored line is the smallest in lexicographic order of all lines that lead to the position, because a check
//! meets the positions of each ply in the order of their smallest lines. This holds for the first ply, which has one
//! position. It then holds for each next ply, because the check goes through the positions of a ply in this order, and
//! through the moves of each position from the left.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::Position;

/// A hash that multiplies and folds. It is several times as fast as the hash of the standard library, which guards
/// against keys that an attacker has chosen to collide. No attacker chooses positions here.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fold(u64);

impl Hasher for Fold {
    fn write_u64(&mut self, word: u64) {
        // An odd number with well-spread bits, derived from the golden ratio.
        let product = u128::from(self.0.rotate_left(29) ^ word) * 0x9e37_79b9_7f4a_7c15;
        self.0 = product as u64 ^ (product >> 64) as u64;
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// A map of positions.
pub(crate) type Map<T> = HashMap<Position, T, BuildHasherDefault<Fold>>;

/// The positions of one ply with the opponent to move, each once, in the order in which they were met.
#[derive(Debug, Default)]
pub(super) struct Layer {
    /// The unfinished positions, each with the number of lines that lead to it.
    pub nodes: Vec<(Position, u128)>,
    places: Map<usize>,
}

impl Layer {
    /// Adds lines to a position, and returns whether it is new; `None` if there are too many lines to count.
    pub fn add(&mut self, position: Position, lines: u128) -> Option<bool> {
        let new = self.nodes.len();
        let place = *self.places.entry(position).or_insert(new);
        match self.nodes.get_mut(place) {
            Some((_, known)) => *known = known.checked_add(lines)?,
            None => self.nodes.push((position, lines)),
        }
        Some(place == new)
    }
}

/// The two moves by which a position with the opponent to move was first met.
#[derive(Clone, Copy, Debug)]
pub(super) struct BackLink {
    /// The position two plies before, as an index into the positions of that ply.
    pub parent: usize,
    /// The opponent's move; `None` if the rule made the first move of the game.
    pub opponent: Option<u8>,
    /// The rule's reply; `None` for the empty board.
    pub reply: Option<u8>,
}

/// The links of all plies that have the opponent to move, one layer for each such ply.
#[derive(Debug, Default)]
pub(super) struct History {
    layers: Vec<Vec<BackLink>>,
    /// How many links there are.
    pub links: usize,
}

impl History {
    /// Starts the layer of the next ply.
    pub fn begin_layer(&mut self) {
        self.layers.push(Vec::new());
    }

    /// Adds the link of a position to the latest layer.
    pub fn push(&mut self, link: BackLink) {
        if let Some(layer) = self.layers.last_mut() {
            layer.push(link);
            self.links += 1;
        }
    }

    /// Returns the line to the position with index `place` in the last layer but one: the last layer is still being
    /// filled when a line is restored.
    pub fn line_to(&self, mut place: usize) -> Vec<usize> {
        let mut line = Vec::new();
        for layer in self.layers.iter().rev().skip(1) {
            let Some(link) = layer.get(place) else { break };
            line.extend(link.reply.map(usize::from));
            line.extend(link.opponent.map(usize::from));
            place = link.parent;
        }
        line.reverse();
        line
    }
}
