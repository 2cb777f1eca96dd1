//! Several processes that solve one board together over MPI.
//!
//! The variable `FOURBASE_MPI` names a program that was built with the feature `mpi`; `.ci/run` builds it. Without the variable the
//! tests say so and pass.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::support::files::flip_a_bit;
use crate::support::long;
use crate::support::positions::Random;
use crate::support::program::PROGRAM;

/// How long a job may take on a busy machine.
const LIMIT: Duration = Duration::from_secs(300);

/// The program, if there is one, and the right to run jobs: one test at a time.
struct Jobs {
    program: PathBuf,
    folder: TempDir,
    _turn: MutexGuard<'static, ()>,
}

impl Jobs {
    /// Waits for its turn; `None` without the program.
    fn new() -> Option<Jobs> {
        static TURN: Mutex<()> = Mutex::new(());
        let Some(program) = env::var_os("FOURBASE_MPI") else {
            println!("skipped: solves over MPI; set FOURBASE_MPI to a program with the feature mpi");
            return None;
        };
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        Some(Jobs { program: program.into(), folder: TempDir::new().expect("a folder"), _turn: turn })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Prepares `mpirun` with these arguments, in which `fourbase` stands for the program.
    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new("mpirun");
        command.args(["--oversubscribe", "-quiet"]).current_dir(self.folder.path());
        for argument in arguments.split_whitespace() {
            command.arg(if argument == "fourbase" { self.program.as_os_str() } else { argument.as_ref() });
        }
        // In a container everybody is root.
        command.envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Starts a job, kills one of its processes after a while, and waits for the end, which has to come. Returns whether it was
    /// killed before it was done.
    #[cfg(target_os = "linux")]
    fn is_killed(&self, arguments: &str, after: Duration, random: &mut Random) -> bool {
        use rustix::process::{Pid, Signal, kill_process};
        let mut job = self.command(arguments).stdout(Stdio::null()).spawn().expect("mpirun runs");
        sleep(after);
        let started = started_by(job.id());
        let victim = started.get(random.below(started.len().max(1))).and_then(|process| Pid::from_raw(*process as i32));
        let is_killed = victim.is_some_and(|victim| kill_process(victim, Signal::KILL).is_ok());
        let start = Instant::now();
        loop {
            if let Some(status) = job.try_wait().expect("a status") {
                assert!(is_killed || status.success(), "a job fails by itself: {status}");
                return !status.success();
            }
            assert!(start.elapsed() < LIMIT, "a job whose process was killed goes on");
            sleep(Duration::from_millis(20));
        }
    }

    /// Kills a process in each of `kills` jobs of these commands. Now and then calls `resumes` with a number of processes, as which
    /// it runs a command to its end.
    #[cfg(target_os = "linux")]
    fn kill(&self, kills: u32, commands: &[String], resumes: impl Fn(usize)) {
        let (mut random, mut killed) = (Random::new(19), 0u32);
        while killed < kills {
            let (processes, command) = (2 + random.below(4), &commands[random.below(commands.len())]);
            let after = Duration::from_millis(100 + random.below(1400) as u64);
            let job = format!("-n {processes} fourbase {command} --threads 1");
            let is_killed = self.is_killed(&job, after, &mut random);
            killed += u32::from(is_killed);
            if !is_killed || killed.is_multiple_of(5) || killed == kills {
                resumes(1 + random.below(4));
            }
        }
    }

    fn run(&self, arguments: &str) -> Output {
        self.command(arguments).output().expect("mpirun runs")
    }

    /// Runs a job that has to end with this exit code, and returns its messages.
    #[track_caller]
    fn fails(&self, code: i32, arguments: &str) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    /// Runs the ordinary program alone.
    fn alone(&self, arguments: &str) -> Output {
        let mut command = Command::new(PROGRAM);
        command.args(arguments.split_whitespace()).current_dir(self.folder.path()).output().expect("the program runs")
    }

    /// Solves a board with the ordinary program alone, into the folder `alone`. Returns the hash.
    fn solve_alone(&self, board: &str, values: &str) -> String {
        hash(&text(self.alone(&format!("solve {board} --values {values} --db alone --quiet"))))
    }

    /// Solves with so many processes of so many threads, into the folder `job`, and returns what that prints.
    fn solve(&self, processes: u32, threads: u32, arguments: &str) -> String {
        let _ = fs::remove_dir_all(self.path("job"));
        let options = format!("--db job --scratch scratch --threads {threads} --memory 1G --quiet");
        text(self.run(&format!("-n {processes} fourbase solve {arguments} {options}")))
    }
}

/// Returns what a run has printed that went well. `mpirun` ends lines as terminals do.
#[track_caller]
fn text(output: Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n")
}

/// Finds the hash in what a solve has printed.
fn hash(text: &str) -> String {
    let line = text.lines().find_map(|line| line.trim().strip_prefix("hash "));
    line.unwrap_or_else(|| panic!("a hash: {text}")).to_owned()
}

#[test]
fn any_number_of_processes_and_threads_makes_the_database_and_the_counts_of_one() {
    let Some(jobs) = Jobs::new() else { return };
    let boards = long::scale(&["5x4", "5x5"][..], &["5x5", "6x4", "6x5"]);
    for board in boards {
        // The larger board is long enough to be shared out well, and takes longer than all others.
        let few = *board == "6x5" || !long::is_long();
        let processes = if few { &[1, 3][..] } else { &[1, 2, 3, 4, 8] };
        for values in ["wdl", "remoteness"] {
            let options = format!("{board} --values {values}");
            let expected = text(jobs.alone(&format!("solve {options} --stats --db alone --quiet")));
            let counts = |folder: &str| text(jobs.alone(&format!("stats {options} --csv --db {folder}")));
            let ways = [(1, ""), (2, ""), (1, " --stats")];
            for (processes, (threads, stats)) in processes.iter().flat_map(|count| ways.map(|way| (*count, way))) {
                let found = jobs.solve(processes, threads, &format!("{options}{stats}"));
                assert_eq!(hash(&found), hash(&expected), "{options} {processes}");
                if !stats.is_empty() {
                    let [found, expected] = [&found, &expected].map(|text| {
                        let (before, _) = text.split_once(" legal positions").expect("a number");
                        before.lines().last().expect("a line")
                    });
                    assert_eq!(found, expected, "{options} {processes}");
                    assert_eq!(counts("job"), counts("alone"), "{options} {processes}");
                }
            }
        }
    }
}

#[test]
fn any_number_of_processes_verifies_and_counts_what_one_does() {
    let Some(jobs) = Jobs::new() else { return };
    let board = long::scale("4x4", "5x4");
    jobs.solve_alone(board, "remoteness");
    let run = |processes: u32, arguments: &str| {
        jobs.run(&format!("-n {processes} fourbase {arguments} --threads 1 --memory 1G"))
    };
    let both = |processes: u32, arguments: &str| {
        let (expected, found) = (jobs.alone(arguments), run(processes, arguments));
        assert_eq!(found.status.code(), expected.status.code(), "{found:?}");
        let text = String::from_utf8_lossy(&found.stdout).replace("\r\n", "\n");
        assert_eq!(text, String::from_utf8_lossy(&expected.stdout), "{arguments} {processes}");
        text
    };
    let (verify, stats) = (format!("verify {board} --db alone"), format!("stats {board} --csv"));
    for &processes in long::scale(&[3][..], &[2, 3, 5]) {
        assert!(both(processes, &verify).contains(": sound"));
        for options in ["--sample 1000", "--json"] {
            both(processes, &format!("{verify} {options}"));
        }
        for options in ["--legal", "--values wdl", "--values remoteness"] {
            both(processes, &format!("{stats} {options}"));
        }
    }
    if !long::skips("the databases that are part of fourbase") {
        both(2, "verify 7x5 --embedded --sample 10");
    }
    // Counts of a database are kept, and read by one process and by several.
    let counted = text(run(2, &format!("{stats} --db alone")));
    assert_eq!(both(3, &format!("{stats} --db alone")), counted);
    let error = jobs.fails(1, "-n 2 fourbase stats 6x6 --db alone");
    assert_eq!(error.matches("no database of 6x6").count(), 1, "{error}");
    flip_a_bit(&jobs.path(&format!("alone/{board}/remoteness/tier-09")));
    assert!(both(2, &verify).contains("NOT sound"));
}

#[test]
fn processes_of_a_program_without_mpi_do_not_all_do_the_same() {
    let Some(jobs) = Jobs::new() else { return };
    for command in ["solve 4x4 --db db", "stats 4x4 --legal", "verify 4x4 --db db"] {
        let error = jobs.fails(2, &format!("-n 2 {PROGRAM} {command}"));
        assert!(error.contains("2 processes were started") && error.contains("--features mpi"), "{error}");
    }
}

/// Lists the processes that `mpirun` has started.
#[cfg(target_os = "linux")]
fn started_by(parent: u32) -> Vec<u32> {
    let children = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).unwrap_or_default();
    children.split_whitespace().filter_map(|process| process.parse().ok()).collect()
}

