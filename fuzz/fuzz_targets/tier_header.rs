//! The record of a tier's header, in an envelope whose checksum holds.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    properties::tier_header(data);
});
