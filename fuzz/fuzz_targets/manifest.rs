//! The record of a manifest, in an envelope whose checksum holds.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    properties::manifest(data);
});