#[test]
#[cfg(target_os = "linux")]
fn a_job_whose_process_is_killed_ends_and_the_next_one_goes_on_to_the_same_database_or_counts() {
    let Some(jobs) = Jobs::new() else { return };
    let of = |command: &str| format!("{command} --scratch scratch --memory 1G");
    let (solve, count) = (of("solve 5x5 --db db --quiet"), of("stats 5x5 --values wdl --csv"));
    let (hash_alone, counts_alone) = (jobs.solve_alone("5x5", "remoteness"), text(jobs.alone(&count)));
    // Checkpoints after every tier, or at the end alone.
    let solves = [0, 120].map(|checkpoint| format!("{solve} --checkpoint {checkpoint}"));
    jobs.kill(long::scale(4, 50), &solves, |processes| {
        assert_eq!(hash(&text(jobs.run(&format!("-n {processes} fourbase {solve}")))), hash_alone);
        let files = fs::read_dir(jobs.path("db/5x5/remoteness")).expect("a database");
        let names: Vec<_> = files.map(|file| file.expect("a file").file_name()).collect();
        assert!(!names.iter().any(|name| name.to_string_lossy().ends_with(".new")), "{names:?}");
        fs::remove_dir_all(jobs.path("db")).expect("a database");
    });
    jobs.kill(long::scale(2, 20), std::slice::from_ref(&count), |processes| {
        assert_eq!(text(jobs.run(&format!("-n {processes} fourbase {count}"))), counts_alone);
    });
}

