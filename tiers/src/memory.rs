//! Finds how much memory this process may use, and how much it has used. Needs the feature `memory`.
//!
//! Control groups limit memory: containers, batch jobs, `systemd-run -p MemoryMax=1G`. A process belongs to a group,
//! and the limits of all groups above that group hold as well. `/proc/self/cgroup` names the group. `/sys/fs/cgroup`
//! shows the groups as folders, in two versions with different file names (cgroups(7), and the kernel's `cgroup-v2.rst`
//! and `cgroup-v1/memory.rst`). Inside a container the topmost folder is the group of the container, so the named group
//! can be missing; then the limit of the topmost folder holds.
//!
//! `sysinfo::System::cgroup_limits` (0.38) is not used here, for two reasons. It reads the topmost folder alone, so it
//! misses the limits of batch jobs and of `systemd-run`. It counts cached files as used memory, so a container can seem
//! full after a database was read.

use std::fs;
use std::path::Path;

use sysinfo::System;

use crate::database::DEFAULT_CACHE_BYTES;

/// The share of the free memory that may be used by default, as numerator and denominator.
const SHARE: (u64, u64) = (4, 5);

/// Returns how many bytes may be used by default: 80 % of the free memory; `None` if the system does not report it.
pub fn default_limit() -> Option<u64> {
    Some(free_bytes()? / SHARE.1 * SHARE.0)
}

/// Returns how many bytes are free on the machine and under the limits of its control groups, whichever is less; `None`
/// if the system does not report it.
pub fn free_bytes() -> Option<u64> {
    let free_bytes = system().available_memory();
    let free_bytes = group_bytes().map_or(free_bytes, |group| group.free.min(free_bytes));
    (free_bytes > 0).then_some(free_bytes)
}

/// Returns how many bytes of memory the machine has or the control groups allow, whichever is less; `None` if the system
/// does not report it.
pub fn total_bytes() -> Option<u64> {
    let total_bytes = Some(system().total_memory()).filter(|bytes| *bytes > 0);
    total_bytes.map(|total| group_bytes().map_or(total, |group| group.limit.min(total)))
}

/// Returns the default size in bytes of a cache of probes: an eighth of the free memory, but at least 256 MiB and at most
/// `most_bytes`; of little memory at most a quarter.
pub fn cache_bytes(most_bytes: u64) -> u64 {
    cache_of(free_bytes(), most_bytes)
}

fn cache_of(free_bytes: Option<u64>, most_bytes: u64) -> u64 {
    let of_free = |free: u64| (free / 8).clamp(DEFAULT_CACHE_BYTES, most_bytes.max(DEFAULT_CACHE_BYTES)).min(free / 4);
    free_bytes.map_or(DEFAULT_CACHE_BYTES, of_free)
}

fn system() -> System {
    let mut system = System::new();
    system.refresh_memory();
    system
}

/// Returns the peak memory of this process in bytes; `None` if the system does not report it; only Linux does.
pub fn peak_bytes() -> Option<u64> {
    peak_in_status(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// Returns the bytes in the line `VmHWM:     1234 kB` ("high water mark", proc(5)).
fn peak_in_status(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes = line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?;
    kibibytes.checked_mul(1024)
}

/// The folder in which the system shows control groups.
const GROUPS: &str = "/sys/fs/cgroup";

/// The files that describe a control group's memory, in versions 2 and 1: first the files with bytes that the group may
/// use (beyond the first limit processes are killed, beyond a further one the kernel slows them down), then the file
/// with the bytes that the group uses.
const FILES: [(&[&str], &str); 2] =
    [(&["memory.max", "memory.high"], "memory.current"), (&["memory.limit_in_bytes"], "memory.usage_in_bytes")];

/// The lines of the file `memory.stat` that count cached pages of files, in versions 2 and 1. These pages count as free,
/// because the kernel drops them when it needs room.
const CACHES: [[&str; 2]; 2] = [["active_file", "inactive_file"], ["total_active_file", "total_inactive_file"]];

/// The bytes that control groups allow, and how many of these are free.
#[derive(Clone, Copy, PartialEq, Debug)]
struct GroupBytes {
    limit: u64,
    free: u64,
}

/// Returns the limits of all control groups of this process; `None` without a limit.
fn group_bytes() -> Option<GroupBytes> {
    in_groups(Path::new(GROUPS), &fs::read_to_string("/proc/self/cgroup").ok()?)
}

/// Returns the least number of bytes that the groups of a process, and all groups above them, allow and leave free;
/// `None` without a limit. `lines` are those of its `/proc/self/cgroup`, and `root` is the folder that shows the groups.
/// A line has the form `number:controllers:/path/of/the/group`; in version 2, the number is 0 and there are no
/// controllers.
fn in_groups(root: &Path, lines: &str) -> Option<GroupBytes> {
    let groups = lines.lines().flat_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, group) = (fields.next().unwrap_or_default(), fields.next());
        let is_memory = controllers.split(',').any(|controller| controller == "memory");
        let version = usize::from(!controllers.is_empty());
        let top = if is_memory { root.join("memory") } else { root.to_owned() };
        let group = group.filter(|_| is_memory || version == 0).map(|group| top.join(group.trim_start_matches('/')));
        let folders = group.iter().flat_map(|group| group.ancestors()).take_while(|folder| folder.starts_with(&top));
        folders.filter_map(|folder| in_group(folder, version)).collect::<Vec<_>>()
    });
    let least = |one: GroupBytes, other: GroupBytes| GroupBytes {
        limit: one.limit.min(other.limit),
        free: one.free.min(other.free),
    };
    groups.reduce(least)
}

