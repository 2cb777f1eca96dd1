//! The function `grade`: a player in Python against the exact values.

use fourbase::Position;
use fourbase::analysis::{Grade, GradedPly, Judgement};
use fourbase_tiers::positions::{PositionList, SampleKind};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::arguments::memory_bytes;
use crate::database::Database;
use crate::failure::{exception, of_position};
use crate::outcome::Outcome;
use crate::positions::draw;
use crate::probe::{self, Question};
use crate::rows::Batch;
use crate::wait::{briefly, patiently, pool};

/// Entries whose positions are listed and judged at once.
const AT_ONCE: u64 = 1 << 16;

/// Positions, moves that keep the value, best moves, and the chance that a random move keeps the value.
type Sums = (u64, u64, Option<u64>, f64);

/// The position, the column that was played, what that is worth, what the best move is worth, and the best columns.
type Blunder = (crate::position::Position, usize, Outcome, Outcome, Vec<usize>);

/// The sums ply by ply and of all, and the worst move.
type Grades = (Vec<(usize, Sums)>, Sums, Option<Blunder>);

/// Judges a player in all legal positions where the choice matters, or in `sample` that are drawn. `ask` takes bitboards and
/// returns an int64 array of columns; `fourbase.grade` makes tuples with names of the result.
#[pyfunction]
pub fn grade(
    py: Python<'_>,
    ask: &Bound<'_, PyAny>,
    database: &Bound<'_, Database>,
    sample: Option<usize>,
    seed: u64,
) -> PyResult<Grades> {
    let database = &database.get().0;
    let (cells, mut grade) = (database.board().cells() as u32, Grade::default());
    let mut judge = |positions| judge(py, ask, database, positions, &mut grade);
    if let Some(count) = sample {
        let plies: Vec<u32> = (0..cells).collect();
        judge(draw(py, database, count, &plies, seed, SampleKind::ChoiceMatters)?)?;
    } else {
        for ply in 0..cells {
            let list = patiently(py, |monitor| {
                PositionList::legal(database.index(), ply, memory_bytes(), &|| monitor.is_cancelled())
            })?;
            let mut list = list.map_err(of_position)?;
            let pool = pool()?;
            let mut next =
                || briefly(py, || pool.install(|| list.next(database.index(), AT_ONCE)))?.map_err(of_position);
            while let Some(batch) = next()? {
                judge(batch.positions(database.board()))?;
            }
        }
    }
    let sums = |of: &GradedPly| (of.graded, of.keeps, of.best(), of.chance().unwrap_or_default());
    let worst = grade.worst.as_ref().map(|of| {
        let best = of.best_columns.iter().map(|column| column + 1).collect();
        (crate::position::Position(of.position), of.column + 1, of.played.into(), of.best.into(), best)
    });
    Ok((grade.plies.iter().map(|(ply, of)| (*ply, sums(of))).collect(), sums(&grade.total()), worst))
}

/// Lets the player move in those of some positions where the choice matters, and judges the moves.
fn judge(
    py: Python<'_>,
    ask: &Bound<'_, PyAny>,
    database: &fourbase_tiers::database::Database,
    positions: Vec<Position>,
    grade: &mut Grade,
) -> PyResult<()> {
    let batch = Batch { board: database.board(), positions: positions.into_iter().map(Some).collect() };
    let (_, table) = probe::moves(py, database, Question::default(), &batch)?;
    let moves = |row: &[Option<fourbase::Outcome>]| -> Vec<_> {
        row.iter().enumerate().filter_map(|(column, outcome)| Some((column, (*outcome)?))).collect()
    };
    let all = batch.positions.into_iter().zip(table.chunks(batch.board.width()).map(moves));
    let (positions, moves): (Vec<_>, Vec<_>) = all.filter(|(_, moves)| Judgement::matters(moves)).unzip();
    if positions.is_empty() {
        return Ok(());
    }
    let batch = Batch { board: batch.board, positions };
    let columns: PyReadonlyArray1<'_, i64> = ask.call1((batch.to_array(py)?,))?.extract()?;
    for ((position, moves), column) in batch.positions.into_iter().flatten().zip(moves).zip(columns.as_array()) {
        let place = usize::try_from(*column).ok().and_then(|column| column.checked_sub(1));
        let judged = place.and_then(|place| Judgement::of(&position, &moves, place, None));
        let Some(judged) = judged else {
            let legal: Vec<usize> = moves.iter().map(|(column, _)| column + 1).collect();
            let shown = Bound::new(py, crate::position::Position(position))?.repr()?;
            let message = format!(
                "the player plays column {column} in {shown}, where {legal:?} are legal; columns count from 1, so add 1 to \
                 what argmax finds"
            );
            return Err(exception("MoveError", message));
        };
        grade.add(judged);
    }
    Ok(())
}
