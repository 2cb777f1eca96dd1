//! How much memory may be used, and how much was used.

use sysinfo::System;

use crate::container;

/// The share of the free memory that may be used by default, as a fraction.
const SHARE: (u64, u64) = (4, 5);

/// Returns how many bytes may be used by default: 80 % of the free memory of the machine or of the container, whichever
/// is less; `None` where the system does not tell.
pub fn default_limit() -> Option<u64> {
    let free_bytes = system().available_memory();
    let free_bytes = container::free_bytes().map_or(free_bytes, |container| container.min(free_bytes));
    (free_bytes > 0).then(|| free_bytes / SHARE.1 * SHARE.0)
}

/// Returns how many bytes of memory the machine has; `None` where the system does not tell.
pub fn total_bytes() -> Option<u64> {
    Some(system().total_memory()).filter(|bytes| *bytes > 0)
}

fn system() -> System {
    let mut system = System::new();
    system.refresh_memory();
    system
}

/// Returns the peak memory of this process in bytes; `None` where the system does not tell, as on any but Linux.
pub fn peak_bytes() -> Option<u64> {
    peak_in_status(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// Finds the line `VmHWM:     1234 kB` ("high water mark", proc(5)).
fn peak_in_status(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes = line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_read_from_the_status_of_the_process() {
        assert_eq!(
            peak_in_status("Name:\tx\nVmPeak:\t 9000 kB\nVmHWM:\t    1234 kB\nThreads:\t1\n"),
            Some(1234 * 1024)
        );
        assert_eq!(peak_in_status("Name:\tx\n"), None);
        assert_eq!(peak_in_status("VmHWM:\t many kB\n"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_a_peak_and_a_limit() {
        assert!(peak_bytes().unwrap() > 100_000);
        assert!(default_limit().unwrap() > 0);
    }
}
