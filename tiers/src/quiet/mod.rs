//! Quiet positions: those whose value cannot be seen on the board, the only ones that are stored.

mod mask;
mod sight;

pub(crate) use mask::{MatrixSight, ShapeSight};
pub use sight::{Sight, sight};

#[cfg(test)]
mod tests {
    use fourbase::{Board, Position};

    use super::*;
    use crate::index::{Index, TierLayout};
    use crate::kernel::Kernel;
    use crate::long;

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
                    let mut quiet = vec![0; matrix.words()];
                    for row in 0..matrix.rows as usize {
                        if !sight_of_matrix.row(row, 0, &mut quiet) {
                            quiet.fill(0);
                        }
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
