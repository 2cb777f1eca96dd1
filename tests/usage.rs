//! The program as a whole: help, what is no board, where databases are, and where output goes.

use std::time::{Duration, Instant};

use crate::support::program::{PROGRAM, Program};

/// What is no board, each for a reason of its own.
const NO_BOARDS: [&str; 22] = [
    "0x4",
    "4x0",
    "99x99",
    "33x1",
    "1x65",
    "9x8",
    "4x",
    "x4",
    "4",
    "",
    "-1x4",
    "4x-1",
    "4x4c0",
    "4x4c256",
    "04x4",
    "4x04",
    "4x4c03",
    "4X4",
    "4x4M",
    "4x4mc3",
    "4x4 ",
    "18446744073709551617x4",
];

/// All subcommands.
const SUBCOMMANDS: [&str; 15] = [
    "solve",
    "query",
    "stats",
    "position",
    "list",
    "play",
    "analyse",
    "match",
    "grade",
    "strategy",
    "export",
    "serve",
    "verify",
    "completions",
    "man",
];

#[test]
fn the_help_lists_all_subcommands_and_no_others() {
    let help = Program::new().run("--help").succeeds();
    let commands = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("commands");
    let names: Vec<&str> = commands.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, [&SUBCOMMANDS[..], &["help"]].concat());
}

#[test]
fn every_subcommand_has_help_with_examples() {
    let program = Program::new();
    for subcommand in SUBCOMMANDS.into_iter().chain([""]) {
        let help = program.run(&format!("{subcommand} --help")).succeeds();
        assert!(help.contains("Usage: fourbase"), "{help}");
        assert!(help.contains(&format!("Examples:\n  fourbase {subcommand}")), "{help}");
    }
    assert!(program.run("--version").succeeds().starts_with("fourbase "));
}

#[test]
fn help_fits_a_terminal_of_a_hundred_columns() {
    for subcommand in SUBCOMMANDS {
        let help = Program::new().run(&format!("{subcommand} --help")).succeeds();
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
    }
}

/// Returns the first word of a line.
fn first_word(line: &str) -> &str {
    line.split(' ').next().unwrap_or_default()
}

#[test]
fn paragraphs_of_help_are_broken_once_at_the_width_of_the_terminal() {
    for columns in [60, 80, 100] {
        let mut program = Program::new();
        program.set("COLUMNS", &columns.to_string());
        for subcommand in SUBCOMMANDS.into_iter().chain([""]) {
            let help = program.run(&format!("{subcommand} --help")).succeeds();
            let (_, after) = help.split_once("Print help").expect("options");
            let lines = after.lines().collect::<Vec<_>>();
            for pair in lines.windows(2) {
                let [line, next] = pair else { continue };
                let are_text = [line, next].iter().all(|line| !line.is_empty() && !line.starts_with(' '));
                let width = line.chars().count() + 1 + first_word(next).chars().count();
                assert!(!are_text || width > columns, "{subcommand}, {columns} columns: {line}\n{next}");
            }
        }
    }
}

#[test]
fn help_says_who_plays_where_and_what_exit_codes_mean() {
    let program = Program::new();
    assert!(program.run("match --help").succeeds().contains("\n  human  "));
    assert!(program.run("--help").succeeds().contains("\n  3  Ctrl-C, SIGTERM or SIGHUP stopped"));
}

#[test]
fn numbers_are_written_like_sizes_and_their_errors_say_which_are_taken() {
    let program = Program::with("4x4");
    program.run("verify 4x4 --sample 1e2").succeeds();
    program.run("query 5x4 1234123 --nodes 1e6 --threads 1").succeeds();
    let line = program.run("query 5x4 --nodes 0").fails(2);
    assert_eq!(line, "--nodes <N>: \"0\" is not a whole number of 1 or more; write it like 1000000 or 1e6");
    let line = program.run("solve 4x4 --checkpoint 1e8").fails(2);
    assert!(line.contains("\"1e8\" is not a whole number from 0 to 1,000,000"), "{line}");
    for option in
        ["query 4x4 --threads 0", "verify 4x4 --sample 0", "play 4x4 --seed x", "match random random 4x4 --games 0"]
    {
        assert!(program.run(option).fails(2).contains("is not a whole number"), "{option}");
    }
}

#[test]
fn one_is_singular_and_thousands_are_in_groups() {
    let program = Program::new();
    let shown = program.run("match random random 4x4 --games 1").succeeds();
    assert!(shown.starts_with("4x4, 1 game from the empty board\n"), "{shown}");
    let shown = program.run("match random random 4x4 --games 2 --openings 1").succeeds();
    assert!(shown.contains(" after 1 ply\n"), "{shown}");
    let entries = program.run("solve 4x4 --json --dry-run").json()["entries"].as_u64().expect("a number");
    let line = program.run("solve 4x4 --memory 1M").fails(1);
    assert!(line.contains(&format!(" {},{:03} entries ", entries / 1000, entries % 1000)), "{line}");
}

