//! Published results about boards with four in a row.
//!
//! * Legal positions: Markus Böck, [arXiv 2507.05267](https://arxiv.org/abs/2507.05267), and, up to 8 columns and rows,
//!   John Tromp, <https://tromp.github.io/c4/c4.html>; the two agree wherever both have a figure. Misère does not change
//!   which positions are legal.
//! * Values of the empty board: John Tromp, the same page.
//! * Plies of a perfect game: Christophe Steininger, c4. A tie lasts until the board is full.

use fourbase::{Board, Outcome, Value};

/// Legal positions: one line per width from 1 on, one number per height from 1 on.
const LEGAL: &str = "\
2 3 4 5 6 7 8 9 10 11 12 13 14
5 18 58 179 537 1_571 4_587 13_343 38_943 113_835 333_745 980_684 2_888_780
13 116 869 6_000 38_310 235_781 1_417_322 8_424_616 49_867_996 294_664_010 1_741_288_730 10_300_852_227 61_028_884_959
35 741 12_031 161_029 1_706_255 15_835_683 135_385_909 1_104_642_469 8_754_703_921 67_916_896_758 519_325_538_608
96 4_688 158_911 3_945_711 69_763_700 1_044_334_437 14_171_315_454 182_795_971_462 2_284_654_770_108
267 29_737 2_087_325 94_910_577 2_818_972_642 69_173_028_785 1_523_281_696_228 31_936_554_362_084
750 189_648 27_441_956 2_265_792_710 112_829_665_923 4_531_985_219_092 161_965_120_344_045
2_118 1_216_721 362_940_958 54_233_186_631 4_499_431_376_127 290_433_534_225_566
6_010 7_844_298 4_816_325_017 1_295_362_125_552 178_942_601_291_926
17_120 50_780_523 64_137_689_503 30_932_968_221_097
48_930 329_842_064 ? 738_548_749_700_312
140_243 2_148_495_091
402_956 14_027_829_516";

/// The published results about a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Published {
    /// The outcome of the empty board for the player to move; of some boards the remoteness is unknown.
    pub outcome: Option<Outcome>,
    /// The number of positions that play reaches if it stops at the first line. Mirror images count separately.
    pub legal: Option<u64>,
}

/// Returns the published results about a board; `None` if there are none.
///
/// ```
/// use fourbase_tiers::verify::published;
///
/// assert_eq!(published("5x5".parse()?).and_then(|board| board.legal), Some(69_763_700));
/// assert_eq!(published("5x5c3".parse()?), None);
/// # Ok::<(), fourbase::BoardError>(())
/// ```
pub fn published(board: Board) -> Option<Published> {
    if board.connect() != 4 {
        return None;
    }
    let heights = LEGAL.lines().nth(board.width() - 1);
    let legal = heights.and_then(|heights| heights.split(' ').nth(board.height() - 1)?.replace('_', "").parse().ok());
    let outcome = outcome(board).filter(|_| !board.is_misere());
    (outcome.is_some() || legal.is_some()).then_some(Published { outcome, legal })
}

/// Returns the outcome of the empty board.
fn outcome(board: Board) -> Option<Outcome> {
    let (value, remoteness) = match (board.width(), board.height()) {
        (4, 4..=11) | (5, 4..=10) | (6, 5) | (7, 4 | 5 | 7) => (Value::Tie, Some(board.cells() as u32)),
        (6, 7) | (7, 6) | (9, 5) => (Value::Win, Some(41)),
        (8, 5) => (Value::Win, Some(39)),
        (8, 7) => (Value::Win, Some(53)),
        (6, 9) | (7, 8) | (10, 5) => (Value::Win, None),
        (8, 4) => (Value::Lose, Some(32)),
        (6, 6) | (9, 4) => (Value::Lose, Some(36)),
        (10, 4) => (Value::Lose, Some(40)),
        (6, 8) | (8, 6) => (Value::Lose, Some(48)),
        (9, 6) => (Value::Lose, Some(52)),
        (6, 4) | (8, 8) | (11, 4) => (Value::Lose, None),
        _ => return None,
    };
    Some(Outcome { value, remoteness })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_is_found_by_its_board() {
        let boards = (1..=13).flat_map(|width| (1..=13).map(move |height| (width, height)));
        let found: Vec<Published> =
            boards.filter_map(|(width, height)| published(Board::new(width, height, 4, false).ok()?)).collect();
        let count = |has: fn(&Published) -> bool| found.iter().filter(|of| has(of)).count();
        assert_eq!((found.len(), count(|of| of.legal.is_some()), count(|of| of.outcome.is_some())), (103, 96, 37));
        let legal = |name: &str| published(name.parse().unwrap()).and_then(|published| published.legal);
        assert_eq!(legal("13x2"), Some(14_027_829_516));
        assert_eq!(["6x6", "6x6m"].map(legal), [Some(69_173_028_785); 2]);
    }
}
