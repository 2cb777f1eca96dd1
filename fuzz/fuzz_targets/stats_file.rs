//! The counts that `stats` keeps beside a database, as JSON.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    properties::stats_file(data);
});
