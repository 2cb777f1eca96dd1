//! The drops of one shape, and the shapes of the neighbouring tier that they lead to or come from.
//!
//! The solver reads the children of a shape, the sweep of a count reads its parents. Both find the same three kinds of drops: into
//! a wing, into a wing so that the neighbour is stored as its mirror image, and on the spine.

use fourbase::Player;

use crate::index::{FullLine, Index, Shape, Split, WingShape};
use crate::tier::{Content, TierReader};

/// A drop into a wing column.
pub(crate) struct WingDrop {
    pub column: usize,
    /// The wing in the neighbour.
    pub wing: WingShape,
    /// The bit that the drop adds to the colouring of the wing.
    pub bit: u32,
    /// The number of the neighbour among the open shapes.
    pub shape: usize,
}

/// What the matrices of one shape have in common.
pub(crate) struct ShapeDrops<'a> {
    pub index: &'a Index,
    /// Who drops.
    pub mover: Player,
    pub left: Vec<WingDrop>,
    pub right: Vec<WingDrop>,
    /// Drops into a wing whose neighbour is stored as its mirror image: the right wing towards children, the left one from parents.
    pub turned: Vec<WingDrop>,
    /// The number of the neighbour with another height of the spine.
    pub spine: Option<usize>,
    /// The lines across both wings.
    pub lines: Vec<FullLine>,
}

impl<'a> ShapeDrops<'a> {
    /// Finds where the drops of `shape`, which has `ply` pieces, lead, and opens those shapes in `children`. The last tier has no
    /// drops.
    pub fn to_children<C: Content>(
        index: &'a Index,
        children: &mut TierReader<C>,
        shape: Shape,
        ply: u32,
    ) -> ShapeDrops<'a> {
        let spine = (shape.spine_height < index.split().spine_room()).then_some(shape.spine_height + 1);
        ShapeDrops::new(index, children, shape, spine, Player::to_move(ply), Split::grown)
    }

    /// Finds which drops lead to `shape`, which has `ply` pieces, and opens the shapes that they come from in `parents`.
    pub fn from_parents<C: Content>(
        index: &'a Index,
        parents: &mut TierReader<C>,
        shape: Shape,
        ply: u32,
    ) -> ShapeDrops<'a> {
        let spine = shape.spine_height.checked_sub(1);
        ShapeDrops::new(index, parents, shape, spine, Player::to_move(ply).other(), Split::shrunk)
    }

    fn new<C: Content>(
        index: &'a Index,
        neighbours: &mut TierReader<C>,
        shape: Shape,
        spine_height: Option<u32>,
        mover: Player,
        neighbour: impl Fn(&Split, WingShape, usize) -> Option<WingShape>,
    ) -> ShapeDrops<'a> {
        let (split, lines) = (index.split(), FullLine::of_shape(index, shape));
        let (mut left, mut right, mut turned) = (Vec::new(), Vec::new(), Vec::new());
        neighbours.close();
        for column in 0..split.wing_columns() {
            for (own, is_left) in [(shape.left, true), (shape.right, false)] {
                let Some(wing) = neighbour(split, own, column) else { continue };
                let [one, other] = if is_left { [wing, shape.right] } else { [shape.left, wing] };
                let stored = Shape { left: one.max(other), right: one.min(other), ..shape };
                let Some(shape) = neighbours.open(stored) else { continue };
                let bit = split.bit(own, column, split.height(own.min(wing), column));
                let drops = match is_left {
                    _ if one < other => &mut turned,
                    true => &mut left,
                    false => &mut right,
                };
                drops.push(WingDrop { column, wing, bit, shape });
            }
        }
        let spine = spine_height.and_then(|spine_height| neighbours.open(Shape { spine_height, ..shape }));
        ShapeDrops { index, mover, left, right, turned, spine, lines }
    }

    /// Returns how many of the first player's pieces a drop adds.
    pub fn first(&self) -> u32 {
        u32::from(self.mover == Player::First)
    }

    /// Turns a plane of first-player pieces into the mover's, by exclusive or.
    pub fn flip(&self) -> u64 {
        if self.mover == Player::First { 0 } else { u64::MAX }
    }
}
