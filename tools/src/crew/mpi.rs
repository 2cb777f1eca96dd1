//! The processes of an MPI job, as a crew.
//!
//! One thread of each process speaks MPI; the others ask it. It never waits inside MPI for something that may take long: it
//! looks for messages, looks for questions of its own process, and sleeps for a moment. So it takes no processor from the solver,
//! and process 0 deals jobs out while its own threads wait for something else.
//!
//! | tag | from | to | what |
//! |---|---|---|---|
//! | `ASK` | any | 0 | the pile that it wants jobs of, and how many entries it has solved |
//! | `DEAL` | 0 | any | the pile, the first job and the end; the same twice where none are left |
//! | `READY` | any | 0 | it waits in an exchange |
//! | `GO` | 0 | any | all wait in the exchange, which begins: two collective calls, or one that unites bits |

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use fourbase_tiers::crew::{Answer, Cost, Crew, Dealer};
use mpi::Threading;
use mpi::collective::SystemOperation;
use mpi::datatype::PartitionMut;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;

use crate::failure::FAILED;

const ASK: i32 = 1;
const DEAL: i32 = 2;
const READY: i32 = 3;
const GO: i32 = 4;

/// How long the thread sleeps when there is nothing to do: while others of its process wait for it, and otherwise. A sleep costs
/// some 10 microseconds of a processor.
const SHORT_PAUSE: Duration = Duration::from_micros(200);
const PAUSE: Duration = Duration::from_millis(1);

/// The most bytes of one collective call, of all processes together: MPI counts with 32 bits.
const MOST_BYTES: usize = 1 << 30;

/// The crew of an MPI job.
#[derive(Debug)]
pub struct MpiCrew {
    number: u32,
    size: u32,
    is_on_one_machine: bool,
    calls: Mutex<Sender<Call>>,
    figures: Arc<Figures>,
}

/// What is counted.
#[derive(Default, Debug)]
struct Figures {
    /// Entries that this process has solved.
    solved: AtomicU64,
    /// Entries that the others have solved, at process 0.
    others_solved: AtomicU64,
    sent_bytes: AtomicU64,
    waited_nanoseconds: AtomicU64,
}

/// What every process has given.
type Exchanged = Vec<Vec<u8>>;

/// A collective call that this process waits for, and who waits for it.
enum Meeting {
    /// Gives these bytes to all.
    Exchange(Vec<u8>, Sender<Exchanged>),
    /// Gives the bits of these words to all.
    Unite(Vec<u64>, Sender<Vec<u64>>),
}

/// What the threads of the process ask for.
enum Call {
    Begin(u64),
    Take(Sender<Option<Range<u64>>>),
    Meet(Meeting),
    /// Ends the job of all processes, with this exit code.
    Abort(u8),
    /// Leaves MPI, when all have.
    End(Sender<()>),
}

impl MpiCrew {
    /// Joins the job that this process was started in; `None` where it is the only process.
    pub fn join() -> Option<MpiCrew> {
        let (calls, received) = channel();
        let (tell, told) = channel();
        let figures = Arc::<Figures>::default();
        let counted = Arc::clone(&figures);
        thread::Builder::new()
            .name("mpi".to_owned())
            .spawn(move || {
                let Some((universe, _)) = mpi::initialize_with_threading(Threading::Funneled) else { return };
                let world = universe.world();
                let _ = tell.send((world.rank() as u32, world.size() as u32, is_on_one_machine(&world)));
                let ended = Speaker::new(world, received, counted).run();
                drop(universe);
                // The process may end now, and not before.
                let _ = ended.map(|ended| ended.send(()));
            })
            .ok()?;
        let (number, size, is_on_one_machine) = told.recv().ok()?;
        let crew = MpiCrew { number, size, is_on_one_machine, calls: Mutex::new(calls), figures };
        if size == 1 {
            crew.end();
            return None;
        }
        crew.abort_on_panic();
        Some(crew)
    }

    /// A process that panics ends the job: the others would wait for it.
    fn abort_on_panic(&self) {
        let (number, calls) = (self.number, self.sender());
        let calls = Mutex::new(calls);
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            eprintln!("process {number} of the job:");
            report(panic);
            abort(&calls.lock().unwrap_or_else(PoisonError::into_inner), FAILED);
        }));
    }

    fn sender(&self) -> Sender<Call> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn call<T>(&self, call: impl FnOnce(Sender<T>) -> Call) -> T {
        let (answer, answered) = channel();
        let _ = self.sender().send(call(answer));
        match answered.recv() {
            Ok(answer) => answer,
            // The thread has ended, so the job is being ended.
            Err(_) => forever(),
        }
    }

    fn meet<T>(&self, meeting: impl FnOnce(Sender<T>) -> Meeting) -> T {
        let start = Instant::now();
        let all = self.call(|answer| Call::Meet(meeting(answer)));
        self.figures.waited_nanoseconds.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        all
    }

    /// Ends the job of all processes with this exit code.
    pub fn abort(&self, code: u8) -> ! {
        abort(&self.sender(), code);
        forever()
    }

    /// Leaves the job, when all processes do.
    pub fn end(&self) {
        self.call(Call::End);
    }
}

