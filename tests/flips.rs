//! Bits that flip in the files of a database: each is found, and no probe is wrong for it.

use rayon::prelude::*;

use crate::support::damage::{Sound, Tally};
use crate::support::long;
use crate::support::tiers::Values;

#[test]
fn every_single_bit_of_4x4_is_found_and_no_probe_is_wrong() {
    for values in [Values::Remoteness, Values::Wdl] {
        let (sound, tally) = (Sound::new("4x4", values), Tally::default());
        let bits: Vec<(&String, &Vec<u8>, usize)> = sound
            .files
            .iter()
            .flat_map(|(name, bytes)| (0..8 * bytes.len()).map(move |bit| (name, bytes, bit)))
            .collect();
        let bits = long::every(29, bits, format_args!("bits of 4x4 {values}"));
        bits.par_iter().for_each(|&(name, bytes, bit)| {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            sound.survives(name, Some(bytes), &tally, &format_args!("4x4 {values}, bit {bit} of {name}"));
        });
        println!("4x4 {values}: {} bits flipped; {tally}", bits.len());
    }
}

#[test]
fn every_byte_of_5x4_is_found() {
    for values in [Values::Remoteness, Values::Wdl] {
        let sound = Sound::new("5x4", values);
        let bytes: Vec<(&String, &Vec<u8>, usize)> =
            sound.files.iter().flat_map(|(name, bytes)| (0..bytes.len()).map(move |at| (name, bytes, at))).collect();
        let bytes = long::every(211, bytes, format_args!("bytes of 5x4 {values}"));
        bytes.par_iter().for_each(|&(name, bytes, at)| {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1 << (at % 8);
            assert!(sound.is_found(name, bytes), "5x4 {values}, byte {at} of {name}");
        });
        println!("5x4 {values}: {} bytes changed, all found", bytes.len());
    }
}
