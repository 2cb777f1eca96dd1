//! What others have published about boards with four in a row.
//!
//! * Legal positions: Markus Böck, [arXiv 2507.05267](https://arxiv.org/abs/2507.05267), and, up to 8 columns and rows,
//!   John Tromp, <https://tromp.github.io/c4/c4.html>; the two agree wherever both have a figure. Misère does not change
//!   which positions are legal.
//! * Values of the empty board: John Tromp, the same page.
//! * Plies of a perfect game: Christophe Steininger, c4. A tie lasts until the board is full.

use fourbase::{Board, Outcome, Value};

/// What is published about a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Published {
    /// The empty board, for the player to move; the remoteness is not known of all boards.
    pub outcome: Option<Outcome>,
    /// Legal positions: those that play reaches which stops at the first line. Mirror images count apart.
    pub legal: Option<u64>,
}

/// Returns what is published about a board; `None` where that is nothing.
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
    let name = format!("{}x{}", board.width(), board.height());
    let mut fields = FIGURES
        .lines()
        .map(str::split_whitespace)
        .find_map(|mut fields| (fields.next() == Some(name.as_str())).then_some(fields))?;
    let legal = fields.next().and_then(|count| count.replace('_', "").parse().ok());
    let value = match fields.next() {
        Some("win") => Some(Value::Win),
        Some("tie") => Some(Value::Tie),
        Some("lose") => Some(Value::Lose),
        _ => None,
    };
    let remoteness = fields.next().and_then(|plies| plies.parse().ok());
    let outcome = value.filter(|_| !board.is_misere()).map(|value| Outcome { value, remoteness });
    (outcome.is_some() || legal.is_some()).then_some(Published { outcome, legal })
}

/// Board, legal positions, value of the empty board, plies of a perfect game.
const FIGURES: &str = "
1x1 2 ? ?
1x2 3 ? ?
1x3 4 ? ?
1x4 5 ? ?
1x5 6 ? ?
1x6 7 ? ?
1x7 8 ? ?
1x8 9 ? ?
1x9 10 ? ?
1x10 11 ? ?
1x11 12 ? ?
1x12 13 ? ?
1x13 14 ? ?
2x1 5 ? ?
2x2 18 ? ?
2x3 58 ? ?
2x4 179 ? ?
2x5 537 ? ?
2x6 1_571 ? ?
2x7 4_587 ? ?
2x8 13_343 ? ?
2x9 38_943 ? ?
2x10 113_835 ? ?
2x11 333_745 ? ?
2x12 980_684 ? ?
2x13 2_888_780 ? ?
3x1 13 ? ?
3x2 116 ? ?
3x3 869 ? ?
3x4 6_000 ? ?
3x5 38_310 ? ?
3x6 235_781 ? ?
3x7 1_417_322 ? ?
3x8 8_424_616 ? ?
3x9 49_867_996 ? ?
3x10 294_664_010 ? ?
3x11 1_741_288_730 ? ?
3x12 10_300_852_227 ? ?
3x13 61_028_884_959 ? ?
4x1 35 ? ?
4x2 741 ? ?
4x3 12_031 ? ?
4x4 161_029 tie 16
4x5 1_706_255 tie 20
4x6 15_835_683 tie 24
4x7 135_385_909 tie 28
4x8 1_104_642_469 tie 32
4x9 8_754_703_921 tie 36
4x10 67_916_896_758 tie 40
4x11 519_325_538_608 tie 44
5x1 96 ? ?
5x2 4_688 ? ?
5x3 158_911 ? ?
5x4 3_945_711 tie 20
5x5 69_763_700 tie 25
5x6 1_044_334_437 tie 30
5x7 14_171_315_454 tie 35
5x8 182_795_971_462 tie 40
5x9 2_284_654_770_108 tie 45
5x10 ? tie 50
6x1 267 ? ?
6x2 29_737 ? ?
6x3 2_087_325 ? ?
6x4 94_910_577 lose ?
6x5 2_818_972_642 tie 30
6x6 69_173_028_785 lose 36
6x7 1_523_281_696_228 win 41
6x8 31_936_554_362_084 lose 48
6x9 ? win ?
7x1 750 ? ?
7x2 189_648 ? ?
7x3 27_441_956 ? ?
7x4 2_265_792_710 tie 28
7x5 112_829_665_923 tie 35
7x6 4_531_985_219_092 win 41
7x7 161_965_120_344_045 tie 49
7x8 ? win ?
8x1 2_118 ? ?
8x2 1_216_721 ? ?
8x3 362_940_958 ? ?
8x4 54_233_186_631 lose 32
8x5 4_499_431_376_127 win 39
8x6 290_433_534_225_566 lose 48
8x7 ? win 53
8x8 ? lose ?
9x1 6_010 ? ?
9x2 7_844_298 ? ?
9x3 4_816_325_017 ? ?
9x4 1_295_362_125_552 lose 36
9x5 178_942_601_291_926 win 41
9x6 ? lose 52
10x1 17_120 ? ?
10x2 50_780_523 ? ?
10x3 64_137_689_503 ? ?
10x4 30_932_968_221_097 lose 40
10x5 ? win ?
11x1 48_930 ? ?
11x2 329_842_064 ? ?
11x4 738_548_749_700_312 lose ?
12x1 140_243 ? ?
12x2 2_148_495_091 ? ?
13x1 402_956 ? ?
13x2 14_027_829_516 ? ?
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_understood() {
        let mut boards = std::collections::BTreeSet::new();
        for line in FIGURES.lines().filter(|line| !line.is_empty()) {
            let name = line.split_whitespace().next().unwrap();
            let board: Board = name.parse().unwrap();
            assert!(boards.insert(board.to_string()), "{name} twice");
            let published = published(board).unwrap();
            assert_eq!(published.outcome.is_some(), !line.contains("? ?"), "{line}");
            assert!(published.legal.is_none_or(|legal| line.replace('_', "").contains(&legal.to_string())), "{line}");
        }
        assert_eq!(boards.len(), 103);
    }

    #[test]
    fn misere_has_the_same_positions_and_no_published_value() {
        let [normal, misere] = ["5x4", "5x4m"].map(|name| published(name.parse().unwrap()).unwrap());
        assert_eq!((normal.legal, misere.legal, misere.outcome), (Some(3_945_711), Some(3_945_711), None));
        assert_eq!(normal.outcome, Some(Outcome { value: Value::Tie, remoteness: Some(20) }));
    }
}
