//! Operations on one row: take the better outcomes of two rows, move bits between lists, set an outcome, transpose.
//!
//! A **row** is `P` planes of `words` words each, one plane after the other. All functions are inlined into a kernel
//! that is compiled once for each set of processor features, so that the loops over `N` words become vectors.

use super::bits::Bits;
use super::code::Code;

/// Reads `N` words of every plane of a child's row, from word `word` on, and widens a narrow child.
#[inline(always)]
fn load<C: Code<P>, const P: usize, const N: usize>(code: C, row: &[u64], words: usize, word: usize) -> [[u64; N]; P] {
    let mut planes = [[0; N]; P];
    for p in 0..P - 1 {
        planes[p].copy_from_slice(&row[p * words + word..][..N]);
    }
    if code.narrow() {
        planes[P - 1] = planes[P - 2];
        planes[P - 2] = planes[P - 1].map(|word| !word);
    } else {
        planes[P - 1].copy_from_slice(&row[(P - 1) * words + word..][..N]);
    }
    planes
}

/// Reads `N` words of every plane of a row of this tier, from word `word` on.
#[inline(always)]
fn read<const P: usize, const N: usize>(row: &[u64], words: usize, word: usize) -> [[u64; N]; P] {
    let mut planes = [[0; N]; P];
    for p in 0..P {
        planes[p].copy_from_slice(&row[p * words + word..][..N]);
    }
    planes
}

/// Writes `planes` to the words that [`read`] reads.
#[inline(always)]
fn write<const P: usize, const N: usize>(row: &mut [u64], words: usize, word: usize, planes: &[[u64; N]; P]) {
    for p in 0..P {
        row[p * words + word..][..N].copy_from_slice(&planes[p]);
    }
}

/// Runs `$body` for the words `0..$words` in steps of 8, then 4, 2 and 1; `$n` is the step, a constant.
///
/// All four steps are worth it: with only steps of 4 and 1, the kernels ran 50 % more instructions on 5x4.
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

/// Replaces outcomes in `best` by those of a child's row where the child's are better. Both rows have the same columns.
/// If `start` is given, it is read instead of `best`. The child's planes are `child_words` apart.
#[inline(always)]
pub(super) fn take_row<C: Code<P>, const P: usize>(
    code: C,
    best: &mut [u64],
    start: Option<&[u64]>,
    words: usize,
    child: &[u64],
    child_words: usize,
) {
    in_steps!(words, |word, N| {
        let mut planes = read::<P, N>(start.unwrap_or(best), words, word);
        code.better(&mut planes, &load::<C, P, N>(code, child, child_words, word), &[u64::MAX; N]);
        write(best, words, word, &planes);
    });
}

/// Replaces outcomes in `best` by those of another row of this tier where the other's are better.
#[inline(always)]
pub(super) fn take_own<C: Code<P>, const P: usize>(code: C, best: &mut [u64], words: usize, other: &[u64]) {
    in_steps!(words, |word, N| {
        let mut planes = read::<P, N>(best, words, word);
        code.better(&mut planes, &read::<P, N>(other, words, word), &[u64::MAX; N]);
        write(best, words, word, &planes);
    });
}

/// For rows of one word: moves a child's outcomes from the places `from`, except the first `skip`, to the places `to`,
/// in order. There they replace worse outcomes in `best`.
#[inline(always)]
pub(super) fn take_word<C: Code<P>, B: Bits, const P: usize>(
    code: C,
    best: &mut [u64],
    child: &[u64],
    from: u64,
    skip: usize,
    to: u64,
) {
    let (from, places) = (B::mask(from), B::mask(to));
    let mut other = [[0]; P];
    for p in 0..code.child_planes() {
        other[p] = [B::deposit(B::extract(child[p], from).checked_shr(skip as u32).unwrap_or(0), places)];
    }
    if code.narrow() {
        other[P - 1] = other[P - 2];
        other[P - 2] = [!other[P - 2][0] & to];
    }
    let mut planes = read::<P, 1>(best, 1, 0);
    code.better(&mut planes, &other, &[to]);
    write(best, 1, 0, &planes);
}

