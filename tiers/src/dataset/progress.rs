//! What the making of a data set reports to its caller.

/// Receives the progress and can stop the work. The methods may be called from any thread and should be quick.
pub trait Progress: Sync {
    /// The work begins, and will be this much: entries of the index, or positions of a sample.
    fn begins(&self, _all: u64) {}

    /// More of it is done.
    fn done(&self, _more: u64) {}

    /// Tells whether to stop. Asked many times a second.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// Ignores all progress and never stops.
impl Progress for () {}
