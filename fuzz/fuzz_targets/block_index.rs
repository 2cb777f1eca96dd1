//! The directory of a tier's blocks, with a valid checksum.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    properties::block_index(data);
});
