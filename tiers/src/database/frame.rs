//! zstd frames: compressing and expanding with contexts that a thread keeps.
//!
//! A context costs more to make than a block to expand.

use std::cell::RefCell;
use std::io;

use zstd::bulk::{Compressor, Decompressor};

thread_local! {
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// Compresses bytes into one frame that says how long they are.
pub(crate) fn compress(bytes: &[u8], level: i32) -> io::Result<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|slot| {
        let compressor = match slot {
            Some(compressor) => compressor,
            None => slot.insert(Compressor::new(level)?),
        };
        compressor.set_compression_level(level)?;
        compressor.compress(bytes)
    })
}

/// Returns the most bytes of a frame around so many.
pub(crate) fn most_bytes(bytes: u128) -> u128 {
    // As zstd bounds it, or a little more.
    bytes.saturating_add(bytes / 128).saturating_add(1 << 10)
}

/// Expands one frame; `None` where it is none, or says that it holds more than `most_bytes`, or does not say.
pub(crate) fn expand(frame: &[u8], most_bytes: usize) -> Option<Vec<u8>> {
    let length = zstd::zstd_safe::get_frame_content_size(frame).ok()??;
    let length = usize::try_from(length).ok().filter(|length| *length <= most_bytes)?;
    DECOMPRESSOR.with_borrow_mut(|slot| {
        let decompressor = match slot {
            Some(decompressor) => decompressor,
            None => slot.insert(Decompressor::new().ok()?),
        };
        decompressor.decompress(frame, length).ok().filter(|bytes| bytes.len() == length)
    })
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

        #[test]
        fn bytes_that_are_no_frame_are_refused(bytes: Vec<u8>) {
            let _ = expand(&bytes, 1 << 20);
        }
    }
}
