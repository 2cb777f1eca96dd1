//! How much the tests do: as much as shows every guarantee, or all that there is. And with which random input.
//!
//! The ordinary run takes small boards and samples. With `FOURBASE_LONG_TESTS=1` a test takes all of them. Random input is the
//! same in every run, and other one with `FOURBASE_SEED=N`.

use std::env;
use std::fmt::Display;

/// Asks for the long run.
pub const VARIABLE: &str = "FOURBASE_LONG_TESTS";

/// Whether this is the long run.
pub fn is_long() -> bool {
    match env::var(VARIABLE).as_deref() {
        Ok("1") => true,
        Ok("" | "0") | Err(env::VarError::NotPresent) => false,
        other => panic!("{VARIABLE} is 1 or not set, not {other:?}"),
    }
}

/// Chooses what the ordinary run takes or what the long run takes.
pub fn scale<T>(short: T, long: T) -> T {
    if is_long() { long } else { short }
}

/// Tells, in the ordinary run, what it leaves out; returns whether this is the ordinary run.
pub fn skips(what: impl Display) -> bool {
    if !is_long() {
        println!("long run only: {what}; set {VARIABLE}=1");
    }
    !is_long()
}

/// In the long run all of these, otherwise every `stride`th from the first; tells so.
pub fn every<T>(stride: usize, all: Vec<T>, what: impl Display) -> Vec<T> {
    if stride == 1 || !skips(format_args!("all but every {stride}th of {} {what}", all.len())) {
        return all;
    }
    all.into_iter().step_by(stride).collect()
}

/// Gives all tests other random input.
const SEED: &str = "FOURBASE_SEED";

/// The seed of a test's random input: `fixed`, or with `FOURBASE_SEED=N`, which is printed, a number that depends on both.
pub fn seed(fixed: u64) -> u64 {
    let Ok(fresh) = env::var(SEED) else { return fixed };
    println!("{SEED}={fresh}");
    let fresh: u64 = fresh.parse().unwrap_or_else(|error| panic!("{SEED} is a number, not {fresh:?}: {error}"));
    // Two odd numbers, neither of them the step of SplitMix64, whose sequences would overlap.
    fresh.wrapping_mul(0xd134_2543_de82_ef95) ^ fixed.wrapping_mul(0xaef1_7502_108e_f2d9)
}
