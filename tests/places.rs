//! Links, FIFOs, devices and folders in the place of a file: nothing is written through a link, nothing waits or reads
//! without end, and the error names the path.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use crate::support::files::flip_a_bit;
use crate::support::positions::board;
use crate::support::program::Program;
use crate::support::progress::StopAfterTiers;
use crate::support::solves::Solve;
use crate::support::tiers::Values;

const FOLDER: &str = "db/4x4/remoteness";
const LOCK: &str = "db/4x4/remoteness.lock";
const STATS: &str = "db/4x4/remoteness.stats.json";

/// What a file is worth that nobody may write.
const PRECIOUS: &str = "precious";

/// Writes a file and puts a link to it at `link`.
fn link_to_precious(program: &Program, link: &str) {
    let target = program.path(PRECIOUS);
    fs::write(&target, PRECIOUS).expect("a file");
    fs::create_dir_all(program.path(link).parent().expect("a folder")).expect("a folder");
    symlink(&target, program.path(link)).expect("a link");
}

#[track_caller]
fn assert_precious(program: &Program) {
    assert_eq!(fs::read_to_string(program.path(PRECIOUS)).expect("a file"), PRECIOUS);
}

/// Makes a FIFO, with the command that every Unix has.
fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
}

#[test]
fn a_solve_does_not_write_through_a_link_in_the_place_of_its_lock() {
    let program = Program::new();
    link_to_precious(&program, LOCK);
    let line = program.run("solve 4x4").fails(1);
    assert!(line.contains("remoteness.lock") && line.contains("it is a link"), "{line}");
    assert_precious(&program);
    assert!(!program.path(FOLDER).exists(), "no empty folder stays");
    // A link to nothing does not make what it names.
    fs::remove_file(program.path(PRECIOUS)).expect("no file");
    assert!(program.run("solve 4x4").fails(1).contains("it is a link"));
    assert!(!program.path(PRECIOUS).exists());
    // A second name of a file is no better.
    fs::remove_file(program.path(LOCK)).expect("no link");
    fs::write(program.path(PRECIOUS), PRECIOUS).expect("a file");
    fs::hard_link(program.path(PRECIOUS), program.path(LOCK)).expect("a link");
    assert!(program.run("solve 4x4").fails(1).contains("hard links"));
    assert_precious(&program);
}

#[test]
fn a_solve_does_not_write_through_a_link_in_the_place_of_any_file_that_it_makes() {
    // What the solve finds when it starts is removed; what appears later is refused, and named.
    for name in ["manifest.new", "tier-15.new", "tier-07.new", "frontier-08.0", "manifest", "tier-15", "tier-07"] {
        let program = Program::new();
        link_to_precious(&program, &format!("{FOLDER}/{name}"));
        let solve = Solve::new(board("4x4"), Values::Remoteness).with_root(program.path("db")).stepwise();
        let result = solve.run();
        assert_precious(&program);
        if name == "manifest" {
            result.expect_err("no manifest");
        } else {
            result.expect("a solve");
            program.run("verify 4x4 --sample 100").succeeds();
        }
    }
}

#[test]
fn counts_are_not_written_through_a_link() {
    let program = Program::with("4x4");
    let link = format!("{STATS}.new");
    link_to_precious(&program, &link);
    let (counts, warning) = program.run("stats 4x4").warns();
    assert!(counts.starts_with("4x4: 161,029 legal positions"), "{counts}");
    assert!(warning.contains("cannot keep the counts") && warning.contains("it is a link"), "{warning}");
    assert!(warning.contains("remoteness.stats.json.new"), "{warning}");
    assert_precious(&program);
    fs::remove_file(program.path(&link)).expect("no link");
    // The lock of the database is taken to write them.
    fs::remove_file(program.path(LOCK)).ok();
    symlink(program.path(PRECIOUS), program.path(LOCK)).expect("a link");
    let (_, warning) = program.run("stats 4x4").warns();
    assert!(warning.contains("remoteness.lock") && warning.contains("it is a link"), "{warning}");
    fs::remove_file(program.path(LOCK)).expect("no link");
    // A link under the final name is replaced.
    symlink(program.path(PRECIOUS), program.path(STATS)).expect("a link");
    program.run("stats 4x4").warns();
    assert_precious(&program);
    assert!(fs::symlink_metadata(program.path(STATS)).expect("a file").is_file());
    program.run("stats 4x4").succeeds();
}

#[test]
fn a_count_in_files_does_not_write_through_a_link() {
    for name in ["lock", "count.new", "reached-00.0"] {
        let program = Program::new();
        let link = format!("scratch/4x4/count-legal/{name}");
        link_to_precious(&program, &link);
        if name == "reached-00.0" {
            // An older log is removed.
            program.run("stats 4x4 --legal --scratch scratch").succeeds();
        } else {
            let line = program.run("stats 4x4 --legal --scratch scratch").fails(1);
            assert!(line.contains(name) && line.contains("it is a link"), "{line}");
        }
        assert_precious(&program);
    }
}

