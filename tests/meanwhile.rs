//! What the program says while a board is being solved, by another process for all it knows.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;

use serde_json::json;

use crate::support::databases::{files, shared};
use crate::support::files::{assert_same, folder_files, paths};
use crate::support::positions::{Random, board, random_game};
use crate::support::program::Program;
use crate::support::server::eventually;
use crate::support::solves::Runs;
use crate::support::tiers::{Cache, Database, Progress, Solve, Values};

/// Holds a solve at the beginning of ply 4, where it is 1, until it is 2.
#[derive(Default)]
struct Held(AtomicU8);

impl Progress for Held {
    fn tier(&self, ply: u32, _entries: u64) {
        if ply == 4 {
            self.0.store(1, Ordering::SeqCst);
            eventually("a test that lets go", || self.0.load(Ordering::SeqCst) == 2);
        }
    }
}

#[test]
fn readers_hear_that_it_is_not_solved_yet_and_solvers_that_somebody_is_at_it() {
    let program = Program::new();
    let solve = Solve::new(board("3x3c3"), Values::Remoteness).root(&program.path("db")).stepwise();
    let held = Arc::new(Held::default());
    let progress = Arc::clone(&held);
    let solver = thread::spawn(move || solve.run_heard(&*progress).map(|report| report.folder));
    eventually("a solve that comes to ply 4", || held.0.load(Ordering::SeqCst) == 1);

    let (line, id) = (program.run("query 3x3c3 --search never").fails(1), std::process::id());
    let holder = format!("; --search auto searches instead; process {id} is solving it now; wait for it to end");
    assert!(line.contains("not solved yet") && line.contains(&holder) && !line.contains("fourbase solve"), "{line}");
    let (shown, warning) = program.run("query 3x3c3").warns();
    assert!(shown.contains("X to move: a tie, 9 plies") && warning.contains("is solving it now"), "{shown} {warning}");
    let (json, note) = program.run("query 3x3c3 --json --search auto").warns();
    let value = r#""value":"tie","remoteness":9,"#;
    assert!(json.contains(value) && note.contains("not solved to the end yet"), "{note}");
    assert!(program.run("stats 3x3c3").fails(1).contains("not solved yet"));
    let shown = program.run("prove mirror 3x3c3").succeeds();
    assert!(shown.contains("the value of the game: db/3x3c3/remoteness is not solved to the end yet\n"), "{shown}");
    let (output, _) = program.run_with_input("query 3x3c3 --batch", "1\n12121\n").warns();
    assert_eq!(output, "1\ttie\t8\n12121\tlose\t0\n", "what is not solved is searched");
    let never = program.run_with_input("query 3x3c3 --batch --search never", "1\n12121\n");
    let (output, _) = never.fails_after_output(1);
    let lines = output.lines().collect::<Vec<_>>();
    assert!(lines[0].starts_with("1\terror\t") && lines[0].contains("not solved yet"), "{output}");
    assert_eq!(lines[1], "12121\tlose\t0", "what needs no file is answered");
    for arguments in ["solve 3x3c3", "solve 3x3c3 --replace"] {
        let line = program.run(arguments).fails(1);
        assert!(line.contains(&format!("is in use by process {id}")), "{line}");
    }
    let row = &program.run("list --json").json()["databases"][0];
    assert_eq!((&row["state"], &row["tiers_done"], &row["tiers"]), (&json!("solving"), &json!(5), &json!(10)));
    assert!(row["value"].is_null() && row["remoteness"].is_null());
    assert!(program.run("list").succeeds().ends_with("  not solved yet\n"));

    held.0.store(2, Ordering::SeqCst);
    let folder = solver.join().expect("a thread").expect("a solve");
    assert_same(&folder_files(&folder), &files(board("3x3c3"), Values::Remoteness), "nobody has meddled");
    program.run("query 3x3c3").succeeds();
    assert!(program.run("prove mirror 3x3c3").succeeds().contains("keeps the value in "));
    assert_eq!(program.run("list --json").json()["databases"][0]["state"], json!("complete"));
}

/// What happens to a file of a database while a reader has it open.
type Meddling = fn(&Path, &[u8]) -> io::Result<()>;

#[test]
fn a_file_that_changes_under_an_open_reader_gives_errors_and_no_wrong_value() {
    let board = board("5x4");
    let mut random = Random::new(3);
    let positions = std::iter::repeat_with(|| random_game(board, 9 + random.below(6), &mut random));
    let positions: Vec<_> = positions.flatten().take(2000).map(|game| game.to_position()).collect();
    let expected = shared(board, Values::Remoteness).probe_many(&positions);
    let expected: Vec<_> = expected.into_iter().map(|outcome| outcome.expect("an answer")).collect();
    let meddlings: [(&str, Meddling); 5] = [
        ("cut", |path, noise| File::options().write(true).open(path)?.set_len(noise.len() as u64 / 2)),
        ("emptied", |path, _| fs::write(path, [])),
        ("overwritten", |path, noise| fs::write(path, noise)),
        ("replaced", |path, noise| {
            fs::write(path.with_extension("elsewhere"), noise)?;
            fs::rename(path.with_extension("elsewhere"), path)
        }),
        ("removed", |path, _| fs::remove_file(path)),
    ];
    for (name, meddling) in meddlings {
        let program = Program::with("5x4");
        let folder = program.path("db/5x4/remoteness");
        // Every probe reads its block anew.
        let database = Database::open(&folder).expect("a database").with_cache(&Cache::new(0));
        for position in &positions[..20] {
            database.probe(position).expect("an answer");
        }
        for (number, path) in paths(&folder).into_iter().enumerate() {
            let bytes = fs::read(&path).expect("a file");
            let noise: Vec<u8> = bytes.iter().map(|byte| byte ^ (1 << (number % 8))).collect();
            meddling(&path, &noise).expect("a change");
        }
        let mut right = 0;
        for (position, expected) in positions.iter().zip(&expected) {
            if let Ok(found) = database.probe(position) {
                assert_eq!(found, *expected, "{name}: {position}");
                right += 1;
            }
        }
        println!("5x4 {name}: {right} right, {} errors", positions.len() - right);
        assert!(right > 0, "the process lives, and some need no file");
        assert!(["replaced", "removed"].contains(&name) || right < positions.len(), "{name}");
    }
}

#[test]
fn readers_of_a_database_that_is_being_replaced_hear_that_it_is_not_solved_yet() {
    let program = Program::with("4x4");
    let folder = program.path("db/4x4/remoteness");
    let reader = Database::open(&folder).expect("a database");
    for name in ["manifest", "tier-01"] {
        fs::remove_file(folder.join(name)).expect("no file");
    }
    let error = reader.probe(&fourbase::Position::start(board("4x4"))).expect_err("no answer").to_string();
    assert!(error.contains("plies up to 1 are not solved yet"), "{error}");
}

#[test]
fn counts_of_a_database_that_another_process_holds_are_not_kept() {
    let program = Program::with("2x2c2");
    let lock = File::create(program.path("db/2x2c2/remoteness.lock")).expect("a file");
    lock.lock().expect("a lock");
    let (_, warning) = program.run("stats 2x2c2").warns();
    assert_eq!(warning, "warning: cannot keep the counts: db/2x2c2/remoteness is in use by another process\n");
}
