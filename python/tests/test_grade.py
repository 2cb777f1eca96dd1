import json
import pickle

import fourbase
import numpy as np
import pytest
from fourbase import Database, Position, grade, strategy
from fourbase.errors import MoveError, OptionError


def leftmost(position: Position) -> int:
    return position.legal_moves[0]


def test_positions_and_chances_are_those_of_the_program(program):
    expected = program("grade", "random", "4x4", "--json")[0]
    result = grade(leftmost, "4x4")
    assert result._fields == ("board", "population", "repeats", "total", "plies", "worst")
    assert result.population == expected["population"] == "positions"
    names = ("ply", "graded", "lost", "complete")
    for row, of in zip([result.total, *result.plies], [expected, *expected["plies"]], strict=True):
        assert [getattr(row, name) for name in names] == [of.get(name) for name in names]
        assert row.chance == pytest.approx(of["chance_share"], abs=1e-4)


def test_a_batch_player_has_the_grade_of_a_single_one():
    def leftmosts(boards: np.ndarray) -> np.ndarray:
        # The top row of a board comes first.
        return (boards[:, 0] == 0).argmax(axis=1) + 1

    one = grade(leftmost, "4x4")
    many = grade(leftmosts, "4x4", batch=True, encoding="array")
    assert many == one
    assert grade(lambda boards: leftmosts(boards).tolist(), "4x4", batch=True, encoding="array") == one


def test_a_sample_asks_about_every_position_once_and_has_intervals():
    asked: list[Position] = []

    def player(position: Position) -> int:
        asked.append(position)
        return leftmost(position)

    result = grade(player, "5x4", sample=2000)
    assert len(set(asked)) == len(asked) == result.total.graded + (result.total.lost or 0)
    assert (result.population, result.total.graded, result.total.complete) == ("plies", 2000, False)
    assert grade(leftmost, "5x4", sample=2000) == result != grade(leftmost, "5x4", sample=2000, seed=2)
    for row in result.plies:
        for name, graded in [("keeps", row.graded), ("best", row.graded), ("resists", row.lost)]:
            count, share, interval = (getattr(row, name + of) for of in ("", "_share", "_interval"))
            assert share == (pytest.approx(count / graded) if graded else None)
            assert interval is None if share is None else interval[0] <= share <= interval[1]
    low, high = result.total.keeps_interval or (0, 0)
    assert 0 < low < (result.total.keeps_share or 0) < high < 1


def test_a_sample_is_labelled_once_and_asked_about_again():
    seen: list[list[Position]] = [[], []]
    results = []
    for asked in seen:

        def player(position: Position, asked: list[Position] = asked) -> int:
            asked.append(position)
            return leftmost(position)

        results.append(grade(player, "5x4", sample=700, seed=11))
    assert results[0] == results[1]
    assert seen[0] == seen[1] != []
    # Other samples take its place; then it is drawn anew, the same.
    for seed in range(5):
        grade(leftmost, "5x4", sample=50, seed=seed)
    assert grade(leftmost, "5x4", sample=700, seed=11) == results[0]


def test_intervals_hold_the_share_of_fixed_and_of_drawing_players_as_often_as_they_say():
    """In 200 gradings, 95 % of the intervals should hold it; three standard deviations are 90.4 to 99.6 %."""
    whole = grade(leftmost, "4x4").plies
    rng = np.random.default_rng(5)

    def drawing(boards: np.ndarray) -> np.ndarray:
        noise = np.where(boards[:, 0] == 0, rng.random((len(boards), 4)), -1)
        return noise.argmax(axis=1) + 1

    def fixed(boards: np.ndarray) -> np.ndarray:
        return (boards[:, 0] == 0).argmax(axis=1) + 1

    for player, repeats, shares in [
        (fixed, 1, [row.keeps_share for row in whole]),
        # A random move keeps the value with the chance of the ply.
        (drawing, 2, [row.chance for row in whole]),
    ]:
        truth = np.mean([share for share in shares if share is not None])
        held = 0
        for seed in range(200):
            total = grade(player, "4x4", batch=True, encoding="array", sample=400, seed=seed, repeats=repeats).total
            low, high = total.keeps_interval or (1, 0)
            held += low <= truth <= high
        print(f"{player.__name__}, repeats={repeats}: {held / 2} % of the intervals hold {truth:.4f}")
        assert 184 <= held <= 196, player.__name__
    with pytest.raises(OptionError, match="repeats=0"):
        grade(leftmost, "4x3", repeats=0)


def test_lost_positions_are_graded_by_their_resistance():
    db = Database("4x4")

    def soonest(position: Position) -> int:
        return min(db.moves(position), key=lambda move: move.outcome).column

    best = grade(lambda position: db.moves(position)[0].column, db, sample=500).total
    worst = grade(soonest, db, sample=500).total
    assert (best.keeps_share, best.best_share, best.resists_share) == (1, 1, 1)
    assert best.keeps_interval is not None
    assert 0.9 < best.keeps_interval[0] < 1 == best.keeps_interval[1]
    assert (worst.keeps, worst.resists, worst.lost) == (0, 0, best.lost)


