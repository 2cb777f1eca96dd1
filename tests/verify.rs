//! What `verify` finds: wrong values with valid checksums, and everything else that can be wrong; and nothing where
//! nothing is.

use std::collections::BTreeSet;
use std::sync::Arc;

use fourbase::{Outcome, Position, Value};
use serde_json::json;

use crate::support::databases::{
    self, Communicator, Fault, FaultKind, Threads, VerifyOptions, VerifyReport, verify, verify_by,
};
use crate::support::files::flipped;
use crate::support::long;
use crate::support::memory_disk::MemoryDisk;
use crate::support::positions::{Random, board};
use crate::support::program::{Program, read_json};
use crate::support::solves::Runs;
use crate::support::tiers::{
    Cache, Database, Disk, Planted, Solve, StaticEvaluation, Storage, TierDirectory, Values, evaluate, plant,
};

/// How many wrong values are planted.
const PLANTED: usize = 200;

/// Returns the files of a database, and opens it.
fn solved(name: &str, values: Values) -> (MemoryDisk, Database) {
    let solve = Solve::new(board(name), values);
    let disk = solve.disk_with(&databases::files(solve.board, values));
    (disk.clone(), solve.open_on(disk).expect("a database"))
}

/// Copies the files of a database, and flips a bit in the middle of those tiers that are to be damaged, by number.
fn copied(disk: &MemoryDisk, is_damaged: impl Fn(usize) -> bool) -> MemoryDisk {
    let copy = MemoryDisk::default();
    for (number, (path, bytes)) in disk.files().into_iter().enumerate() {
        let is_tier = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("tier-"));
        let is_damaged = is_tier && is_damaged(number);
        copy.put(&path, &if is_damaged { flipped(&bytes, bytes.len() / 2 * 8) } else { bytes });
    }
    copy
}

/// Copies the files of a database and plants wrong values in the copy.
fn with_planted(disk: &MemoryDisk, database: &Database, planted: &[Planted]) -> Database {
    let copy = copied(disk, |_| false);
    let storage: Arc<dyn Storage> = Arc::new(copy.clone());
    plant(&storage, "db".as_ref(), database, planted).expect("planted");
    let planted = open(copy, database);
    assert!(planted.check_files().is_empty(), "all checksums are valid");
    planted
}

/// Opens a copy of a database.
fn open(copy: MemoryDisk, database: &Database) -> Database {
    Solve::new(database.board(), database.values()).open_on(copy).expect("a database")
}

/// Another outcome that a tier can hold: another value, or another remoteness.
fn another(right: Outcome, position: &Position, random: &mut Random) -> Outcome {
    let left = (position.board().cells() - position.ply()) as u32;
    // A line is completed by the player to move after an odd number of plies: a win, or a loss under misère.
    let lose_parity = u32::from(position.board().is_misere());
    loop {
        let (value, parity) =
            [(Value::Win, 1 - lose_parity), (Value::Lose, lose_parity), (Value::Tie, left % 2)][random.below(3)];
        let fits = |plies: &u32| if value == Value::Tie { *plies == left } else { plies % 2 == parity };
        let plies = Vec::from_iter((1..=left).filter(fits));
        if plies.is_empty() {
            continue;
        }
        let remoteness = plies[random.below(plies.len())];
        let other = Outcome { value, remoteness: right.remoteness.map(|_| remoteness) };
        if other != right {
            return other;
        }
    }
}

/// Chooses stored entries of some tiers alike, and what to write there instead.
fn choose(database: &Database, plies: &[u32], random: &mut Random) -> Vec<Planted> {
    let index = database.index();
    let tiers: Vec<TierDirectory> = plies.iter().map(|&ply| TierDirectory::new(index, ply)).collect();
    let mut chosen: Vec<Planted> = Vec::new();
    // The last tiers have few quiet positions, some none.
    for tier in tiers.iter().cycle().take(1000 * PLANTED) {
        let entry = random.next() % tier.entries();
        let [first, second] = index.split.bitboards(&tier.unrank(index, entry).expect("an entry"));
        let Ok(position) = Position::from_bitboards(database.board(), first, second) else { continue };
        let is_new = chosen.iter().all(|other| (other.ply, other.entry) != (tier.ply, entry));
        if evaluate(&position) == StaticEvaluation::Quiet && is_new {
            let right = database.probe(&position).expect("an answer");
            let outcome = another(right, &position, random);
            chosen.push(Planted { ply: tier.ply, entry, outcome });
        }
        if chosen.len() == PLANTED {
            break;
        }
    }
    chosen
}

