//! `fourbase solve`, run as a whole.

use std::fs::{self, File};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::files::folder_files;
use crate::support::long;
use crate::support::program::{Program, keys};

#[test]
fn the_json_has_the_documented_keys() {
    let program = Program::new();
    let json = program.run("solve 4x4 --json").json();
    let expected = [
        "board",
        "bytes",
        "command",
        "entries",
        "folder",
        "hash",
        "keep_plies",
        "peak_memory_bytes",
        "remoteness",
        "schema",
        "seconds",
        "stopped",
        "stores",
        "tiers",
        "tiers_done",
        "value",
    ];
    assert_eq!(keys(&json), expected);
    assert_eq!((&json["board"], &json["stores"]), (&json!("4x4"), &json!("remoteness")));
    assert_eq!((&json["value"], &json["remoteness"]), (&json!("tie"), &json!(16)));
    assert!(json["seconds"].as_f64().is_some_and(|seconds| (0.0..60.0).contains(&seconds)), "{json}");
    assert_eq!((&json["stopped"], &json["tiers_done"], &json["tiers"]), (&json!(false), &json!(17), &json!(17)));
    let folder = program.path(json["folder"].as_str().expect("a path"));
    let files = folder_files(&folder);
    assert_eq!(json["bytes"].as_u64().expect("a number"), files.values().map(|bytes| bytes.len() as u64).sum::<u64>());
    if cfg!(target_os = "linux") {
        assert!(json["peak_memory_bytes"].as_u64().is_some_and(|bytes| bytes > 1 << 16), "{json}");
    }
}

#[test]
fn the_empty_board_is_worth_what_is_known() {
    let program = Program::new();
    // Simple enough to see, except the last.
    let known = [
        ("1x1", "tie", 1),
        ("1x1c1", "win", 1),
        ("1x1c1m", "lose", 1),
        ("2x2c2", "win", 3),
        ("1x8", "tie", 8),
        ("8x1c2", "win", 3),
        ("4x3c5", "tie", 12),
        ("4x4", "tie", 16),
    ];
    for (board, value, remoteness) in known {
        let json = program.run(&format!("solve {board} --json")).json();
        assert_eq!((&json["value"], &json["remoteness"]), (&json!(value), &json!(remoteness)), "{board}");
        assert_eq!(json["board"], json!(board));
    }
}

#[test]
fn a_board_with_c4_is_the_board_without() {
    let program = Program::new();
    assert_eq!(program.run("solve 2x2c4 --json").json()["board"], json!("2x2"));
    assert!(program.path("db/2x2/remoteness/manifest").is_file());
}

#[test]
fn values_alone_have_no_remoteness() {
    let program = Program::new();
    let json = program.run("solve 2x2c2 --values wdl --json").json();
    assert_eq!((&json["stores"], &json["value"]), (&json!("wdl"), &json!("win")));
    assert!(json["remoteness"].is_null());
    assert!(program.path("db/2x2c2/wdl/manifest").is_file());
    assert!(!program.path("db/2x2c2/remoteness").exists());
}

#[test]
fn people_read_what_it_is_worth_how_much_there_was_and_where_it_is() {
    let program = Program::new();
    let text = program.run("solve 2x2c2").succeeds();
    let lines = text.lines().collect::<Vec<_>>();
    assert_eq!(lines[0], "2x2c2, first player to move: win in 3");
    assert!(lines[1].contains(" entries in ") && lines[1].contains(" s"), "{text}");
    assert!(lines[2].ends_with(" in db/2x2c2/remoteness") || cfg!(windows), "{text}");
    assert!(lines[3].starts_with("hash ") && lines[3].len() == 5 + 64, "{text}");
    assert_eq!(lines.len(), 4);
    let wdl = program.run("solve 2x2c2 --values wdl --quiet").succeeds();
    assert!(wdl.starts_with("2x2c2, first player to move: win\n"), "{wdl}");
}

#[test]
fn a_second_solve_says_at_once_that_it_is_complete() {
    let program = Program::with("3x3c3");
    let before = folder_files(&program.path("db/3x3c3/remoteness"));
    assert!(program.run("solve 3x3c3").succeeds().contains("complete already"));
    // Memory is no matter when there is nothing to do.
    assert!(program.run("solve 3x3c3 --memory 1K").succeeds().contains("complete already"));
    assert_eq!(folder_files(&program.path("db/3x3c3/remoteness")), before);
}

#[test]
fn a_damaged_database_is_replaced_when_that_is_asked_for() {
    let program = Program::with("4x4");
    let folder = program.path("db/4x4/remoteness");
    let sound = folder_files(&folder);
    program.damage("db/4x4/remoteness");
    assert!(program.run("query 4x4 1").fails(1).contains("tier-"));
    program.run("solve 4x4 --replace").succeeds();
    assert_eq!(folder_files(&folder), sound);
}

