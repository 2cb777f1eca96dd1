//! The log of a live tier, from which a solve resumes.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    properties::log(data);
});