/// All stored tiers.
fn stored(database: &Database) -> Vec<u32> {
    (1..database.board().cells() as u32).step_by(2).collect()
}

fn verified(database: &Database) -> VerifyReport {
    verify(database, |options| options.faults = usize::MAX)
}

/// Recomputes all values and does nothing else.
fn recomputed(database: &Database) -> VerifyReport {
    verify(database, |options| (options.sample, options.searches, options.faults) = (Some(u64::MAX), 0, usize::MAX))
}

/// The entries that are reported to have wrong values, with what is stored there.
fn told(report: &VerifyReport) -> BTreeSet<(u32, u64, String)> {
    let place = |fault: &Fault| Some((fault.ply?, fault.entry?, fault.found.clone()?));
    report.faults.iter().filter(|fault| fault.kind == FaultKind::Value).filter_map(place).collect()
}

fn is_told(planted: &Planted, told: &BTreeSet<(u32, u64, String)>) -> bool {
    let Outcome { value, remoteness } = planted.outcome;
    let words = remoteness.map_or_else(|| value.to_string(), |plies| format!("{value} in {plies}"));
    told.contains(&(planted.ply, planted.entry, words))
}

/// All that lies after the tier is right, so that each wrong value there is found as it would be alone.
#[test]
fn all_of_200_wrong_values_in_one_tier_are_found() {
    let tiers = [("4x4", Vec::from_iter((1..16).step_by(2))), ("4x4m", vec![9]), ("5x4", vec![5, 11, 17])];
    long::skips("wrong values in tiers of 5x4");
    for (name, plies) in tiers.into_iter().take(long::scale(2, 3)) {
        for (ply, values) in plies.into_iter().flat_map(|ply| [(ply, Values::Remoteness), (ply, Values::Wdl)]) {
            let (disk, database) = solved(name, values);
            let planted = choose(&database, &[ply], &mut Random::new(2));
            let told = told(&recomputed(&with_planted(&disk, &database, &planted)));
            let found = planted.iter().filter(|planted| is_told(planted, &told)).count();
            println!("{name} {values} ply {ply}: {found} wrong values, {} that do not fit", told.len() - found);
            // The first tiers of 4x4 have fewer quiet positions, the last none.
            assert!(found == planted.len() && (found == PLANTED || [1, 3, 15].contains(&ply)), "{found}");
        }
    }
}

/// Of wrong values that lie one after the other, the last has only right ones after it.
#[test]
fn wrong_values_in_all_tiers_are_found_but_for_some_that_fit_others() {
    let (disk, database) = solved("5x4", Values::Remoteness);
    let planted = choose(&database, &stored(&database), &mut Random::new(2));
    let told = told(&recomputed(&with_planted(&disk, &database, &planted)));
    let (found, missed): (Vec<&Planted>, Vec<_>) = planted.iter().partition(|planted| is_told(planted, &told));
    println!("5x4: verify finds {} of {PLANTED} wrong values in all tiers, the others fit these", found.len());
    assert!(missed.len() < PLANTED / 20, "{missed:?}");
    assert!(missed.iter().all(|missed| found.iter().any(|found| found.ply > missed.ply)), "{missed:?}");
}

#[test]
fn nothing_is_found_in_sound_databases() {
    let small =
        [("4x4m", 161_029), ("4x4c3", 41_750), ("4x3c5", 12_304), ("1x8", 9), ("2x2c2", 13), ("3x3c1", 4), ("1x1", 2)];
    let larger = [("3x6", 235_781), ("5x4", 3_945_711), ("4x5", 1_706_255), ("8x2", 1_216_721)];
    long::skips("verifications of 3x6, 5x4, 4x5 and 8x2");
    for (name, legal) in small.into_iter().chain(larger.into_iter().take(long::scale(0, 4))) {
        for values in [Values::Remoteness, Values::Wdl] {
            let (_, database) = solved(name, values);
            let report = verified(&database);
            assert!(report.is_sound(), "{name} {values}: {:?}", report.faults);
            assert_eq!((report.legal, report.undecided), (Some(legal), 0), "{name} {values}");
            assert_eq!(report.root, database.manifest.root(), "{name} {values}");
            println!("{name} {values}: {} values recomputed, {} searched", report.checked, report.searched);
        }
    }
}

