//! Strategies against every reply: golden figures, all rows of the known answers, and `fourbase strategy` as a whole.

use std::collections::HashSet;
use std::fs;
use std::sync::Mutex;

use fourbase::notation::{columns_to_text, parse};
use fourbase::search::{Options as SearchOptions, Search};
use fourbase::strategy::{Centre, Check, CheckError, FollowUp, Mirror, Reading, Rule, Verdict, check};
use fourbase::{Board, Player, Position, Value};
use serde_json::json;

use crate::support::board::board;
use crate::support::long;
use crate::support::program::{Program, keys};
use crate::support::solves::{MEMORY_BYTES, Solve};
use crate::support::tiers::{Progress, Values};
use crate::support::truth;

/// Checks the follow-up rule with the middle columns.
fn follow_up(name: &str, reading: Reading) -> Check {
    let board = board(name);
    let rule = FollowUp::middle(board).and_then(|centre| FollowUp::new(board, centre, reading)).expect("a rule");
    check(&rule, board, Player::Second, MEMORY_BYTES).expect("a check")
}

fn moves(line: Option<&[usize]>) -> Option<String> {
    line.map(|line| columns_to_text(line.iter().copied()))
}

#[test]
fn the_pair_reading_never_loses_on_even_heights_of_up_to_six_columns() {
    let golden =
        [("4x4", 639, 5_040), ("6x4", 8_019, 14_968_800), ("4x6", 2_520, 739_200), ("6x6", 56_832, 274_450_176_000)];
    for (name, positions, lines) in golden {
        let found = follow_up(name, Reading::Pair);
        assert_eq!(found.verdict(), Verdict::Ties, "{name}");
        assert_eq!((found.positions.all(), found.lines.all(), found.lines.ties), (positions, lines, lines), "{name}");
        assert_eq!((found.refutation, found.undefined), (None, None), "{name}");
    }
}

#[test]
fn the_column_reading_loses_4x4_and_is_undefined_in_some_lines() {
    let found = follow_up("4x4", Reading::Column);
    assert_eq!(found.verdict(), Verdict::Loses);
    let lines = found.lines;
    assert_eq!((lines.second_wins, lines.first_wins, lines.undefined, lines.ties), (840, 1_680, 758, 0));
    assert_eq!(moves(found.refutation.as_deref()).as_deref(), Some("111123322233444"));
    assert_eq!(moves(found.undefined.as_deref()).as_deref(), Some("2322233"));
}

#[test]
fn seven_columns_lose_and_odd_heights_leave_the_rule_undefined() {
    for name in ["7x2", "7x4", "7x6"] {
        let found = follow_up(name, Reading::Pair);
        assert_eq!((found.verdict(), found.undefined), (Verdict::Loses, None), "{name}");
        assert!(found.refutation.is_some_and(|line| line.len() == 7), "{name}");
    }
    for name in ["4x3", "4x5", "6x5", "5x5"] {
        let found = follow_up(name, Reading::Pair);
        assert!(found.lines.undefined > 0 && found.undefined.is_some(), "{name}");
    }
}

/// A row of `followup.csv`.
struct Row<'a> {
    text: &'a str,
    cells: Vec<&'a str>,
}

impl<'a> Row<'a> {
    fn of(text: &'a str) -> Row<'a> {
        let cells = text.split(',').collect::<Vec<_>>();
        assert_eq!(cells.len(), 20, "{text}");
        Row { text, cells }
    }

    fn board(&self) -> Board {
        board(&format!("{}x{}", self.cells[0], self.cells[1]))
    }

    /// The centre columns, from 1.
    fn centre(&self) -> Option<[usize; 2]> {
        let (left, right) = self.cells[2].split_once('&')?;
        Some([left, right].map(|column| column.parse().expect("a column")))
    }

    fn reading(&self) -> Reading {
        match self.cells[3] {
            "A" | "N" => Reading::Pair,
            "B" => Reading::Column,
            "Bf" => Reading::ColumnOrFollow,
            _ => panic!("{}", self.text),
        }
    }

    fn rule(&self) -> FollowUp {
        match self.centre() {
            Some(centre) => {
                FollowUp::new(self.board(), centre.map(|column| column - 1), self.reading()).expect("a rule")
            }
            None => FollowUp::without_centre(),
        }
    }

    fn is_yes(&self, cell: usize) -> bool {
        self.cells[cell].eq_ignore_ascii_case("yes")
    }

    fn number(&self, cell: usize) -> u128 {
        self.cells[cell].parse().expect("a number")
    }

    /// The line in a cell; `None` if it is empty.
    fn line(&self, cell: usize) -> Option<String> {
        Some(self.cells[cell]).filter(|line| !line.is_empty()).map(str::to_owned)
    }

    /// The arguments of the program that ask for this row.
    fn arguments(&self) -> String {
        let options = match self.centre() {
            Some([left, right]) => format!("--centre {left},{right} --reading {}", self.reading()),
            None => "--no-centre".to_owned(),
        };
        format!("strategy follow-up {} {options}", self.board())
    }
}

/// What ends a line, as `followup.csv` shows it: the first of such lines in numeric order, whatever its length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wanted {
    Loss,
    Undefined,
}

