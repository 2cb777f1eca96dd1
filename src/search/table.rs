//! The transposition table: the bounds of searched positions, shared by all threads without locks.
//!
//! An entry holds both bounds of a position's score and the best move. It is identified by the position's whole key,
//! not by a hash: reversible steps turn the key into another number of as many bits. The high bits of that number
//! select the bucket, and the entry stores the remaining bits. So the table never takes one position for another, and
//! no answer depends on luck.
//!
//! If the rest of the key, the bounds and the best move fit in one 64-bit word (keys of up to 59 bits, as on 7x6, 7x7
//! and 8x6), an entry is one atomic word. Otherwise an entry is two words, which another thread may overwrite between
//! two reads. To detect this, the table stores the first word xor the second: two words from different writes then give
//! a key that does not match. (A false match would need 64 equal bits. It can happen only on boards with two-word
//! entries, and only with several threads.)
//!
//! Every bound in the table is true, since it is proved or given by a trusted oracle. So a lost or outdated entry costs
//! time but never changes an answer. The table starts small and grows with the search: small tables stay in the
//! processor's cache, and short searches need little memory.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::score::Score;
use super::word::Word;

/// The words of one bucket: four entries of one word, or two entries of two words. A look-up reads the whole bucket;
/// the alignment keeps it in one cache line.
#[derive(Default)]
#[repr(align(32))]
struct Bucket([AtomicU64; BUCKET_WORDS]);

const BUCKET_WORDS: usize = 4;

const SCORE_BITS: u32 = 7;
/// Enough bits for columns 0 to 31 and [`NO_COLUMN`].
const MOVE_BITS: u32 = 6;
const INFO_BITS: u32 = 2 * SCORE_BITS + MOVE_BITS;
/// The offset that makes every stored score positive. All scores are nearer to 0 than this, so no used entry is 0.
const BIAS: Score = 64;

/// Stands for "no best move is known" in an entry.
pub(super) const NO_COLUMN: u32 = 32;

/// The bounds and the best move of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    /// The score is at least this.
    pub lower: Score,
    /// The score is at most this.
    pub upper: Score,
    /// The column (from 0) that was best, or [`NO_COLUMN`].
    pub best: u32,
}

impl Entry {
    /// Returns the bound that decides whether the score is at least `beta`; `None` if neither does.
    #[inline(always)]
    pub fn decides(&self, beta: Score) -> Option<Score> {
        if self.upper < beta {
            Some(self.upper)
        } else if self.lower >= beta {
            Some(self.lower)
        } else {
            None
        }
    }

    /// Returns whether the value is known: win, lose or tie.
    pub fn has_value(&self) -> bool {
        self.lower > 0 || self.upper < 0 || self.lower == self.upper
    }

    /// Takes over the best move of `entry`, and each bound of `entry` that is tighter.
    #[inline(always)]
    pub fn narrow(&mut self, entry: Entry) {
        self.lower = self.lower.max(entry.lower);
        self.upper = self.upper.min(entry.upper);
        self.best = entry.best;
    }

    fn pack(self) -> u64 {
        ((self.lower + BIAS) as u64) << (SCORE_BITS + MOVE_BITS)
            | ((self.upper + BIAS) as u64) << MOVE_BITS
            | u64::from(self.best)
    }

    fn unpack(info: u64) -> Entry {
        let score = |bits: u64| (bits & ((1 << SCORE_BITS) - 1)) as Score - BIAS;
        Entry {
            lower: score(info >> (SCORE_BITS + MOVE_BITS)),
            upper: score(info >> MOVE_BITS),
            best: (info & ((1 << MOVE_BITS) - 1)) as u32,
        }
    }
}

pub(super) struct Table {
    buckets: Vec<Bucket>,
    /// The base-2 logarithm of the number of buckets.
    bucket_bits: u32,
    max_bucket_bits: u32,
    key_bits: u32,
    /// Whether an entry is two words.
    paired: bool,
}

/// The base-2 logarithm of the smallest number of buckets, which take 4 KiB.
const MIN_BUCKET_BITS: u32 = 7;

/// The base-2 logarithm of the largest number of buckets (1 MiB) that a table may start with. With more buckets, an
/// entry has to store fewer bits of the key. If an entry of one word is too small even with this many buckets, entries
/// are two words.
const MAX_START_BITS: u32 = 15;

/// The lowest bits of a word, which hold the bounds and the best move.
const INFO_MASK: u64 = (1 << INFO_BITS) - 1;

impl Table {
    /// Makes an empty table for keys of `key_bits` bits. The table can grow to `max_bytes`. If its smallest size is
    /// more than `max_bytes`, the table stays at its smallest size.
    pub fn new(key_bits: u32, max_bytes: usize) -> Table {
        // Keys of tiny boards are extended by zero bits, so that there are enough bits to select the bucket.
        let key_bits = key_bits.max(2 * MIN_BUCKET_BITS);
        let single_word_bits = key_bits.saturating_sub(64 - INFO_BITS);
        let paired = single_word_bits > MAX_START_BITS;
        let bucket_bits = if paired { MIN_BUCKET_BITS } else { single_word_bits.max(MIN_BUCKET_BITS) };
        let max_buckets = (max_bytes / size_of::<Bucket>()).max(1);
        // More buckets than the 2^key_bits keys would be useless.
        let max_bucket_bits = max_buckets.ilog2().clamp(bucket_bits, key_bits.min(40));
        Table { buckets: empty_buckets(bucket_bits), bucket_bits, max_bucket_bits, key_bits, paired }
    }

