//! A block of a tier, with a valid checksum. After an even first byte comes the block's frame; after an odd one, its
//! content.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    properties::block(data);
});
