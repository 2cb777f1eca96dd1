//! The name of a board.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    properties::board(data);
});
