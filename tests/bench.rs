//! `fourbase bench`, run as a whole. Its times are nobody's promise, so only what they belong to is compared.

use std::fs;

use serde_json::{Value, json};

use crate::support::files::folder_files;
use crate::support::long;
use crate::support::program::{Program, keys};

/// Everything in the JSON that does not depend on the machine.
fn lasting(json: &Value) -> Value {
    let mut lasting = json.clone();
    let object = lasting.as_object_mut().expect("an object");
    for key in ["solve", "kernels", "solve_to_kernels", "first_answer", "kernel", "threads"] {
        assert!(object.remove(key).is_some(), "{key}: {json}");
    }
    let probes = object["probes"].as_object_mut().expect("an object");
    probes.remove("warm");
    probes.insert("cold".to_owned(), json["probes"]["cold"]["samples"].clone());
    lasting
}

#[test]
fn the_json_has_the_documented_keys() {
    let json = Program::new().run("bench 4x4 --samples 500 --json").json();
    let expected = [
        "board",
        "cache_bytes",
        "command",
        "entries",
        "entries_before_mirror",
        "first_answer",
        "folder",
        "hash",
        "keep_plies",
        "kernel",
        "kernels",
        "probes",
        "remoteness",
        "schema",
        "seed",
        "solve",
        "solve_to_kernels",
        "space",
        "stores",
        "threads",
        "value",
    ];
    assert_eq!(keys(&json), expected);
    let solving =
        ["entries_per_second", "peak_memory_bytes", "processor_seconds", "runs", "seconds", "solved_per_second"];
    assert_eq!((keys(&json["solve"]), keys(&json["kernels"])), (solving.to_vec(), solving.to_vec()));
    assert_eq!(keys(&json["space"]), ["bits_per_legal", "bytes", "legal", "plies"]);
    assert_eq!(keys(&json["space"]["plies"][0]), ["bits_per_legal", "bytes", "entries", "legal", "ply"]);
    assert_eq!(keys(&json["first_answer"]), ["least_seconds", "median_seconds", "runs"]);
    assert_eq!(keys(&json["probes"]), ["cold", "kinds", "samples", "warm"]);
    let cold = ["mean_seconds", "median_seconds", "samples", "tenth_seconds"];
    assert_eq!(keys(&json["probes"]["cold"]), cold);
    assert_eq!(keys(&json["probes"]["warm"]), ["all_threads_per_second", "one_thread_per_second", "unpacked_chunks"]);
    assert_eq!(keys(&json["probes"]["kinds"]), ["decided", "forced", "looked_ahead", "looked_up"]);
    assert_eq!((&json["value"], &json["remoteness"]), (&json!("tie"), &json!(16)));
    for path in ["/solve/seconds", "/kernels/entries_per_second", "/first_answer/median_seconds"] {
        assert!(json.pointer(path).and_then(Value::as_f64).is_some_and(|number| number > 0.0), "{path}: {json}");
    }
}

#[test]
fn the_room_is_that_of_a_database_for_the_positions_of_its_counts() {
    long::skips("the room of 5x4; takes 4x4");
    // The figures of the index before the mirror were computed apart from this program.
    let (board, before_mirror) = long::scale(("4x4", 177_000..179_000), ("5x4", 4_655_000..4_665_000));
    let program = Program::with(board);
    let files = folder_files(&program.path(format!("db/{board}/remoteness")));
    let bytes = files.values().map(Vec::len).sum::<usize>();
    let stats = program.run(&format!("stats {board} --json")).json();
    let json = program.run(&format!("bench {board} --samples 100 --json")).json();
    let space = &json["space"];
    assert_eq!((&space["bytes"], &space["legal"]), (&json!(bytes), &stats["legal"]));
    let bits = 8.0 * bytes as f64 / stats["legal"].as_f64().expect("a number");
    assert!((space["bits_per_legal"].as_f64().expect("a number") / bits - 1.0).abs() < 1e-3, "{bits}: {json}");
    let tiers = space["plies"].as_array().expect("tiers");
    assert_eq!(tiers.len(), long::scale(17, 21));
    for (ply, tier) in tiers.iter().enumerate() {
        assert_eq!((&tier["ply"], &tier["legal"]), (&json!(ply), &stats["plies"][ply]["legal"]));
        let file = files.get(&format!("tier-{ply:02}")).map_or(0, Vec::len);
        assert_eq!(tier["bytes"], json!(file), "ply {ply}");
    }
    let solved = program.run(&format!("solve {board} --json")).json();
    assert_eq!(json["entries"], solved["entries"]);
    assert!(before_mirror.contains(&json["entries_before_mirror"].as_u64().expect("a number")), "{json}");
}

#[test]
fn what_is_not_a_time_is_the_same_on_every_run_and_any_number_of_threads() {
    let program = Program::new();
    let run = |options: &str| lasting(&program.run(&format!("bench 4x4 --json --samples 2000 {options}")).json());
    let first = run("--threads 1");
    assert_eq!(run("--threads 3"), first);
    let kinds = first["probes"]["kinds"].as_object().expect("an object");
    assert_eq!(kinds.values().map(|count| count.as_u64().expect("a number")).sum::<u64>(), 2000);
    let other = run("--seed 2");
    assert_ne!(other["probes"]["kinds"], first["probes"]["kinds"]);
    assert_eq!(other["space"], first["space"]);
}

