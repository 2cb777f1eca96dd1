//! Outcomes as bit planes: an absolute, ordered code.
//!
//! Every outcome of a position is a number that grows with how well the *first* player does: 0 is a tie, a first
//! player's win at the latest possible ply is 1, two plies earlier 2, and so on; a second player's win at its latest
//! possible ply is -1, two plies earlier -2. The ply at which the game ends is absolute, so an outcome has the same
//! number in child and parent, and a parent is the **maximum** of its children when the first player is to move and
//! their **minimum** when the second is. A word of plane `p` holds bit `p` of the numbers of 64 positions.
//!
//! * [`Wdl`] keeps the sign only, in two planes: "the first player does not lose" and "the first player wins". In this
//!   thermometer code, maximum and minimum are OR and AND.
//! * [`Ordered`] keeps the number in biased binary (`P` planes add `2^(P-1)`), so that two numbers are compared plane
//!   by plane from the lowest up. A tier with few plies left has few outcomes left and gets fewer planes. A child with
//!   one plane less than its parent is widened while it is read.

use fourbase::{Board, Outcome, Player, Value, excerpt};

/// Which values a solve computes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Values {
    /// Win, lose or tie.
    Wdl,
    /// Win, lose or tie, and in how many plies.
    Remoteness,
}

impl std::fmt::Display for Values {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Values::Wdl => "wdl",
            Values::Remoteness => "remoteness",
        })
    }
}

/// Reads the names that `Display` of [`Values`] writes.
///
/// ```
/// use fourbase_kernels::Values;
///
/// assert_eq!("wdl".parse(), Ok(Values::Wdl));
/// assert_eq!("plies".parse::<Values>().unwrap_err().to_string(), "expected wdl or remoteness, found \"plies\"");
/// ```
impl std::str::FromStr for Values {
    type Err = ValuesError;

    fn from_str(text: &str) -> Result<Values, ValuesError> {
        let found = [Values::Wdl, Values::Remoteness].into_iter().find(|values| values.to_string() == text);
        found.ok_or_else(|| ValuesError { found: excerpt(text, 20) })
    }
}

/// The error for a text that is neither `wdl` nor `remoteness`.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected wdl or remoteness, found \"{found}\"")]
pub struct ValuesError {
    /// The text, or the beginning of it.
    pub found: String,
}

/// How the planes of one tier encode its outcomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Coding {
    /// Which values are encoded.
    pub values: Values,
    ply: u32,
    /// Latest ply at which the first and the second player can win.
    latest: [u32; 2],
    cells: u32,
    /// The number of planes: 2 for wdl, 2 to 7 with remoteness.
    pub planes: usize,
}

/// The most planes of any coding: a board of 64 cells has 65 outcomes.
pub const MAX_PLANES: usize = 7;

impl Coding {
    /// Returns the coding of the tier with `ply` pieces.
    pub fn new(board: Board, values: Values, ply: u32) -> Coding {
        let cells = board.cells() as u32;
        // The first player's pieces land on odd plies. So the first player wins on odd plies; under misère the second
        // player does.
        let first_parity = u32::from(!board.is_misere());
        let latest = [first_parity, 1 - first_parity]
            .map(|parity| if cells % 2 == parity { cells } else { cells.saturating_sub(1) });
        let mut coding = Coding { values, ply, latest, cells, planes: 2 };
        if values == Values::Remoteness {
            let most = latest.map(|latest| if latest >= ply { (latest - ply) / 2 + 1 } else { 0 });
            while most[0] > (1 << (coding.planes - 1)) - 1 || most[1] > 1 << (coding.planes - 1) {
                coding.planes += 1;
            }
        }
        coding
    }

    /// Returns the code of a win by `winner` at ply `end`, or of a tie (`None`). Bit `p` belongs to plane `p`.
    pub fn encode(&self, winner: Option<Player>, end: u32) -> u8 {
        let number = match winner {
            None => 0,
            Some(Player::First) => ((self.latest[0] - end) / 2) as i32 + 1,
            Some(Player::Second) => -(((self.latest[1] - end) / 2) as i32) - 1,
        };
        match self.values {
            Values::Wdl => [0b00, 0b01, 0b11][(number.signum() + 1) as usize],
            Values::Remoteness => (number + (1 << (self.planes - 1))) as u8,
        }
    }

