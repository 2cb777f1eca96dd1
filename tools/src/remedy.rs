//! What the user can type next after an error: the one place that knows.
//!
//! An error of the libraries carries facts. [`errors`] turns them into advice or a command ([`commands`]), which repeats
//! the options that the user gave ([`given`]), so that the command works on the same database.

mod commands;
mod errors;
mod given;

use std::error::Error;

use fourbase_tiers::files::escaped;

pub use commands::{solve_first, to_play, to_solve};
pub use given::{Given, remember};

/// Returns what to type after an error; `None` where the error itself says it, or where nothing helps.
pub fn of(error: &anyhow::Error) -> Option<String> {
    of_chain(error.chain(), given::given())
}

/// Writes all layers of an error on one line, with its remedy.
pub fn told_whole(error: &anyhow::Error) -> String {
    with_remedy(&format!("{error:#}"), of(error))
}

/// Writes an error on one line, with its remedy.
pub fn told(error: &(dyn Error + 'static)) -> String {
    let chain = std::iter::successors(Some(error), |error| (*error).source());
    let remedy = of_chain(chain, given::given());
    with_remedy(&error.to_string(), remedy)
}

/// Adds a remedy to the text of an error, whose paths may have any characters.
fn with_remedy(error: &str, remedy: Option<String>) -> String {
    let error = escaped(error);
    remedy.map_or_else(|| error.clone(), |remedy| format!("{error}; {remedy}"))
}

/// Finds the first error of a chain that has a remedy.
fn of_chain<'e>(mut chain: impl Iterator<Item = &'e (dyn Error + 'static)>, given: &Given) -> Option<String> {
    chain.find_map(|error| errors::of_one(error, given))
}

/// Tells whether the user's subcommand takes an option.
pub fn takes(option: &str) -> bool {
    given::given().takes(option)
}

/// Says what to do after a search that reached the limit of an option; `solve` would make the search unnecessary.
pub fn after_limit(option: &str, solve: Option<&str>) -> String {
    match solve {
        Some(solve) => format!("allow more with {option}, or solve the board first with: {solve}"),
        None => format!("allow more with {option}, or ask about a later position"),
    }
}

#[cfg(test)]
mod tests {
    use super::errors::{COUNT, more_room};
    use super::*;
    use crate::temporary;
    use crate::unsound::Unsound;
    use fourbase_tiers::counts::CountError;
    use fourbase_tiers::database::DatabaseError;
    use fourbase_tiers::files::{Disk, FileError};
    use fourbase_tiers::format::Manifest;
    use fourbase_tiers::kernel::Values;
    use fourbase_tiers::solve::SolveError;
    use std::path::PathBuf;

    fn remedy(error: &(dyn Error + 'static), given: &Given) -> Option<String> {
        of_chain(std::iter::successors(Some(error), |error| (*error).source()), given)
    }

    #[test]
    fn a_database_with_faults_is_made_again_where_it_is() {
        let unsound = Unsound {
            board: "5x4".parse().unwrap(),
            values: Values::Wdl,
            keep_plies: Some(7),
            folder: PathBuf::from("a/5x4/wdl"),
            faults: 1200,
        };
        assert_eq!(unsound.to_string(), "a/5x4/wdl has 1,200 faults");
        let given = Given { db: Some("a".into()), scratch: Some("s".into()), ..Given::default() };
        let expected =
            "make it again with: fourbase solve 5x4 --values wdl --keep-plies 7 --db a --scratch s --replace";
        assert_eq!(remedy(&unsound, &given).unwrap(), expected);
        assert_eq!(remedy(&std::fmt::Error, &given), None);
    }

    #[test]
    fn every_command_repeats_the_options_that_the_user_gave() {
        let board = "5x4".parse().unwrap();
        let given =
            Given { values: Some("wdl".into()), db: Some("a".into()), scratch: Some("s".into()), ..Given::default() };
        let missing = DatabaseError::Missing { board, root: "a".into() };
        assert_eq!(
            remedy(&missing, &given).unwrap(),
            "make it with: fourbase solve 5x4 --values wdl --db a --scratch s"
        );
        let kept =
            SolveError::Kept { folder: "a/5x4/wdl".into(), board, values: Values::Wdl, found: Some(7), wanted: None };
        let keeps = "keep its plies with: fourbase solve 5x4 --values wdl --keep-plies 7 --db a --scratch s";
        assert_eq!(remedy(&kept, &given).unwrap(), format!("{keeps}, or start over with --replace"));
        let damaged = FileError::Damaged { file: "a/5x4/remoteness/tier-03".into(), offset: 0, what: "cut" };
        assert_eq!(
            remedy(&DatabaseError::from(damaged), &Given::default()).unwrap(),
            "make the database again with: fourbase solve 5x4 --values remoteness --replace"
        );
    }

    #[test]
    fn a_solve_is_resumed_with_the_memory_that_it_had() {
        let stopped = SolveError::Stopped {
            folder: "d9/6x6/remoteness".into(),
            board: "6x6".parse().unwrap(),
            values: Values::Remoteness,
            keep_plies: None,
            done: 1,
            tiers: 37,
        };
        let given = Given { db: Some("d9".into()), memory: Some("1G".into()), ..Given::default() };
        let expected = "resume with: fourbase solve 6x6 --values remoteness --db d9 --memory 1G";
        assert_eq!(remedy(&stopped, &given).unwrap(), expected);
    }

    #[test]
    fn a_database_is_made_again_whatever_file_of_it_is_damaged() {
        let damaged = |file: &str| FileError::Damaged { file: file.into(), offset: 0, what: "cut" };
        let given = Given { board: Some("6x5".into()), scratch: Some("s".into()), ..Given::default() };
        let again = "make the database again with: fourbase solve 6x5";
        let of_log = remedy(&damaged("s/6x5/wdl/0123456789abcdef/frontier-07.0"), &given).unwrap();
        assert_eq!(of_log, format!("{again} --values wdl --scratch s --replace"));
        assert_eq!(remedy(&damaged("elsewhere"), &given).unwrap(), format!("{again} --scratch s --replace"));
    }

    #[test]
    fn a_damaged_database_keeps_its_plies() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("5x4/wdl");
        let board = "5x4".parse().unwrap();
        std::fs::create_dir_all(&folder).unwrap();
        Manifest::new(board, Values::Wdl, Some(7)).write(&Disk, &folder).unwrap();
        let damaged = FileError::Damaged { file: folder.join("tier-03"), offset: 0, what: "cut" };
        assert_eq!(
            remedy(&damaged, &Given::default()).unwrap(),
            "make the database again with: fourbase solve 5x4 --values wdl --keep-plies 7 --replace"
        );
    }

    #[test]
    fn a_folder_in_a_remedy_is_quoted() {
        let folder = "my db; rm x/4x4/count-legal";
        let log = PathBuf::from(folder).join("reached-07.0");
        let source = FileError::Damaged { file: log, offset: 0, what: "cut" };
        let damaged = CountError::Damaged { folder: folder.into(), source };
        let expected = "remove 'my db; rm x/4x4/count-legal' and count again";
        assert_eq!(remedy(&damaged, &Given::default()).unwrap(), expected);
        let missing = DatabaseError::Missing { board: "5x4".parse().unwrap(), root: "-x".into() };
        for (db, written) in [("/x/my db; rm x", " --db '/x/my db; rm x'"), ("-x", " --db=-x")] {
            let given = Given { db: Some(db.into()), ..Given::default() };
            assert_eq!(remedy(&missing, &given).unwrap(), format!("make it with: fourbase solve 5x4{written}"));
        }
    }

    #[test]
    fn a_block_that_is_missing_has_a_remedy_in_every_subcommand() {
        let missing = FileError::NoBlock { folder: "s/6x5/wdl/0123456789abcdef".into(), ply: 7, block: 1 };
        let expected = "make the database again with: fourbase solve 6x5 --values wdl --replace";
        assert_eq!(remedy(&missing, &Given::default()).unwrap(), expected);
    }

    #[test]
    fn a_full_disk_of_temporary_files_has_a_remedy_that_exists() {
        let takes = |subcommand: &str, takes: &[&str]| Given {
            subcommand: subcommand.to_owned(),
            takes: takes.iter().map(|name| name.to_string()).collect(),
            ..Given::default()
        };
        let (board, folder) = ("5x4".parse().unwrap(), temporary::parent().join("fourbase-1"));
        let solve = SolveError::Disk { folder: folder.clone(), board, needed: 2, free: 1 };
        let count = CountError::Disk { folder: folder.clone(), board, needed: 2, free: 1 };
        let written = FileError::Io { file: folder, action: "write", source: std::io::ErrorKind::StorageFull.into() };
        for error in [&solve as &(dyn Error + 'static), &count, &written] {
            let remedy = |given| remedy(error, &given).unwrap();
            assert_eq!(remedy(takes("match", &["db"])), more_room(), "{error}");
            assert!(!remedy(takes("solve", &["db", "scratch"])).contains("TMP"), "{error}");
        }
        assert!(more_room().contains("make room in ") && !more_room().contains("--"));
    }

    #[test]
    fn a_remedy_names_only_options_that_the_subcommand_takes() {
        let takes =
            |names: &[&str]| Given { takes: names.iter().map(|name| name.to_string()).collect(), ..Given::default() };
        let board = "5x4".parse().unwrap();
        let huge = CountError::Memory { board, needed_bytes: 1 << 90, limit_bytes: 1 };
        assert_eq!(remedy(&huge, &takes(&["memory"])).unwrap(), "choose a smaller board");
        let memory = CountError::Memory { board, needed_bytes: 2, limit_bytes: 1 };
        assert_eq!(remedy(&memory, &takes(&[])).unwrap(), "free some memory, or choose a smaller board");
        assert_eq!(remedy(&memory, &takes(&["memory"])).unwrap(), "give a higher --memory, or choose a smaller board");
        let disk = SolveError::Disk { folder: "db".into(), board, needed: 2, free: 1 };
        assert_eq!(remedy(&disk, &takes(&[])).unwrap(), "make room, or choose a smaller board");
        let other_disk = "make room, or choose another disk with --db or --scratch";
        assert_eq!(remedy(&disk, &takes(&["scratch"])).unwrap(), other_disk);
        let missing = DatabaseError::Missing { board, root: "db".into() };
        assert!(remedy(&missing, &takes(&["legal"])).unwrap().ends_with(COUNT));
        let folder = "db/5x4/wdl".into();
        let not_solved = DatabaseError::NotSolved { folder, board, values: Values::Wdl, keep_plies: None, ply: 3 };
        assert!(remedy(&not_solved, &takes(&["search"])).unwrap().ends_with("; or search: --search auto"));
        assert!(remedy(&not_solved, &takes(&[])).unwrap().ends_with("solve 5x4 --values wdl"));
    }
}