#[test]
fn threads_and_kernels_do_not_change_a_byte() {
    let program = Program::new();
    let all = ["--threads 1", "--threads 2", "--threads 3", "--kernel portable"];
    let solves = all.map(|options| {
        let name = options.replace(['-', ' '], "");
        program.run(&format!("solve 4x3 {options} --db {name}")).succeeds();
        folder_files(&program.path(name).join("4x3/remoteness"))
    });
    assert!(solves.iter().all(|files| *files == solves[0]));
}

#[test]
fn boards_beyond_all_memory_are_refused_at_once_with_a_figure() {
    let program = Program::new();
    for board in ["1x63", "8x8", "32x2", "1x64", "9x7"] {
        let start = Instant::now();
        let line = program.run(&format!("solve {board}")).fails(1);
        assert!(start.elapsed() < Duration::from_secs(2), "{board}: {:?}", start.elapsed());
        assert!(line.contains("iB of memory") && line.ends_with("; choose a smaller board"), "{line}");
    }
    assert!(!program.path("db").exists());
}

#[test]
fn a_limit_on_memory_is_kept_and_told() {
    let program = Program::new();
    let line = program.run("solve 4x4 --memory 1K").fails(1);
    assert!(line.contains("1.0 KiB") && line.contains("--memory"), "{line}");
    assert!(!program.path("db").exists());
    for size in ["512M", "2G", "1.5GiB", "1073741824"] {
        program.run(&format!("solve 2x2c2 --replace --memory {size}")).succeeds();
    }
}

#[test]
fn the_memory_that_is_named_is_enough() {
    let program = Program::new();
    for command in ["solve 4x4", "stats 4x4 --legal"] {
        let error = program.run(&format!("{command} --memory 1M")).fails(1);
        let (_, after) = error.split_once("needs ").expect("a figure");
        let figure = after.trim_start_matches("at least ").split(" MiB").next().expect("a unit");
        let needed: f64 = figure.parse().expect("a number");
        // The figure has one decimal place.
        program.run(&format!("{command} --memory {}K", ((needed - 0.1) * 1024.0) as u64)).fails(1);
        program.run(&format!("{command} --memory {}K", ((needed + 0.1) * 1024.0) as u64)).succeeds();
    }
    let plan = program.run("solve 4x4 --values wdl --memory 1M --dry-run").succeeds();
    let error = program.run("solve 4x4 --values wdl --memory 1M").fails(1);
    let figure = error.split("needs ").nth(1).and_then(|after| after.split(" of memory").next()).expect("a figure");
    assert!(plan.contains(&format!(" {figure} of memory")), "{plan}");
}

#[test]
fn the_peak_of_memory_stays_within_the_limit_in_memory_and_in_files() {
    let program = Program::new();
    let limits_mib = long::scale(&[128][..], &[40, 48, 64, 128]);
    let boards = long::scale(&["6x4 --values wdl"][..], &["6x4 --values wdl", "5x5"]);
    long::skips("limits of 40, 48 and 64 MiB, and 5x5");
    let mut kept = 0;
    for board in boards {
        for &limit_mib in limits_mib {
            for scratch in ["", " --scratch files"] {
                let run =
                    program.run(&format!("solve {board} --replace --threads 2 --json --memory {limit_mib}M{scratch}"));
                let Some(json) = run.json_or_error() else { continue };
                let peak = json["peak_memory_bytes"].as_u64().expect("a system that tells the peak");
                assert!(peak <= limit_mib << 20, "{board} under {limit_mib} MiB{scratch}: {peak}");
                kept += 1;
            }
        }
    }
    println!("{kept} solves stayed within their limits");
    assert!(kept >= long::scale(2, 8), "{kept}");
}

#[test]
fn a_dry_run_says_what_is_needed_and_writes_nothing() {
    let program = Program::new();
    let json = program.run("solve 4x4 --dry-run --json --memory 1G").json();
    let expected = [
        "board",
        "command",
        "database_bytes",
        "entries",
        "exact",
        "expected_seconds",
        "fits",
        "keep_plies",
        "memory_bytes",
        "memory_limit_bytes",
        "plies",
        "ranks",
        "schema",
        "scratch_bytes",
        "stores",
        "tiers",
    ];
    assert_eq!(keys(&json), expected);
    assert_eq!((&json["tiers"], &json["memory_limit_bytes"]), (&json!(17), &json!(1_u64 << 30)));
    assert_eq!((&json["exact"], &json["fits"]), (&json!(true), &json!(true)));
    assert!(program.run("solve 4x4 --dry-run --memory 1G").succeeds().contains("1.0 GiB may be used, "));
    assert_eq!(program.run("solve 8x8 --dry-run --json").json()["fits"], json!(false));
    assert!(program.run("solve 8x8 --dry-run").succeeds().contains("(too little)"));
    assert!(!program.path("db").exists());

    let solved = program.run("solve 4x4 --json").json();
    assert_eq!(solved["entries"], json["entries"]);
}

