//! Limits that are fair to client addresses: connections, requests, batches, look-ups and searches each have a [`FairSemaphore`].
//!
//! A [`FairSemaphore`] has a number of permits in all, and one address may hold at most its share of them. A request first takes a
//! permit of its address's semaphore and then one of the common semaphore. Both are tokio's semaphores, which serve in order of
//! arrival. So no address has more than its share of places in the common queue, and a client that asks seldom waits for at most
//! that many requests of every other address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Limits how many permits are taken at a time, in all and by each address.
pub struct FairSemaphore {
    permits: usize,
    share: usize,
    all: Arc<Semaphore>,
    /// The semaphores of the addresses that have a permit or wait for one.
    addresses: Mutex<HashMap<IpAddr, Weak<Semaphore>>>,
}

/// The permits of one holder, which are returned when this is dropped.
pub struct Permit(#[expect(dead_code, reason = "is dropped")] Vec<OwnedSemaphorePermit>);

/// Why there is no permit now: the address already holds its share (`OfAddress`), or all permits are taken (`OfAll`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LimitReached {
    OfAddress,
    OfAll,
}

impl FairSemaphore {
    pub fn new(permits: usize, share: usize) -> FairSemaphore {
        FairSemaphore { permits, share, all: Arc::new(Semaphore::new(permits)), addresses: Mutex::default() }
    }

    /// Waits for a permit of the address, then for one of the semaphore `also`, then for one of the common semaphore. The address's
    /// permit comes first, so that a request which waits for its own address holds no permit that other addresses need.
    pub async fn acquire(&self, address: IpAddr, also: Option<&Arc<Semaphore>>) -> Permit {
        // The clone of the `Arc` counts as waiting from here on; see `waiting`.
        let all = Arc::clone(&self.all);
        let mut permits = Vec::new();
        for semaphore in [self.of_address(address)].into_iter().chain(also.cloned()).chain([all]) {
            // `acquire_owned` fails only for closed semaphores, and these are never closed.
            permits.extend(semaphore.acquire_owned().await);
        }
        Permit(permits)
    }

    /// Takes a permit if one is free, without waiting.
    ///
    /// # Errors
    ///
    /// The limit that leaves no permit.
    pub fn try_acquire(&self, address: IpAddr) -> Result<Permit, LimitReached> {
        let of_address = self.of_address(address).try_acquire_owned().map_err(|_| LimitReached::OfAddress)?;
        let of_all = Arc::clone(&self.all).try_acquire_owned().map_err(|_| LimitReached::OfAll)?;
        Ok(Permit(vec![of_address, of_all]))
    }

    /// Returns how many permits are taken.
    pub fn taken(&self) -> usize {
        self.permits - self.all.available_permits()
    }

    /// Returns how many requests wait for a permit. Each waiting request and each taken permit has one reference to the common
    /// semaphore, so this is the number of references minus the permits.
    pub fn waiting(&self) -> usize {
        (Arc::strong_count(&self.all) - 1).saturating_sub(self.taken())
    }

    fn of_address(&self, address: IpAddr) -> Arc<Semaphore> {
        let mut addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(semaphore) = addresses.get(&address).and_then(Weak::upgrade) {
            return semaphore;
        }
        addresses.retain(|_, semaphore| semaphore.strong_count() > 0);
        let semaphore = Arc::new(Semaphore::new(self.share));
        addresses.insert(address, Arc::downgrade(&semaphore));
        semaphore
    }
}
