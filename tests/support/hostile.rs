//! Bytes that nobody would write: random, mutated, far too long.

use super::positions::Random;

/// Well-formed texts to begin with: boards and positions of boards, in every notation.
const SEEDS: &str = "4x4|7x6|4x4c3|5x3m|4x4c3m|32x2|-|121212|4453|9a9b9c|1_-XXX--OO---O----|2_------OO---O----|\
                     1_XOXOXOXOXOXOXOXO|10100 10010 11010 01010|00010 11100 11000 10000|00000 00001 00101 10101";

/// What is thrown in: what means something somewhere, what means something to terminals, and what is not ASCII.
const PIECES: [&str; 25] = [
    "0", "1", "2", "3", "4", "5", "9", "a", "w", "x", "c", "m", "-", "_", "X", "O", " ", "\t", "\r", "\0", "×",
    "\x1b[31m", "😀", "\u{202e}", "\u{feff}",
];

/// The same beyond UTF-8, and beyond 64 bits.
const MORE_PIECES: [&[u8]; 3] = [b"\xff", b"\xc3", b"18446744073709551616"];

/// One of these pieces.
fn piece(random: &mut Random) -> &'static [u8] {
    let number = random.below(PIECES.len() + MORE_PIECES.len());
    PIECES.get(number).map_or_else(|| MORE_PIECES[number - PIECES.len()], |piece| piece.as_bytes())
}

/// How many bytes a very long text has.
pub const LONG_BYTES: usize = 1_000_000;

/// Makes a line of hostile bytes, none of which ends a line. One in `rarity` is very long.
pub fn line(random: &mut Random, rarity: usize) -> Vec<u8> {
    let seeds: Vec<&str> = SEEDS.split('|').collect();
    let mut line = bytes(seeds[random.below(seeds.len())].as_bytes(), random);
    if random.below(rarity) == 0 {
        let piece = if line.is_empty() { b"1".to_vec() } else { line };
        line = piece.iter().copied().cycle().take(LONG_BYTES).collect();
    }
    line.retain(|byte| *byte != b'\n');
    line
}

/// Makes random bytes, pieces, or mostly well-formed bytes with a few changes.
pub fn bytes(well_formed: &[u8], random: &mut Random) -> Vec<u8> {
    match random.below(8) {
        0 => (0..random.below(100)).map(|_| random.next() as u8).collect(),
        1 => (0..random.below(24)).flat_map(|_| piece(random)).copied().collect(),
        _ => mutated(well_formed, random),
    }
}

/// Changes bytes in up to four places.
fn mutated(well_formed: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = well_formed.to_vec();
    for _ in 0..random.below(5) {
        let place = random.below(bytes.len() + 1);
        match random.below(7) {
            0 => bytes.truncate(place),
            1 if place < bytes.len() => bytes[place] ^= 1 << random.below(8),
            2 if place < bytes.len() => bytes[place] = random.next() as u8,
            3 if place < bytes.len() => drop(bytes.remove(place)),
            4 => bytes.extend_from_within(place..),
            5 => bytes.insert(place, random.next() as u8),
            _ => drop(bytes.splice(place..place, piece(random).iter().copied())),
        }
    }
    bytes
}