#[test]
fn options_that_mean_nothing_are_bad_input() {
    let program = Program::new();
    for size in ["", "1Q", "-1", "x", "1.5.5G", "99999999999999999999"] {
        let line = program.run_arguments(&["solve", "4x4", &format!("--memory={size}")]).fails(2);
        assert!(line.contains("512M"), "{line}");
    }
    for threads in ["0", "-1", "x", "1025", "1.5"] {
        program.run_arguments(&["solve", "4x4", &format!("--threads={threads}")]).fails(2);
    }
    program.run("solve 4x4 --values both").refused();
    program.run("solve 4x4 --kernel slow").refused();
    assert!(!program.path("db").exists());
}

#[test]
fn one_solver_at_a_time_holds_the_folder() {
    let program = Program::new();
    fs::create_dir_all(program.path("db/2x2c2")).expect("a folder");
    let lock = File::create(program.path("db/2x2c2/remoteness.lock")).expect("a file");
    lock.lock().expect("a lock");
    let line = program.run("solve 2x2c2").fails(1);
    assert!(line.contains("is being solved by"), "{line}");
    // A process that another test forks just now has the file too, so closing it would not be enough.
    lock.unlock().expect("a lock that was held");
    program.run("solve 2x2c2").succeeds();
}

#[test]
fn a_dry_run_for_several_processes_says_what_they_need_together() {
    let program = Program::new();
    let plan = |arguments: &str| program.run(&format!("solve 5x4 --dry-run --json --memory 1G {arguments}")).json();
    let (one, four) = (plan("--ranks 1 --threads 2"), plan("--ranks 4 --threads 8 --tiers"));
    assert!(plan("")["ranks"].is_null());
    let (one, four, tiers) = (&one["ranks"], &four["ranks"], &four["plies"]);
    assert_eq!((&four["processes"], &four["threads"]), (&json!(4), &json!(8)));
    let number = |value: &Value| value.as_f64().expect("a number");
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
    let seconds = |ranks: &Value| {
        number(&ranks["seconds"])
            * number(&ranks["entries_per_second_and_thread"])
            * number(&ranks["processes"])
            * number(&ranks["threads"])
    };
    assert!((seconds(one) / seconds(four) - 1.0).abs() < 1e-3);
    let told = program.run("solve 7x7 --values wdl --dry-run --ranks 64 --threads 32").succeeds();
    assert!(told.contains("64 processes of 32 threads: this board is beyond the index"), "{told}");
    let told = program.run("solve 5x4 --dry-run --ranks 1 --threads 1 --tiers").succeeds();
    assert!(told.contains("1 process of 1 thread: that memory for each") && told.lines().count() == 4 + 21, "{told}");
    program.run("solve 5x4 --ranks 2").refused();
    assert!(program.run("solve 5x4 --dry-run --ranks 0").fails(2).contains("is not a whole number from 1 to"));
}

#[test]
fn the_planned_size_of_a_database_is_about_the_true_one() {
    let program = Program::new();
    for (board, values) in
        [("4x4", "wdl"), ("5x4", "remoteness"), ("4x5", "wdl"), ("5x5", "wdl"), ("4x6", "remoteness")]
    {
        if ["5x5", "4x6"].contains(&board) && long::skips(format_args!("the size of {board}")) {
            continue;
        }
        let planned = program.run(&format!("solve {board} --values {values} --dry-run --tiers --json")).json();
        let solved = program.run(&format!("solve {board} --values {values} --json")).json();
        let [planned_bytes, bytes] =
            [&planned["database_bytes"], &solved["bytes"]].map(|bytes| bytes.as_f64().expect("a number"));
        let ratio = planned_bytes / bytes;
        assert!((0.4..2.5).contains(&ratio), "{board} {values}: {planned_bytes} {bytes}");
        let tiers = planned["plies"].as_array().expect("a list");
        assert_eq!(tiers.len(), planned["tiers"].as_u64().expect("a number") as usize);
        assert_eq!(
            tiers.iter().map(|tier| tier["database_bytes"].as_f64().expect("a number")).sum::<f64>(),
            planned_bytes
        );
    }
    let lines = program.run("solve 4x4 --dry-run --tiers").succeeds();
    assert_eq!(lines.lines().count(), 1 + 17);
    assert!(lines.lines().nth(1).is_some_and(|line| line.starts_with("ply 16 ")), "{lines}");
}
