//! The forward sweep and the tally over tiers of the frontier, block by block, in bounded memory.
//!
//! As in solving, threads take jobs of a tier in order, and each holds windows on the shapes beside its own: on the
//! parents for the sweep, on the reached bits for the tally.

use std::ops::Range;

use super::parents::ShapeParents;
use super::pull::{Positions, Puller, images};
use crate::database::{DatabaseError, io_error};
use crate::frontier::{Codec, Frontier, Job, Queue, Reached, Window};
use crate::index::Index;
use crate::kernel::reach::Scratch;
use crate::kernel::tally::{CODES, CodeCounts};
use crate::solve::Progress;
use crate::solve::children::Windows;

/// The reached positions of one ply without a line, one bit each, in the frontier.
pub(super) type ReachedFrontier<'s> = Frontier<'s, Reached>;

fn new_codec() -> Result<Codec, DatabaseError> {
    Codec::new().map_err(io_error("the frontier".as_ref(), "compress"))
}

/// Fills the tier of the empty board.
pub(super) fn start(tier: &ReachedFrontier) -> Result<Positions, DatabaseError> {
    tier.put(0, &[1], &mut new_codec()?)?;
    Ok(Positions { without_line: 1, with_line: 0 })
}

/// Carries `parents` one ply on into `tier`, which is empty. A parent's matrix that is read across may take `slice_words`
/// words of each thread, lists that are kept `list_bytes`. Returns `None`
/// where `progress` stopped it before the last block.
///
/// # Errors
/// Where a file cannot be read or written.
pub(super) fn sweep(
    index: &Index,
    parents: &ReachedFrontier,
    tier: &ReachedFrontier,
    slice_words: usize,
    list_bytes: u64,
    progress: &dyn Progress,
) -> Result<Option<Positions>, DatabaseError> {
    let queue = Queue::new(tier);
    let puller = Puller::new(index, tier.directory().ply(), list_bytes);
    let positions = queue.share_out(|| {
        let mut sweeper = Sweeper {
            index,
            tier,
            puller: &puller,
            parents: Windows::new(index, Some(parents), new_codec()?, slice_words),
            block: Vec::new(),
            scratch: Scratch::default(),
            positions: Positions::default(),
        };
        while let Some(job) = queue.next() {
            if progress.is_stopped() {
                break;
            }
            progress.solved(sweeper.job(job)?);
        }
        Ok(sweeper.positions)
    })?;
    // A tier that was stopped short lacks jobs, and each job has a block but those of empty shapes.
    Ok((tier.is_complete() && !progress.is_stopped()).then(|| {
        positions.into_iter().fold(Positions::default(), |mut sum, positions| {
            sum += positions;
            sum
        })
    }))
}

/// What one thread of the sweep needs.
struct Sweeper<'a> {
    index: &'a Index,
    tier: &'a ReachedFrontier<'a>,
    puller: &'a Puller<'a>,
    parents: Windows<'a, Reached>,
    block: Vec<u64>,
    scratch: Scratch,
    positions: Positions,
}

impl Sweeper<'_> {
    /// Fills and counts the blocks of a job; returns how many entries they have.
    fn job(&mut self, job: &Job) -> Result<u64, DatabaseError> {
        job.shapes.clone().map(|shape| self.shape(shape, job)).sum()
    }

    fn shape(&mut self, number: usize, job: &Job) -> Result<u64, DatabaseError> {
        let Sweeper { index, tier, puller, parents, block: words, scratch, positions } = self;
        let (view, ply) = (tier.view(index, number), tier.directory().ply());
        let matrices = view.layout.matrices();
        let shape = ShapeParents::new(index, parents, tier.directory().shapes()[number], ply);
        let mut entries = 0;
        let mut pull = |parents: &mut _, number: usize, rows: Range<usize>, out: &mut [u64]| {
            let matrix = &matrices[number];
            entries += u64::from(matrix.columns) * rows.len() as u64;
            *positions += puller.pull(parents, &shape, matrix, rows, out, scratch)?;
            Ok::<(), DatabaseError>(())
        };
        if tier.blocks_of(number).is_empty() {
            // No entry, but perhaps positions that a line finished.
            for (number, matrix) in matrices.iter().enumerate() {
                pull(parents, number, 0..matrix.rows as usize, &mut [])?;
            }
        }
        for block in job.blocks_of(tier, number) {
            let in_shape = block - view.first_block;
            words.resize(view.cuts[in_shape + 1].word - view.cuts[in_shape].word, 0);
            let mut rest = &mut words[..];
            for (number, rows) in view.rows(in_shape) {
                let (own, after) = rest.split_at_mut(rows.len() * matrices[number].words());
                rest = after;
                pull(parents, number, rows, own)?;
            }
            tier.put(block, words, parents.codec())?;
        }
        Ok(entries)
    }
}

/// Counts the codes of the positions of one tier that play reaches, mirror images counted apart.
///
/// # Errors
/// Where a file cannot be read.
pub(super) fn tally(index: &Index, reached: &ReachedFrontier, values: &Frontier) -> Result<CodeCounts, DatabaseError> {
    let queue = Queue::new(values);
    let counts = queue.share_out(|| {
        let (mut codec, mut window, mut block) = (new_codec()?, Window::default(), Vec::new());
        let mut counts = [0; CODES];
        while let Some(job) = queue.next() {
            for shape in job.shapes.clone() {
                window.clear();
                tally_shape(index, (reached, &mut window), values, (shape, job), &mut block, &mut codec, &mut counts)?;
            }
        }
        Ok(counts)
    })?;
    let mut sum = [0; CODES];
    counts.iter().for_each(|counts| sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count));
    Ok(sum)
}

/// Counts the codes in those blocks of a shape, given by its number, that belong to a job.
fn tally_shape(
    index: &Index,
    (reached, window): (&ReachedFrontier, &mut Window),
    values: &Frontier,
    (shape, job): (usize, &Job),
    block: &mut Vec<u64>,
    codec: &mut Codec,
    counts: &mut CodeCounts,
) -> Result<(), DatabaseError> {
    let (view, reached_view, planes) = (values.view(index, shape), reached.view(index, shape), values.planes());
    for number in job.blocks_of(values, shape) {
        let in_shape = number - view.first_block;
        block.resize(view.cuts[in_shape + 1].word - view.cuts[in_shape].word, 0);
        values.get(number, block, codec)?;
        let mut codes = &block[..];
        for (number, rows) in view.rows(in_shape) {
            let matrix = &view.layout.matrices()[number];
            let words = matrix.words();
            if rows.is_empty() || words == 0 {
                continue;
            }
            let first = reached_view.layout.first_word(number, 1) + rows.start * words;
            window.load(reached, &reached_view, first..first + rows.len() * words, codec)?;
            let mut here = [0; CODES];
            for reached_row in window.words(first).chunks_exact(words).take(rows.len()) {
                let (row, after) = codes.split_at(words * planes);
                codes = after;
                index.kernel().tally(reached_row, row, planes, &mut here);
            }
            counts.iter_mut().zip(here).for_each(|(sum, count)| *sum += count * images(matrix));
        }
    }
    Ok(())
}
