//! What a kernel is to the forms that run it.

use super::bits::Bits;

/// A loop that is compiled for every form of the kernels. `run` must be inlined into its caller.
pub(super) trait Task {
    /// What the loop gives.
    type Output;

    /// Runs the loop with one form of the bit moves.
    fn run<B: Bits>(self) -> Self::Output;
}
