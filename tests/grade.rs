//! `fourbase grade` and `fourbase match`, judged by a plain search and by their own rules.

use serde_json::{Value, json};

use crate::support::long;
use crate::support::plain_game::PlainGame;
use crate::support::plain_search::PlainSearch;
use crate::support::positions::board;
use crate::support::program::Program;

#[test]
fn positions_where_the_choice_matters_are_those_of_a_plain_search() {
    for name in ["4x4", "4x3c3", "3x3c3m"] {
        let board = board(name);
        let search = PlainSearch::of_all_positions(board);
        let (mut positions, mut keeping) = (vec![0_u64; board.cells() + 1], vec![0.0; board.cells() + 1]);
        let mut lost = vec![0_u64; board.cells() + 1];
        for (key, _) in search.answers() {
            let game = PlainGame::from_key(board, key);
            let moves = search.moves(&game);
            let keep = moves.iter().filter(|of| of.1.value == moves[0].1.value).count();
            let is_lost = !moves.is_empty() && moves.iter().all(|of| of.1.value == -1);
            lost[game.plies()] += u64::from(is_lost && moves.iter().any(|of| of.1 != moves[0].1));
            if keep < moves.len() {
                positions[game.plies()] += 1;
                keeping[game.plies()] += keep as f64 / moves.len() as f64;
            }
        }
        let json = Program::new().run(&format!("grade random {name} --json")).json();
        let sums = [search.positions() as u64, positions.iter().sum(), lost.iter().sum()];
        assert_eq!(["legal", "graded", "lost"].map(|key| json[key].as_u64()), sums.map(Some), "{name}");
        for row in json["plies"].as_array().expect("plies") {
            let ply = row["ply"].as_u64().expect("a ply") as usize;
            assert_eq!(row["graded"], json!(positions[ply]), "{name} {row}");
            assert_eq!((&row["lost"], &row["complete"]), (&json!(lost[ply]), &json!(true)), "{name} {row}");
            match row["chance_share"].as_f64() {
                Some(chance) => assert!((chance - keeping[ply] / positions[ply] as f64).abs() < 1e-4, "{name} {row}"),
                None => assert_eq!(positions[ply], 0, "{name} {row}"),
            }
        }
        // Random keeps the value as often as chance does.
        let share = json["keeps"].as_f64().expect("keeps") / json["graded"].as_f64().expect("positions");
        assert!((share - json["chance_share"].as_f64().expect("a chance")).abs() < 0.05, "{json}");
    }
}

#[test]
fn a_player_that_looks_farther_keeps_more() {
    let program = Program::with("4x4");
    let sample = long::scale(" --sample 5000", "");
    let keeps = |player: &str| {
        program.run(&format!("grade {player} 4x4 --json{sample}")).json()["keeps"].as_u64().expect("keeps")
    };
    assert!(keeps("random") < keeps("pomakis:1") && keeps("pomakis:1") < keeps("pomakis:3"));
    long::skips("a grade of pomakis:8, and nine of ten positions of the other grades");
    assert!(keeps("pomakis:3") < keeps(long::scale("pomakis:5", "pomakis:8")));
    assert!(keeps("window:1") < keeps("window:4") && keeps("rating:1") < keeps("rating:4"));
}

#[test]
fn intervals_of_samples_have_the_shares_of_all_positions() {
    let program = Program::with("4x4");
    let grade = |options: &str| program.run(&format!("grade pomakis:1 4x4 --json {options}")).json();
    let plies = |json: &Value| json["plies"].as_array().expect("plies").clone();
    let whole = grade("");
    assert_eq!(whole["population"], "positions");
    let (mut intervals, mut misses) = (0, 0);
    for seed in (0..long::scale(10, 40)).map(long::seed) {
        let sample = grade(&format!("--sample 1000 --seed {seed}"));
        assert_eq!((&sample["population"], &sample["graded"]), (&json!("plies"), &json!(1000)));
        for (row, all) in plies(&sample).iter().zip(plies(&whole)) {
            assert_eq!(row["ply"], all["ply"]);
            assert_eq!(row["complete"], json!(row["graded"] == all["graded"] && row["lost"] == all["lost"]), "{row}");
            for name in ["keeps", "best", "resists"] {
                let interval = &row[format!("{name}_interval")];
                let share = &all[format!("{name}_share")];
                if row["complete"] == true {
                    assert_eq!((&row[name], &row[format!("{name}_share")]), (&all[name], share), "{row}");
                } else if let (Some(low), Some(high)) = (interval[0].as_f64(), interval[1].as_f64()) {
                    let share = share.as_f64().expect("a share");
                    intervals += 1;
                    misses += u32::from(!(low..=high).contains(&share));
                }
            }
        }
    }
    // Of 95 %: at most 8 % of them miss the share of all positions.
    assert!(intervals > 200 && misses * 100 < intervals * 8, "{misses} of {intervals}");
    long::skips("30 of 40 samples");
}
