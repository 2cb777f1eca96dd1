//! The directory of a tier's blocks, with a checksum that holds.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    properties::block_index(data);
});
