//! Orders in which columns are tried.

/// Lists the columns of a board from the centre outwards, the left one of two that are equally central first.
pub(super) fn central_first(width: usize) -> Vec<usize> {
    let mut columns = (0..width).collect::<Vec<_>>();
    // Twice the distance from the middle; the sort is stable.
    columns.sort_by_key(|&column| (2 * column).abs_diff(width - 1));
    columns
}

#[cfg(test)]
mod tests {
    use super::central_first;

    #[test]
    fn columns_come_from_the_centre_outwards() {
        assert_eq!(central_first(7), [3, 2, 4, 1, 5, 0, 6]);
        assert_eq!(central_first(4), [1, 2, 0, 3]);
        assert_eq!(central_first(1), [0]);
    }
}