fn in_group(folder: &Path, version: usize) -> Option<GroupBytes> {
    let read = |name: &str| fs::read_to_string(folder.join(name)).ok();
    let ((limits, usage), caches) = (FILES.get(version)?, CACHES.get(version)?);
    // Without a limit, the file contains "max", which does not parse.
    let limit = limits.iter().filter_map(|name| read(name)?.trim().parse::<u64>().ok()).min()?;
    let usage = read(usage)?.trim().parse::<u64>().ok()?;
    let stat = read("memory.stat").unwrap_or_default();
    let lines = stat.lines().filter_map(|line| line.split_once(' '));
    let caches = lines.filter(|(name, _)| caches.contains(name)).filter_map(|(_, bytes)| bytes.parse::<u64>().ok());
    Some(GroupBytes { limit, free: limit.saturating_sub(usage.saturating_sub(caches.sum())) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    #[test]
    fn the_peak_is_read_from_the_status_of_the_process() {
        let status = "Name:\tx\nVmPeak:\t 9000 kB\nVmHWM:\t    1234 kB\nThreads:\t1\n";
        assert_eq!(peak_in_status(status), Some(1234 * 1024));
        assert_eq!(peak_in_status("Name:\tx\n"), None);
        assert_eq!(peak_in_status("VmHWM:\t many kB\n"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_a_peak_and_a_limit() {
        assert!(peak_bytes().unwrap() > 100_000);
        assert!(default_limit().unwrap() > 0);
    }

    /// Makes the folder of a group, and in it `files`, given as names and contents.
    fn group(root: &TempDir, path: &str, files: [(&str, &str); 3]) {
        let folder = root.path().join(path);
        fs::create_dir_all(&folder).unwrap();
        for (name, contents) in files {
            fs::write(folder.join(name), contents).unwrap();
        }
    }

    fn group_2(root: &TempDir, path: &str, limit: &str, usage: &str) {
        let stat = "anon 1\nactive_file 30\ninactive_file 20\nslab 5\n";
        group(root, path, [("memory.max", &format!("{limit}\n")), ("memory.current", usage), ("memory.stat", stat)]);
    }

    #[test]
    fn the_least_limit_on_the_way_up_holds_and_cached_files_are_free() {
        let root = TempDir::new().unwrap();
        group_2(&root, "jobs/mine", "max", "100");
        group_2(&root, "jobs", "1000", "400");
        group_2(&root, "", "5000", "500");
        assert_eq!(
            in_groups(root.path(), "0::/jobs/mine\n"),
            Some(GroupBytes { limit: 1000, free: 1000 - (400 - 50) })
        );
    }

    #[test]
    fn a_soft_limit_counts_and_a_cache_leaves_most_of_the_limit() {
        let root = TempDir::new().unwrap();
        group_2(&root, "job", "5000", "150");
        fs::write(root.path().join("job/memory.high"), "4000\n").unwrap();
        assert_eq!(in_groups(root.path(), "0::/job\n"), Some(GroupBytes { limit: 4000, free: 3900 }));
        let mebibytes = |free: u64, most: u64| cache_of(Some(free << 20), most << 20) >> 20;
        assert_eq!([400, 1024, 4096, 1 << 20].map(|free| mebibytes(free, 2048)), [100, 256, 512, 2048]);
        assert_eq!([400, 1024, 4096, 1 << 20].map(|free| mebibytes(free, 256)), [100, 256, 256, 256]);
        assert_eq!(cache_of(None, 2 << 30), DEFAULT_CACHE_BYTES);
    }

    #[test]
    fn a_group_that_is_not_shown_has_the_limit_of_the_topmost_folder() {
        let root = TempDir::new().unwrap();
        group_2(&root, "", "5000", "1050");
        assert_eq!(in_groups(root.path(), "0::/docker/1234\n"), Some(GroupBytes { limit: 5000, free: 4000 }));
        // If a group uses more than its limit, nothing is free.
        group_2(&root, "mine", "100", "1000");
        assert_eq!(in_groups(root.path(), "0::/mine\n"), Some(GroupBytes { limit: 100, free: 0 }));
        // Without a limit there is no figure.
        let root = TempDir::new().unwrap();
        group_2(&root, "mine", "max", "100");
        assert_eq!(in_groups(root.path(), "0::/mine\n"), None);
        assert_eq!(in_groups(root.path(), "nonsense\n"), None);
        assert_eq!(in_groups(Path::new("/nowhere"), "0::/\n4:memory:/\n"), None);
    }

    #[test]
    fn both_versions_may_exist_at_once() {
        let root = TempDir::new().unwrap();
        let stat = "active_file 1\ntotal_active_file 5\ntotal_inactive_file 5\n";
        let files = [("memory.limit_in_bytes", "900\n"), ("memory.usage_in_bytes", "110\n"), ("memory.stat", stat)];
        group(&root, "memory/mine", files);
        let lines = "5:devices:/elsewhere\n4:cpu,memory:/mine\n0::/mine\n";
        assert_eq!(in_groups(root.path(), lines), Some(GroupBytes { limit: 900, free: 800 }));
    }
}
