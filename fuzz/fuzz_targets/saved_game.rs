//! A saved game: its board and its moves.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    properties::saved_game(data);
});