/// Gathers the bits of a child's row under `mask ^ flip` into one dense stream per plane. `stream` has `P` planes of
/// `stream_words` words each, at least two words more than the bits fill.
#[inline(always)]
pub(super) fn gather<C: Code<P>, B: Bits, const P: usize>(
    code: C,
    child: &[u64],
    mask: &[u64],
    flip: u64,
    stream: &mut [u64],
    stream_words: usize,
) {
    let child_words = mask.len();
    let (mut held, mut fill, mut at) = ([0u64; P], 0u32, 0usize);
    for (word, mask) in mask.iter().enumerate() {
        let mask = mask ^ flip;
        let count = mask.count_ones();
        let full = fill + count >= 64;
        let mask = B::mask(mask);
        for p in 0..P {
            // A narrow child lacks the last plane.
            if p + 1 == P && code.narrow() {
                break;
            }
            let bits = B::extract(child[p * child_words + word], mask);
            let joined = held[p] | bits << fill;
            stream[p * stream_words + at] = joined;
            // The remaining bits begin the next word. There are two shifts, because one by 64 would overflow.
            held[p] = if full { bits >> 1 >> (63 - fill) } else { joined };
        }
        fill = (fill + count) & 63;
        at += usize::from(full);
    }
    for p in 0..code.child_planes() {
        stream[p * stream_words + at] = held[p];
    }
}

/// Moves the outcomes of a dense stream to the places of `mask`, in order. There they replace worse outcomes in `best`.
/// The stream starts at bit `offset` of each plane of `stream`.
#[inline(always)]
pub(super) fn take_stream<C: Code<P>, B: Bits, const P: usize>(
    code: C,
    best: &mut [u64],
    mask: &[u64],
    stream: &[u64],
    stream_words: usize,
    offset: usize,
) {
    let words = mask.len();
    let mut offset = offset;
    if B::FAST {
        in_steps!(words, |word, N| {
            offset = take_words::<C, B, P, N>(code, best, mask, stream, stream_words, word, offset);
        });
    } else {
        // Portable bit moves take nearly all the time, so longer steps would only add code.
        for word in 0..words {
            offset = take_words::<C, B, P, 1>(code, best, mask, stream, stream_words, word, offset);
        }
    }
}

/// Does [`take_stream`] for `N` words from word `word` on, and returns the offset after them.
#[inline(always)]
fn take_words<C: Code<P>, B: Bits, const P: usize, const N: usize>(
    code: C,
    best: &mut [u64],
    mask: &[u64],
    stream: &[u64],
    stream_words: usize,
    word: usize,
    mut offset: usize,
) -> usize {
    let words = mask.len();
    let mut other = [[0u64; N]; P];
    let mut masks = [0; N];
    masks.copy_from_slice(&mask[word..][..N]);
    for (n, mask) in masks.into_iter().enumerate() {
        let (at, shift) = (offset / 64, offset as u32 % 64);
        offset += mask.count_ones() as usize;
        let places = B::mask(mask);
        for p in 0..P {
            if p + 1 == P && code.narrow() {
                break;
            }
            let pair = &stream[p * stream_words + at..][..2];
            let bits = pair[0] >> shift | pair[1] << 1 << (63 - shift);
            other[p][n] = B::deposit(bits, places);
        }
        if code.narrow() {
            other[P - 1][n] = other[P - 2][n];
            other[P - 2][n] = !other[P - 2][n] & mask;
        }
    }
    let mut planes = read::<P, N>(best, words, word);
    code.better(&mut planes, &other, &masks);
    write(best, words, word, &planes);
    offset
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

/// Turns 64 columns of a band. `turned` has a row of `P` planes for each column; the 64 columns become word `word` of
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
