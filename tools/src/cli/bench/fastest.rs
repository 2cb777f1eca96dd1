//! The fastest of several runs.

use std::time::{Duration, Instant};

use sysinfo::{ProcessRefreshKind, ProcessesToUpdate, System};

/// A measured time.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    /// The fastest run, by the clock.
    pub seconds: f64,
    /// The processor time of all threads in that run; `None` where the system does not tell.
    pub processor_seconds: Option<f64>,
    /// The number of runs.
    pub runs: u32,
}

/// Repeats a run until `patience` is over, at least once and at most `most` times. Returns the time of the fastest run
/// and the result of the last one.
///
/// # Errors
///
/// That of the first run that fails.
pub fn fastest<T>(
    patience: Duration,
    most: u32,
    mut run: impl FnMut() -> anyhow::Result<T>,
) -> anyhow::Result<(Time, T)> {
    let begin = Instant::now();
    let mut fastest: Option<Time> = None;
    loop {
        let (start, processor_start) = (Instant::now(), processor_seconds());
        let result = run()?;
        let seconds = start.elapsed().as_secs_f64();
        let runs = fastest.map_or(0, |time| time.runs) + 1;
        let time = match fastest {
            Some(time) if time.seconds <= seconds => Time { runs, ..time },
            _ => {
                let processor_seconds = processor_seconds().zip(processor_start).map(|(end, start)| end - start);
                Time { seconds, processor_seconds, runs }
            }
        };
        if runs >= most || begin.elapsed() >= patience {
            return Ok((time, result));
        }
        fastest = Some(time);
    }
}

/// Returns the processor time that all threads of this process have used, in seconds; `None` where the system does not
/// tell.
fn processor_seconds() -> Option<f64> {
    let pid = sysinfo::get_current_pid().ok()?;
    let mut system = System::new();
    let what = ProcessRefreshKind::nothing().with_cpu().without_tasks();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), false, what);
    Some(system.process(pid)?.accumulated_cpu_time() as f64 / 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_run_counts_and_the_last_result_is_returned() {
        let mut sleeps = [30, 1, 20].into_iter();
        let run = || {
            let milliseconds = sleeps.next().unwrap();
            std::thread::sleep(Duration::from_millis(milliseconds));
            Ok(milliseconds)
        };
        let (time, last) = fastest(Duration::from_secs(60), 3, run).unwrap();
        assert_eq!((time.runs, last), (3, 20));
        assert!((0.001..0.02).contains(&time.seconds), "{time:?}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn work_takes_processor_time() {
        let before = processor_seconds().unwrap();
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(50) {}
        assert!(processor_seconds().unwrap() > before);
    }

    #[test]
    fn there_is_one_run_without_patience_and_none_after_an_error() {
        assert_eq!(fastest(Duration::ZERO, 9, || Ok(())).unwrap().0.runs, 1);
        let mut runs = 0;
        let error = fastest(Duration::from_secs(60), 9, || {
            runs += 1;
            anyhow::bail!("no") as anyhow::Result<()>
        });
        assert!(error.is_err() && runs == 1);
    }
}
