//! Shares out threads among addresses: those that search, and those that look up.
//!
//! A question waits until a thread is free. Then the next one is, in this order: a single question before a part of a batch;
//! the address that was not served for the longest time; the one that came first. An address has no more than its share, and
//! batches leave one thread to single questions. While a single question waits, a search of a batch that had its turn gives way.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prometheus_client::metrics::gauge::Gauge;
use tokio::sync::{Notify, oneshot};

use super::failure::Failure;

/// As many single questions of an address may wait for each search of its share.
const WAITING_PER_SEARCH: usize = 4;

/// The most single questions that wait: half of the requests that are answered at a time.
const MOST_WAITING: usize = 256;

/// As many turns back it is known when an address was served.
const REMEMBERED_TURNS: u64 = 1024;

/// The questions that have a thread, and those that wait.
pub struct Queue {
    /// The most that run at a time, and the most of an address.
    most: usize,
    share: usize,
    /// Whether few may wait: a search takes long.
    is_short: bool,
    line: Mutex<Line>,
    /// Wakes a batch that is to give way.
    wanted: Notify,
    /// How many run, and how many wait.
    gauges: [Gauge; 2],
}

#[derive(Default)]
struct Line {
    /// In the order in which they came.
    entries: Vec<Entry>,
    entered: u64,
    /// How many of them run.
    running: usize,
    /// The turn in which an address was served last, of all `turns`.
    served: HashMap<IpAddr, u64>,
    turns: u64,
}

struct Entry {
    id: u64,
    address: IpAddr,
    is_batch: bool,
    /// Hears that it may begin; `None` when it runs.
    waiter: Option<oneshot::Sender<()>>,
}

/// A place: to wait, and then to have a thread. Dropped, another question may have it.
pub struct Slot {
    queue: Arc<Queue>,
    id: u64,
}

impl Queue {
    /// Shares out so many searches, as many of which an address may have.
    pub fn of_searches(most: usize, share: usize, gauges: [Gauge; 2]) -> Queue {
        Queue { most, share, is_short: true, line: Mutex::default(), wanted: Notify::new(), gauges }
    }

    /// Shares out so many threads that look up, for which all requests may wait. An address may have all of them.
    pub fn of_probes(most: usize) -> Queue {
        Queue { is_short: false, ..Queue::of_searches(most, most, Default::default()) }
    }

    /// Waits for a thread.
    ///
    /// # Errors
    ///
    /// Too many single questions wait, of this address or of all.
    pub async fn slot(self: &Arc<Queue>, address: IpAddr, is_batch: bool) -> Result<Slot, Failure> {
        let (slot, turn) = self.enter(address, is_batch)?;
        turn.await.map_err(|_| Failure::too_many_searches())?;
        Ok(slot)
    }

    /// Takes a place in the line. The turn is an error if the place goes to an address with fewer.
    fn enter(self: &Arc<Queue>, address: IpAddr, is_batch: bool) -> Result<(Slot, oneshot::Receiver<()>), Failure> {
        let mut line = self.lock();
        if self.is_short && !is_batch && !line.has_thread_for(self, address, false) {
            let waiting = line.waiting(address);
            if waiting >= WAITING_PER_SEARCH * self.share {
                return Err(Failure::too_many_searches());
            }
            let singles = line.waiting_singles().map(|entry| (line.waiting(entry.address), entry.id));
            let singles: Vec<(usize, u64)> = singles.collect();
            if singles.len() >= MOST_WAITING {
                let (_, last) = singles
                    .into_iter()
                    .max()
                    .filter(|(of_address, _)| *of_address > waiting + 1)
                    .ok_or_else(Failure::too_many_searches)?;
                line.entries.retain(|entry| entry.id != last);
            }
        }
        let (waiter, turn) = oneshot::channel();
        let id = line.entered;
        line.entered += 1;
        line.entries.push(Entry { id, address, is_batch, waiter: Some(waiter) });
        line.share_out(self);
        Ok((Slot { queue: Arc::clone(self), id }, turn))
    }

    /// Waits until a single question waits that could have the search of a batch.
    pub async fn are_wanted(&self) {
        while !self.lock().are_wanted(self.share) {
            self.wanted.notified().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut line = self.queue.lock();
        if let Some(place) = line.entries.iter().position(|entry| entry.id == self.id) {
            let entry = line.entries.remove(place);
            line.running -= usize::from(entry.waiter.is_none());
        }
        line.share_out(&self.queue);
    }
}

impl Line {
    /// Returns the single questions that wait.
    fn waiting_singles(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.waiter.is_some() && !entry.is_batch)
    }

    /// Counts those of an address.
    fn waiting(&self, address: IpAddr) -> usize {
        self.waiting_singles().filter(|entry| entry.address == address).count()
    }