/// Tells whether all processes can share memory.
fn is_on_one_machine(world: &SimpleCommunicator) -> bool {
    let own = [u8::from(world.split_shared(world.rank()).size() == world.size())];
    let mut all = vec![0u8; world.size() as usize];
    world.all_gather_into(&own[..], &mut all[..]);
    all.iter().all(|is_whole| *is_whole == 1)
}

fn abort(calls: &Sender<Call>, code: u8) {
    if calls.send(Call::Abort(code)).is_err() {
        std::process::exit(code.into());
    }
    // The thread may be in a collective call that does not end. MPI's launcher ends a job whose process leaves early.
    thread::sleep(Duration::from_secs(5));
    std::process::exit(code.into());
}

fn forever() -> ! {
    loop {
        thread::park();
    }
}

impl Crew for MpiCrew {
    fn number(&self) -> u32 {
        self.number
    }

    fn size(&self) -> u32 {
        self.size
    }

    fn is_on_one_machine(&self) -> bool {
        self.is_on_one_machine
    }

    fn begin(&self, jobs: u64) {
        let _ = self.sender().send(Call::Begin(jobs));
    }

    fn take(&self) -> Option<Range<u64>> {
        self.call(Call::Take)
    }

    fn exchange(&self, own: &[u8]) -> Vec<Vec<u8>> {
        self.meet(|answer| Meeting::Exchange(own.to_vec(), answer))
    }

    fn unite(&self, words: &mut [u64]) {
        let united = self.meet(|answer| Meeting::Unite(words.to_vec(), answer));
        words.iter_mut().zip(united).for_each(|(word, united)| *word = united);
    }

    fn solved(&self, entries: u64) {
        self.figures.solved.fetch_add(entries, Ordering::Relaxed);
    }

    fn all_solved(&self) -> u64 {
        let Figures { solved, others_solved, .. } = &*self.figures;
        solved.load(Ordering::Relaxed) + others_solved.load(Ordering::Relaxed)
    }

    fn cost(&self) -> Cost {
        let waited = Duration::from_nanos(self.figures.waited_nanoseconds.load(Ordering::Relaxed));
        Cost { bytes: self.figures.sent_bytes.load(Ordering::Relaxed), waited }
    }
}

/// The thread that speaks MPI.
struct Speaker {
    world: SimpleCommunicator,
    calls: Receiver<Call>,
    /// The pile that this process is at.
    pile: u64,
    /// Jobs of the pile that were dealt before somebody took them, or that there are none.
    dealt: Option<Option<Range<u64>>>,
    /// Who waits for jobs.
    takers: VecDeque<Sender<Option<Range<u64>>>>,
    /// The collective call that this process waits for.
    meeting: Option<Meeting>,
    figures: Arc<Figures>,
    /// Of process 0: its decisions, who waits for which pile, how many wait in an exchange, and what each has solved.
    dealer: Dealer,
    waiting: Vec<(i32, u64)>,
    ready: i32,
    solved: Vec<u64>,
}

impl Speaker {
    fn new(world: SimpleCommunicator, calls: Receiver<Call>, figures: Arc<Figures>) -> Speaker {
        let dealer = Dealer::new(world.size() as u32);
        let solved = vec![0; world.size() as usize];
        Speaker {
            world,
            calls,
            pile: 0,
            dealt: None,
            takers: VecDeque::new(),
            meeting: None,
            figures,
            dealer,
            waiting: Vec::new(),
            ready: 0,
            solved,
        }
    }

