//! The lines of a batch and the positions on them. The first byte gives the length of the portions in which they
//! arrive.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    properties::batch(data);
});
