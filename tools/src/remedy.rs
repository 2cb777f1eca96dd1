//! What the user can type next after an error.
//!
//! An error carries facts. This file turns them into a command, and repeats the options that the user gave, so that the
//! command works on the same database with the same limits.

use std::ffi::OsString;

use clap::ArgMatches;
use clap::parser::ValueSource;

use crate::verify::unsound::Unsound;

/// The options of the user's command that a remedy repeats, as they were typed; `None` for an option that was left out.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Given {
    pub values: Option<OsString>,
    pub keep_plies: Option<OsString>,
    pub db: Option<OsString>,
    pub scratch: Option<OsString>,
    pub memory: Option<OsString>,
}

impl Given {
    /// Takes the options from the arguments of a subcommand. Defaults are not given, and `$FOURBASE_DB` needs no repeating.
    pub fn of(matches: &ArgMatches) -> Given {
        let typed = |id: &str| {
            // A subcommand without this option is an error of the look-up, and gives nothing.
            let mut texts = matches.try_get_raw(id).ok()??;
            let text = texts.next()?.to_os_string();
            (matches.value_source(id) == Some(ValueSource::CommandLine)).then_some(text)
        };
        Given {
            values: typed("values"),
            keep_plies: typed("keep_plies"),
            db: typed("db"),
            scratch: typed("scratch"),
            memory: typed("memory"),
        }
    }

    /// Writes the options for the end of a command, each after a space.
    pub fn options(&self) -> String {
        let Given { values, keep_plies, db, scratch, memory } = self;
        let options =
            [("values", values), ("keep-plies", keep_plies), ("db", db), ("scratch", scratch), ("memory", memory)];
        let given = options.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
        given.map(|(name, value)| format!(" --{name} {}", value.display())).collect()
    }
}

/// Returns what to type after an error; `None` where the error itself says it, or where nothing helps.
pub fn of(error: &anyhow::Error, given: &Given) -> Option<String> {
    let Unsound { board, values, keep_plies, .. } = error.downcast_ref()?;
    let given = Given {
        values: Some(values.to_string().into()),
        keep_plies: keep_plies.map(|most| most.to_string().into()),
        ..given.clone()
    };
    Some(format!("make it again with: fourbase solve {board} --replace{}", given.options()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fourbase_tiers::kernel::Values;
    use std::path::PathBuf;

    #[test]
    fn a_database_with_faults_is_made_again_where_it_is() {
        let unsound = Unsound {
            board: "5x4".parse().unwrap(),
            values: Values::Wdl,
            keep_plies: Some(7),
            folder: PathBuf::from("a/5x4/wdl"),
            faults: 1200,
        };
        let error = anyhow::Error::from(unsound);
        assert_eq!(error.to_string(), "a/5x4/wdl has 1,200 faults");
        let given = Given { db: Some("a".into()), memory: Some("1G".into()), ..Given::default() };
        let expected =
            "make it again with: fourbase solve 5x4 --replace --values wdl --keep-plies 7 --db a --memory 1G";
        assert_eq!(of(&error, &given).unwrap(), expected);
        assert_eq!(of(&anyhow::anyhow!("disk full"), &given), None);
    }
}
