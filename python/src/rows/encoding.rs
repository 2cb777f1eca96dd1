//! The names of the encodings.

use fourbase::excerpt;
use pyo3::PyResult;

use crate::failure::exception;

/// How a batch of positions is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    Moves,
    Bits,
    Uni,
    Positions,
    Bitboards,
    Array,
    PettingZoo,
    OpenSpiel,
    Egocentric,
    Kaggle,
    Uci,
}

/// Every encoding and its name.
const NAMES: [(&str, Encoding); 11] = [
    ("moves", Encoding::Moves),
    ("bits", Encoding::Bits),
    ("uni", Encoding::Uni),
    ("positions", Encoding::Positions),
    ("bitboards", Encoding::Bitboards),
    ("array", Encoding::Array),
    ("pettingzoo", Encoding::PettingZoo),
    ("openspiel", Encoding::OpenSpiel),
    ("openspiel-egocentric", Encoding::Egocentric),
    ("kaggle", Encoding::Kaggle),
    ("uci", Encoding::Uci),
];

impl Encoding {
    /// Returns the encoding with a name.
    pub fn named(name: &str) -> PyResult<Encoding> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, encoding)| *encoding).ok_or_else(|| {
            let names = NAMES.map(|(name, _)| name).join(", ");
            exception("EncodingError", format!("the encoding {:?} is unknown; write one of {names}", excerpt(name, 40)))
        })
    }

    /// Returns the name.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, encoding)| *encoding == self).map_or("", |(name, _)| name)
    }
}
