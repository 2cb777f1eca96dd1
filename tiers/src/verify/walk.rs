//! The quiet positions of a run of entries, found one entry after the other.

use std::ops::Range;

use fourbase::Position;

use super::sight::{Seen, look};
use crate::index::{Index, Parts, Spine, TierDirectory, TierLayout, WingShape};

/// Lists the quiet positions among some consecutive entries of a tier, each with its entry. Takes about a tenth of a
/// microsecond an entry.
pub(super) fn quiet_positions(index: &Index, directory: &TierDirectory, entries: Range<u64>) -> Vec<(u64, Position)> {
    let mut quiet = Vec::new();
    if entries.is_empty() {
        return quiet;
    }
    for located in directory.located_from(index, entries.start) {
        let matrix = located.matrix;
        let start = entries.start.max(located.first_entry);
        let end = entries.end.min(located.first_entry + matrix.entries());
        if located.first_entry >= entries.end {
            break;
        }
        if start >= end {
            continue;
        }
        let left = index.colourings(matrix.left, matrix.spine, matrix.left_firsts);
        let right = index.colourings(matrix.right, matrix.spine, matrix.right_firsts);
        let columns = u64::from(matrix.columns);
        // A part of the board that the others leave empty.
        let empty = Parts {
            left: WingShape(0),
            left_bits: 0,
            spine: Spine { height: 0, bits: 0 },
            right: WingShape(0),
            right_bits: 0,
        };
        let left_board = |row: u64| {
            let left_bits = left.get(row as usize).copied().unwrap_or(0);
            index.split().bitboards(&Parts { left: matrix.left, left_bits, spine: matrix.spine, ..empty })
        };
        let right_board = |column: u64| {
            let right_bits = right.get(column as usize).copied().unwrap_or(0);
            index.split().bitboards(&Parts { right: matrix.right, right_bits, ..empty })
        };
        // The right wings come again in every row.
        let inside = start - located.first_entry;
        let rights: Vec<[u64; 2]> =
            (0..columns.min(end - start)).map(|step| right_board((inside + step) % columns)).collect();
        let mut row = inside / columns;
        let mut row_board = left_board(row);
        for (entry, right) in (start..end).zip(rights.iter().cycle()) {
            let entry_row = (entry - located.first_entry) / columns;
            if entry_row != row {
                (row, row_board) = (entry_row, left_board(entry_row));
            }
            let [first, second] = [row_board[0] | right[0], row_board[1] | right[1]];
            // Entries where both players have lines, or the one to move, are no positions.
            let position = Position::from_bitboards(index.board(), first, second).ok();
            quiet.extend(position.filter(|position| look(position) == Seen::Quiet).map(|position| (entry, position)));
        }
    }
    quiet
}

/// Returns the position of an entry; `None` for an entry that is none, because both players have lines in it, or the
/// one to move.
pub(super) fn position_of(index: &Index, layout: &TierLayout, entry: u64) -> Option<Position> {
    let [first, second] = index.split().bitboards(&index.unrank(layout, entry)?);
    Position::from_bitboards(index.board(), first, second).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;
    use crate::long;
    use crate::quiet::{Sight, sight};

    #[test]
    fn a_walk_finds_the_quiet_positions_of_any_run_of_entries() {
        for name in ["4x4", "5x3", "3x6", "4x4c3", "4x4m", "5x3m", "3x3c2m", "1x8", "8x2", "2x2c2", "1x1", "3x3c1"] {
            if ["3x6", "8x2"].contains(&name) && long::skips(format_args!("walks of {name}")) {
                continue;
            }
            let index = Index::new(name.parse().unwrap(), Kernel::portable()).unwrap();
            let mut found = 0;
            for ply in 0..=index.board().cells() as u32 {
                let (layout, directory) = (TierLayout::new(&index, ply), TierDirectory::new(&index, ply));
                let position_of = |entry: u64| Some((entry, position_of(&index, &layout, entry)?));
                let is_quiet = |(_, position): &(u64, Position)| sight(position) == Sight::Quiet;
                for each in [37, 256, u64::MAX] {
                    let ends = |start: u64| layout.entries().min(start.saturating_add(each));
                    let starts = (0..layout.entries()).step_by(usize::try_from(each).unwrap_or(usize::MAX));
                    for run in starts.map(|start| start..ends(start)) {
                        let expected: Vec<_> = run.clone().filter_map(position_of).filter(is_quiet).collect();
                        found += expected.len();
                        assert_eq!(quiet_positions(&index, &directory, run), expected, "{name} ply {ply}");
                    }
                }
            }
            println!("{name}: {found} quiet positions in runs of three lengths");
        }
    }
}
