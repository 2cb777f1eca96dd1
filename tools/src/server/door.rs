//! Shares among addresses what is scarce: connections, requests, batches, look-ups and searches each have a door.
//!
//! A door has a number of places, and an address has a share of them. Entering takes a place of the address first and then one
//! of the door. Both are tokio's semaphores, which serve in order of arrival. An address stands in the line of the door at most
//! as often as its share, so an address that asks seldom waits for a few turns of every other address at most.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

/// Limits how many are inside at a time, in all and of each address.
pub struct Door {
    places: usize,
    share: usize,
    all: Arc<Semaphore>,
    /// The semaphores of the addresses that are inside or wait.
    addresses: Mutex<HashMap<IpAddr, Weak<Semaphore>>>,
}

/// A place inside, until this is dropped. The semaphores are never closed, so all of these are permits.
pub struct Permit(#[expect(dead_code, reason = "is dropped")] Vec<Result<OwnedSemaphorePermit, AcquireError>>);

/// Why there is no place now: the address has its share, or all places are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Full {
    Address,
    All,
}

impl Door {
    pub fn new(places: usize, share: usize) -> Door {
        Door { places, share, all: Arc::new(Semaphore::new(places)), addresses: Mutex::default() }
    }

    /// Waits for a place, and for a permit of `also` before it. Takes them after the address's place, so that nobody holds
    /// them while waiting for others of the same address.
    pub async fn enter(&self, address: IpAddr, also: Option<&Arc<Semaphore>>) -> Permit {
        // From here on, this counts as waiting.
        let all = Arc::clone(&self.all);
        let mut permits = vec![self.of_address(address).acquire_owned().await];
        for semaphore in also.cloned().into_iter().chain([all]) {
            permits.push(semaphore.acquire_owned().await);
        }
        Permit(permits)
    }

    /// Takes a place that is free.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn try_enter(&self, address: IpAddr) -> Result<Permit, Full> {
        let of_address = self.of_address(address).try_acquire_owned().map_err(|_| Full::Address)?;
        let of_all = Arc::clone(&self.all).try_acquire_owned().map_err(|_| Full::All)?;
        Ok(Permit(vec![Ok(of_address), Ok(of_all)]))
    }

    /// Returns how many places are taken.
    pub fn inside(&self) -> usize {
        self.places - self.all.available_permits()
    }

    /// Returns how many wait for a place: each of them has a reference to the semaphore, as has each permit.
    pub fn waiting(&self) -> usize {
        (Arc::strong_count(&self.all) - 1).saturating_sub(self.inside())
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
