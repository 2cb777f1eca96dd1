//! Files that are cut, grown, emptied, gone, or another's.

use rayon::prelude::*;

use crate::support::damage::{Sound, Tally};
use crate::support::long;
use crate::support::tiers::Values;

#[test]
fn a_file_cut_at_any_length_is_found_and_no_probe_is_wrong() {
    for (name, values) in [("4x4", Values::Remoteness), ("4x4", Values::Wdl), ("5x4", Values::Remoteness)] {
        let (sound, tally) = (Sound::new(name, values), Tally::default());
        // The larger board is probed at some lengths only.
        let probed = if name == "4x4" { 1 } else { long::scale(7, 61) };
        let lengths: Vec<(&String, &Vec<u8>, usize)> = sound
            .files
            .iter()
            .flat_map(|(file, bytes)| (0..bytes.len()).map(move |length| (file, bytes, length)))
            .collect();
        let lengths = long::every(29, lengths, format_args!("cuts of {name} {values}"));
        lengths.par_iter().for_each(|&(file, bytes, length)| {
            let what = format!("{name} {values}, {file} cut to {length} bytes");
            let cut = bytes[..length].to_vec();
            if length % probed == 0 {
                sound.survives(file, Some(cut), &tally, &what);
            } else {
                assert!(sound.is_found(file, cut), "{what}");
            }
        });
        println!("{name} {values}: {} cuts, all found; probed at every {probed}: {tally}", lengths.len());
    }
}

#[test]
fn a_file_with_a_byte_more_or_gone_is_found_and_no_probe_is_wrong() {
    for (name, values) in [("4x4", Values::Remoteness), ("4x4", Values::Wdl), ("5x4", Values::Remoteness)] {
        let (sound, tally) = (Sound::new(name, values), Tally::default());
        for (file, bytes) in &*sound.files {
            for byte in (0..=255).step_by(long::scale(51, 1)) {
                let longer = bytes.iter().copied().chain([byte]).collect();
                sound.survives(file, Some(longer), &tally, &format_args!("{name} {values}, {file} and a byte {byte}"));
            }
            let front = std::iter::once(0).chain(bytes.iter().copied()).collect();
            sound.survives(file, Some(front), &tally, &format_args!("{name} {values}, a byte and {file}"));
            sound.survives(file, None, &tally, &format_args!("{name} {values}, {file} gone"));
        }
        long::skips(format_args!("250 of 256 bytes after each file of {name} {values}"));
        println!("{name} {values}: {} files with a byte more and gone; {tally}", sound.files.len());
    }
}

#[test]
fn a_file_of_another_tier_or_board_is_found_and_no_probe_is_wrong() {
    let kinds = [Values::Remoteness, Values::Wdl];
    let names: &[&str] = long::scale(&["4x4", "4x4m", "4x3"], &["4x4", "4x4m", "4x4c3", "4x3", "5x4", "4x5"]);
    long::skips("files of 4x4c3, 5x4 and 4x5 in place of others");
    let all: Vec<(String, Sound)> = names
        .iter()
        .flat_map(|name| kinds.map(|values| (format!("{name} {values}"), Sound::new(name, values))))
        .collect();
    let (mut neighbours, mut others, tally) = (0, 0, Tally::default());
    for (number, (database, sound)) in all.iter().enumerate() {
        for file in sound.files.keys() {
            for (other_number, (other_database, other)) in all.iter().enumerate() {
                for (other_file, bytes) in &*other.files {
                    if other_number == number && other_file == file || other_number != number && other_file != file {
                        continue;
                    }
                    *if other_number == number { &mut neighbours } else { &mut others } += 1;
                    let what = format!("{database}: {file} is {other_file} of {other_database}");
                    sound.survives(file, Some(bytes.clone()), &tally, &what);
                }
            }
        }
    }
    println!("{neighbours} files replaced by another of the database, {others} by one of another board; {tally}");
}
