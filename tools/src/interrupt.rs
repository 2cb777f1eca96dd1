//! Ctrl-C: the first asks for an end at a good place, the second ends the program at once.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;

use crate::failure;

/// Somebody pressed Ctrl-C.
static IS_ASKED: AtomicBool = AtomicBool::new(false);

/// What a shell reports of a program that SIGINT ended.
const INTERRUPTED: i32 = 130;

/// From now on, notes the first Ctrl-C, says what it `will` do, and ends the program at the second.
///
/// # Errors
///
/// Whatever the system says.
pub fn listen(will: &'static str) -> anyhow::Result<()> {
    ctrlc::set_handler(move || {
        if IS_ASKED.swap(true, Ordering::Relaxed) {
            process::exit(INTERRUPTED);
        }
        failure::print_note(will);
    })
    .context("cannot listen to Ctrl-C")
}

/// Returns whether Ctrl-C was pressed since [`listen`].
pub fn is_asked() -> bool {
    IS_ASKED.load(Ordering::Relaxed)
}
