//! How much time of processors this process has used.

/// Ticks of `/proc/self/stat` in a second: what the kernel shows to programs does not depend on its own clock (proc(5);
/// `USER_HZ` is 100 on all but two forgotten architectures).
const TICKS_A_SECOND: f64 = 100.0;

/// Returns the seconds that all threads of this process have used, of the program and of the kernel for it, to a
/// hundredth; `None` where the system does not tell, which is everywhere but on Linux.
pub fn seconds() -> Option<f64> {
    seconds_in_stat(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

/// Finds `utime` and `stime`, the 14th and 15th fields. The second, the program's name in parentheses, may hold spaces
/// and parentheses itself.
fn seconds_in_stat(stat: &str) -> Option<f64> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some((ticks()? + ticks()?) as f64 / TICKS_A_SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_found_behind_a_name_of_any_kind() {
        let stat = "12 (a) (b c) S 1 12 12 0 -1 4194560 100 0 0 0 250 31 0 0 20 0 3 0 99 1000 50\n";
        assert_eq!(seconds_in_stat(stat), Some(2.81));
        assert_eq!(seconds_in_stat("12 (a) S 1 12"), None);
        assert_eq!(seconds_in_stat(""), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_used_some() {
        assert!(seconds().unwrap() >= 0.0);
    }
}
