//! The entries of the shapes of a tier, with a checksum that holds: an even first byte and a frame, or an odd one and what
//! is in it.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    properties::shapes(data);
});