    /// Returns the number of entries that the table holds.
    pub fn capacity(&self) -> usize {
        self.buckets.len() * if self.paired { BUCKET_WORDS / 2 } else { BUCKET_WORDS }
    }

    /// Returns whether the table can grow.
    pub fn can_grow(&self) -> bool {
        self.bucket_bits < self.max_bucket_bits
    }

    /// Makes the table four times as large, up to its limit, and keeps its entries.
    pub fn grow<W: Word>(&mut self) {
        let old_bits = self.bucket_bits;
        self.bucket_bits = (old_bits + 2).min(self.max_bucket_bits);
        let old = std::mem::replace(&mut self.buckets, empty_buckets(self.bucket_bits));
        for (number, bucket) in old.iter().enumerate() {
            let high = W::from_halves(0, number as u64) << (self.key_bits - old_bits);
            // Move the oldest entry first, so that the newest is in front again.
            for place in (0..BUCKET_WORDS).rev().step_by(if self.paired { 2 } else { 1 }) {
                let (rest, info) = if self.paired {
                    pair_at::<W>(bucket, place / 2)
                } else {
                    let word = bucket.0[place].load(Relaxed);
                    (W::from_halves(0, word >> INFO_BITS), word & INFO_MASK)
                };
                if info != 0 {
                    self.put_mixed(high | rest, info);
                }
            }
        }
    }

    /// Returns the entry of the position with `key`; `None` if the table has none.
    ///
    /// Compares all entries of the bucket without a branch, so that the processor can overlap the memory accesses of
    /// successive look-ups.
    #[inline(always)]
    pub fn get<W: Word>(&self, key: W) -> Option<Entry> {
        let (bucket, rest) = self.split(self.mix(key));
        let mut found = 0;
        if self.paired {
            for (first, info) in [0, 1].map(|place| pair_at::<W>(bucket, place)) {
                found = if first == rest { info } else { found };
            }
        } else {
            let wanted = rest.low() << INFO_BITS;
            for word in &bucket.0 {
                let difference = word.load(Relaxed) ^ wanted;
                found = if difference <= INFO_MASK { difference } else { found };
            }
        }
        // A key whose rest is 0 also matches an empty entry. That entry's information is 0, which no used entry has.
        (found != 0).then(|| Entry::unpack(found))
    }

    /// Stores an entry. It replaces the position's older entry or, in a full bucket, the oldest one.
    #[inline(always)]
    pub fn put<W: Word>(&self, key: W, entry: Entry) {
        self.put_mixed(self.mix(key), entry.pack());
    }

    #[inline(always)]
    fn put_mixed<W: Word>(&self, mixed: W, info: u64) {
        let (bucket, rest) = self.split(mixed);
        let words = &bucket.0;
        // The newest entry comes first. It pushes the others back, up to the position's older entry or an empty one.
        if self.paired {
            let (first, first_info) = pair_at::<W>(bucket, 0);
            if first != rest && first_info != 0 {
                words[2].store(words[0].load(Relaxed), Relaxed);
                words[3].store(words[1].load(Relaxed), Relaxed);
            }
            let second_word = rest.high() << INFO_BITS | info;
            words[0].store(rest.low() ^ second_word, Relaxed);
            words[1].store(second_word, Relaxed);
        } else {
            let mut pushed = rest.low() << INFO_BITS | info;
            for word in words {
                let old = word.load(Relaxed);
                word.store(pushed, Relaxed);
                if old == 0 || old >> INFO_BITS == rest.low() {
                    break;
                }
                pushed = old;
            }
        }
    }

    /// Turns a key into another number of as many bits, one to one: both steps are reversible.
    #[inline(always)]
    fn mix<W: Word>(&self, key: W) -> W {
        let folded = key ^ key >> (self.key_bits / 2);
        folded.times(W::MULTIPLIER) & W::low_bits(self.key_bits)
    }

    /// Splits a mixed key: its high bits select the bucket that is returned, and its low bits are the rest.
    #[inline(always)]
    fn split<W: Word>(&self, mixed: W) -> (&Bucket, W) {
        let rest_bits = self.key_bits - self.bucket_bits;
        (&self.buckets[(mixed >> rest_bits).low() as usize], mixed & W::low_bits(rest_bits))
    }
}

/// Makes `2^bits` empty buckets.
fn empty_buckets(bits: u32) -> Vec<Bucket> {
    std::iter::repeat_with(Bucket::default).take(1 << bits).collect()
}

/// Returns the rest of the key and the information of the entry at `place`, 0 or 1, in a bucket of two entries.
#[inline(always)]
fn pair_at<W: Word>(bucket: &Bucket, place: usize) -> (W, u64) {
    let [first, second] = [0, 1].map(|word| bucket.0[place * 2 + word].load(Relaxed));
    (W::from_halves(second >> INFO_BITS, first ^ second), second & INFO_MASK)
}
