//! Every parser of bytes from outside, on random and mutated bytes and on inputs that are kept: the properties of the fuzz targets,
//! for who has no fuzzer.

use std::fs;
use std::path::Path;

use crate::support::files::paths;
use crate::support::hostile;
use crate::support::long;
use crate::support::positions::Random;
use crate::support::properties;

/// How many inputs each property gets.
const CASES: usize = 2000;

/// What must hold of some bytes; returns whether they are accepted.
type Property = fn(&[u8]) -> bool;

/// Every property, by the name of its fuzz target.
const TARGETS: [(&str, Property); 12] = [
    ("batch", properties::batch),
    ("block", properties::block),
    ("block_index", properties::block_index),
    ("board", properties::board),
    ("log", properties::log),
    ("manifest", properties::manifest),
    ("pages", properties::pages),
    ("position", properties::position),
    ("saved_game", properties::saved_game),
    ("shapes", properties::shapes),
    ("stats_file", properties::stats_file),
    ("tier_header", properties::tier_header),
];

/// A file is named `accepted-` where its bytes are sound (a solve of 4x4 without remoteness wrote most of them), and `seed-` where they
/// are nearly so: these are mutated.
#[test]
fn kept_inputs_and_mutated_sound_ones_are_read_or_refused() {
    long::skips("950,000 of a million texts that are boards and positions or not");
    let kept = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/corpus_kept"));
    assert_eq!(paths(kept), TARGETS.map(|(name, _)| kept.join(name)), "a folder for every target");
    for (name, property) in TARGETS {
        let (inputs, mut sound, mut accepted) = (paths(&kept.join(name)), Vec::new(), 0);
        for path in &inputs {
            let bytes = fs::read(path).expect("a file");
            let is_accepted = property(&bytes);
            accepted += usize::from(is_accepted);
            let begins = |with: &str| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(with));
            assert!(is_accepted || !begins("accepted-"), "{}", path.display());
            if begins("accepted-") || begins("seed-") {
                sound.push(bytes);
            }
        }
        println!("{name}: {accepted} of {} kept inputs are accepted", inputs.len());
        assert!(!sound.is_empty() && accepted < inputs.len(), "{name}: both kinds of inputs");
        let mut random = Random::new(1);
        let cases = match name {
            // A log is solved from.
            "log" => CASES / 14,
            "board" | "position" => long::scale(50_000, 1_000_000),
            _ => CASES,
        };
        let inputs = (0..cases).map(|case| match name {
            // People write these: texts of every kind, positions on every board.
            "board" => hostile::line(&mut random, 50_000),
            "position" => [vec![case as u8], hostile::line(&mut random, 50_000)].concat(),
            _ => hostile::bytes(&sound[case % sound.len()], &mut random),
        });
        let accepted = inputs.filter(|input| property(input)).count();
        println!("{name}: {accepted} of {cases} mutated inputs are accepted");
        assert!(accepted > cases / 100, "{name}: {accepted}");
    }
}
