//! The result of `fourbase bench`: tables for people, and JSON.

use std::fmt;

use fourbase::{Board, Outcome, Player};
use fourbase_tiers::files::bytes;
use fourbase_tiers::kernel::Values;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::first_answer::FirstAnswer;
use super::probing::{Cold, Probes, Warm};
use super::sample::Kinds;
use super::solving::Solving;
use super::space::Space;
use crate::number::{counted, grouped, short};
use crate::table::{self, Side};
use crate::{json, wording};

/// Everything that was measured.
pub struct BenchReport {
    pub board: Board,
    pub values: Values,
    /// The folder of an existing database.
    pub folder: Option<String>,
    /// The deepest ply in the database; `None` if it has all.
    pub keep_plies: Option<u32>,
    pub hash: Option<String>,
    pub outcome: Outcome,
    pub kernel: &'static str,
    pub threads: usize,
    pub seed: u64,
    /// `None` for the default.
    pub cache_bytes: Option<u64>,
    /// `None` for an existing database.
    pub solved: Option<MeasuredSolve>,
    pub first_answer: FirstAnswer,
    pub probes: Probes,
}

/// The measurements of a solve.
pub struct MeasuredSolve {
    pub entries: u64,
    pub entries_before_mirror: u64,
    pub solve: Solving,
    pub kernels: Solving,
    pub space: Space,
}

impl MeasuredSolve {
    /// Divides the time of a whole solve by that of its kernels.
    fn solve_to_kernels(&self) -> f64 {
        short(self.solve.seconds / self.kernels.seconds)
    }

    /// Writes the table of the whole solve and the kernels alone.
    fn solving(&self) -> String {
        let head = ["", "seconds", "CPU", "memory", "entries/s", "after the mirror"].map(str::to_owned).to_vec();
        let row = |name: &str, solving: &Solving| {
            vec![
                name.to_owned(),
                solving.seconds.to_string(),
                solving.processor_seconds.map_or("-".to_owned(), |seconds| format!("{seconds:.2}")),
                solving.peak_memory_bytes.map_or("-".to_owned(), |peak| bytes(peak.into())),
                grouped(solving.entries_per_second as u128),
                grouped(solving.solved_per_second as u128),
            ]
        };
        let rows = [head, row("solve", &self.solve), row("kernels alone", &self.kernels)];
        let sides = [Side::Left, Side::Right, Side::Right, Side::Right, Side::Right, Side::Right];
        table::to_text(&sides, &rows)
    }

    /// Writes the table of the tiers, with the sums in the last row.
    fn tiers(&self) -> String {
        let row = |name: String, entries: u64, legal: u64, bytes: u64, bits: f64| {
            vec![name, grouped(entries.into()), grouped(legal.into()), grouped(bytes.into()), format!("{bits:.4}")]
        };
        let mut rows = vec![["ply", "entries", "legal", "bytes", "bits per legal"].map(str::to_owned).to_vec()];
        let Space { bytes, legal, bits_per_legal, plies } = &self.space;
        rows.extend(
            plies
                .iter()
                .map(|tier| row(tier.ply.to_string(), tier.entries, tier.legal, tier.bytes, tier.bits_per_legal)),
        );
        rows.push(row("all".to_owned(), self.entries, *legal, *bytes, *bits_per_legal));
        table::to_text(&[Side::Right; 5], &rows)
    }
}

impl BenchReport {
    /// Writes the table of answer times.
    fn answers(&self) -> String {
        let FirstAnswer { runs, median_seconds, least_seconds } = &self.first_answer;
        let [median, least] = [median_seconds, least_seconds].map(|seconds| short(seconds * 1e3));
        let mut rows = vec![vec![
            "first answer of a process".to_owned(),
            format!("{median} ms, the fastest of {runs} {least} ms"),
        ]];
        if let Some(Cold { samples, mean_seconds, median_seconds, tenth_seconds }) = &self.probes.cold {
            let [mean, median, tenth] =
                [mean_seconds, median_seconds, tenth_seconds].map(|seconds| short(seconds * 1e6));
            rows.push(vec![
                "cold probe".to_owned(),
                format!(
                    "{median} us, the mean of {} {mean} us, nine of ten below {tenth} us",
                    grouped(*samples as u128)
                ),
            ]);
        }
        let rate = |per_second: f64| format!("{} per second", grouped(per_second as u128));
        let Warm { one_thread_per_second, all_threads_per_second, unpacked_chunks } = self.probes.warm;
        let kind = if unpacked_chunks == 0 { "warm probes" } else { "repeated probes" };
        rows.push(vec![format!("{kind}, one thread"), rate(one_thread_per_second)]);
        rows.push(vec![format!("{kind}, all threads"), rate(all_threads_per_second)]);
        table::to_text(&[Side::Left, Side::Left], &rows)
    }
}

impl fmt::Display for BenchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = counted(self.threads, "thread");
        writeln!(f, "{} with {}, {} kernels on {threads}", self.board, self.values, self.kernel)?;
        writeln!(f, "{}\n", wording::sentence(Player::First, self.outcome))?;
        if let Some(solved) = &self.solved {
            writeln!(f, "{}", solved.solving())?;
            writeln!(f, "a solve takes {} times as long as its kernels\n", solved.solve_to_kernels())?;
            writeln!(f, "{}\n", solved.tiers())?;
        }
        writeln!(f, "{}\n", self.answers())?;
        let Kinds { decided, forced, looked_up, looked_ahead } = self.probes.kinds;
        let [decided, forced, looked_up, looked_ahead] =
            [decided, forced, looked_up, looked_ahead].map(|count| grouped(count.into()));
        write!(
            f,
            "{}, and each is worth its best move: {decided} decided on the board, {forced} with a forced \
             reply, {looked_up} looked up, {looked_ahead} looked up one ply ahead",
            counted(self.probes.samples, "position")
        )?;
        match self.probes.warm.unpacked_chunks {
            0 => Ok(()),
            chunks => write!(
                f,
                "\n{} did not fit into the cache, so repeated probes are not warm; give --samples fewer or --cache more",
                counted(chunks, "chunk")
            ),
        }
    }
}

impl Serialize for BenchReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("board", &self.board.to_string())?;
        map.serialize_entry("stores", &self.values.to_string())?;
        map.serialize_entry("folder", &self.folder)?;
        map.serialize_entry("keep_plies", &self.keep_plies)?;
        map.serialize_entry("hash", &self.hash)?;
        map.serialize_entry("value", json::value(self.outcome.value))?;
        map.serialize_entry("remoteness", &self.outcome.remoteness)?;
        map.serialize_entry("kernel", self.kernel)?;
        map.serialize_entry("threads", &self.threads)?;
        map.serialize_entry("seed", &self.seed)?;
        map.serialize_entry("cache_bytes", &self.cache_bytes)?;
        let solved = self.solved.as_ref();
        map.serialize_entry("entries", &solved.map(|solved| solved.entries))?;
        map.serialize_entry("entries_before_mirror", &solved.map(|solved| solved.entries_before_mirror))?;
        map.serialize_entry("solve", &solved.map(|solved| &solved.solve))?;
        map.serialize_entry("kernels", &solved.map(|solved| &solved.kernels))?;
        map.serialize_entry("solve_to_kernels", &solved.map(MeasuredSolve::solve_to_kernels))?;
        map.serialize_entry("space", &solved.map(|solved| &solved.space))?;
        map.serialize_entry("first_answer", &self.first_answer)?;
        map.serialize_entry("probes", &self.probes)?;
        map.end()
    }
}
