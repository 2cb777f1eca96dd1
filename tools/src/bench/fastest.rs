//! The fastest of several runs.

use std::time::{Duration, Instant};

use crate::processor;

/// How long something took.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    /// Of the fastest run, by the clock.
    pub seconds: f64,
    /// Of all threads in that run; `None` where the system does not tell.
    pub processor_seconds: Option<f64>,
    /// How often it ran.
    pub runs: u32,
}

/// Runs something again and again: until `patience` is over, at least once, at most `most` times. Returns the time of
/// the fastest run, and what the last one returned.
///
/// # Errors
///
/// Those of the first run that fails.
pub fn fastest<T>(
    patience: Duration,
    most: u32,
    mut run: impl FnMut() -> anyhow::Result<T>,
) -> anyhow::Result<(Time, T)> {
    let begin = Instant::now();
    let mut fastest: Option<Time> = None;
    loop {
        let (start, processor_start) = (Instant::now(), processor::seconds());
        let result = run()?;
        let seconds = start.elapsed().as_secs_f64();
        let runs = fastest.map_or(0, |time| time.runs) + 1;
        let time = match fastest {
            Some(time) if time.seconds <= seconds => Time { runs, ..time },
            _ => {
                let processor_seconds = processor::seconds().zip(processor_start).map(|(end, start)| end - start);
                Time { seconds, processor_seconds, runs }
            }
        };
        if runs >= most || begin.elapsed() >= patience {
            return Ok((time, result));
        }
        fastest = Some(time);
    }
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

    #[test]
    fn it_runs_once_whatever_the_patience_and_not_again_after_an_error() {
        assert_eq!(fastest(Duration::ZERO, 9, || Ok(())).unwrap().0.runs, 1);
        let mut runs = 0;
        let error = fastest(Duration::from_secs(60), 9, || {
            runs += 1;
            anyhow::bail!("no") as anyhow::Result<()>
        });
        assert!(error.is_err() && runs == 1);
    }
}
