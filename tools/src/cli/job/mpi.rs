//! The processes of an MPI job, as a communicator.
//!
//! Any thread may make calls, one at a time. A rank that waits for the others takes almost no processor time: all calls
//! are nonblocking, and the rank checks now and then whether they are complete. A blocking call would spin until the
//! other ranks arrive: two ranks solving 6x5 spent 14 % of their CPU seconds there.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use fourbase_tiers::communicator::{Communicator, Traffic};
use mpi::Threading;
use mpi::collective::SystemOperation;
use mpi::datatype::PartitionMut;
use mpi::environment::Universe;
use mpi::request::{Request, Scope, scope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator as _, CommunicatorCollectives as _};

use crate::failure::FAILED;

/// How long a rank sleeps before it checks again whether a call is complete: at first, and at most. A check takes about 10
/// microseconds of processor time.
const SHORT_PAUSE: Duration = Duration::from_micros(20);
const LONG_PAUSE: Duration = Duration::from_millis(1);

/// The most bytes that all ranks together send in one collective call. The limit exists because MPI counts with 32 bits.
const MOST_BYTES: usize = 1 << 30;

/// All processes of an MPI job. Dropping it leaves MPI, and waits until all ranks leave.
pub struct World {
    rank: u32,
    size: u32,
    is_on_one_machine: bool,
    /// Locked by the thread that calls MPI, so that only one thread does at a time.
    turn: Mutex<()>,
    sent_bytes: AtomicU64,
    waited_nanoseconds: AtomicU64,
    _universe: Universe,
}

impl World {
    /// Joins the job that this process was started in; `None` if the job has no other process.
    pub fn join() -> Option<World> {
        let (universe, threading) = mpi::initialize_with_threading(Threading::Serialized)?;
        let world = universe.world();
        let (rank, size) = (world.rank() as u32, world.size() as u32);
        if size == 1 {
            return None;
        }
        if !matches!(threading, Threading::Serialized | Threading::Multiple) {
            eprintln!("this MPI does not let threads call it: {threading:?}");
            world.abort(FAILED.into());
        }
        let own = [u8::from(world.split_shared(world.rank()).size() == world.size())];
        let mut all = vec![0u8; size as usize];
        world.all_gather_into(&own[..], &mut all[..]);
        abort_on_panic(rank);
        Some(World {
            rank,
            size,
            is_on_one_machine: all.iter().all(|is_whole| *is_whole == 1),
            turn: Mutex::new(()),
            sent_bytes: AtomicU64::new(0),
            waited_nanoseconds: AtomicU64::new(0),
            _universe: universe,
        })
    }

    /// Makes a collective call that sends `bytes` bytes. First waits until no other thread of this process calls MPI.
    fn collective<T>(&self, bytes: usize, call: impl FnOnce(&SimpleCommunicator) -> T) -> T {
        let start = Instant::now();
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let result = call(&SimpleCommunicator::world());
        self.sent_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        self.waited_nanoseconds.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        result
    }
}

/// Sleeps until a call is complete.
fn wait<'a, D: ?Sized, S: Scope<'a>>(mut call: Request<'a, D, S>) {
    let mut pause = SHORT_PAUSE;
    while let Err(request) = call.test() {
        thread::sleep(pause);
        (call, pause) = (request, LONG_PAUSE.min(2 * pause));
    }
}

/// Makes a panic of this process end the whole job, because the other ranks would wait for this one forever.
fn abort_on_panic(rank: u32) {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        eprintln!("process {rank} of the job:");
        report(panic);
        SimpleCommunicator::world().abort(FAILED.into());
    }));
}

impl Communicator for World {
    fn rank(&self) -> u32 {
        self.rank
    }

    fn size(&self) -> u32 {
        self.size
    }

    fn is_on_one_machine(&self) -> bool {
        self.is_on_one_machine
    }

    fn all_gather(&self, own: &[u8]) -> Vec<Vec<u8>> {
        self.collective(own.len() + size_of::<u64>(), |world| all_gather(world, own))
    }

    fn all_or(&self, words: &mut [u64]) {
        let mut reduced = vec![0u64; words.len()];
        let or = SystemOperation::bitwise_or();
        self.collective(size_of_val(words), |world| {
            scope(|scope| wait(world.immediate_all_reduce_into(scope, &*words, &mut reduced[..], or)));
        });
        words.copy_from_slice(&reduced);
    }

    fn barrier(&self) {
        self.collective(0, |world| wait(world.immediate_barrier()));
    }

    fn abort(&self, code: u8) -> ! {
        SimpleCommunicator::world().abort(code.into())
    }

    fn traffic(&self) -> Traffic {
        let waited = Duration::from_nanos(self.waited_nanoseconds.load(Ordering::Relaxed));
        Traffic { bytes: self.sent_bytes.load(Ordering::Relaxed), waited }
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").field("rank", &self.rank).field("size", &self.size).finish_non_exhaustive()
    }
}

/// Gathers the bytes of all ranks. Makes several calls if there are more bytes than one call allows ([`MOST_BYTES`]).
fn all_gather(world: &SimpleCommunicator, own: &[u8]) -> Vec<Vec<u8>> {
    let size = world.size() as usize;
    let mut lengths = vec![0u64; size];
    let length = own.len() as u64;
    scope(|scope| wait(world.immediate_all_gather_into(scope, &length, &mut lengths[..])));
    let mut all = vec![Vec::new(); size];
    let each = MOST_BYTES / size;
    let most = lengths.iter().copied().max().unwrap_or(0) as usize;
    for from in (0..most).step_by(each) {
        let part = |length: usize| from.min(length)..(from + each).min(length);
        let counts: Vec<i32> = lengths.iter().map(|length| part(*length as usize).len() as i32).collect();
        let places: Vec<i32> = counts
            .iter()
            .scan(0, |sum, count| {
                let place = *sum;
                *sum += count;
                Some(place)
            })
            .collect();
        let mut bytes = vec![0u8; counts.iter().sum::<i32>() as usize];
        let mut partition = PartitionMut::new(&mut bytes[..], counts.clone(), &places[..]);
        let own = &own[part(own.len())];
        scope(|scope| wait(world.immediate_all_gather_varcount_into(scope, own, &mut partition)));
        for ((of, count), place) in all.iter_mut().zip(&counts).zip(&places) {
            of.extend_from_slice(&bytes[*place as usize..(place + count) as usize]);
        }
    }
    all
}