/// Plays depth first from a position with the first player to move. `without` has the positions that are known to lead
/// to no such line.
fn first_line(
    rule: &dyn Rule,
    position: Position,
    wanted: Wanted,
    without: &mut HashSet<Position>,
) -> Option<Vec<usize>> {
    if without.contains(&position) {
        return None;
    }
    for column in position.moves() {
        let attacked = position.play(column).expect("a move");
        if let Some(value) = attacked.primitive() {
            if wanted == Wanted::Loss && value == Value::Lose {
                return Some(vec![column]);
            }
            continue;
        }
        let Some(reply) = rule.reply(&attacked, Some(column)).filter(|&reply| attacked.can_play(reply)) else {
            if wanted == Wanted::Undefined {
                return Some(vec![column]);
            }
            continue;
        };
        let answered = attacked.play(reply).expect("a move");
        if let Some(rest) = first_line(rule, answered, wanted, without) {
            return Some([vec![column, reply], rest].concat());
        }
    }
    without.insert(position);
    None
}

#[test]
fn every_row_of_the_known_answers_is_found() {
    let Some(rows) = truth::rows("followup.csv") else { return };
    assert_eq!(rows.len(), 45);
    for text in &rows {
        let row = Row::of(text);
        let (board, rule) = (row.board(), row.rule());
        let found = check(&rule, board, Player::Second, MEMORY_BYTES).expect("a check");
        assert_eq!(found.lines.first_wins == 0, row.is_yes(4), "{text}");
        assert_eq!(found.lines.undefined > 0, row.is_yes(5), "{text}");
        let positions = found.positions;
        // A win of the first player is counted among the positions after a move of that player there.
        let counts = [
            positions.all(),
            positions.opponent_to_move,
            positions.strategy_to_move + positions.first_wins,
            positions.second_wins,
            positions.ties,
            positions.first_wins,
            positions.undefined,
        ];
        assert_eq!(counts.map(u128::from), [6, 7, 8, 9, 10, 11, 12].map(|cell| row.number(cell)), "{text}");
        let lines = found.lines;
        let counts = [lines.all(), lines.second_wins, lines.ties, lines.first_wins, lines.undefined];
        assert_eq!(counts, [13, 14, 15, 16, 17].map(|cell| row.number(cell)), "{text}");
        for (cell, wanted, shortest) in
            [(18, Wanted::Loss, &found.refutation), (19, Wanted::Undefined, &found.undefined)]
        {
            let first = first_line(&rule, Position::start(board), wanted, &mut HashSet::new());
            assert_eq!(moves(first.as_deref()), row.line(cell), "{text}");
            assert_eq!(first.is_some(), shortest.is_some(), "{text}");
            assert!(shortest.as_ref().map(Vec::len) <= first.as_ref().map(Vec::len), "{text}");
            let Some(shortest) = shortest else { continue };
            let end = parse(board, &columns_to_text(shortest.iter().copied())).expect("a position");
            let expected = (wanted == Wanted::Loss).then_some(Value::Lose);
            assert_eq!((end.primitive(), end.to_move()), (expected, Player::Second), "{text}");
        }
    }
    println!("follow-up: all {} rows agree", rows.len());
}

