//! Shares among addresses what is scarce: connections, requests, batches, look-ups and searches each have a [`FairSemaphore`].
//!
//! It has a number of permits, and an address has a share of them. A permit is taken of the address first and then of all. Both
//! are tokio's semaphores, which serve in order of arrival. An address waits for a permit of all at most as often as its share, so
//! an address that asks seldom waits for a few turns of every other address at most.

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

/// The permits of one holder, until this is dropped.
pub struct Permit(#[expect(dead_code, reason = "is dropped")] Vec<OwnedSemaphorePermit>);

/// Why there is no permit now: the address has its share, or all are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LimitReached {
    OfAddress,
    OfAll,
}

impl FairSemaphore {
    pub fn new(permits: usize, share: usize) -> FairSemaphore {
        FairSemaphore { permits, share, all: Arc::new(Semaphore::new(permits)), addresses: Mutex::default() }
    }

    /// Waits for a permit, and for one of `also` before it. Takes them after the address's own, so that nobody holds them while
    /// waiting for others of the same address.
    pub async fn acquire(&self, address: IpAddr, also: Option<&Arc<Semaphore>>) -> Permit {
        // From here on, this counts as waiting.
        let all = Arc::clone(&self.all);
        let mut permits = Vec::new();
        for semaphore in [self.of_address(address)].into_iter().chain(also.cloned()).chain([all]) {
            // The semaphores are never closed, so this is no error.
            permits.extend(semaphore.acquire_owned().await);
        }
        Permit(permits)
    }

    /// Takes a permit that is free.
    ///
    /// # Errors
    ///
    /// The limit that leaves none.
    pub fn try_acquire(&self, address: IpAddr) -> Result<Permit, LimitReached> {
        let of_address = self.of_address(address).try_acquire_owned().map_err(|_| LimitReached::OfAddress)?;
        let of_all = Arc::clone(&self.all).try_acquire_owned().map_err(|_| LimitReached::OfAll)?;
        Ok(Permit(vec![of_address, of_all]))
    }

    /// Returns how many permits are taken.
    pub fn taken(&self) -> usize {
        self.permits - self.all.available_permits()
    }

    /// Returns how many wait: each of them has a reference to the semaphore, as has each permit.
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