    /// Speaks until the process has nothing more to say. Returns who waits for that.
    fn run(mut self) -> Option<Sender<()>> {
        loop {
            let pause = match self.hear() {
                true => Duration::ZERO,
                false if self.is_waited_for() => SHORT_PAUSE,
                false => PAUSE,
            };
            match self.calls.recv_timeout(pause) {
                Ok(Call::Begin(jobs)) => self.begin(jobs),
                Ok(Call::Take(answer)) => {
                    self.takers.push_back(answer);
                    self.hand_out();
                }
                Ok(Call::Meet(meeting)) => {
                    self.meeting = Some(meeting);
                    self.send(0, READY, [0; 3]);
                }
                Ok(Call::Abort(code)) => self.world.abort(code.into()),
                Ok(Call::End(answer)) => return Some(answer),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }

    /// Tells whether a thread of this process waits for an answer.
    fn is_waited_for(&self) -> bool {
        !self.takers.is_empty() || self.meeting.is_some()
    }

    /// Sends a message, to this process as well.
    fn send(&mut self, to: i32, tag: i32, message: [u64; 3]) {
        if to == self.world.rank() {
            return self.received(to, tag, message);
        }
        self.figures.sent_bytes.fetch_add(size_of_val(&message) as u64, Ordering::Relaxed);
        self.world.process_at_rank(to).send_with_tag(&message, tag);
    }

    /// Looks for a message. Returns whether there was one.
    fn hear(&mut self) -> bool {
        let Some(status) = self.world.any_process().immediate_probe() else { return false };
        let (from, tag) = (status.source_rank(), status.tag());
        let mut message = [0u64; 3];
        self.world.process_at_rank(from).receive_into_with_tag(&mut message, tag);
        self.received(from, tag, message);
        true
    }

    fn received(&mut self, from: i32, tag: i32, message: [u64; 3]) {
        let [pile, start, end] = message;
        match tag {
            ASK => {
                if from != 0 {
                    self.solved[from as usize] = start;
                    self.figures.others_solved.store(self.solved.iter().sum(), Ordering::Relaxed);
                }
                self.waiting.push((from, pile));
                self.deal();
            }
            DEAL if pile == self.pile => {
                self.dealt = Some((start < end).then_some(start..end));
                self.hand_out();
            }
            READY => {
                self.ready += 1;
                if self.ready == self.world.size() {
                    self.ready = 0;
                    (1..self.world.size()).for_each(|process| self.send(process, GO, [0; 3]));
                    self.meet();
                }
            }
            GO => self.meet(),
            _ => {}
        }
    }

    fn begin(&mut self, jobs: u64) {
        self.pile += 1;
        self.dealt = None;
        if self.world.rank() == 0 {
            self.dealer.begin(jobs);
            self.deal();
        }
        self.ask();
    }

    /// Asks for jobs.
    fn ask(&mut self) {
        self.send(0, ASK, [self.pile, self.figures.solved.load(Ordering::Relaxed), 0]);
    }

    /// Answers those whose pile has begun.
    fn deal(&mut self) {
        for (process, pile) in std::mem::take(&mut self.waiting) {
            match self.dealer.asked(process as u32, pile) {
                Answer::Jobs(run) => self.send(process, DEAL, [pile, run.start, run.end]),
                Answer::None => self.send(process, DEAL, [pile, 0, 0]),
                Answer::Later => self.waiting.push((process, pile)),
            }
        }
    }

    /// Gives jobs to a thread that waits, and asks for the next ones ahead.
    fn hand_out(&mut self) {
        match self.dealt.take() {
            // None are left, for anybody.
            Some(None) => {
                self.takers.drain(..).for_each(|taker| drop(taker.send(None)));
                self.dealt = Some(None);
            }
            Some(Some(run)) => match self.takers.pop_front() {
                Some(taker) => {
                    let _ = taker.send(Some(run));
                    self.ask();
                }
                None => self.dealt = Some(Some(run)),
            },
            None => {}
        }
    }

    /// Makes the collective call that all wait for; all are here.
    fn meet(&mut self) {
        match self.meeting.take() {
            Some(Meeting::Exchange(own, answer)) => {
                let _ = answer.send(self.exchange(&own));
            }
            Some(Meeting::Unite(words, answer)) => {
                self.figures.sent_bytes.fetch_add(size_of_val(&words[..]) as u64, Ordering::Relaxed);
                let mut united = vec![0u64; words.len()];
                self.world.all_reduce_into(&words[..], &mut united[..], SystemOperation::bitwise_or());
                let _ = answer.send(united);
            }
            None => {}
        }
    }

    /// Gives what every process has to all.
    fn exchange(&self, own: &[u8]) -> Exchanged {
        let size = self.world.size() as usize;
        self.figures.sent_bytes.fetch_add((own.len() + size_of::<u64>()) as u64, Ordering::Relaxed);
        let mut lengths = vec![0u64; size];
        self.world.all_gather_into(&(own.len() as u64), &mut lengths[..]);
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
            self.world.all_gather_varcount_into(&own[part(own.len())], &mut partition);
            for ((of, count), place) in all.iter_mut().zip(&counts).zip(&places) {
                of.extend_from_slice(&bytes[*place as usize..(place + count) as usize]);
            }
        }
        all
    }
}
