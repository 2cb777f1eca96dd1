//! Folders and files that may not be written or read, or that something else is in the place of. (`cmd/places.md` has links, FIFOs,
//! devices and folders.)

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::process::Command;

use crate::support::files::flip_a_bit;
use crate::support::positions::board;
use crate::support::program::Program;
use crate::support::progress::StopAfter;
use crate::support::solves::Runs;
use crate::support::tiers::{Solve, Values};

const FOLDER: &str = "db/4x4/remoteness";

#[test]
fn a_socket_in_the_place_of_a_file_is_named() {
    for (name, command) in [
        ("remoteness/manifest", "verify 4x4"),
        ("remoteness/tier-01", "solve 4x4"),
        ("remoteness.lock", "solve 4x4 --replace"),
    ] {
        let program = Program::with("4x4");
        // The path of a socket has to be short.
        let short = program.path("s");
        let socket = UnixListener::bind(&short);
        if socket.is_err() || fs::rename(&short, program.path("db/4x4").join(name)).is_err() {
            return println!("skipped: no socket can be put there");
        }
        let line = program.run(command).fails(1);
        assert!(line.contains(name) && line.contains("a socket"), "{line}");
    }
}

#[test]
fn a_read_only_folder_is_read_and_not_written() {
    let program = Program::with("4x4");
    let set = |mode| {
        for name in ["db", "db/4x4", FOLDER] {
            fs::set_permissions(program.path(name), fs::Permissions::from_mode(mode)).expect("permissions");
        }
    };
    set(0o555);
    let is_obeyed = fs::write(program.path("db/probe"), "").is_err();
    program.run("query 4x4 1234").succeeds();
    assert!(program.run("solve 4x4").succeeds().contains("complete already"));
    if is_obeyed {
        for arguments in ["solve 4x3", "solve 4x4 --values wdl", "solve 4x4 --replace"] {
            let line = program.run(arguments).fails(1);
            assert!(line.contains("ermission") && line.contains("check the folder"), "{line}");
        }
        program.run("query 4x4 1234").succeeds();
    } else {
        println!("skipped: this user may write into a read-only folder");
    }
    set(0o755);
}

#[test]
fn what_a_stopped_solve_left_is_asked_for_or_named_if_it_was_damaged_meanwhile() {
    let program = Program::new();
    let solve = Solve::new(board("4x3"), Values::Remoteness).root(&program.path("db")).stepwise();
    solve.run_heard(&StopAfter::tiers(4)).expect_err("a solve that is stopped");
    let folder = program.path("db/4x3/remoteness");
    let (frontier, tier) = (folder.join("frontier-09.0"), folder.join("tier-11"));
    let [whole, sound] = [&frontier, &tier].map(|file| fs::read(file).expect("a file"));
    flip_a_bit(&tier);
    let line = program.run("solve 4x3").fails(1);
    assert!(line.contains("remoteness/tier-11: the hash is"), "{line}");
    assert!(line.ends_with("fourbase solve 4x3 --values remoteness --replace"), "{line}");
    fs::write(&tier, sound).expect("a file");
    fs::remove_file(&frontier).expect("a file");
    for scratch in ["", " --scratch other/place"] {
        let line = program.run(&format!("solve 4x3{scratch}")).fails(1);
        assert!(line.contains("ply 9") && line.contains("--scratch") && line.contains("--replace"), "{line}");
        assert!(!program.path("other").exists(), "no empty folder stays");
    }
    assert!(Command::new("mkfifo").arg(&frontier).status().expect("mkfifo").success());
    let line = program.run("solve 4x3").fails(1);
    assert!(line.contains("frontier-09.0") && line.contains("a FIFO"), "{line}");
    fs::remove_file(&frontier).expect("no FIFO");
    fs::write(&frontier, &whole[..whole.len() - 1]).expect("a file");
    let (answer, warning) = program.run("solve 4x3").warns();
    assert!(answer.starts_with("4x3, X to move: "), "{answer}");
    assert!(warning.starts_with("warning: ") && warning.contains("starting over"), "{warning}");
    assert!(warning.contains("frontier-09") && warning.contains("some blocks cannot be read"), "{warning}");
    program.run("verify 4x3 --sample 100").succeeds();
}

#[test]
fn a_verification_that_may_not_read_a_file_says_so_and_gives_no_verdict() {
    let program = Program::with("4x4");
    let tier = program.path(FOLDER).join("tier-07");
    let set = |mode| fs::set_permissions(&tier, fs::Permissions::from_mode(mode)).expect("permissions");
    set(0);
    if fs::read(&tier).is_ok() {
        return println!("skipped: this user may read every file");
    }
    for arguments in ["verify 4x4", "verify 4x4 --json", "verify 4x4 --sample 10"] {
        let line = program.run(arguments).fails(1);
        assert!(line.contains("tier-07") && line.contains("ermission denied"), "{line}");
        assert!(!line.contains("--replace"), "{line}");
    }
    set(0o644);
    program.run("verify 4x4").succeeds();
}