/// Puts something that is no regular file in the place of `name`, in several ways.
fn each_kind(name: &str, mut check: impl FnMut(&Program, &str)) {
    for kind in ["a FIFO", "a folder", "a device", "a socket"] {
        let program = Program::with("4x4");
        let path = program.path(name);
        if path.exists() {
            fs::remove_file(&path).expect("no file");
        }
        let mut socket = None;
        match kind {
            "a FIFO" => fifo(&path),
            "a folder" => fs::create_dir(&path).expect("a folder"),
            "a device" => symlink("/dev/zero", &path).expect("a link"),
            _ => {
                // The path of a socket has to be short.
                let short = program.path("s");
                socket = UnixListener::bind(&short).ok();
                if socket.is_none() || fs::rename(&short, &path).is_err() {
                    println!("skipped: no socket can be put there");
                    fs::remove_file(short).ok();
                    continue;
                }
            }
        }
        check(&program, kind);
        drop(socket);
    }
}

#[test]
fn a_manifest_a_tier_or_a_lock_that_is_no_regular_file_is_an_error_that_says_what_it_is() {
    let of_manifest = ["list", "query 4x4 --search never", "stats 4x4", "verify 4x4", "solve 4x4"];
    let of_tier = ["query 4x4 --search never", "verify 4x4", "solve 4x4"];
    for (name, commands) in [("manifest", &of_manifest[..]), ("tier-01", &of_tier)] {
        each_kind(&format!("{FOLDER}/{name}"), |program, kind| {
            for command in commands {
                let line = program.run(command).fails(1);
                assert!(line.contains(&format!("remoteness/{name}")) && line.contains(kind), "{command}: {line}");
            }
        });
    }
    each_kind(LOCK, |program, kind| {
        let line = program.run("solve 4x4 --replace").fails(1);
        // The device is behind a link.
        let kind = if kind == "a device" { "a link" } else { kind };
        assert!(line.contains("remoteness.lock") && line.contains(kind), "{line}");
        program.run("query 4x4").succeeds();
    });
}

#[test]
fn kept_counts_that_are_no_regular_file_are_counted_again() {
    each_kind(STATS, |program, kind| {
        let (counts, warning) = program.run("stats 4x4").warns();
        assert!(counts.starts_with("4x4: 161,029 legal positions"), "{counts}");
        assert!(warning.contains("remoteness.stats.json") && warning.contains(kind), "{warning}");
        assert!(warning.contains("counting again"), "{warning}");
    });
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
    let solve = Solve::new(board("4x3"), Values::Remoteness).with_root(program.path("db")).stepwise();
    solve.run_heard(&StopAfterTiers::new(4)).expect_err("a solve that is stopped");
    let folder = program.path("db/4x3/remoteness");
    let (frontier, tier) = (folder.join("frontier-09.0"), folder.join("tier-11"));
    let [whole, sound] = [&frontier, &tier].map(|file| fs::read(file).expect("a file"));
    flip_a_bit(&tier);
    let line = program.run("solve 4x3").fails(1);
    assert!(line.contains("remoteness/tier-11: the hash is"), "{line}");
    assert!(line.ends_with("fourbase solve 4x3 --values remoteness --replace"), "{line}");
    fs::write(&tier, sound).expect("a file");
    fs::remove_file(&frontier).expect("a file");
    let line = program.run("solve 4x3").fails(1);
    assert!(line.contains("ply 9") && line.contains("--scratch") && line.contains("--replace"), "{line}");
    fifo(&frontier);
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
fn a_refused_solve_leaves_no_empty_folder() {
    let program = Program::new();
    fs::write(program.path("plain"), "no folder").expect("a file");
    let line = program.run("solve 4x4 --scratch plain").fails(1);
    assert!(line.contains("plain"), "{line}");
    assert_eq!(names(&program.path("")), ["plain"]);
    // The tier to resume from is not in another scratch folder.
    let solve = Solve::new(board("4x3"), Values::Wdl).with_root(program.path("db")).stepwise();
    solve.run_heard(&StopAfterTiers::new(1)).expect_err("a solve that is stopped");
    program.run("solve 4x3 --values wdl --scratch other/place").fails(1);
    assert_eq!(names(&program.path("")), ["db", "plain"]);
}

fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().expect("a name")).collect();
    names.sort();
    names
}

#[test]
fn a_verification_that_may_not_read_a_file_says_so_and_gives_no_verdict() {
    let program = Program::with("4x4");
    let tier = program.path(FOLDER).join("tier-07");
    let set = |mode| fs::set_permissions(&tier, fs::Permissions::from_mode(mode)).expect("permissions");
    set(0);
    if fs::read(&tier).is_ok() {
        println!("skipped: this user may read every file");
        return;
    }
    for arguments in ["verify 4x4", "verify 4x4 --json", "verify 4x4 --sample 10"] {
        let line = program.run(arguments).fails(1);
        assert!(line.contains("tier-07") && line.contains("ermission denied"), "{line}");
        assert!(!line.contains("--replace"), "{line}");
    }
    set(0o644);
    program.run("verify 4x4").succeeds();
}
