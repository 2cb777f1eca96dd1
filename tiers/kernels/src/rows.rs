//! Operations on one row: take the better of two rows, move bits between lists, set an outcome, transpose.
//!
//! A **row** is `P` planes of `words` words each, one plane after the other. All functions are inlined into a kernel
//! that is compiled once for each set of processor features, so that the loops over `N` words become vectors.

use super::bits::Bits;
use super::code::Code;

/// Reads `N` words from word `word` on of every plane of a row of this tier.
#[inline(always)]
fn read<const P: usize, const N: usize>(row: &[u64], words: usize, word: usize) -> [[u64; N]; P] {
    let mut planes = [[0; N]; P];
    for p in 0..P {
        planes[p].copy_from_slice(&row[p * words + word..][..N]);
    }
    planes
}

/// Writes what [`read`] reads.
#[inline(always)]
fn write<const P: usize, const N: usize>(row: &mut [u64], words: usize, word: usize, planes: &[[u64; N]; P]) {
    for p in 0..P {
        row[p * words + word..][..N].copy_from_slice(&planes[p]);
    }
}

/// Widens the planes of a narrow child in the positions under `mask`. Others are and stay 0.
#[inline(always)]
fn widen<C: Code<P>, const P: usize, const N: usize>(code: C, planes: &mut [[u64; N]; P], mask: &[u64; N]) {
    if code.narrow() {
        planes[P - 1] = planes[P - 2];
        for n in 0..N {
            planes[P - 2][n] = !planes[P - 2][n] & mask[n];
        }
    }
}

/// Runs `$body` for the words `0..$words` in steps of 8, then 4, 2 and 1; `$n` is the step, a constant.
///
/// All four steps pay: with steps of 4 and 1 alone, the kernels ran half as many instructions again on 5x4.
macro_rules! in_steps {
    ($words:expr, |$word:ident, $n:ident| $body:block) => {{
        let mut $word = 0;
        while $word + 8 <= $words {
            const $n: usize = 8;
            $body
            $word += 8;
        }
        if $words - $word >= 4 {
            const $n: usize = 4;
            $body
            $word += 4;
        }
        if $words - $word >= 2 {
            const $n: usize = 2;
            $body
            $word += 2;
        }
        if $words > $word {
            const $n: usize = 1;
            $body
        }
    }};
}

/// Writes to `best`, position by position, the best of `start` (or else of what it has) and of rows of children over the
/// same list. The children's planes are `child_words` apart.
#[inline(always)]
pub(super) fn take_rows<C: Code<P>, const P: usize>(
    code: C,
    best: &mut [u64],
    start: Option<&[u64]>,
    words: usize,
    children: &[&[u64]],
    child_words: usize,
) {
    in_steps!(words, |word, N| {
        let mut planes = read::<P, N>(start.unwrap_or(best), words, word);
        for child in children {
            let mut other = [[0; N]; P];
            for p in 0..P {
                // Every child has the planes before the last.
                if p + 1 == P && code.narrow() {
                    break;
                }
                other[p].copy_from_slice(&child[p * child_words + word..][..N]);
            }
            widen(code, &mut other, &[u64::MAX; N]);
            code.better(&mut planes, &other, &[u64::MAX; N]);
        }
        write(best, words, word, &planes);
    });
}

/// Bits of a row that move from one word to one word of another row: those under `take` to the places under `put`.
#[derive(Clone, Copy)]
pub(super) struct Move {
    pub from: usize,
    pub to: usize,
    pub take: u64,
    pub put: u64,
}

/// Lists the moves of the bits under the masks `take`, without the first `skip`, to the places under the masks `put`, in
/// order, until one side has no more.
#[inline(always)]
pub(super) fn list_moves<B: Bits>(
    take: impl Iterator<Item = u64>,
    mut skip: usize,
    put: impl Iterator<Item = u64>,
    moves: &mut Vec<Move>,
) {
    let lowest = |mask: u64, count: u32| B::deposit([u64::MAX.checked_shr(64 - count).unwrap_or(0)], B::mask(mask))[0];
    moves.clear();
    let (mut take, mut from, mut left) = (take.enumerate(), 0, 0);
    for (to, mut open) in put.enumerate() {
        while open != 0 {
            while left == 0 {
                let Some(next) = take.next() else { return };
                (from, left) = next;
                let skipped = left.count_ones().min(skip as u32);
                left ^= lowest(left, skipped);
                skip -= skipped as usize;
            }
            let count = open.count_ones().min(left.count_ones());
            let (take, put) = (lowest(left, count), lowest(open, count));
            moves.push(Move { from, to, take, put });
            left ^= take;
            open ^= put;
        }
    }
}