    /// Returns what runs of an address.
    fn running(&self, address: IpAddr) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| entry.waiter.is_none() && entry.address == address)
    }

    /// Tells whether a question of an address may begin.
    fn has_thread_for(&self, queue: &Queue, address: IpAddr, is_batch: bool) -> bool {
        let free = queue.most.saturating_sub(self.running);
        // Where one search runs at a time, a batch may have it while no single question waits.
        let kept = usize::from(is_batch && queue.most > 1);
        free > kept && (queue.share == queue.most || self.running(address).count() < queue.share)
    }

    /// Tells whether a single question waits that only needs a batch to give way.
    fn are_wanted(&self, share: usize) -> bool {
        let singles = |address| self.running(address).filter(|of| !of.is_batch).count();
        self.waiting_singles().any(|entry| singles(entry.address) < share)
    }

    /// Lets questions begin.
    fn share_out(&mut self, queue: &Queue) {
        let next = |line: &Line| {
            let may_begin =
                |entry: &&Entry| entry.waiter.is_some() && line.has_thread_for(queue, entry.address, entry.is_batch);
            let order = |of: &&Entry| (of.is_batch, line.served.get(&of.address).copied().unwrap_or(0), of.id);
            line.entries.iter().filter(may_begin).min_by_key(order).map(|entry| entry.id)
        };
        while self.running < queue.most
            && let Some(id) = next(self)
            && let Some(entry) = self.entries.iter_mut().find(|entry| entry.id == id)
        {
            // One that went away gives its place back itself.
            let _ = entry.waiter.take().map(|waiter| waiter.send(()));
            self.running += 1;
            self.turns += 1;
            self.served.insert(entry.address, self.turns);
            self.served.retain(|_, turn| *turn + REMEMBERED_TURNS > self.turns);
        }
        if self.are_wanted(queue.share) {
            queue.wanted.notify_one();
        }
        let [running, waiting] = &queue.gauges;
        running.set(self.running as i64);
        waiting.set((self.entries.len() - self.running) as i64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::http::network;

    type Place = (Slot, oneshot::Receiver<()>);

    fn searches(most: usize, share: usize) -> Arc<Queue> {
        Arc::new(Queue::of_searches(most, share, Default::default()))
    }

    fn enter(searches: &Arc<Queue>, address: &str, is_batch: bool) -> Place {
        searches.enter(network(address.parse().unwrap()), is_batch).unwrap()
    }

    fn runs(place: &mut Place) -> bool {
        place.1.try_recv().is_ok()
    }

    #[test]
    fn batches_leave_a_search_to_single_questions_which_come_first() {
        let searches = searches(2, 2);
        let [mut one, mut two] = ["1.1.1.1", "2.2.2.2"].map(|address| enter(&searches, address, true));
        assert_eq!((runs(&mut one), runs(&mut two)), (true, false));
        assert!(!searches.lock().are_wanted(2));
        let [mut first, mut second] = ["3.3.3.3", "4.4.4.4"].map(|address| enter(&searches, address, false));
        assert_eq!((runs(&mut first), runs(&mut second)), (true, false));
        assert!(searches.lock().are_wanted(2));
        drop(one);
        assert_eq!((runs(&mut second), runs(&mut two)), (true, false));
        drop(first);
        assert!(!runs(&mut two));
        drop(second);
        assert!(runs(&mut two));
    }

    #[test]
    fn an_address_has_its_share_and_those_that_waited_longest_come_first() {
        let searches = searches(2, 1);
        // All addresses of an IPv6 network are one.
        let mut greedy = ["2001:db8::1", "2001:db8::2", "2001:db8::3"].map(|address| enter(&searches, address, false));
        assert_eq!(greedy.each_mut().map(runs), [true, false, false]);
        let mut other = enter(&searches, "::ffff:1.1.1.1", false);
        let mut polite = enter(&searches, "2.2.2.2", false);
        assert_eq!((runs(&mut other), runs(&mut polite)), (true, false));
        let [first, mut second, third] = greedy;
        drop(first);
        assert_eq!((runs(&mut polite), runs(&mut second)), (true, false));
        // One that went away leaves the line.
        drop(third);
        drop(other);
        assert!(runs(&mut second));
    }

    #[test]
    fn an_address_that_looks_up_seldom_comes_before_those_that_were_served_just_now() {
        let probes = Arc::new(Queue::of_probes(2));
        let ask = |of: usize| enter(&probes, ["1.1.1.1", "2.2.2.2"][of % 2], false);
        let mut greedy: Vec<Place> = (0..1000).map(ask).collect();
        let mut batch = enter(&probes, "4.4.4.4", true);
        assert_eq!(greedy.iter_mut().filter_map(|of| runs(of).then_some(of.0.id)).collect::<Vec<_>>(), [0, 1]);
        let mut polite = enter(&probes, "3.3.3.3", false);
        drop(greedy.remove(0));
        assert!(runs(&mut polite) && !greedy.iter_mut().any(runs));
        // An address may have all threads, but a batch leaves one.
        drop((greedy, polite));
        let mut singles = [(); 3].map(|()| enter(&probes, "3.3.3.3", false));
        assert_eq!((runs(&mut batch), singles.each_mut().map(runs)), (true, [true, false, false]));
        drop(batch);
        assert!(runs(&mut singles[1]));
    }

    #[test]
    fn a_full_line_takes_from_addresses_with_the_most_places() {
        let searches = searches(1, 1);
        let mut runner = enter(&searches, "9.9.9.9", false);
        assert!(runs(&mut runner));
        let ask = |client: u32| searches.enter(IpAddr::from(client.to_be_bytes()), false);
        let mut greedy: Vec<Place> = (0..MOST_WAITING as u32).map(|place| ask(place / 4).unwrap()).collect();
        // An address has four places at most, and gives one to another with none.
        assert!(ask(5).is_err());
        let polite: Vec<Place> = (1000..1064).map(|client| ask(client).unwrap()).collect();
        let closed = greedy.iter_mut().filter_map(|(_, turn)| turn.try_recv().err());
        assert_eq!(closed.filter(|error| *error == oneshot::error::TryRecvError::Closed).count(), polite.len());
        assert_eq!(searches.lock().waiting_singles().count(), MOST_WAITING);
        drop((runner, greedy, polite));
        assert!(searches.lock().entries.is_empty());
    }
}
