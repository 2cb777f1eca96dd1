//! What a remedy repeats of the user's command.

use std::ffi::OsString;
use std::sync::OnceLock;

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use fourbase_tiers::kernel::Values;

use crate::quote::option;

/// The options, as they were typed; `None` for what was left out.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Given {
    pub board: Option<OsString>,
    pub values: Option<OsString>,
    pub keep_plies: Option<OsString>,
    pub db: Option<OsString>,
    pub scratch: Option<OsString>,
    /// Of `solve` alone: the `--memory` of another command limits something else, and could be too little for a solve.
    pub memory: Option<OsString>,
    /// The players of `play`.
    pub first: Option<OsString>,
    pub second: Option<OsString>,
    /// The name of the subcommand.
    pub subcommand: String,
    /// The names of all options that the subcommand takes, given or not.
    pub takes: Vec<String>,
}

impl Given {
    /// Takes the options from the arguments of a subcommand. A default counts as left out, and so does `$FOURBASE_DB`:
    /// the next command finds both by itself.
    pub fn of(subcommand: &Command, matches: &ArgMatches) -> Given {
        let typed = |id: &str| {
            // A subcommand without this option is an error of the look-up, and gives nothing.
            let mut texts = matches.try_get_raw(id).ok()??;
            let text = texts.next()?.to_os_string();
            (matches.value_source(id) == Some(ValueSource::CommandLine)).then_some(text)
        };
        Given {
            board: typed("board"),
            values: typed("values"),
            keep_plies: typed("keep_plies"),
            db: typed("db"),
            scratch: typed("scratch"),
            memory: typed("memory").filter(|_| subcommand.get_name() == "solve"),
            first: typed("first"),
            second: typed("second"),
            subcommand: subcommand.get_name().to_owned(),
            takes: subcommand.get_arguments().filter_map(|argument| argument.get_long().map(str::to_owned)).collect(),
        }
    }

    /// Tells whether the user's subcommand takes an option.
    pub fn takes(&self, name: &str) -> bool {
        self.takes.iter().any(|taken| taken == name)
    }

    /// Tells whether what the subcommand solves and counts goes into a temporary folder.
    pub fn is_temporary(&self) -> bool {
        ["match", "grade"].contains(&self.subcommand.as_str())
    }

    /// Writes the options for the end of a `solve`, each after a space.
    pub fn options(&self) -> String {
        let Given { values, keep_plies, db, scratch, memory, .. } = self;
        let folders = [("db", db), ("scratch", scratch)];
        let options = [("values", values), ("keep-plies", keep_plies)].into_iter().chain(folders);
        written(options.chain([("memory", memory)]))
    }

    /// Returns the same options for a database whose values and kept plies are known.
    pub fn of_database(&self, values: Values, keep_plies: Option<u32>) -> Given {
        let values = Some(values.to_string().into());
        Given { values, keep_plies: keep_plies.map(|most| most.to_string().into()), ..self.clone() }
    }
}

/// Writes those of some options that were given, each after a space.
pub fn written<'g>(options: impl IntoIterator<Item = (&'g str, &'g Option<OsString>)>) -> String {
    options.into_iter().filter_map(|(name, value)| Some(option(name, value.as_ref()?))).collect()
}

static GIVEN: OnceLock<Given> = OnceLock::new();

/// Remembers the options of the user's command, for all remedies of this run.
pub fn remember(given: Given) {
    let _ = GIVEN.set(given);
}

/// Returns the remembered options; none before there are any.
pub fn given() -> &'static Given {
    GIVEN.get_or_init(Given::default)
}
