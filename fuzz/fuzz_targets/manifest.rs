//! The record of a manifest, in an envelope with a valid checksum.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    properties::manifest(data);
});