#[test]
fn every_kind_of_board_and_both_kinds_of_values_are_measured() {
    let program = Program::new();
    for board in ["1x1", "1x1c1m", "2x2c2", "1x8", "4x3m", "3x4c3", "8x2"] {
        if ["1x1", "2x2c2", "4x3m", "8x2"].contains(&board) && long::skips(format_args!("measurements of {board}")) {
            continue;
        }
        for values in ["wdl", "remoteness"] {
            for cache in ["", "--cache 0"] {
                let arguments = format!("bench {board} --values {values} --samples 200 --json {cache}");
                let json = program.run(&arguments).json();
                assert_eq!((&json["board"], &json["stores"]), (&json!(board), &json!(values)));
            }
        }
    }
}

#[test]
fn the_answers_of_a_database_that_is_there_are_measured_without_solving() {
    long::skips("the answers of 5x4; takes 4x4");
    let (board, remoteness) = long::scale(("4x4", 16), ("5x4", 20));
    let folder = format!("db/{board}/remoteness");
    let program = Program::with(board);
    let before = folder_files(&program.path(&folder));
    let json = program.run(&format!("bench {board} --db db --samples 500 --json")).json();
    for key in ["entries", "entries_before_mirror", "kernels", "solve", "solve_to_kernels", "space"] {
        assert!(json[key].is_null(), "{key}: {json}");
    }
    assert_eq!((&json["value"], &json["remoteness"]), (&json!("tie"), &json!(remoteness)));
    let solved = program.run(&format!("bench {board} --samples 500 --json")).json();
    assert_eq!((keys(&json), &json["probes"]["kinds"]), (keys(&solved), &solved["probes"]["kinds"]));
    assert!(json["first_answer"]["median_seconds"].as_f64().is_some_and(|number| number > 0.0), "{json}");
    assert_eq!(folder_files(&program.path(&folder)), before);

    let text = program.run(&format!("bench {board} --db db --samples 500")).succeeds();
    assert!(text.contains("\nwarm probes, one thread") && !text.contains("bits per legal"), "{text}");
    let line = program.run(&format!("bench {board} --values wdl --db db")).fails(1);
    assert!(line.contains(&format!("no database of {board}")), "{line}");
    program.damage(&folder);
    program.run(&format!("bench {board} --db db --samples 500")).fails(1);
}

#[test]
fn nothing_is_left_of_a_bench_whether_it_goes_well_or_not() {
    let mut program = Program::new();
    let temporary = program.path("temporary");
    fs::create_dir(&temporary).expect("a folder");
    program.set("TMPDIR", temporary.to_str().expect("a path"));
    program.run("bench 2x2c2 --samples 10").succeeds();
    let line = program.run("bench 8x8").fails(1);
    assert!(line.contains("iB of memory"), "{line}");
    assert_eq!(fs::read_dir(&temporary).expect("a folder").count(), 0);
    assert!(!program.path("db").exists());
}

#[test]
fn a_folder_for_temporary_files_that_cannot_be_used_is_named_with_the_way_out() {
    let mut program = Program::new();
    program.set("TMPDIR", "/nowhere/at all");
    for arguments in ["bench 2x2c2", "match perfect perfect 4x4"] {
        let line = program.run(arguments).fails(1);
        assert!(line.starts_with("cannot make a folder in '/nowhere/at all': "), "{line}");
        let way_out = "; make the folder '/nowhere/at all', or set TMPDIR to a folder on another disk";
        assert!(line.ends_with(way_out) && !line.contains("at path"), "{line}");
    }
}

#[test]
fn people_get_a_table_of_tiers_and_what_was_timed() {
    let text = Program::new().run("bench 4x4 --samples 300 --threads 1 --values wdl").succeeds();
    let lines = text.lines().collect::<Vec<_>>();
    assert!(lines[0].starts_with("4x4 with wdl, ") && lines[0].ends_with(" kernels on 1 thread"), "{text}");
    assert_eq!(lines[1], "first player to move: tie");
    for beginning in [
        "solve  ",
        "kernels alone  ",
        "a solve takes ",
        "ply  ",
        "all  ",
        "first answer of a process  ",
        "cold probe  ",
        "warm probes, one thread  ",
        "300 positions, and each is worth its best move: ",
    ] {
        assert!(lines.iter().any(|line| line.starts_with(beginning)), "{beginning}: {text}");
    }
    assert!(text.contains("161,029"), "{text}");
}

#[test]
fn probes_that_do_not_fit_into_the_cache_are_not_called_warm() {
    let program = Program::with("5x4");
    let text = program.run("bench 5x4 --db db --samples 2000 --cache 10K").succeeds();
    assert!(text.contains("\nrepeated probes, one thread ") && !text.contains("\nwarm probes"), "{text}");
    assert!(text.contains("did not fit into the cache, so repeated probes are not warm; give "), "{text}");
    let json = program.run("bench 5x4 --db db --samples 2000 --json").json();
    assert_eq!(json["probes"]["warm"]["unpacked_chunks"], 0);
}

#[test]
fn options_that_mean_nothing_are_bad_input() {
    let program = Program::new();
    for options in ["--samples 0", "--samples x", "--seed x", "--cache 1Q", "--threads 0"] {
        program.run(&format!("bench 4x4 {options}")).fails(2);
    }
    program.run("bench").refused();
}