#[test]
fn the_program_says_what_every_row_of_the_known_answers_says() {
    let Some(rows) = truth::rows("followup.csv") else { return };
    let program = Program::new();
    for text in &rows {
        let row = Row::of(text);
        let found = program.run(&format!("{} --json", row.arguments())).json();
        let centre = row.centre().map_or(json!(null), |centre| json!(centre));
        assert_eq!((&found["centre"], found["verdict"] == "loses"), (&centre, !row.is_yes(4)), "{text}");
        let (positions, lines) = (&found["positions"], &found["lines"]);
        for (cell, number) in [
            (6, &positions["all"]),
            (7, &positions["opponent_to_move"]),
            (9, &positions["won_by"]["second"]),
            (10, &positions["ties"]),
            (11, &positions["won_by"]["first"]),
            (12, &positions["undefined"]),
            (13, &lines["all"]),
            (14, &lines["won_by"]["second"]),
            (15, &lines["ties"]),
            (16, &lines["won_by"]["first"]),
            (17, &lines["undefined"]),
        ] {
            assert_eq!(number.as_u64().map(u128::from), Some(row.number(cell)), "column {cell} of {text}");
        }
        assert_eq!(found["refutation_line"].is_null(), row.line(18).is_none(), "{text}");
        assert_eq!(found["undefined_line"].is_null(), row.line(19).is_none(), "{text}");
    }
}

#[test]
fn a_strategy_that_never_loses_is_told_in_a_sentence_and_a_table() {
    let expected = "\
4x4, follow-up for the second player, centre 2,3, reading pair
the second player never loses: every line is a tie

                       positions  lines
first player to move         181
second player to move        450
  the rule undefined           0      0
first player wins              0      0
second player wins             0      0
tie                            8  5,040
all                          639  5,040

not compared with the value of the game: no database of 4x4 in db; make it with: fourbase solve 4x4
";
    let program = Program::new();
    for options in ["", "--centre 2,3", "--centre 3,2", "--reading pair", "--player second", "--memory 1M"] {
        assert_eq!(program.run(&format!("strategy follow-up 4x4 {options}")).succeeds(), expected, "{options}");
    }
    assert!(!program.path("db").exists());
}

#[test]
fn a_strategy_that_fails_is_told_with_the_shortest_lines_as_moves_and_as_boards() {
    let text = Program::new().run("strategy follow-up 4x4 --reading column").succeeds();
    let expected = "\
4x4, follow-up for the second player, centre 2,3, reading column
the second player can lose: 1,680 of 3,278 lines are lost; in 758 the rule is undefined

                       positions  lines
first player to move         167
second player to move        418
  the rule undefined          18    758
first player wins              8  1,680
second player wins             2    840
tie                            0      0
all                          595  3,278

shortest refutation (15 plies): 111123322233444

O O O .
X X X X
O O X O
X X O X
1 2 3 4

shortest line to where the rule is undefined (7 plies): 2322233

. X . .
. O X .
. X O .
. X O .
1 2 3 4

";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn programs_get_one_line_of_json() {
    let program = Program::new();
    let found = program.run("strategy follow-up 4x4 --reading column --json").json();
    assert_eq!(
        keys(&found),
        [
            "board",
            "centre",
            "command",
            "comparison",
            "lines",
            "notes",
            "player",
            "positions",
            "reading",
            "refutation_line",
            "schema",
            "strategy",
            "undefined_line",
            "verdict"
        ]
    );
    assert_eq!((&found["board"], &found["strategy"]), (&json!("4x4"), &json!("follow-up")));
    assert_eq!((&found["player"], &found["reading"]), (&json!("second"), &json!("column")));
    assert_eq!((&found["centre"], &found["verdict"]), (&json!([2, 3]), &json!("loses")));
    assert_eq!((&found["refutation_line"], &found["undefined_line"]), (&json!("111123322233444"), &json!("2322233")));
    let positions = json!({
        "all": 595, "opponent_to_move": 167, "strategy_to_move": 418, "undefined": 18,
        "won_by": {"first": 8, "second": 2}, "ties": 0,
    });
    let lines = json!({"all": 3278, "undefined": 758, "won_by": {"first": 1680, "second": 840}, "ties": 0});
    assert_eq!((&found["positions"], &found["lines"]), (&positions, &lines));
    assert!(found["comparison"].is_null() && found["notes"].as_array().is_some_and(|notes| notes.len() == 1));
    let found = program.run("strategy follow-up 4x4 --no-centre --json").json();
    assert_eq!((&found["centre"], &found["reading"]), (&json!(null), &json!(null)));
    assert_eq!(found["refutation_line"], json!("1122334"));
}

#[test]
fn numbers_of_lines_beyond_64_bits_are_written_exactly() {
    let text = Program::new().run("strategy follow-up 8x8 --json").succeeds();
    assert!(text.contains("\"lines\":{\"all\":798005004967357455408,"), "{text}");
    if !long::skips("a check of 8x8 that does not start the program") {
        assert_eq!(follow_up("8x8", Reading::Pair).lines.all(), 798_005_004_967_357_455_408);
    }
}