#[test]
fn a_sample_is_as_large_as_was_asked_for_and_is_always_the_same() {
    let (disk, database) = solved("4x4", Values::Wdl);
    let all = verified(&database).checked;
    let sampled = |database: &Database, sample| {
        verify(database, |options| (options.sample, options.faults) = (Some(sample), usize::MAX))
    };
    for sample in [1, 2, 3, 100, all / 2, all / 2 + 1, all - 1] {
        let report = sampled(&database, sample);
        assert!(report.is_sound(), "{:?}", report.faults);
        assert_eq!((report.checked, report.stored, report.legal), (sample, all, None));
    }
    for sample in [all, all + 1, u64::MAX] {
        assert_eq!((sampled(&database, sample).checked, sampled(&database, sample).stored), (all, all));
    }
    let wrong = with_planted(&disk, &database, &choose(&database, &stored(&database), &mut Random::new(3)));
    let twice = [0, 1].map(|_| format!("{:?}", sampled(&wrong, all / 2).faults));
    assert_eq!(twice[0], twice[1]);
    assert!(!twice[0].contains("kind: File"), "{}", twice[0]);
}

/// A sample is looked up in another order than all values, and finds the same.
#[test]
fn a_sample_of_all_values_but_one_finds_the_wrong_values_that_a_whole_verification_finds() {
    for (name, values) in [("4x4", Values::Remoteness), ("4x4", Values::Wdl), ("4x4m", Values::Remoteness)] {
        let (disk, database) = solved(name, values);
        let wrong = with_planted(&disk, &database, &choose(&database, &stored(&database), &mut Random::new(6)));
        let whole = recomputed(&wrong);
        let sampled = verify(&wrong, |options| {
            (options.sample, options.searches, options.faults) = (Some(whole.stored - 1), 0, usize::MAX);
        });
        assert_eq!(sampled.checked, whole.checked - 1);
        let (whole, sampled) = (told(&whole), told(&sampled));
        assert!(sampled.is_subset(&whole) && sampled.len() + 1 >= whole.len(), "{name} {values}");
        println!("{name} {values}: a sample finds {} of {} values that do not fit", sampled.len(), whole.len());
    }
}

/// A damaged block is found before a sample is drawn, however small the sample.
#[test]
fn a_sample_of_one_value_reads_every_file_in_full() {
    let (disk, database) = solved("4x4", Values::Remoteness);
    for number in (0..disk.files().len()).filter(|number| copied(&disk, |of| of == *number).files() != disk.files()) {
        let wrong = open(copied(&disk, |of| of == number), &database);
        let report = verify(&wrong, |options| options.sample = Some(1));
        assert!(matches!(&report.faults[..], [Fault { kind: FaultKind::File, .. }]), "{number}: {:?}", report.faults);
        assert_eq!(report.checked, 0);
    }
}

#[test]
fn a_wrong_value_of_the_empty_board_is_found_three_ways() {
    // Ply 1 of 1x8 is forced, so a board with a choice: all of its few entries of ply 1 are made losses.
    let (disk, database) = solved("4x4", Values::Remoteness);
    let tier = TierDirectory::new(database.index(), 1);
    let outcome = Outcome { value: Value::Lose, remoteness: Some(6) };
    let planted: Vec<Planted> = (0..tier.entries()).map(|entry| Planted { ply: 1, entry, outcome }).collect();
    let report = verified(&with_planted(&disk, &database, &planted));
    let kinds: BTreeSet<FaultKind> = report.faults.iter().map(|fault| fault.kind).collect();
    assert_eq!(kinds, BTreeSet::from([FaultKind::Root, FaultKind::Search, FaultKind::Value]));
    let texts: Vec<String> = report.faults.iter().map(|fault| fault.message.clone()).collect();
    assert!(texts.iter().any(|text| text == "the empty board: win in 7 by its moves, tie in 16 in the manifest"));
    assert!(texts[0].starts_with("ply 1, block 0, entry 0: stored lose in 6, expected tie in 15 (position 2_"));
}

