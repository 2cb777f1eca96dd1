//! `fourbase solve`: the memory and the disk that a plan promises, against what a solve takes.

use serde_json::Value;

use crate::support::files::folder_files;
use crate::support::long;
use crate::support::program::{Program, read_json};

#[test]
fn the_memory_that_is_named_is_enough() {
    let program = Program::new();
    for command in ["solve 4x4", "stats 4x4 --legal"] {
        let error = program.run(&format!("{command} --memory 1M")).fails(1);
        let (_, after) = error.split_once(" need ").expect("a figure");
        let figure = after.split(" MiB").next().expect("a unit");
        let needed: f64 = figure.parse().expect("a number");
        // The figure has one decimal place.
        program.run(&format!("{command} --memory {}K", ((needed - 0.1) * 1024.0) as u64)).fails(1);
        program.run(&format!("{command} --memory {}K", ((needed + 0.1) * 1024.0) as u64)).succeeds();
    }
}

#[test]
fn the_peak_of_memory_stays_within_the_limit_in_memory_and_in_files() {
    let program = Program::new();
    // The promise is 64 MiB above the limit. How much code is resident depends on the system, and the program of the tests is not
    // optimised: the same solve took 2 to 6 MiB more than the optimised one.
    const SLACK_MIB: u64 = 8;
    let limits_mib = long::scale(&[32, 128][..], &[20, 24, 28, 32, 40, 48, 64, 128]);
    let boards = long::scale(&["6x4 --values wdl"][..], &["6x4 --values wdl", "5x5"]);
    long::skips("limits of 20 to 28 and of 40 to 64 MiB, and 5x5");
    let mut kept = 0;
    for board in boards {
        let mut hash = Value::Null;
        for &limit_mib in limits_mib {
            for scratch in ["", " --scratch files"] {
                let solve = format!("solve {board} --replace --threads 2 --json --memory {limit_mib}M{scratch}");
                let (code, said) = program.run(&solve).ended();
                if code == Some(1) {
                    assert!(said.starts_with("error: "), "{said}");
                    continue;
                }
                let json = read_json(&said);
                let peak = json["peak_memory_bytes"].as_u64().expect("a system that tells the peak");
                assert!(peak <= (limit_mib + SLACK_MIB) << 20, "{board} under {limit_mib} MiB{scratch}: {peak}");
                kept += 1;
                let found = json["hash"].clone();
                assert!(hash.is_null() || hash == found, "{solve}: the same bytes");
                hash = found;
            }
        }
    }
    println!("{kept} solves stayed within their limits");
    assert!(kept >= long::scale(4, 20), "{kept}");
}

#[test]
fn the_planned_size_of_a_database_is_about_the_true_one() {
    let program = Program::new();
    let boards = [("4x4", "wdl"), ("5x4", "remoteness"), ("4x5", "wdl"), ("5x5", "wdl"), ("4x6", "remoteness")];
    long::skips("the sizes of 5x5 and 4x6");
    for (board, values) in boards.into_iter().take(long::scale(3, 5)) {
        let planned = program.run(&format!("solve {board} --values {values} --dry-run --tiers --json")).json();
        let solved = program.run(&format!("solve {board} --values {values} --json")).json();
        let files = folder_files(&program.path(solved["folder"].as_str().expect("a path")));
        let bytes = files.values().map(Vec::len).sum::<usize>() as f64;
        assert_eq!((solved["bytes"].as_f64(), &solved["entries"]), (Some(bytes), &planned["entries"]));
        let ratio = number(&planned["database_bytes"]) / bytes;
        assert!((0.4..2.5).contains(&ratio), "{board} {values}: {ratio}");
        let tiers = planned["plies"].as_array().expect("a list");
        assert_eq!(tiers.len() as f64, number(&planned["tiers"]));
        let sum: f64 = tiers.iter().map(|tier| number(&tier["database_bytes"])).sum();
        assert_eq!(sum, number(&planned["database_bytes"]));
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

#[test]
fn a_dry_run_for_several_processes_says_what_they_need_together() {
    let program = Program::new();
    let plan = |arguments: &str| program.run(&format!("solve 5x4 --dry-run --json --memory 1G {arguments}")).json();
    let (one, four) = (plan("--ranks 1 --threads 2"), plan("--ranks 4 --threads 8 --tiers"));
    let (one, four, tiers) = (&one["ranks"], &four["ranks"], &four["plies"]);
    assert_eq!((number(&four["processes"]), number(&four["threads"])), (4.0, 8.0));
    let rows = four["plies"].as_array().expect("a list");
    assert_eq!(rows.len(), 21);
    for key in ["written_bytes", "read_bytes", "seconds"] {
        let sum: f64 = rows.iter().map(|row| number(&row[key])).sum();
        assert!((sum - number(&four[key])).abs() <= 1e-9 * sum, "{key}");
    }
    // Of a ply with a file of the database: the log and that file; the log of the next ply for each process, and that file.
    let bytes = |ply: usize, key: &str| number(&tiers[ply][key]);
    assert_eq!(number(&rows[9]["written_bytes"]), bytes(9, "scratch_bytes") + bytes(9, "database_bytes"));
    assert_eq!(number(&rows[9]["read_bytes"]), 4.0 * bytes(10, "scratch_bytes") + bytes(9, "database_bytes"));
    // One process of two threads has a sixteenth of the threads.
    let factors = ["seconds", "entries_per_second_and_thread", "processes", "threads"];
    let work = |ranks: &Value| factors.iter().map(|key| number(&ranks[key])).product::<f64>();
    assert!((work(one) / work(four) - 1.0).abs() < 1e-3);
}