#[test]
fn moves_may_be_separate_words_and_blank_text_is_told() {
    let program = Program::with("4x4");
    let expected = program.run("query 4x4 123").succeeds();
    assert_eq!(program.run("query 4x4 1 2 3").succeeds(), expected);
    assert_eq!(program.run("position 4x4 1 2 3").succeeds(), program.run("position 4x4 123").succeeds());
    let blank = program.run_arguments(&["query", "4x4", " "]).fails(2);
    assert_eq!(blank, "the text is blank; write - for the empty board");
    let line = program.run("query 4x4 10000 10000").fails(2);
    assert!(line.starts_with("2 bit strings found, but 4x4 has 4 columns; "), "{line}");
}

#[test]
fn columns_to_choose_from_are_listed() {
    let shown = Program::with("4x4").run("grade random 4x4 --sample 200").succeeds();
    let (_, best) = shown.rsplit_once("; best: ").expect("a blunder");
    let best = best.lines().next().expect("columns");
    assert!(best.len() == 1 || best.contains(" or "), "{best}");
    let line = Program::new().run("match perfect random 8x7 --games 1 --nodes 1").fails(1);
    assert!(line.starts_with("perfect finds no move on the empty board: "), "{line}");
}

#[test]
fn paths_and_commands_can_be_pasted_wherever_they_are_printed() {
    let program = Program::new();
    for (folder, option) in [("my db; rm x", "--db 'my db; rm x'"), ("-x", "--db=-x"), ("a\nb", r"--db $'a\nb'")] {
        let db = format!("--db={folder}");
        let listed = program.run_arguments(&["list", &db]).succeeds();
        let written = option.trim_start_matches("--db").trim_start_matches([' ', '=']);
        let expected = format!("nothing is solved in {written} yet; start with: fourbase solve 5x4 {option}\n");
        assert_eq!(listed, expected);
        let line = program.run_arguments(&["query", "5x4", "--search", "never", &db]).fails(1);
        assert!(line.ends_with(&format!("make it with: fourbase solve 5x4 {option}")), "{line}");
    }
    let solved = program.run_arguments(&["solve", "1x1", "--db", "my db; rm x"]).succeeds();
    assert!(solved.contains(" in 'my db; rm x/1x1/remoteness'\n"), "{solved}");
    let solved = program.run_arguments(&["solve", "1x1", "--db", "a\nb"]).succeeds();
    assert!(solved.contains(r" in $'a\nb/1x1/remoteness'") && solved.lines().count() == 4, "{solved}");
    let line = program.run_arguments(&["verify", "1x1", "--values", "wdl", "--db", "my db; rm x"]).fails(1);
    assert!(line.ends_with("make it with: fourbase solve 1x1 --db 'my db; rm x'"), "{line}");
}

#[test]
fn a_missing_or_unknown_subcommand_or_option_is_bad_input() {
    let program = Program::new();
    for arguments in ["", "frobnicate", "position 4x4", "list 4x4", "strategy follow-up", "match random random"] {
        program.run(arguments).refused();
    }
    // Without a board, which these do not need.
    for subcommand in SUBCOMMANDS.into_iter().filter(|subcommand| !["list", "serve", "man"].contains(subcommand)) {
        program.run(subcommand).refused();
    }
    for arguments in ["solve 4x4 --frobnicate", "query 4x4 -x", "stats 4x4 5x4", "list --db", "position 4x4 1 --to x"] {
        program.run(arguments).refused();
    }
}

#[test]
fn what_is_no_board_refused_by_every_subcommand_before_anything_is_made() {
    let program = Program::new();
    for board in NO_BOARDS {
        let with_board = [&["solve", board][..], &["query", board], &["stats", board]];
        let others = [
            &["position", board, "-"][..],
            &["play", board],
            &["analyse", board, "1"],
            &["match", "random", "random", board],
            &["grade", "random", board],
            &["strategy", "follow-up", board],
            &["verify", board],
        ];
        for arguments in with_board.into_iter().chain(others) {
            let line = program.run_arguments(arguments).fails(2);
            assert!(line.contains("board"), "{arguments:?}: {line}");
        }
    }
    assert!(!program.path("db").exists());
}

#[test]
fn a_hostile_name_of_a_board_is_told_escaped_and_cut() {
    let program = Program::new();
    assert!(program.run_arguments(&["solve", "4x4\u{1b}[31m"]).fails(2).contains("4x4\\u{1b}[31m"));
    assert!(program.run_arguments(&["solve", &"4".repeat(100_000)]).fails(2).len() < 400);
    assert!(program.run_arguments(&["solve", "4x4", "--memory", "1\u{1b}[31m"]).fails(2).contains("\\u{1b}"));
}