/// Replaces a word of rows by the outcomes of their children, moved, where these are better. `rows` has the places of the
/// rows in `out`, and their children's rows.
#[inline(always)]
pub(super) fn take_word<C: Code<P>, B: Bits, const P: usize, const K: usize>(
    code: C,
    out: &mut [u64],
    words: usize,
    rows: &[(usize, &[u64])],
    child_words: usize,
    moves: [&Move; K],
) {
    if B::FAST {
        take_lanes::<C, B, P, K, 1>(code, out, words, rows, child_words, moves);
    } else {
        take_lanes::<C, B, P, K, 8>(code, out, words, rows, child_words, moves);
    }
}

/// Does [`take_word`] for `L` rows together.
#[inline(always)]
fn take_lanes<C: Code<P>, B: Bits, const P: usize, const K: usize, const L: usize>(
    code: C,
    out: &mut [u64],
    words: usize,
    rows: &[(usize, &[u64])],
    child_words: usize,
    moves: [&Move; K],
) {
    let mut put = 0u64;
    let takes = moves.map(|step| {
        let place = put.count_ones();
        put |= step.put;
        (step.from, B::mask(step.take), place)
    });
    let (to, places) = (moves[0].to, B::mask(put));
    for group in rows.chunks(L) {
        // Lanes without a row repeat the last one.
        let lanes: [_; L] = std::array::from_fn(|lane| group[lane.min(group.len() - 1)]);
        let (mut best, mut other) = ([[0; L]; P], [[0; L]; P]);
        for p in 0..P {
            for lane in 0..L {
                best[p][lane] = out[lanes[lane].0 + to..][p * words];
            }
            if p + 1 == P && code.narrow() {
                break;
            }
            for (from, take, place) in takes {
                let mut bits = [0; L];
                for lane in 0..L {
                    bits[lane] = lanes[lane].1[from..][p * child_words];
                }
                let bits = B::extract(bits, take);
                for lane in 0..L {
                    other[p][lane] |= bits[lane] << place;
                }
            }
            other[p] = B::deposit(other[p], places);
        }
        widen(code, &mut other, &[put; L]);
        code.better(&mut best, &other, &[put; L]);
        for p in 0..P {
            for lane in 0..L {
                out[lanes[lane].0 + to..][p * words] = best[p][lane];
            }
        }
    }
}

/// Sets the positions under `mask` to the outcome `code`.
#[inline(always)]
pub(super) fn set_outcome(row: &mut [u64], mask: &[u64], code: u8) {
    for (p, plane) in row.chunks_exact_mut(mask.len()).enumerate() {
        let ones = 0u64.wrapping_sub(u64::from(code >> p & 1));
        for (word, mask) in plane.iter_mut().zip(mask) {
            *word = *word & !mask | ones & mask;
        }
    }
}

#[inline(always)]
pub(super) fn fill_outcome(row: &mut [u64], words: usize, code: u8) {
    for (p, plane) in row.chunks_exact_mut(words).enumerate() {
        plane.fill(0u64.wrapping_sub(u64::from(code >> p & 1)));
    }
}

/// Turns 64 columns of a band. `turned` has a row of `P` planes for each column; these columns become word `word` of
/// every plane of the band's rows in `out`, which have `words` words per plane.
#[inline(always)]
pub(super) fn turn<const P: usize>(turned: &[u64], out: &mut [u64], words: usize, word: usize) {
    let band_words = turned.len() / (64 * P);
    let mut block = [0u64; 64];
    for band_word in 0..band_words {
        for plane in 0..P {
            for (bit, slot) in block.iter_mut().enumerate() {
                *slot = turned[(bit * P + plane) * band_words + band_word];
            }
            transpose(&mut block);
            let rows = out[band_word * 64 * P * words..].chunks_exact_mut(P * words);
            for (row, turned) in rows.zip(&block) {
                row[plane * words + word] = *turned;
            }
        }
    }
}

/// Transposes a matrix of 64x64 bits: bit `c` of word `r` becomes bit `r` of word `c`
/// (six rounds of swapping blocks; Warren, *Hacker's Delight*, section 7-3).
#[inline(always)]
pub fn transpose(block: &mut [u64; 64]) {
    #[inline(always)]
    fn round<const J: usize>(block: &mut [u64; 64], mask: u64) {
        for group in block.chunks_exact_mut(2 * J) {
            let (low, high) = group.split_at_mut(J);
            for (a, b) in low.iter_mut().zip(high) {
                let swap = (*a >> J ^ *b) & mask;
                *b ^= swap;
                *a ^= swap << J;
            }
        }
    }
    round::<32>(block, 0x0000_0000_FFFF_FFFF);
    round::<16>(block, 0x0000_FFFF_0000_FFFF);
    round::<8>(block, 0x00FF_00FF_00FF_00FF);
    round::<4>(block, 0x0F0F_0F0F_0F0F_0F0F);
    round::<2>(block, 0x3333_3333_3333_3333);
    round::<1>(block, 0x5555_5555_5555_5555);
}
