//! Lists on the command line: plies, and columns.

use std::str::FromStr;

use fourbase::excerpt;
use fourbase_tiers::dataset::Column;

/// How much of a wrong text the error repeats.
const EXCERPT_BYTES: usize = 40;

/// No board has a later ply.
const MOST_PLY: u32 = 64;

/// Some plies: `8`, `0-10` or `0-10,12`; in order, each once.
#[derive(Clone, Debug)]
pub struct PlyList(pub Vec<u32>);

impl FromStr for PlyList {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<PlyList> {
        let number = |text: &str| text.parse::<u32>().ok().filter(|ply| *ply <= MOST_PLY && !text.starts_with('+'));
        let range = |part: &str| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            Some(number(first)?..=number(last)?).filter(|range| !range.is_empty())
        };
        let ranges: Option<Vec<_>> = text.split(',').map(range).collect();
        let mut plies: Vec<u32> = ranges.unwrap_or_default().into_iter().flatten().collect();
        plies.sort_unstable();
        plies.dedup();
        if plies.is_empty() {
            let text = excerpt(text, EXCERPT_BYTES);
            anyhow::bail!("\"{text}\" is no list of plies from 0 to {MOST_PLY}; write it like 8 or 0-10,12");
        }
        Ok(PlyList(plies))
    }
}

/// Some columns: `moves,value`.
#[derive(Clone, Debug)]
pub struct ColumnList(pub Vec<Column>);

impl FromStr for ColumnList {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<ColumnList> {
        let column = |name: &str| {
            Column::named(name).ok_or_else(|| {
                let names = Column::ALL.map(Column::name).join(", ");
                anyhow::anyhow!("\"{}\" is no column; the columns are {names}", excerpt(name, EXCERPT_BYTES))
            })
        };
        text.split(',').map(column).collect::<anyhow::Result<_>>().map(ColumnList)
    }
}

#[cfg(test)]
mod tests {
    use fourbase_tiers::dataset::ply_ranges;

    use super::*;

    #[test]
    fn plies_are_numbers_and_ranges_in_any_order() {
        let read = |text: &str| text.parse::<PlyList>().map(|PlyList(plies)| ply_ranges(&plies)).ok();
        assert_eq!(read("8").as_deref(), Some("8"));
        assert_eq!(read("12,3-5,0-3").as_deref(), Some("0-5,12"));
        assert_eq!(read("4-5").as_deref(), Some("4-5"));
        for text in ["", ",", "5-4", "-1", "1-", "65", "0-99999999999", "+1", "1,,2", "a"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn columns_are_named() {
        let ColumnList(columns) = "value,moves".parse().unwrap();
        assert_eq!(columns, [Column::Value, Column::Moves]);
        let error = "value,colour".parse::<ColumnList>().unwrap_err().to_string();
        assert!(error.starts_with("\"colour\" is no column; the columns are moves, bits"), "{error}");
    }
}