#[test]
fn boards_beyond_those_of_the_statement_are_checked_all_the_same_and_that_is_told() {
    let program = Program::new();
    let stated = "follow-up was stated for at most 6 columns, an even number of rows and a line of four that wins\n";
    let text = program.run("strategy follow-up 7x6").succeeds();
    assert!(text.contains("\nthe second player can lose: 1,069,170,425,256 of 153,184,804,696,710 lines are lost\n"));
    assert!(text.contains("\nshortest refutation (7 plies): 4355667\n") && text.ends_with(stated), "{text}");
    let text = program.run("strategy follow-up 4x5").succeeds();
    assert!(text.contains("\nthe rule is undefined in every line\n"), "{text}");
    assert!(text.contains("rule is undefined (5 plies): 11111\n") && text.ends_with(stated), "{text}");
    for arguments in ["4x4m", "4x4c3", "4x4c3m", "2x2", "3x6"] {
        program.run(&format!("strategy follow-up {arguments}")).succeeds();
    }
}

#[test]
fn other_rules_are_checked_in_the_same_way() {
    let program = Program::new();
    let found = program.run("strategy mirror 4x4 --json").json();
    assert_eq!((&found["verdict"], &found["refutation_line"]), (&json!("loses"), &json!("1414141")));
    let found = program.run("strategy mirror 3x3 --json").json();
    assert_eq!((&found["verdict"], &found["undefined_line"]), (&json!("undefined"), &json!("222")));
    let found = program.run("strategy centre 4x4 --player first --json").json();
    assert_eq!((&found["player"], &found["lines"]["undefined"]), (&json!("first"), &json!(0)));
    let text = program.run("strategy centre 4x2c2 --player first").succeeds();
    assert!(text.contains("\nthe first player wins every line\n"), "{text}");
    let text = program.run("strategy centre 4x2c2").succeeds();
    assert!(text.contains("the second player "), "{text}");
    let rule = |rule: &dyn Rule, name| check(rule, board(name), Player::Second, MEMORY_BYTES).expect("a check");
    assert_eq!(rule(&Mirror, "4x4").lines.first_wins, 4_476);
    assert_eq!(rule(&Centre, "4x4").lines.undefined, 0);
}

#[test]
fn a_database_tells_where_the_value_is_kept() {
    let program = Program::with("4x4");
    let board = board("4x4");
    let mut search = Search::new(board, SearchOptions::default());
    for reading in [Reading::Pair, Reading::Column] {
        let rule = FollowUp::new(board, [1, 2], reading).expect("a rule");
        let found = check(&rule, board, Player::Second, MEMORY_BYTES).expect("a check");
        let kept = found.keep(&rule, MEMORY_BYTES, |positions| {
            Ok::<_, CheckError>(positions.iter().map(|position| search.value(position).expect("a value")).collect())
        });
        let kept = kept.expect("what is kept");
        let json = program.run(&format!("strategy follow-up 4x4 --reading {reading} --json")).json();
        let hash = &program.run("list --json").json()["databases"][0]["hash"];
        let expected = json!({
            "folder": "db/4x4/remoteness", "stores": "remoteness", "keep_plies": null, "hash": hash, "strategy_to_move": kept.strategy_to_move, "kept": kept.kept,
            "all": kept.all, "secured": kept.secured,
        });
        assert_eq!((&json["comparison"], &json["notes"]), (&expected, &json!([])), "{reading}");
    }
    let text = program.run("strategy follow-up 4x4").succeeds();
    let expected = "keeps the value in 370 of the 450 positions where it moves, \
                    and is sure of it from 559 of all 639 (db/4x4/remoteness)\n";
    assert!(text.ends_with(expected), "{text}");
    // Values alone are enough, and a small cache changes nothing.
    program.run("solve 4x4 --values wdl --db other").succeeds();
    let other = program.run("strategy follow-up 4x4 --db other --cache 0").succeeds();
    assert_eq!(other, text.replace("db/4x4/remoteness", "other/4x4/wdl"));
}

#[test]
fn a_damaged_database_is_a_failure_that_names_the_file() {
    let program = Program::with("4x4");
    program.damage("db/4x4/remoteness");
    assert!(program.run("strategy follow-up 4x4").fails(1).contains("tier-"));
    fs::write(program.path("db/4x4/remoteness/manifest"), "nonsense").expect("a file");
    assert!(program.run("strategy follow-up 4x4").fails(1).contains("manifest"));
    program.run("strategy follow-up 4x4 --db elsewhere").succeeds();
}

/// Runs the program in the middle of a solve.
struct Meanwhile<'a> {
    program: &'a Program,
    said: Mutex<Option<String>>,
}