#[cfg(unix)]
#[test]
fn an_argument_that_is_not_utf_8_is_bad_input() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let program = Program::new();
    for subcommand in ["solve", "query", "stats", "position"] {
        program.run_arguments(&[OsStr::new(subcommand), OsStr::from_bytes(b"4x4\xff"), OsStr::new("-")]).refused();
    }
    program.run_arguments(&[OsStr::new("query"), OsStr::new("4x4"), OsStr::from_bytes(b"1\xff")]).refused();
}

#[test]
fn without_a_database_every_lookup_fails_with_the_command_that_makes_it() {
    let program = Program::new();
    for arguments in ["5x4 --search never", "5x4 33 --json --search never", "5x4 --batch", "5x4 --batch --search never"]
    {
        let arguments = &format!("query {arguments}");
        let line = program.run(arguments).fails(1);
        assert!(line.ends_with("make it with: fourbase solve 5x4"), "{line}");
    }
    let line = program.run("stats 5x4").fails(1);
    let needed = "without --legal and --values a database is needed: no database of 5x4 in db";
    assert_eq!(line, format!("{needed}; make it with: fourbase solve 5x4"));
    let line = program.run("query 4x4c3m --db elsewhere --search never").fails(1);
    assert!(line.ends_with("make it with: fourbase solve 4x4c3m --db elsewhere"), "{line}");
    assert!(!program.path("db").exists() && !program.path("elsewhere").exists());
}

#[test]
fn the_folder_is_the_options_then_the_variables_then_db() {
    let mut program = Program::new();
    program.run("solve 1x1").succeeds();
    assert!(program.path("db/1x1").is_dir());
    program.set("FOURBASE_DB", "variable");
    program.run("solve 1x1").succeeds();
    assert!(program.path("variable/1x1").is_dir());
    program.run("solve 1x1 --db option").succeeds();
    assert!(program.path("option/1x1").is_dir());
    program.set("FOURBASE_DB", "");
    assert!(program.run("solve 1x1").succeeds().contains("complete already"));
}

#[test]
fn a_folder_that_cannot_be_is_a_failure_of_files() {
    let program = Program::new();
    std::fs::write(program.path("file"), "no folder").expect("a file");
    for arguments in ["solve 2x2 --db file", "query 2x2 --db file", "stats 2x2 --db file", "list --db file"] {
        let line = program.run(arguments).fails(1);
        assert!(line.contains("file"), "{line}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_a_failure() {
    let program = Program::with("2x2c2");
    std::fs::write(program.path("positions"), "1\n").expect("a file");
    for arguments in
        ["query 2x2c2", "query 2x2c2 --json", "query 2x2c2 --batch", "list", "stats 2x2c2", "position 2x2c2 1"]
    {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a device that is always full");
        let output = std::process::Command::new(PROGRAM)
            .args(arguments.split(' '))
            .current_dir(program.path(""))
            .stdin(std::fs::File::open(program.path("positions")).expect("a file"))
            .stdout(full)
            .output()
            .expect("the program runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments}: {stderr}");
        assert!(stderr.starts_with("error: cannot write to standard output: "), "{arguments}: {stderr}");
    }
}

#[test]
fn a_reader_that_goes_away_ends_the_program_quietly() {
    let program = Program::with("2x2c2");
    for arguments in ["query 2x2c2", "query 2x2c2 --json", "list", "position 2x2c2 1", "solve --help"] {
        let mut child = program.spawn(&arguments.split(" ").collect::<Vec<_>>());
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("the program ends");
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]), "{arguments}");
    }
}

#[test]
fn colours_are_for_terminals_and_for_those_who_insist_but_never_under_no_color() {
    let mut program = Program::with("2x2c2");
    let plain = program.run("query 2x2c2").succeeds();
    assert!(!plain.contains('\u{1b}'), "{plain}");
    program.set("CLICOLOR_FORCE", "1");
    let coloured = program.run("query 2x2c2").succeeds();
    assert!(coloured.contains("\u{1b}[32mwin"), "{coloured:?}");
    program.set("NO_COLOR", "1");
    assert_eq!(program.run("query 2x2c2").succeeds(), plain);
    assert!(!program.run("position 2x2c2 1 --to board").succeeds().contains('\u{1b}'));
}

#[test]
fn nothing_that_refused_takes_long() {
    let program = Program::new();
    let start = Instant::now();
    for board in ["1x63", "8x8", "32x2", "1x64", "16x4", "9x7c255m"] {
        program.run(&format!("query {board} 1 --search never")).fails(1);
        program.run(&format!("query {board} 1 --search only --nodes 1"));
        program.run(&format!("position {board} 1")).succeeds();
    }
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}
