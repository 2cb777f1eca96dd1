//! The store: what threads do with the blocks of a tier.

use std::ops::Range;

use super::blocks::{Blocks, Buffers};
use super::logs::Logs;
use super::reader::LogReader;
use crate::files::FileError;
use crate::index::{Index, Located, Matrix, WingShape};
use crate::kernel::Coding;
use crate::tier::content::Content;
use crate::tier::queue::Queue;
use crate::tier::store::{Store, Watch, entries_of};

/// Blocks of a job: enough to pay for laying out the shape and its neighbours.
const JOB_BLOCKS: usize = 16;

/// One tier, as far as it is filled: its blocks are in memory, or compressed in a log. Threads share it.
#[derive(Debug)]
pub(crate) struct LogTier<'s, C = Coding>(Blocks<'s, C>);

impl<'s> Logs<'s> {
    /// Opens the log of a tier, with the blocks that earlier runs have left. Reads all of them through.
    ///
    /// # Errors
    /// Where a file cannot be read.
    pub fn open<C: Content>(&self, content: C, ply: u32) -> Result<LogTier<'s, C>, FileError> {
        let blocks = Blocks::empty(self, content, ply)?;
        blocks.find()?;
        Ok(LogTier(blocks))
    }

    /// Opens the log of a tier that is filled: with the blocks that earlier runs have left, if its content goes on from them.
    ///
    /// # Errors
    /// Where a file cannot be read.
    pub fn begin<C: Content>(&self, content: C, ply: u32) -> Result<LogTier<'s, C>, FileError> {
        if C::GOES_ON { self.open(content, ply) } else { Ok(LogTier(Blocks::empty(self, content, ply)?)) }
    }
}

impl<'s, C: Content> LogTier<'s, C> {
    /// Returns how many bytes of blocks this process has appended to the log.
    pub fn written_bytes(&self) -> u64 {
        self.0.written_bytes()
    }

    /// Tells whether all blocks are filled.
    pub fn is_complete(&self) -> bool {
        self.0.is_complete()
    }

    /// Shares out the memory for expanded blocks between this tier, which is read from now on, and `next`, which is filled
    /// from it. What `next` fills in its part goes into the log no sooner than [`LogTier::sync`].
    pub fn share_room(&self, next: &mut LogTier<'s, C>) {
        self.0.share_room(&mut next.0);
    }

    /// Takes all the memory for blocks of the first tier that is filled.
    pub fn take_room(&mut self) {
        self.0.take_room();
    }

    /// Tells whether more than half of what the blocks take, expanded, is in the log and not held.
    pub fn is_mostly_in_log(&self) -> bool {
        self.0.is_mostly_in_log()
    }

    /// Returns the smallest left wing of a shape that has blocks which are not filled; `None` if all are.
    pub fn first_missing_left(&self) -> Option<WingShape> {
        let shapes = self.0.directory.shapes();
        let is_missing = |shape: &usize| !self.0.blocks_of(*shape).all(|block| self.0.has(block));
        (0..shapes.len()).find(is_missing).map(|shape| shapes[shape].left)
    }

    /// Tells whether all blocks of the shapes with no smaller left wing than `left` are filled.
    pub fn has_from(&self, left: WingShape) -> bool {
        self.0.has_from(left)
    }

    /// Tells whether there were files of the tier when it was opened, of whatever content.
    pub fn has_files(&self) -> bool {
        self.0.has_files()
    }

    /// Expands all blocks into `words`, where they lie as in a tier in memory.
    ///
    /// # Errors
    /// [`FileError::NoBlock`] where one is missing; where a file cannot be read.
    pub fn expand_all(&self, index: &Index, words: &mut [u64]) -> Result<(), FileError> {
        self.0.expand_all(index, words)
    }

    /// Makes all filled blocks durable.
    ///
    /// # Errors
    /// Where a file cannot be written.
    pub fn sync(&self) -> Result<(), FileError> {
        self.0.sync()
    }
}

impl<'s, C: Content> Store for LogTier<'s, C> {
    type Content = C;
    type Reader<'a>
        = LogReader<'a, C>
    where
        Self: 'a;

    fn ply(&self) -> u32 {
        self.0.directory.ply()
    }

    fn content(&self) -> &C {
        &self.0.content
    }

    fn entries(&self) -> u64 {
        self.0.directory.entries()
    }

    fn matrices(&self) -> u64 {
        self.0.directory.matrices()
    }

    fn shape_entries(&self) -> Vec<u64> {
        self.0.directory.shape_entries()
    }

    fn located_from<'a>(&'a self, index: &'a Index, entry: u64) -> Box<dyn Iterator<Item = Located> + 'a> {
        Box::new(self.0.directory.located_from(index, entry))
    }

    fn reader<'a>(&'a self, index: &'a Index) -> LogReader<'a, C> {
        LogReader::new(index, &self.0)
    }

    fn pass(&self, left: WingShape) {
        self.0.pass(left);
    }

