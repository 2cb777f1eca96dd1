//! How each position was first met, to write down a line to it.
//!
//! Positions of a ply are met in the order of their smallest lines. The first ply has one position. Going through the
//! positions of a ply in order, and through the moves of each from the left, meets those of the next ply in order. So
//! the line by which a position was first met is the smallest of all lines that lead to it.

/// The two moves by which a position with the opponent to move was first met.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    /// The place of the previous position among those of its ply.
    pub parent: usize,
    /// The opponent's move; `None` if the rule made the first move of the game.
    pub opponent: Option<u8>,
    /// The rule's reply; `None` for the empty board.
    pub reply: Option<u8>,
}

/// The links of all plies.
#[derive(Debug, Default)]
pub(super) struct History {
    layers: Vec<Vec<Link>>,
    links: usize,
}

impl History {
    /// Starts the next ply.
    pub fn begin_layer(&mut self) {
        self.layers.push(Vec::new());
    }

    /// Adds a position to the latest ply.
    pub fn push(&mut self, link: Link) {
        if let Some(layer) = self.layers.last_mut() {
            layer.push(link);
            self.links += 1;
        }
    }

    /// Returns the number of links.
    pub fn len(&self) -> usize {
        self.links
    }

    /// Returns the line to the position at `place` of the ply before the latest one.
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
