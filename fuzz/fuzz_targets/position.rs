//! A position in any notation; the first byte chooses the board.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    properties::position(data);
});
