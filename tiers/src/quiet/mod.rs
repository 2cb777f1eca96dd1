//! Quiet positions: those whose value cannot be seen on the board, the only ones that are stored.

mod chances;
mod mask;
mod sight;

pub(crate) use chances::can_win;
pub(crate) use mask::{MatrixSight, ShapeSight};
pub(crate) use sight::{ChildSights, sight_without_line};
pub use sight::{Sight, sight};

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use fourbase::{Board, Position};

    use super::*;
    use crate::index::{Index, TierLayout};
    use crate::kernel::Kernel;
    use crate::long;

    #[test]
    fn children_that_are_looked_at_together_look_as_they_do_alone() {
        let mut compared = 0;
        for name in ["4x4", "4x3", "3x5", "4x4c3", "4x4m", "3x3c2m", "8x2c2", "1x8", "3x3c1", "5x3c5"] {
            let board: Board = name.parse().unwrap();
            let mut tier = HashSet::from([Position::start(board)]);
            while !tier.is_empty() {
                let mut next = HashSet::new();
                for position in tier.iter().filter(|position| position.primitive().is_none()) {
                    let sights = (sight(position) == Sight::Quiet).then(|| ChildSights::new(position));
                    for column in position.moves() {
                        let child = position.drop_piece(column);
                        if let Some(sights) = &sights {
                            assert_eq!(sights.of(column), sight(&child), "{position}, column {column}");
                            compared += 1;
                        }
                        if sight(position) == Sight::Forced(column) {
                            assert_eq!(sight_without_line(&child), sight(&child), "{position}, forced");
                        }
                        next.insert(child);
                    }
                }
                tier = next;
            }
        }
        assert!(compared > 100_000, "{compared}");
    }

    #[test]
    fn masks_agree_with_sight_on_every_well_formed_entry_of_small_boards() {
        for name in
            ["4x4", "5x4", "3x6", "4x4c3", "4x4m", "5x3m", "3x3c2m", "1x8", "8x2", "2x2c2", "1x1", "5x3c3", "3x3c1"]
        {
            if ["5x4", "8x2"].contains(&name) && long::skips(format_args!("the masks of {name}")) {
                continue;
            }
            let board: Board = name.parse().unwrap();
            let index = Index::new(board, Kernel::detect()).unwrap();
            let (mut compared, mut quiet_entries) = (0, 0);
            for ply in 0..=board.cells() as u32 {
                let layout = TierLayout::new(&index, ply);
                let mut sight_of_matrix = MatrixSight::default();
                for (number, matrix) in layout.matrices().iter().enumerate().filter(|(_, matrix)| matrix.entries() > 0)
                {
                    let shape = ShapeSight::new(&index, matrix.shape(), ply);
                    sight_of_matrix.prepare(&index, &shape, matrix);
                    let (kernel, words, rows) = (index.kernel(), matrix.words(), matrix.rows as usize);
                    let mut run = Vec::new();
                    for row in 0..rows {
                        // Rows are masked together from any row of a run on, to its end.
                        if row % 64 == 0 || row % 7 == 0 {
                            let together = row..rows.min((row / 64 + 1) * 64);
                            run.clear();
                            run.resize(together.len() * words, u64::MAX);
                            kernel.mask_rows(&mut sight_of_matrix, together, 0..words, &mut run);
                        } else {
                            run.drain(..words);
                        }
                        let quiet = &run[..words];
                        let mut word = [u64::MAX];
                        let last = words - 1..words;
                        kernel.mask_rows(&mut sight_of_matrix, row..row + 1, last, &mut word);
                        assert_eq!(word[0], quiet[words - 1], "a word of one row, {name} ply {ply}");
                        for column in 0..matrix.columns as usize {
                            let rank = layout.first_entry(number) + (row * matrix.columns as usize + column) as u64;
                            let [first, second] = index.split().bitboards(&index.unrank(&layout, rank).unwrap());
                            // Entries with lines of the player to move cannot be positions: any mask will do.
                            let Ok(position) = Position::from_bitboards(board, first, second) else { continue };
                            let is_quiet = quiet[column / 64] >> (column % 64) & 1 == 1;
                            assert_eq!(is_quiet, sight(&position) == Sight::Quiet, "{position}");
                            compared += 1;
                            quiet_entries += u64::from(is_quiet);
                        }
                    }
                }
            }
            println!("{name}: {compared} entries, {quiet_entries} quiet");
        }
    }
}
