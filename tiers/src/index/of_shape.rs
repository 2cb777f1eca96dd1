//! What is kept from matrix to matrix.

use super::layout::Shape;

/// What the matrices of one shape have in common, kept until a matrix of another shape comes.
pub(crate) struct OfShape<T>(Option<(Shape, T)>);

impl<T> Default for OfShape<T> {
    fn default() -> OfShape<T> {
        OfShape(None)
    }
}

impl<T> OfShape<T> {
    /// Returns what the matrices of `shape` have in common; makes it where the last call was about another shape.
    pub fn get(&mut self, shape: Shape, make: impl FnOnce() -> T) -> &mut T {
        if self.0.as_ref().is_some_and(|(of, _)| *of != shape) {
            self.0 = None;
        }
        &mut self.0.get_or_insert_with(|| (shape, make())).1
    }
}