def test_a_grade_shows_itself_and_its_progress():
    seen: list[fourbase.Progress] = []
    result = grade(leftmost, "4x4", sample=300, progress=seen.append)
    assert seen[-1][:3] == ("positions", 300, 300)
    assert "exact" in str(result)
    assert "<td>mean</td>" in result._repr_html_()
    assert json.loads(json.dumps(result.to_dict()))["plies"][0]["complete"]

    def stop(progress: fourbase.Progress) -> None:
        if progress.done > 100:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        grade(leftmost, "4x4", progress=stop)


def test_the_worst_blunder_turns_a_win_into_a_loss():
    worst = grade(leftmost, "4x4").worst
    assert worst is not None
    assert (worst.best.value, worst.played.value) == ("win", "lose")
    moves = Database("4x4").moves(worst.position)
    assert worst.best_columns == tuple(move.column for move in moves if move.outcome == worst.best)
    assert worst.played in [move.outcome for move in moves if move.column == worst.column]


def test_moves_that_are_not_legal_are_refused():
    with pytest.raises(MoveError, match="columns count from 1"):
        grade(lambda position: position.legal_moves[0] - 1, "4x3")
    with pytest.raises(MoveError, match="plays column 7"):
        grade(lambda boards: np.full(len(boards), 7), "4x3", batch=True)
    for wrong in [1.9, True, np.True_, None, "4", 2**70, [1]]:
        with pytest.raises(MoveError, match=r"returned .*; return a column"):
            grade(lambda position, wrong=wrong: wrong, "4x3")  # type: ignore[misc]
        with pytest.raises(MoveError, match=r"returned .*; return a column"):
            grade(lambda boards, wrong=wrong: [wrong] * len(boards), "4x3", batch=True)  # type: ignore[misc]
    for wrong in [np.zeros(4), np.ones(3, np.int8), True, None]:
        with pytest.raises(OptionError, match="one whole number each"):
            grade(lambda boards, wrong=wrong: wrong, "4x3", batch=True)  # type: ignore[misc]
    with pytest.raises(OptionError, match="sample=-1"):
        grade(leftmost, "4x3", sample=-1)


@pytest.mark.parametrize(("name", "draws"), [("perfect:first", False), ("rating:1", True), ("random", True)])
def test_players_of_the_program_have_the_grades_that_it_gives_them(program, root, name, draws):
    expected = program("grade", name, "4x3", "--db", root, "--json")[0]
    db = Database("4x3")
    found = grade(db.player(name, seed=4), db).total
    assert found.graded == expected["graded"]
    # A move that is drawn keeps the value or does not: four standard deviations of the difference of two gradings.
    share = expected["keeps_share"]
    margin = 4 * (2 * share * (1 - share) * found.graded) ** 0.5 if draws else 0
    assert found.keeps == pytest.approx(expected["keeps"], abs=margin)


def test_a_player_of_the_program_draws_anew_at_each_call_and_is_the_same_for_a_seed():
    db, positions = Database("4x4"), [Position("4x4"), Position("4x4", "12")] * 40
    one, same, other = db.player("random", seed=5), db.player("random", seed=5), db.player("random", seed=6)
    again = pickle.loads(pickle.dumps(one))
    moves = [one(position) for position in positions]
    assert moves == [same(position.bits) for position in positions] == [again(position) for position in positions]
    assert moves != [other(position) for position in positions]
    assert set(moves[::2]) == set(moves[1::2]) == {1, 2, 3, 4}
    assert {db.player("perfect:first")("1213344") for _ in range(3)} == {db.moves("1213344")[0].column}
    for wrong in ["pomakis:0", "stockfish"]:
        with pytest.raises(OptionError, match="pomakis"):
            db.player(wrong)


def test_an_error_of_the_player_is_passed_on():
    with pytest.raises(ZeroDivisionError):
        grade(lambda _: 1 // 0, "4x3")


def centre(position: Position, _: int | None) -> int:
    middle = (position.width + 1) / 2
    return min(position.legal_moves, key=lambda column: (abs(column - middle), column))


def test_a_rule_has_the_verdict_of_the_program(program):
    # A database of 4x4 is compared with; of 4x4c3 there is none.
    for board, asked in [("4x4", int), ("4x4c3", type(None))]:
        expected = program("strategy", "centre", board, "--json")[0]
        result = strategy(centre, board)
        assert result.verdict == expected["verdict"]
        assert type(result.asked) is type(result.kept) is type(result.secured) is asked
    gives_up = strategy(lambda position, last: None, "4x3")
    assert (gives_up.verdict, gives_up.undefined) == ("undefined", "1")
    compared = strategy(centre, "4x3", player="first")
    # The figures of the library's own documentation.
    assert (compared.kept, compared.asked) == (153, 157)


def test_an_error_of_a_rule_is_passed_on():
    def fail(position: Position, _: int | None) -> int:
        if position.ply > 5:
            raise KeyError("mine")
        return position.legal_moves[0]

    with pytest.raises(KeyError, match="mine"):
        strategy(fail, "5x4")
    with pytest.raises(MoveError, match="columns count from 1 to 4"):
        strategy(lambda position, last: 0, "4x3")
    for column in (1.9, True, "1", 2**70, -1):
        with pytest.raises(MoveError, match="the rule plays column"):
            strategy(lambda position, last, column=column: column, "4x3")  # type: ignore[misc]
    with pytest.raises(OptionError, match="first"):
        strategy(centre, "4x3", player="both")  # type: ignore[arg-type]
