//! Links, FIFOs, devices and folders in the place of a file: nothing is written through a link, nothing waits or reads
//! without end, and the error names the path.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use crate::support::board::board;
use crate::support::files::folder_files;
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

#[test]
fn a_database_is_read_through_links() {
    let program = Program::with("4x4");
    fs::create_dir(program.path("elsewhere")).expect("a folder");
    for name in ["tier-07", "manifest"] {
        let (here, there) = (program.path(FOLDER).join(name), program.path("elsewhere").join(name));
        fs::rename(&here, &there).expect("another place");
        symlink(there, here).expect("a link");
    }
    symlink(program.path("db"), program.path("linked")).expect("a link");
    program.run("verify 4x4 --db linked").succeeds();
    program.run("query 4x4 1234 --db linked").succeeds();
    assert!(program.run("solve 4x4 --db linked").succeeds().contains("complete already"));
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
fn a_manifest_that_is_no_regular_file_is_an_error_that_says_what_it_is() {
    each_kind(&format!("{FOLDER}/manifest"), |program, kind| {
        for command in ["list", "query 4x4", "stats 4x4", "verify 4x4", "solve 4x4", "analyse 4x4 12"] {
            let line = program.run(command).fails(1);
            assert!(line.contains("remoteness/manifest") && line.contains(kind), "{command}: {line}");
        }
    });
}

#[test]
fn a_tier_that_is_no_regular_file_is_an_error_that_says_what_it_is() {
    each_kind(&format!("{FOLDER}/tier-01"), |program, kind| {
        for command in ["query 4x4 --search never", "verify 4x4", "solve 4x4"] {
            let line = program.run(command).fails(1);
            assert!(line.contains("remoteness/tier-01") && line.contains(kind), "{command}: {line}");
        }
    });
}

#[test]
fn a_lock_that_is_no_regular_file_is_an_error_that_says_what_it_is() {
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
fn a_live_tier_that_is_no_regular_file_is_an_error() {
    let program = Program::new();
    let solve = Solve::new(board("4x3"), Values::Remoteness).with_root(program.path("db")).stepwise();
    solve.run_heard(&StopAfterTiers::new(1)).expect_err("a solve that is stopped");
    let frontier = program.path("db/4x3/remoteness/frontier-12.0");
    fs::remove_file(&frontier).expect("no file");
    fifo(&frontier);
    let line = program.run("solve 4x3").fails(1);
    assert!(line.contains("frontier-12.0") && line.contains("a FIFO"), "{line}");
}

#[test]
fn a_folder_of_databases_that_is_a_link_to_nothing_is_named() {
    let program = Program::new();
    symlink("nowhere", program.path("gone")).expect("a link");
    for command in ["list", "query 4x4", "stats 4x4", "verify 4x4", "solve 4x4"] {
        let line = program.run(&format!("{command} --db gone")).fails(1);
        assert!(line.contains("gone is a link to nowhere, which does not exist"), "{command}: {line}");
    }
    assert!(!program.path("nowhere").exists());
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

#[test]
fn a_completed_solve_leaves_nothing_in_its_scratch_folder() {
    let program = Program::new();
    fs::create_dir_all(program.path("mine/5x5")).expect("a folder");
    program.run("solve 4x4 --scratch new/scratch").succeeds();
    program.run("solve 4x3 --scratch mine").succeeds();
    assert_eq!(names(&program.path("")), ["db", "mine"]);
    assert_eq!(names(&program.path("mine")), ["5x5"]);
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

#[test]
fn a_verification_tells_what_is_wrong_with_the_files_that_it_could_read() {
    let program = Program::with("4x4");
    let folder = program.path(FOLDER);
    let files = folder_files(&folder).len();
    fs::remove_file(folder.join("tier-07")).expect("no file");
    fs::create_dir(folder.join("tier-07")).expect("a folder");
    let line = program.run("verify 4x4").fails(1);
    assert!(line.contains("tier-07") && line.contains("a folder") && !line.contains("--replace"), "{line}");
    fs::write(folder.join("tier-05"), "damaged").expect("a file");
    let (text, line) = program.run("verify 4x4").fails_after_output(1);
    assert!(text.starts_with("4x4 remoteness: NOT sound\n") && text.contains("tier-05: damaged"), "{text}");
    assert!(text.contains("\nnot read: ") && text.contains("tier-07: cannot open: it is a folder"), "{text}");
    assert!(text.contains(&format!("\n{} files read through, 1 could not be read\n", files - 1)), "{text}");
    assert!(line.contains("has 1 fault"), "{line}");
    let (json, _) = program.run("verify 4x4 --json").fails_after_output(1);
    assert!(json.contains("\"unread\":[\"db/4x4/remoteness/tier-07: cannot open"), "{json}");
}

#[test]
fn a_path_with_a_line_break_is_escaped_in_what_verify_prints() {
    let program = Program::with("4x4");
    fs::rename(program.path("db"), program.path("a\nb")).expect("another name");
    fs::write(program.path("a\nb/4x4/remoteness/tier-05"), "damaged").expect("a file");
    let (text, _) = program.run_arguments(&["verify", "4x4", "--db", "a\nb"]).fails_after_output(1);
    assert!(text.contains("\na\\nb/4x4/remoteness/tier-05: damaged"), "{text}");
}