    /// Returns the outcome, for the player to move, that a code stands for; `None` if no outcome has that code.
    pub fn decode(&self, code: u8) -> Option<Outcome> {
        let mover = Player::to_move(self.ply);
        let number = match self.values {
            Values::Wdl => [Some(-1), Some(0), None, Some(1)][usize::from(code & 3)]?,
            Values::Remoteness => i32::from(code) - (1 << (self.planes - 1)),
        };
        let (value, end) = match number {
            0 => (Value::Tie, self.cells),
            n => {
                let (winner, latest) =
                    if n > 0 { (Player::First, self.latest[0]) } else { (Player::Second, self.latest[1]) };
                let value = if winner == mover { Value::Win } else { Value::Lose };
                (value, latest.checked_sub(2 * (n.unsigned_abs() - 1))?)
            }
        };
        let remoteness = match self.values {
            Values::Wdl => None,
            Values::Remoteness => Some(end.checked_sub(self.ply)?),
        };
        Some(Outcome { value, remoteness })
    }
}

/// Compares the outcomes of many positions at once, in `P` planes.
pub trait Code<const P: usize>: Copy {
    /// Returns whether children have one plane less than the tier, so that a plane is added while they are read.
    fn narrow(self) -> bool;

    /// Returns the number of planes of a child.
    #[inline(always)]
    fn child_planes(self) -> usize {
        P - usize::from(self.narrow())
    }

    /// Returns the word that each plane holds if all of its 64 positions have the worst outcome.
    fn worst(self) -> u64;

    /// Replaces `best` by `other` at each position under `mask` where `other` is better. `other` must be 0 outside of
    /// `mask`.
    fn better<const N: usize>(self, best: &mut [[u64; N]; P], other: &[[u64; N]; P], mask: &[u64; N]);
}

/// The sign of the outcome: planes "the first player does not lose" and "the first player wins". If `MAX`, the
/// greater outcome is better, else the smaller.
#[derive(Clone, Copy)]
pub struct Wdl<const MAX: bool>;

impl<const P: usize, const MAX: bool> Code<P> for Wdl<MAX> {
    #[inline(always)]
    fn narrow(self) -> bool {
        false
    }

    #[inline(always)]
    fn worst(self) -> u64 {
        if MAX { 0 } else { u64::MAX }
    }

    #[inline(always)]
    fn better<const N: usize>(self, best: &mut [[u64; N]; P], other: &[[u64; N]; P], mask: &[u64; N]) {
        for p in 0..P {
            for n in 0..N {
                if MAX {
                    best[p][n] |= other[p][n];
                } else {
                    best[p][n] &= other[p][n] | !mask[n];
                }
            }
        }
    }
}

/// The outcome's number in biased binary.
#[derive(Clone, Copy)]
pub struct Ordered<M, W> {
    /// Whether the greater of two numbers is the better one.
    pub maximise: M,
    /// Whether children have one plane less.
    pub narrow: W,
}

/// A fact that is known at compile time ([`Known`]) or at run time (`bool`). If the direction (maximum or minimum) is
/// known at compile time, this saves one instruction in nine; a known number of planes saves 4 % of a solve's time.
/// Each of the two adds a compiled loop.
pub trait Fact: Copy {
    /// Returns whether the fact holds.
    fn holds(self) -> bool;
}

#[derive(Clone, Copy)]
pub struct Known<const HOLDS: bool>;

impl<const HOLDS: bool> Fact for Known<HOLDS> {
    #[inline(always)]
    fn holds(self) -> bool {
        HOLDS
    }
}

impl Fact for bool {
    #[inline(always)]
    fn holds(self) -> bool {
        self
    }
}

impl<const P: usize, M: Fact, W: Fact> Code<P> for Ordered<M, W> {
    #[inline(always)]
    fn narrow(self) -> bool {
        self.narrow.holds()
    }

    #[inline(always)]
    fn worst(self) -> u64 {
        if self.maximise.holds() { 0 } else { u64::MAX }
    }

    #[inline(always)]
    fn better<const N: usize>(self, best: &mut [[u64; N]; P], other: &[[u64; N]; P], mask: &[u64; N]) {
        let worst = <Self as Code<P>>::worst(self);
        // From the lowest plane up, `takes` becomes the bit of `other` in the highest plane that differs: 1 where
        // `other` is greater, 0 where it is smaller. Where no plane differs it stays `worst`, and nothing is replaced.
        let mut takes = [worst; N];
        for p in 0..P {
            for n in 0..N {
                let (b, o) = (best[p][n], other[p][n]);
                takes[n] ^= (o ^ b) & (takes[n] ^ o);
            }
        }
        for n in 0..N {
            takes[n] = (takes[n] ^ worst) & mask[n];
        }
        for p in 0..P {
            for n in 0..N {
                best[p][n] ^= (best[p][n] ^ other[p][n]) & takes[n];
            }
        }
    }
}