#[test]
#[cfg(target_os = "linux")]
fn a_job_that_is_asked_to_stop_ends_with_the_code_of_a_stopped_solve_and_the_next_one_goes_on() {
    use rustix::process::{Pid, Signal, kill_process};
    let Some(jobs) = Jobs::new() else { return };
    let expected = jobs.solve_alone("6x5", "wdl");
    let solve = "-n 2 fourbase solve 6x5 --values wdl --db db --scratch scratch --threads 1 --checkpoint 0 --quiet";
    let job = jobs.command(solve).spawn().expect("mpirun runs");
    let (start, tier) = (Instant::now(), jobs.path("db/6x5/wdl/tier-29"));
    while !tier.exists() {
        assert!(start.elapsed() < LIMIT, "no tier is solved");
        sleep(Duration::from_millis(20));
    }
    kill_process(Pid::from_raw(job.id() as i32).expect("a process"), Signal::USR1).expect("a signal");
    let output = job.wait_with_output().expect("a status");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(3) && error.contains("run the same command to resume"), "{output:?}");
    assert_eq!(hash(&text(jobs.run(solve))), expected);
}

#[test]
fn processes_that_do_not_fit_together_refuse_each_other() {
    let Some(jobs) = Jobs::new() else { return };
    let pair = |one: &str, other: &str| {
        let of = |options: &str| format!("-n 1 {options} --scratch scratch --memory 1G --threads 1 --quiet");
        jobs.fails(1, &format!("{} : {}", of(one), of(other)))
    };
    let error = pair("fourbase solve 4x4 --db db", "fourbase solve 4x4 --values wdl --db db");
    assert!(error.contains("does not fit: it is") && error.contains("with the same program"), "{error}");
    for folder in ["here", "there"] {
        fs::create_dir(jobs.path(folder)).expect("a folder");
    }
    let error = pair("-wdir here fourbase solve 4x4 --db db", "-wdir there fourbase solve 4x4 --db db");
    assert!(error.contains("sees another folder") && error.contains("that all machines share"), "{error}");
    // Those that see other databases do not wait for each other.
    jobs.solve_alone("4x4", "wdl");
    let stats = "fourbase stats 4x4 --db alone --memory 1G --threads 1";
    let error = jobs.fails(1, &format!("-n 1 {stats} : -n 1 -wdir there {stats}"));
    assert!(error.contains("has no databases") || error.contains("other processes see another database"), "{error}");
}

#[test]
#[cfg(unix)]
fn a_process_whose_disk_is_full_ends_the_job_and_the_next_one_goes_on() {
    use std::os::unix::fs::PermissionsExt;
    let Some(jobs) = Jobs::new() else { return };
    // A limit for files stands for the disk.
    let limited = jobs.path("limited");
    fs::write(&limited, "#!/bin/sh\ntrap '' XFSZ\nulimit -f 40\nexec \"$@\"\n").expect("a script");
    fs::set_permissions(&limited, fs::Permissions::from_mode(0o755)).expect("a script");
    let solve = "fourbase solve 5x5 --db db --scratch scratch --threads 1 --memory 1G --quiet";
    let error = jobs.fails(1, &format!("-n 1 {solve} : -n 1 ./limited {solve}"));
    assert!(error.contains("process 1 of the job") && error.contains("File too large"), "{error}");
    assert_eq!(hash(&text(jobs.run(&format!("-n 3 {solve}")))), jobs.solve_alone("5x5", "remoteness"));
}
