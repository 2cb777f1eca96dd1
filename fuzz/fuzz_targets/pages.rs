//! The list of pages of a tier file's directory. The file has up to three pages, with valid checksums.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    properties::pages(data);
});
