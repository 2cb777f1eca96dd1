//! zstd frames: compression and expansion, with a context kept per thread.
//!
//! Creating a context takes longer than expanding a block, so each thread creates its contexts only once.

use std::cell::RefCell;
use std::io;

use zstd::bulk::{Compressor, Decompressor};

thread_local! {
    static COMPRESSOR: RefCell<Compressor<'static>> = RefCell::default();
    static DECOMPRESSOR: RefCell<Decompressor<'static>> = RefCell::default();
}

/// Compresses bytes into one frame, which records their length.
pub(crate) fn compress(bytes: &[u8], level: i32) -> io::Result<Vec<u8>> {
    compress_into(bytes, level, &mut Vec::new()).map(<[u8]>::to_vec)
}

/// Compresses as [`compress`] does, into the caller's buffer, which only grows.
pub(crate) fn compress_into<'a>(bytes: &[u8], level: i32, buffer: &'a mut Vec<u8>) -> io::Result<&'a [u8]> {
    buffer.resize(zstd::zstd_safe::compress_bound(bytes.len()).max(buffer.len()), 0);
    let length = COMPRESSOR.with_borrow_mut(|compressor| {
        compressor.set_compression_level(level)?;
        compressor.compress_to_buffer(bytes, &mut buffer[..])
    })?;
    Ok(buffer.get(..length).unwrap_or_default())
}

/// Returns an upper bound on the bytes of a frame around `bytes` bytes.
pub(crate) fn most_bytes(bytes: u128) -> u128 {
    // This equals zstd's own bound (`compress_bound`) or exceeds it a little.
    bytes.saturating_add(bytes / 128).saturating_add(1 << 10)
}

/// Expands one frame; `None` if it is invalid, records more than `most_bytes` bytes, or records no length.
pub(crate) fn expand(frame: &[u8], most_bytes: usize) -> Option<Vec<u8>> {
    let length = zstd::zstd_safe::get_frame_content_size(frame).ok()??;
    let length = usize::try_from(length).ok().filter(|length| *length <= most_bytes)?;
    let bytes = DECOMPRESSOR.with_borrow_mut(|decompressor| decompressor.decompress(frame, length));
    bytes.ok().filter(|bytes| bytes.len() == length)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn expanding_undoes_compressing_at_any_level(bytes: Vec<u8>, level in 1..12i32) {
            let frame = compress(&bytes, level).unwrap();
            prop_assert_eq!(expand(&frame, bytes.len()), Some(bytes.clone()));
            if !bytes.is_empty() {
                prop_assert_eq!(expand(&frame, bytes.len() - 1), None);
            }
        }
    }
}
