//! The record of a tier's header, in an envelope with a valid checksum.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    properties::tier_header(data);
});