impl Progress for Meanwhile<'_> {
    fn tier(&self, ply: u32, _entries: u64) {
        if ply == 4 {
            let said = self.program.run("strategy mirror 3x3c3").succeeds();
            *self.said.lock().expect("a lock") = Some(said);
        }
    }
}

#[test]
fn a_database_that_is_not_solved_to_the_end_is_left_alone() {
    let program = Program::new();
    let solve = Solve::new(board("3x3c3"), Values::Remoteness).with_root(program.path("db")).stepwise();
    let meanwhile = Meanwhile { program: &program, said: Mutex::new(None) };
    solve.run_heard(&meanwhile).expect("a solve");
    let said = meanwhile.said.into_inner().expect("a lock").expect("a run");
    assert!(said.contains("the value of the game: db/3x3c3/remoteness is not solved to the end yet\n"), "{said}");
    assert!(program.run("strategy mirror 3x3c3").succeeds().contains("keeps the value in "));
}

#[test]
fn what_does_not_fit_is_bad_input_and_told_in_one_line_with_what_would_fit() {
    let program = Program::new();
    let mistakes: [(&[&str], &str); 19] = [
        (&["nosuch", "4x4"], "\"nosuch\" is not a strategy; write follow-up, mirror or centre"),
        (&["", "4x4"], "\"\" is not a strategy"),
        (&["4x4", "follow-up"], "\"4x4\" is not a strategy; write follow-up, mirror or centre, and then the board"),
        (&["Mirror\u{1b}[31m", "4x4"], "Mirror\\u{1b}"),
        (&["follow-up", "0x4"], "columns"),
        (&["follow-up", "1x8"], "follow-up does not fit 1x8: the board has one column"),
        (&["follow-up", "1x8", "--centre", "1,1"], "take a board of 2 columns or more, or --no-centre"),
        (&["follow-up", "4x4", "--centre", "4,5"], "column 5 of the centre 4,5 is outside the board 4x4; take two of"),
        (&["follow-up", "4x4", "--centre", "9,1"], "the columns 1 to 4"),
        (&["follow-up", "4x4", "--centre", "2,2"], "column 2 twice; take two of the columns 1 to 4"),
        (&["follow-up", "4x4", "--centre", "2"], "\"2\" is not two columns; write them counted from 1, such as 2,3"),
        (&["follow-up", "4x4", "--centre", "1,2,3"], "not two columns"),
        (&["follow-up", "4x4", "--centre", "0,1"], "not two columns"),
        (&["follow-up", "4x4", "--centre", "-1,2"], "not two columns"),
        (&["follow-up", "4x4", "--centre", ""], "not two columns"),
        (&["follow-up", "4x4", "--centre", "1,99999999999999999999"], "not two columns"),
        (&["follow-up", "4x4", "--player", "first"], "the strategy follow-up is the second player's"),
        (&["mirror", "4x4", "--centre", "2,3"], "the strategy mirror has no options"),
        (&["centre", "4x4", "--reading", "pair"], "--reading are for follow-up"),
    ];
    for (arguments, reason) in mistakes {
        let line = program.run_arguments(&[&["strategy"], arguments].concat()).fails(2);
        assert!(line.contains(reason), "{arguments:?}: {line}");
    }
    for arguments in ["follow-up", "follow-up 4x4 --reading nosuch", "follow-up 4x4 --centre 2,3 --no-centre"] {
        program.run(&format!("strategy {arguments}")).refused();
    }
    program.run("strategy follow-up 1x8 --no-centre").succeeds();
}

#[test]
fn too_little_memory_is_a_failure_that_says_how_far_it_came() {
    let program = Program::new();
    let line = program.run("strategy follow-up 8x8 --memory 10M").fails(1);
    assert!(line.contains("needs more memory than 10.0 MiB; give a higher --memory"), "{line}");
    assert!(line.ends_with("(the second player loses in any case: 1122334)"), "{line}");
    // The check needs the positions of two plies, the comparison all of them.
    let program = Program::with("4x4");
    let text = program.run("strategy follow-up 4x4 --memory 100K").succeeds();
    assert!(text.contains("its positions need more memory together; give a higher --memory\n"), "{text}");
}

#[test]
fn the_help_names_every_strategy_and_has_examples() {
    let help = Program::new().run("strategy --help").succeeds();
    for part in ["  follow-up  ", "  mirror  ", "  centre  ", "Examples:\n  fourbase strategy "] {
        assert!(help.contains(part), "{help}");
    }
    assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
}
