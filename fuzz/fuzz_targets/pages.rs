//! The list of the pages of a directory, in a file of up to three pages whose checksums hold.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    properties::pages(data);
});
