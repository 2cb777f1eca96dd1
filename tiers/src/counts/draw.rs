//! Unfinished legal positions drawn at random, each as likely as any other.
//!
//! An entry of the index is drawn, with its mirror image where that is another position. It is refused if it is no
//! position, if the game is over, or if no order of moves leads there. So what is left is uniform, and a board of any size
//! takes the memory of its shapes alone. On 5x4 every third draw is a position, on 7x6 most are.

use fourbase::{Board, Position, notation};
use rand::{Rng, RngExt};

use crate::index::{Index, Parts, Shape, Spine, matrices, shapes};

/// The shapes of some plies.
///
/// ```
/// use fourbase::players::Source;
/// use fourbase_tiers::counts::Draw;
/// use fourbase_tiers::index::Index;
/// use fourbase_tiers::kernel::Kernel;
///
/// let index = Index::new("5x4".parse()?, Kernel::detect())?;
/// let draw = Draw::new(&index, 8..9);
/// let position = draw.position(&index, &mut Source::new(1, 0)).ok_or("none")?;
/// assert_eq!((position.ply(), position.primitive()), (8, None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Draw {
    board: Board,
    /// Every shape, and how many images of entries come before its end.
    shapes: Vec<(Shape, u32, u64)>,
}

impl Draw {
    /// So many draws are refused before there is taken to be no position.
    pub const MOST_DRAWS: u32 = 1_000_000;

    /// Prepares to draw from some plies; the board has none beyond its number of cells.
    pub fn new(index: &Index, plies: impl IntoIterator<Item = u32>) -> Draw {
        let board = index.board();
        let (mut listed, mut end) = (Vec::new(), 0_u64);
        for ply in plies {
            for shape in shapes(index, ply) {
                let spines = Spine::of_height(shape.spine_height);
                let entries =
                    spines.flat_map(|spine| matrices(index, ply, shape, spine)).map(|matrix| matrix.entries());
                let images = if shape.left == shape.right { 1 } else { 2 };
                end = end.saturating_add(entries.sum::<u64>().saturating_mul(images));
                listed.push((shape, ply, end));
            }
        }
        Draw { board, shapes: listed }
    }

    /// Draws a position; `None` if a million draws in a row are refused, as where the plies have no unfinished position.
    #[must_use]
    pub fn position(&self, index: &Index, random: &mut impl Rng) -> Option<Position> {
        (0..Draw::MOST_DRAWS).find_map(|_| self.image(index, random))
    }

    /// Draws an image of an entry; `None` if it is refused.
    fn image(&self, index: &Index, random: &mut impl Rng) -> Option<Position> {
        let end = self.shapes.last().map(|(_, _, end)| *end).filter(|end| *end > 0)?;
        let drawn = random.random_range(0..end);
        let place = self.shapes.partition_point(|(_, _, end)| *end <= drawn);
        let (shape, ply, _) = *self.shapes.get(place)?;
        let before = place.checked_sub(1).and_then(|place| self.shapes.get(place)).map_or(0, |(_, _, end)| *end);
        let (is_mirror, mut entry) = match drawn - before {
            inside if shape.left == shape.right => (false, inside),
            inside => (inside % 2 == 1, inside / 2),
        };
        let spines = Spine::of_height(shape.spine_height);
        let mut matrices = spines.flat_map(|spine| matrices(index, ply, shape, spine));
        let matrix = matrices.find(|matrix| match entry.checked_sub(matrix.entries()) {
            Some(rest) => {
                entry = rest;
                false
            }
            None => true,
        })?;
        let (row, column) = (entry / u64::from(matrix.columns), entry % u64::from(matrix.columns));
        let of = |list: &[u32], place: u64| list.get(place as usize).copied();
        let parts = Parts {
            left: matrix.left,
            left_bits: of(index.colourings(matrix.left, matrix.spine, matrix.left_firsts), row)?,
            spine: matrix.spine,
            right: matrix.right,
            right_bits: of(index.colourings(matrix.right, matrix.spine, matrix.right_firsts), column)?,
        };
        let [first, second] = index.split().bitboards(&parts);
        let position = Position::from_bitboards(self.board, first, second).ok()?;
        let is_legal = position.primitive().is_none() && notation::to_moves(&position).is_ok();
        let position = if is_mirror { position.mirror() } else { position };
        is_legal.then_some(position)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use fourbase::players::Source;

    use super::*;
    use crate::counts::PositionList;
    use crate::kernel::Kernel;

    #[test]
    fn every_unfinished_legal_position_is_drawn_equally_often() {
        let index = Index::new("4x4".parse().unwrap(), Kernel::detect()).unwrap();
        let (draw, mut source) = (Draw::new(&index, 4..6), Source::new(1, 0));
        let mut drawn: HashMap<Position, u32> = HashMap::new();
        let count = 100_000;
        for _ in 0..count {
            *drawn.entry(draw.position(&index, &mut source).unwrap()).or_default() += 1;
        }
        let mut legal = 0;
        for ply in 4..6 {
            let list = PositionList::legal(&index, ply, u64::MAX, &|| false).unwrap().unwrap();
            let positions = (0..list.parts()).flat_map(|part| list.positions(&index, part).unwrap());
            for position in positions.filter(|position| position.primitive().is_none()) {
                legal += 1;
                assert!(drawn.contains_key(&position), "{position} was not drawn");
            }
        }
        assert_eq!(drawn.len(), legal);
        let expected = f64::from(count) / legal as f64;
        // The sum of squares over the mean has the mean `legal - 1`, and twice that as its variance.
        let squares = drawn.values().map(|times| (f64::from(*times) - expected).powi(2) / expected).sum::<f64>();
        let most = legal as f64 + 6.0 * (2.0 * legal as f64).sqrt();
        assert!(squares < most, "{squares} of {legal}");
    }

    #[test]
    fn where_every_game_is_over_nothing_is_drawn() {
        let index = Index::new("2x2c2".parse().unwrap(), Kernel::detect()).unwrap();
        assert_eq!(Draw::new(&index, 3..5).position(&index, &mut Source::new(1, 0)), None);
        assert_eq!(Draw::new(&index, 9..12).position(&index, &mut Source::new(1, 0)), None);
    }
}
