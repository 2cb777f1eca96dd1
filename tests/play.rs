//! `fourbase play`, run as a whole through a pipe.

use std::io::Write;

use crate::support::program::{PROGRAM, Program};

/// Types lines into a game and returns what was printed.
fn play(program: &Program, arguments: &str, lines: &str) -> String {
    program.run_with_input(&format!("play {arguments}"), lines).succeeds()
}

#[test]
fn a_game_of_two_people_is_drawn_move_by_move_and_ends_with_its_winner() {
    let program = Program::new();
    let shown = play(&program, "4x4 --second human", "1\n2\n1\n2\n1\n2\n1\n");
    assert!(shown.starts_with("4x4: first human (X), second human (O)\n\n. . . .\n"), "{shown}");
    assert_eq!(shown.matches("1 2 3 4").count(), 8, "{shown}");
    assert!(shown.contains("second player to move (O)"), "{shown}");
    assert!(shown.ends_with("\nX . . .\nX O . .\nX O . .\nX O . .\n1 2 3 4\n\nthe first player has won\n"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown}");
}

#[test]
fn two_programs_play_to_the_end_the_same_game_for_the_same_seed() {
    let program = Program::with("4x4");
    let run = |seed| program.run(&format!("play 4x4 --first perfect --second random --seed {seed}")).succeeds();
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
    assert!(run(1).contains("perfect (X) plays ") && run(1).contains("random (O) plays "));
    assert!(run(1).ends_with("the first player has won\n") || run(1).ends_with("a tie, the board is full\n"));
}

#[test]
fn perfect_answers_and_says_why() {
    let program = Program::with("4x4");
    let shown = play(&program, "4x4 --second perfect:first", "1\n");
    assert!(shown.contains("\nperfect:first (O) plays 1: tie in 15, one of 4 best moves\n"), "{shown}");
    // Nothing but the exact values is needed, so a search will do.
    let searched = play(&Program::new(), "4x4 --second perfect:first", "1\n");
    assert_eq!(searched, shown);
}

#[test]
fn undo_takes_back_to_the_last_turn_of_a_human() {
    let program = Program::new();
    let shown = play(&program, "4x4 --second pomakis:2", "1\nundo\nmoves\nundo\n");
    assert!(shown.ends_with("no moves yet\nyou have no move to take back\n"), "{shown}");
    // A program that moves first keeps its move.
    let shown = play(&program, "7x6 --first pomakis:2 --second human", "1\nundo\nmoves\nundo\n");
    assert!(shown.ends_with("\n4\nyou have no move to take back\n"), "{shown}");
    // Two people take back one move each.
    let shown = play(&program, "4x4 --second human", "1\n2\nundo\nmoves\nundo\nmoves\n");
    assert!(shown.contains("\n1\n") && shown.ends_with("no moves yet\n"), "{shown}");
}

#[test]
fn a_game_that_is_over_can_be_taken_back_and_begun_anew() {
    let program = Program::new();
    let shown = play(&program, "4x4 --second human --moves 1212121", "3\nhint\nvalues\nundo\nmoves\nnew\nmoves\n");
    assert!(shown.contains("the game is over; undo takes a move back, new begins another\n"), "{shown}");
    assert!(shown.contains("\n121212\n") && shown.ends_with("no moves yet\n"), "{shown}");
}

#[test]
fn hint_and_values_are_exact() {
    for program in [Program::with("5x4"), Program::new()] {
        let shown = play(&program, "5x4 --second human --moves 1234", "hint\nvalues\n");
        assert!(shown.contains("\n3: tie in 16"), "{shown}");
        assert!(
            shown.contains("\ncolumn  value  in\n     1  lose   16\n     2  lose   16\n     3  tie    16\n"),
            "{shown}"
        );
    }
}

#[test]
fn values_stand_beside_the_grades_of_a_player_that_grades() {
    let program = Program::with("5x4");
    let asked = play(&program, "5x4 --second human --moves 1231", "values rating:2\n");
    assert!(asked.contains("\ncolumn  value  in  grade, 5 plies\n"), "{asked}");
    let played = play(&program, "5x4 --second rating:2 --moves 1231", "values\n");
    assert_eq!(played.lines().last(), asked.lines().last());
}

#[test]
fn history_is_drawn_ply_by_ply() {
    let program = Program::with("4x4");
    let shown = play(&program, "4x4 --second human", "1\n2\n1\n2\n1\n3\nhistory\n");
    let (_, drawn) = shown.split_once("ply move").expect("a history");
    let expected = "  X wins in    tie    O wins in
          0    5    10  |  10    5    0
  0 X 1   ............  =  ............  first player to move: tie in 16
  1 O 2   ............  =  ............  second player to move: tie in 15
  2 X 1   ............  =  ............  first player to move: tie in 14
  3 O 2   ............  =  ............  second player to move: tie in 13
  4 X 1   ............  =  ............  first player to move: tie in 12
  5 O 3   ............  =  ............  second player to move: tie in 11
  6       .X..........  |  ............  first player to move: win in 1
";
    assert_eq!(drawn, expected);
}

#[test]
fn a_saved_game_is_loaded_again() {
    let program = Program::new();
    let shown = play(&program, "4x4 --second human", "1\n2\n1\nsave my game\n");
    let command = "continue with: fourbase play 4x4 --load 'my game'\n";
    assert!(shown.contains(command), "{shown}");
    assert_eq!(std::fs::read_to_string(program.path("my game")).expect("a file"), "board 4x4\nmoves 121\n");
    let shown = program.run_arguments(&["play", "4x4", "--second", "human", "--load", "my game"]).succeeds();
    assert!(shown.contains("\nX . . .\nX O . .\n") && shown.contains("second player to move (O)"), "{shown}");
    let shown = play(&program, "4x4 --second human", "load my game\nmoves\n");
    assert!(shown.ends_with("\n121\n"), "{shown}");
    // Over an older one, never over anything else.
    play(&program, "4x4 --second human", "save my game\n");
    assert_eq!(std::fs::read_to_string(program.path("my game")).expect("a file"), "board 4x4\nmoves -\n");
    std::fs::write(program.path("thesis"), "ten years of work").expect("a file");
    let shown = play(&program, "4x4 --second human", "save thesis\n");
    assert!(shown.ends_with("thesis exists and is not a saved game; choose another name\n"), "{shown}");
    assert_eq!(std::fs::read_to_string(program.path("thesis")).expect("a file"), "ten years of work");
}

#[cfg(unix)]
#[test]
fn a_game_that_is_saved_again_keeps_the_permissions_of_its_file() {
    use std::os::unix::fs::PermissionsExt;

    let program = Program::new();
    play(&program, "4x4 --second human", "1\nsave F\n");
    std::fs::set_permissions(program.path("F"), std::fs::Permissions::from_mode(0o664)).expect("permissions");
    play(&program, "4x4 --second human", "1\n2\nsave F\n");
    let found = std::fs::metadata(program.path("F")).expect("a file").permissions().mode() & 0o777;
    assert_eq!(found, 0o664, "{found:o}");
}

#[test]
fn a_saved_game_that_does_not_replay_is_bad_input() {
    let program = Program::new();
    let files: [(&[u8], &str); 9] = [
        (b"", "not a saved game"),
        (b"board 4x4\n", "not a saved game"),
        (b"moves 12\nboard 4x4\n", "not a saved game"),
        (b"board 4x4\nmoves 11111\n", "move 5, '1': column 1 is full"),
        (b"board 4x4\nmoves 12121212\n", "the game ended with move 7"),
        (b"board 4x4\nmoves 19\n", "move 2, '9'"),
        (b"board 5x4\nmoves 12\n", "a game on 5x4; load it with: fourbase play 5x4"),
        (b"board 99x99\nmoves 12\n", "columns"),
        (b"board \xff\nmoves 12\n", "not text"),
    ];
    for (bytes, reason) in files {
        std::fs::write(program.path("game"), bytes).expect("a file");
        let line = program.run("play 4x4 --load game").fails(2);
        assert!(line.starts_with("game: ") && line.contains(reason), "{line}");
        // In a game it is only told.
        let shown = play(&program, "4x4 --second human", "load game\n");
        assert!(shown.contains(reason), "{shown}");
    }
    assert!(program.run("play 4x4 --load nothing").fails(1).contains("cannot read nothing"));
    assert!(program.run("play 4x4 --moves 11111").fails(2).contains("column 1 is full"));
    std::fs::write(program.path("game"), vec![b'1'; 10_000_000]).expect("a file");
    program.run("play 4x4 --load game").fails(2);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_saved_game_that_was_there() {
    let program = Program::new();
    // No file may grow, and the signal about that is ignored: every write to a file fails.
    let limited = |lines: &str| {
        let mut command = assert_cmd::Command::new("sh");
        command.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" play 4x4 --second human", PROGRAM]);
        let output = command.current_dir(program.path("")).write_stdin(lines).output().expect("the program runs");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let files = || std::fs::read_dir(program.path("")).expect("a folder").count();
    assert!(limited("1\nsave F\n").contains("cannot write F"));
    assert_eq!(files(), 0);
    play(&program, "4x4 --second human", "1\nsave F\n");
    assert!(limited("1\n2\nsave F\n").contains("cannot write F"));
    assert_eq!(
        (std::fs::read_to_string(program.path("F")).expect("a file").as_str(), files()),
        ("board 4x4\nmoves 1\n", 1)
    );
}

#[cfg(unix)]
#[test]
fn nothing_is_saved_through_a_link_nor_loaded_from_what_is_no_file() {
    let program = Program::new();
    std::fs::write(program.path("precious"), "board of directors").expect("a file");
    std::fs::create_dir(program.path("folder")).expect("a folder");
    for (link, target) in [("link", "precious"), ("dangling", "nothing"), ("device", "/dev/zero")] {
        std::os::unix::fs::symlink(target, program.path(link)).expect("a link");
        let shown = play(&program, "4x4 --second human", &format!("save {link}\n"));
        assert!(shown.ends_with(&format!("{link} exists and is a link; choose another name\n")), "{shown}");
    }
    assert_eq!(std::fs::read_to_string(program.path("precious")).expect("a file"), "board of directors");
    assert!(!program.path("nothing").exists());
    for name in ["device", "folder"] {
        assert!(program.run(&format!("play 4x4 --load {name}")).fails(2).contains("not a file"));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_stops_the_search_and_not_the_game() {
    use rustix::process::{Pid, Signal, kill_process};

    let program = Program::new();
    // Before the search has begun, Ctrl-C ends the program; then the next attempt waits longer.
    let attempt = |limit: [&str; 2], tenths: u64| {
        let mut child = program.spawn(&[["play", "8x7", "--second", "human"].as_slice(), &limit].concat());
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(b"hint\n").expect("a pipe");
        std::thread::sleep(std::time::Duration::from_millis(100 * tenths));
        kill_process(Pid::from_child(&child), Signal::INT).expect("a signal");
        let _ = stdin.write_all(b"4\nmoves\n");
        drop(stdin);
        let output = child.wait_with_output().expect("the program ends");
        output.status.success().then(|| String::from_utf8(output.stdout).expect("UTF-8"))
    };
    for limit in [["--nodes", "1e15"], ["--seconds", "1000"]] {
        let attempt = |tenths| attempt(limit, tenths);
        let shown = [2, 5, 10, 30, 100].into_iter().find_map(attempt).expect("a game that goes on");
        assert!(shown.contains("\nstopped after ") && shown.ends_with("\n4\n"), "{shown}");
        assert!(!shown.contains("not decided within"), "{shown}");
    }
}

#[test]
fn whatever_is_typed_is_answered_in_a_line_and_the_game_goes_on() {
    let program = Program::new();
    let mut input: Vec<u8> = Vec::new();
    for line in [
        &b"\xff\xfe"[..],
        b"\0",
        b"0",
        b"99",
        b"18446744073709551616",
        b"-1",
        b"1 2",
        b"save",
        b"values x",
        b"values human",
        b"\x1b[31m",
        "４".as_bytes(),
        b"UNDO",
        b"save /nowhere/at/all",
        b"load /nowhere/at/all",
        b"save \0",
    ] {
        input.extend_from_slice(line);
        input.push(b'\n');
    }
    input.extend(std::iter::repeat_n(b'1', 1_000_000));
    input.extend_from_slice(b"\r\n\n   \n2\nmoves");
    let shown = program.run_with_input("play 4x4 --second human", input).succeeds();
    assert!(shown.ends_with("\n2\n"), "{shown}");
    assert!(!shown.contains('\u{1b}') && shown.len() < 10_000, "{shown}");
    assert!(shown.contains("the line has 1000001 bytes; type at most 4096"), "{shown}");
}

#[test]
fn random_bytes_never_end_in_a_panic() {
    let program = Program::new();
    let mut state = 1_u64;
    let mut byte = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Mostly what means something.
        *b"1234\n\n\nundo history values 9a\xff\0".get((state >> 33) as usize % 36).unwrap_or(&b'\n')
    };
    for _ in 0..10 {
        let input = (0..2000).map(|_| byte()).collect::<Vec<_>>();
        program.run_with_input("play 4x4 --second random", input).succeeds();
    }
}

#[test]
fn a_reader_that_goes_away_ends_the_game_quietly() {
    let program = Program::new();
    let mut child = program.spawn(&["play", "4x4", "--second", "random"]);
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("a pipe");
    // The program may be gone before it has read everything.
    let _ = stdin.write_all(&b"1\nundo\n".repeat(1000));
    drop(stdin);
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn a_program_that_finds_no_move_leaves_it_to_whoever_is_there() {
    let program = Program::new();
    let shown = play(&program, "8x7 --second perfect --nodes 1000", "4\n4\nmoves\nhint\nhistory\nundo\nmoves\n");
    assert!(
        shown.contains("perfect (O) finds no move: ") && shown.contains("not decided within 1,000 nodes"),
        "{shown}"
    );
    assert!(shown.contains("\ntype a column for it, or undo, or quit\n"), "{shown}");
    assert!(shown.contains("\n44\n") && shown.contains("not decided\n"), "{shown}");
    let (_, line) = program.run("play 8x7 --first perfect --second perfect --nodes 1000").fails_after_output(1);
    assert!(line.contains("perfect finds no move") && line.contains("not decided within 1,000 nodes"), "{line}");
}

#[test]
fn an_unknown_player_is_bad_input() {
    let program = Program::new();
    for player in
        ["deep-blue", "pomakis", "pomakis:0", "pomakis:21", "rating:10", "rating:1:8", "", "window:-1", "random:1"]
    {
        for side in ["first", "second"] {
            let line = program.run_arguments(&["play", "4x4", &format!("--{side}={player}")]).fails(2);
            assert!(line.contains(player.rsplit_once(':').map_or(player, |(_, number)| number)), "{line}");
        }
    }
    assert!(program.run("play 4x4 --second deep-blue").fails(2).contains("the players are human, perfect, "));
    program.run("play 4x4 --seed x").fails(2);
    program.run("play 4x4 --search never").fails(1);
}

#[test]
fn the_opponent_is_perfect_where_that_is_quick_and_pomakis_elsewhere() {
    let program = Program::with("6x5c3");
    for (board, opponent) in [
        ("5x4", "perfect"),
        ("6x5c3", "perfect"),
        ("7x6", "perfect"),
        ("8x6", "pomakis:7"),
        ("9x7", "pomakis:7"),
        ("32x2", "pomakis:4"),
    ] {
        let shown = play(&program, board, "1\n");
        assert!(shown.starts_with(&format!("{board}: first human (X), second {opponent} (O)\n")), "{shown}");
    }
}

#[test]
fn odd_boards_are_played() {
    let program = Program::new();
    for board in ["1x1", "1x8", "8x1", "2x2c1", "2x2c1m", "4x4c9", "4x4m", "32x2", "1x64", "4x4c3m"] {
        for player in ["random", "pomakis:3", "window:2", "rating:1", "rating:1:4", "follow-up"] {
            let shown = program.run(&format!("play {board} --first {player} --second {player}")).succeeds();
            assert!(shown.ends_with("has won\n") || shown.ends_with("a tie, the board is full\n"), "{shown}");
        }
    }
}

#[test]
fn help_of_what_has_players_has_examples_and_fits_a_terminal_of_a_hundred_columns() {
    for subcommand in ["play", "analyse", "match", "grade"] {
        let help = Program::new().run(&format!("{subcommand} --help")).succeeds();
        assert!(help.contains(&format!("Examples:\n  fourbase {subcommand}")), "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
    }
}