    fn pass_all(&self) {
        self.0.pass_all();
    }

    fn fill<W: Send>(
        &mut self,
        index: &Index,
        watch: &Watch,
        begin: impl Fn() -> W + Sync,
        work: impl Fn(&mut W, &Matrix, Range<usize>, &mut [u64]) -> Result<(), FileError> + Sync,
    ) -> Result<Option<Vec<W>>, FileError> {
        let (blocks, planes) = (&self.0, self.0.content.planes());
        let queue = Queue::new(blocks.crew, jobs(blocks));
        let fill_shape = |state: &mut W, shape: usize, numbers: Range<usize>, buffers: &mut Buffers| {
            let view = blocks.view(index, shape);
            if blocks.blocks_of(shape).is_empty() {
                let mut all = view.layout.matrices().iter();
                return all.try_for_each(|matrix| work(state, matrix, 0..matrix.rows as usize, &mut []));
            }
            for block in numbers {
                // Once is enough: a later shape must not be filled before one that is missing.
                if queue.is_ended() || (watch.is_stopped)() {
                    queue.end();
                    return Ok(());
                }
                if !blocks.has(block) {
                    blocks.add(&view, block, buffers, |mut rest| {
                        view.rows(block).try_for_each(|(matrix, rows)| {
                            let words = rows.len() * matrix.words() * planes;
                            work(state, matrix, rows, rest.split_off_mut(..words).unwrap_or_default())
                        })
                    })?;
                }
                (watch.done)(view.rows(block).map(|(matrix, rows)| entries_of(matrix, &rows)).sum());
            }
            Ok(())
        };
        let states = queue.share_out(|| {
            let (mut state, mut buffers) = (begin(), Buffers::default());
            while let Some(job) = queue.next() {
                for shape in job.shapes.clone() {
                    fill_shape(&mut state, shape, job.blocks_of(blocks, shape), &mut buffers)?;
                }
            }
            Ok(state)
        })?;
        blocks.filled();
        let is_ended = match blocks.crew {
            Some(crew) => blocks.exchange(crew, queue.is_ended())?,
            None => queue.is_ended(),
        };
        Ok((!is_ended).then_some(states))
    }

    fn visit<V: Send>(
        &self,
        index: &Index,
        begin: impl Fn() -> V + Sync,
        show: impl Fn(&mut V, &Matrix, Range<usize>, &[u64]) -> Result<(), FileError> + Sync,
    ) -> Result<Vec<V>, FileError> {
        let (blocks, planes) = (&self.0, self.0.content.planes());
        let queue = Queue::new(blocks.crew, jobs(blocks));
        queue.share_out(|| {
            let (mut state, mut bytes) = (begin(), Vec::new());
            while let Some(job) = queue.next() {
                for shape in job.shapes.clone() {
                    let view = blocks.view(index, shape);
                    for block in job.blocks_of(blocks, shape) {
                        let length = view.words(block).len();
                        let expanded = blocks.get(block, length, &mut bytes)?;
                        let mut rest = &expanded[..length];
                        for (matrix, rows) in view.rows(block) {
                            let (own, after) = rest.split_at(rows.len() * matrix.words() * planes);
                            rest = after;
                            if !own.is_empty() {
                                show(&mut state, matrix, rows, own)?;
                            }
                        }
                    }
                }
            }
            Ok(state)
        })
    }
}

/// Consecutive blocks: of one shape, or all blocks of consecutive shapes, some of which may have none.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Job {
    shapes: Range<usize>,
    blocks: Range<usize>,
}

impl Job {
    /// Returns the blocks of one of the job's shapes that belong to the job.
    fn blocks_of<C: Content>(&self, blocks: &Blocks<C>, shape: usize) -> Range<usize> {
        let of_shape = blocks.blocks_of(shape);
        of_shape.start.max(self.blocks.start)..of_shape.end.min(self.blocks.end)
    }
}

/// Cuts a tier into jobs, in order.
fn jobs<C: Content>(blocks: &Blocks<C>) -> Vec<Job> {
    let mut jobs: Vec<Job> = Vec::new();
    for shape in 0..blocks.directory.shapes().len() {
        let numbers = blocks.blocks_of(shape);
        if numbers.len() > JOB_BLOCKS {
            let starts = numbers.clone().step_by(JOB_BLOCKS);
            let end = |first: usize| numbers.end.min(first + JOB_BLOCKS);
            jobs.extend(starts.map(|first| Job { shapes: shape..shape + 1, blocks: first..end(first) }));
            continue;
        }
        match jobs.last_mut() {
            Some(job) if job.blocks.len() + numbers.len() <= JOB_BLOCKS && job.shapes.end == shape => {
                job.shapes.end += 1;
                job.blocks.end = numbers.end;
            }
            _ => jobs.push(Job { shapes: shape..shape + 1, blocks: numbers }),
        }
    }
    jobs
}
