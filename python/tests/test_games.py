import json

import fourbase
import pytest
from conftest import games
from fourbase import Database, Position
from fourbase.errors import ArgumentError, PositionError


def played(board: str, count: int, seed: int) -> list[str]:
    """Return the moves of random games, each cut where its number says, so that many are unfinished."""
    texts, text = [], ""
    for _, column in games(board, count, seed):
        if column < 0:
            texts.append(text if len(texts) % 3 else text[: len(texts)])
            text = ""
        else:
            text += str(column + 1)
    return texts


@pytest.mark.parametrize(("board", "values"), [("5x4", "remoteness"), ("4x4m", "remoteness"), ("4x4", "wdl")])
def test_the_analysis_of_a_game_is_that_of_the_program(program, tmp_path, board, values):
    db, texts = fourbase.solve(board, values, db=tmp_path), played(board, 25, seed=1)
    lines = [text or "-" for text in texts]
    options = ["--why", "--search", "never", "--db", tmp_path]
    answers = program("analyse", board, "--batch", "--json", *options, lines=lines)
    assert sum(len(answer["steps"]) for answer in answers) > 200
    assert any(step["refutation"] for answer in answers for step in answer["steps"])
    for text, answer in zip(texts, answers, strict=True):
        found = json.loads(json.dumps(db.analyse(text, why=True).to_dict()))
        assert found == {name: answer[name] for name in found} | {"position": answer["position"]["bits"]}


def value(position: Position, known: dict[Position, int]) -> int:
    """Return what a plain negamax says: 1, 0 or -1."""
    if position not in known:
        ends = {"win": 1, "tie": 0, "lose": -1}
        moves = [-value(position.play(column), known) for column in position.legal_moves]
        known[position] = ends[position.primitive] if position.primitive else max(moves)
    return known[position]


def test_a_move_is_a_mistake_where_a_plain_search_finds_a_better_value():
    db, known = Database("4x3"), {}
    names, mistakes = {1: "win", 0: "tie", -1: "lose"}, 0
    for text in played("4x3", 40, seed=2):
        analysis, position = db.analyse(text), Position("4x3")
        for step in analysis.steps:
            best, of = value(position, known), -value(position.play(step.column), known)
            assert (step.value, step.played_value, step.keeps) == (names[best], names[of], best == of)
            assert (step.player, step.plies_lost is None) == (position.to_move, best != of)
            mistakes += best != of
            position = position.play(step.column)
        assert (position, position.primitive is not None) == (analysis.position, analysis.over)
    assert mistakes > 10


def test_a_game_may_start_anywhere_and_be_written_in_any_notation():
    db = Database("5x4")
    whole, rest = db.analyse("3321"), db.analyse("21", start=Position("5x4", "33"))
    assert [step[1:] for step in rest.steps] == [step[1:] for step in whole.steps[2:]]
    assert db.analyse("1. c1 c2 2. b1 a1") == db.analyse("3 3 2 1") == whole
    assert (db.analyse("").steps, db.analyse("").summary) == ((), "no mistakes")


def test_what_a_limit_leaves_open_is_none():
    analysis = fourbase.Database("7x6").analyse("4444443222222", nodes=1000)
    assert analysis.undecided_moves == 0
    analysis = fourbase.Database("7x6").analyse("44444431111132223", nodes=10)
    unknown = [step for step in analysis.steps if step.keeps is None]
    assert len(unknown) == analysis.undecided_moves > 0
    assert f"{len(unknown)} of 17 moves not judged" in analysis.summary
    assert all(step.verdict is None and step.plies_lost is None for step in unknown)


def test_an_analysis_of_searches_can_be_stopped():
    seen = []

    def stop(progress: fourbase.Progress) -> None:
        seen.append(progress)
        raise InterruptedError

    # After 14 plies nothing is stored.
    with pytest.raises(InterruptedError):
        Database("7x6").analyse("3344555332777117711", progress=stop)
    assert [progress.unit for progress in seen] == ["nodes"]


@pytest.mark.parametrize(
    ("game", "error", "said"),
    [
        ("34449", PositionError, "move 5.*column 9 is outside the board; play a column from 1 to 5"),
        ("33333", PositionError, "move 5.*column 3"),
        ("12121212", PositionError, "move 8.*ended with move 7.*stop there"),
        ("10000 10000 10000 10000 10000", PositionError, "moves"),
        (Position("5x4", "33"), ArgumentError, "a text of moves such as '4453', not Position"),
    ],
)
def test_what_is_no_game_is_refused_with_the_move_and_the_remedy(game, error, said):
    with pytest.raises(error, match=said):
        Database("5x4").analyse(game)
