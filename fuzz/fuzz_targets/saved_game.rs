//! A saved game: its board and its moves.
#![no_main]

#[path = "../../tests/support/properties.rs"]
#[allow(dead_code, reason = "every target tries its own property")]
mod properties;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    properties::saved_game(data);
});
