//! Ctrl-C: the first one stops the work at the next good place, the second one ends the program at once.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;

use crate::failure;

/// Whether Ctrl-C was pressed.
static IS_ASKED: AtomicBool = AtomicBool::new(false);

/// The exit code that a shell reports for a program ended by SIGINT.
const INTERRUPTED: i32 = 130;

/// Starts to listen: the first Ctrl-C is noted and prints `message`, the second ends the program.
///
/// # Errors
///
/// The system refuses.
pub fn listen(message: &'static str) -> anyhow::Result<()> {
    ctrlc::set_handler(move || {
        if IS_ASKED.swap(true, Ordering::Relaxed) {
            process::exit(INTERRUPTED);
        }
        failure::print_note(message);
    })
    .context("cannot listen to Ctrl-C")
}

/// Returns whether Ctrl-C was pressed since [`listen`].
pub fn is_asked() -> bool {
    IS_ASKED.load(Ordering::Relaxed)
}
