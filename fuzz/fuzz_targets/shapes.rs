//! The entries of the shapes of a tier, with a checksum that holds: an even first byte and a frame, or an odd one and what
//! is in it.
#![no_main]

#[path = "../../tests/support/properties.rs"]
#[allow(dead_code, reason = "every target tries its own property")]
mod properties;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    properties::shapes(data);
});