/// Verifies as each rank of a job; the reports have to be alike. Rank 1 reads the database `of_rank_1`.
fn verified_by(
    size: u32,
    threads: usize,
    [database, of_rank_1]: [&Database; 2],
    set: impl Fn(&mut VerifyOptions) + Sync,
) -> VerifyReport {
    let (reports, _) =
        Threads::run(size, threads, |all| verify_by(all, if all.rank() == 1 { of_rank_1 } else { database }, &set));
    let told: BTreeSet<String> = reports.iter().map(|report| format!("{report:?}")).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    reports.into_iter().next().expect("a report")
}

#[test]
fn any_number_of_processes_and_threads_and_any_cache_finds_what_one_finds() {
    let boards = [("4x4", Values::Remoteness), ("4x4m", Values::Wdl), ("5x4", Values::Wdl)];
    for (name, values) in boards.into_iter().take(long::scale(2, 3)) {
        let (disk, database) = solved(name, values);
        let planted = choose(&database, &stored(&database), &mut Random::new(19));
        let [wrong, uncached] = [0, 1].map(|_| with_planted(&disk, &database, &planted));
        let uncached = uncached.with_cache(&Cache::new(0));
        let damaged = open(copied(&disk, |number| number.is_multiple_of(2)), &database);
        let settings = [(None, 7), (Some(500), 3), (Some(9000), usize::MAX), (None, usize::MAX)];
        for (wrong, uncached, settings) in [
            (&database, &database, &settings[..2]),
            (&wrong, &uncached, &settings),
            (&damaged, &damaged, &[(None, 0), (None, 1), (None, usize::MAX)]),
        ] {
            for &(sample, faults) in settings {
                let set = |options: &mut VerifyOptions| (options.sample, options.faults) = (sample, faults);
                let one = format!("{:?}", verify(wrong, set));
                // Without a cache a whole verification takes long.
                let ways = [(2, 2, wrong), (5, 1, wrong), (1, 5, uncached)];
                for (size, threads, database) in ways.into_iter().take(2 + usize::from(sample.is_some())) {
                    let found = format!("{:?}", verified_by(size, threads, [database; 2], set));
                    assert_eq!(found, one, "{name} {values} {size} {threads}");
                }
            }
        }
        // Only the first faults are kept, and all are counted.
        let (all, few) = (verified(&wrong), verify(&wrong, |options| options.faults = 7));
        assert_eq!(few.faults_in_all, all.faults_in_all);
        assert_eq!(format!("{:?}", few.faults), format!("{:?}", &all.faults[..7]));
        // What only one process reads otherwise, all report; that one reads its share of the damaged tiers.
        let by_two = verified_by(2, 1, [&database, &damaged], |_| ());
        for (found, least) in [(verified(&damaged), 3), (by_two, 1)] {
            let are_of_files = found.faults.iter().all(|fault| fault.kind == FaultKind::File);
            assert!(found.faults_in_all >= least && are_of_files, "{found:?}");
        }
    }
}

#[test]
fn wrong_values_exit_with_1_and_are_listed() {
    let program = Program::with("4x4");
    let board = board("4x4");
    let database = Solve::new(board, Values::Remoteness).root(&program.path("db")).open_on(Disk).expect("a database");
    let planted = choose(&database, &stored(&database), &mut Random::new(5));
    let disk: Arc<dyn Storage> = Arc::new(Disk);
    plant(&disk, &program.path("db"), &database, &planted).expect("planted");
    let (output, error) = program.run("verify 4x4").fails_after_output(1);
    assert!(output.starts_with("4x4 remoteness: NOT sound\nply "), "{output}");
    assert!([", block 0, entry ", "stored ", "\nand "].iter().all(|part| output.contains(part)), "{output}");
    assert!(error.ends_with("fourbase solve 4x4 --values remoteness --replace"), "{error}");
    let (code, said) = program.run("verify 4x4 --json").ended();
    let json = read_json(said.split_inclusive('\n').next().expect("a line"));
    assert_eq!((code, &json["sound"]), (Some(1), &json!(false)));
    let first = &json["faults"][0];
    assert_eq!((&first["kind"], &first["position"]["ply"]), (&json!("value"), &first["ply"]));
    let place = (first["ply"].as_u64(), first["entry"].as_u64());
    assert!(planted.iter().any(|one| (Some(one.ply.into()), Some(one.entry)) == place), "{first}");
}
