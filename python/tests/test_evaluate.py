import json
import math
import os
import subprocess
import sys
from pathlib import Path

import fourbase
import numpy as np
import pytest
from fourbase import Database, Evaluation, Position, evaluate
from fourbase.errors import MoveError, OptionError, PositionError

# Of the halves for tests and for training.
HASHES = {
    "5x4-v1": ["61ecc62b7509f8135d658238bde13c8a", "bd890ae944205212c6b29f40bf7a2293"],
    "7x6-v1": ["8ea3312b5b15778e5d781d891c78ace2", "1725cb4504581c7c7ea90c5877e45ec2"],
}


def leftmost(position: Position) -> int:
    return position.legal_moves[0]


def leftmosts(boards: np.ndarray) -> np.ndarray:
    # The top row of a board comes first.
    return (boards[:, 0] == 0).argmax(axis=1) + 1


def total(result: Evaluation) -> dict[str, object]:
    return {name: value for name, value in result.to_dict().items() if not name.startswith("by_")}


def test_positions_and_shares_are_those_of_the_program(program):
    expected = program("grade", "random", "4x4", "--json")[0]
    result = evaluate(leftmost, "4x4")
    assert (result.population, result.repeats) == (expected["population"], 1)
    graded, chances = result.by("ply"), result.by("ply", "chance")
    assert [*graded] == [of["ply"] for of in expected["plies"] if of["graded"]]
    for of in expected["plies"]:
        if of["graded"]:
            assert graded[of["ply"]].positions == of["graded"]
            assert chances[of["ply"]].mean == pytest.approx(of["chance_share"], abs=1e-4)
            assert of["complete"]
            assert of["ply"] in result.complete
    assert result["resists"].positions == (result.values == fourbase.LOSE).sum() == expected["lost"]
    assert result["keeps"].positions == expected["graded"]


def test_a_batch_agent_has_the_evaluation_of_a_single_one_in_any_encoding():
    one = evaluate(leftmost, "4x4")
    assert total(evaluate(leftmosts, "4x4", batch=True, encoding="array")) == total(one)
    as_list = evaluate(lambda boards: leftmosts(boards).tolist(), "4x4", batch=True, encoding="array")
    assert total(as_list) == total(one)
    from_zero = evaluate(lambda of: of["board"].index(0), "4x4", encoding="kaggle", left=0)
    assert total(from_zero) == total(one)
    sure = evaluate(lambda board: np.eye(4)[(board[0] == 0).argmax()], "4x4", encoding="array", returns="policy")
    assert sure["keeps"] == one["keeps"]


def test_a_sample_asks_about_every_position_once_and_has_intervals():
    asked: list[Position] = []

    def player(position: Position) -> int:
        asked.append(position)
        return leftmost(position)

    result = evaluate(player, "5x4", sample=2000)
    assert len(set(asked)) == len(asked) == len(result.positions)
    assert (result.population, result["keeps"].positions) == ("plies", 2000)
    same, other = (evaluate(leftmost, "5x4", sample=2000, seed=seed) for seed in (1, 2))
    assert total(same) == total(result) != total(other)
    for metric in ("keeps", "best", "regret"):
        for ply, of in result.by("ply", metric).items():
            rows = result.rows[metric][result.ply == ply]
            assert of.mean == pytest.approx(np.nanmean(rows))
            assert of.low <= of.mean <= of.high or math.isnan(of.low)
    _, low, high, _ = result["keeps"]
    assert 0 < low < result["keeps"].mean < high < 1


def test_a_sample_is_labelled_once_and_asked_about_again():
    seen: list[list[Position]] = [[], []]
    results = []
    for asked in seen:

        def player(position: Position, asked: list[Position] = asked) -> int:
            asked.append(position)
            return leftmost(position)

        results.append(evaluate(player, "5x4", sample=700, seed=11))
    assert results[0].positions is results[1].positions
    assert seen[0] == seen[1] != []
    # Other samples take its place; then it is drawn anew, the same.
    for seed in range(5):
        evaluate(leftmost, "5x4", sample=50, seed=seed)
    again = evaluate(leftmost, "5x4", sample=700, seed=11)
    assert again.positions is not results[0].positions
    assert total(again) == total(results[0])


def test_intervals_hold_the_share_of_fixed_and_of_drawing_agents_as_often_as_they_say():
    """In 200 evaluations, 95 % of the intervals should hold it; three standard deviations are 90.4 to 99.6 %."""
    whole = evaluate(leftmost, "4x4")
    rng = np.random.default_rng(5)

    def drawing(boards: np.ndarray) -> np.ndarray:
        noise = np.where(boards[:, 0] == 0, rng.random((len(boards), 4)), -1)
        return noise.argmax(axis=1) + 1

    for agent, repeats, sample, names in [
        (leftmosts, 1, 400, ("keeps", "best")),
        # Lost positions and kept wins are rare at some plies.
        (leftmosts, 1, 3000, ("resists", "regret")),
        (drawing, 2, 400, ("keeps",)),
    ]:
        # A random move keeps the value with the chance of the ply.
        plies = {name: whole.by("ply", name if agent is leftmosts else "chance").values() for name in names}
        truth = {name: np.mean([of.mean for of in plies[name]]) for name in names}
        held = dict.fromkeys(names, 0)
        count = 200 if sample == 400 else 100
        for seed in range(count):
            found = evaluate(agent, "4x4", batch=True, encoding="array", sample=sample, seed=seed, repeats=repeats)
            for name in names:
                held[name] += found[name].low <= truth[name] <= found[name].high
        print(f"{agent.__name__}, repeats={repeats}: of {count} intervals hold the truth: {held}")
        least, most = (0.95 * count + sign * 3 * (count * 0.95 * 0.05) ** 0.5 for sign in (-1, 1))
        assert all(least <= times <= most for times in held.values()), (agent.__name__, held)
    with pytest.raises(OptionError, match="repeats=0"):
        evaluate(leftmost, "4x3", repeats=0)


def test_paired_differences_hold_the_true_one_as_often_as_they_say():
    one, other = evaluate(leftmosts, "4x4", batch=True, encoding="array"), evaluate(lambda p: p.legal_moves[-1], "4x4")
    exact = one.compare(other)
    assert exact.low == exact.mean == exact.high
    # Mirror images are in the whole board too, so left and right are equally good.
    assert exact.mean == pytest.approx(0, abs=1e-12)
    rng, held = np.random.default_rng(1), 0
    for _ in range(200):
        drawn = rng.choice(len(one.positions), 300, replace=False)
        pair = [
            Evaluation("4x4", "positions", 1, of.positions[drawn], fourbase.MoveValues(*(a[drawn] for a in of.moves)),
                       of.policy[drawn], None)
            for of in (one, other)
        ]  # fmt: skip
        difference = pair[0].compare(pair[1])
        held += difference.low <= 0 <= difference.high
    assert 181 <= held <= 199
    with pytest.raises(OptionError, match="different positions"):
        one.compare(evaluate(leftmost, "4x3"))
    with pytest.raises(OptionError, match="different positions"):
        evaluate(leftmost, ["1"], db=Database("4x4")).compare(evaluate(leftmost, ["1"], db=Database("4x3")))


def test_a_comparison_has_the_noise_of_both_agents():
    whole = evaluate(leftmost, "4x3")
    rng, held, widths = np.random.default_rng(7), 0, []
    truth = whole["chance"].mean - whole["keeps"].mean
    for _ in range(200):
        drawn = evaluate(lambda position: rng.choice(position.legal_moves), "4x3", repeats=3)
        difference, other = drawn.compare(whole), whole.compare(drawn)
        assert (other.mean, other.low) == pytest.approx((-difference.mean, -difference.high))
        held += difference.low <= truth <= difference.high
        widths.append(difference.high - difference.low)
    assert 181 <= held <= 199
    # Only the moves are uncertain: all positions are there.
    own = drawn["keeps"].high - drawn["keeps"].low
    assert np.mean(widths) == pytest.approx(own, rel=0.1)


def test_lost_positions_are_graded_by_their_resistance():
    db = Database("4x4")

    def soonest(position: Position) -> int:
        return min(db.moves(position), key=lambda move: move.outcome).column

    best = evaluate(lambda position: db.moves(position)[0].column, db, sample=500)
    worst = evaluate(soonest, db, sample=500)
    assert [best[name].mean for name in ("keeps", "best", "resists", "regret")] == [1, 1, 1, 0]
    assert 0.9 < best["keeps"].low < 1 == best["keeps"].high
    assert [worst[name].mean for name in ("keeps", "best", "resists")] == [0, 0, 0]
    assert "regret" not in worst.metrics


def test_metrics_are_those_of_a_slow_reckoning():
    db, rng = Database("5x4"), np.random.default_rng(2)
    positions = fourbase.encode(db.sample(200, seed=3).positions, "positions", board="5x4")
    policy, values = rng.dirichlet(np.ones(5), 200), rng.uniform(-1, 1, 200)
    result = evaluate(lambda of: (policy, values), positions, db=db, batch=True, returns="policy+value")
    numbers = {"win": 1, "tie": 0, "lose": -1}
    for row, position in enumerate(positions):
        moves, of = db.moves(position), policy[row]
        best = moves[0]
        kept = [move for move in moves if move.value == best.value]
        first = [move for move in moves if move.outcome == best.outcome]
        expected = {"illegal": 1 - sum(of[move.column - 1] for move in moves)}
        good = sum(of[move.column - 1] for move in first)
        if len(kept) < len(moves):
            expected["keeps"] = sum(of[move.column - 1] for move in kept)
            expected["chance"] = len(kept) / len(moves)
            expected["best"] = good
            expected["cross_entropy"] = -sum(math.log(of[move.column - 1]) for move in kept) / len(kept)
            if best.value == "win":
                late = sum(of[move.column - 1] * (move.remoteness - best.remoteness) for move in kept)
                expected["regret"] = late / sum(of[move.column - 1] for move in kept)
        elif len(first) < len(moves) and best.value == "lose":
            expected["resists"] = good
        expected["value_error"] = abs(values[row] - numbers[best.value])
        found = {name: rows[row] for name, rows in result.rows.items() if not np.isnan(rows[row])}
        assert found == pytest.approx(expected, abs=1e-6)
    bins = result.calibration(4)
    assert sum(count for _, _, count in bins) == 200
    assert [of[0] for of in bins] == sorted(of[0] for of in bins)


def test_an_evaluation_shows_itself_and_its_progress():
    seen: list[fourbase.Progress] = []
    result = evaluate(leftmost, "4x4", sample=300, progress=seen.append)
    assert seen[-1][:3] == ("positions", len(result.positions), len(result.positions))
    assert "mean" in str(result)
    assert "<td>mean</td>" in result._repr_html_()
    assert repr(result).startswith("Evaluation('4x4', ")
    assert json.loads(json.dumps(result.to_dict()))["by_ply"]["keeps"]["3"]["positions"] > 0

    def stop(progress: fourbase.Progress) -> None:
        if progress.done > 100:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        evaluate(leftmost, "4x4", progress=stop)


def test_a_policy_of_few_bits_and_many_repeats_are_exact():
    policy = evaluate(lambda of: np.full(4, 0.25, np.float16) + np.float16(0.0001), "4x3", returns="policy")
    # The columns of a full board's side are illegal; where all are free, nothing is.
    assert policy.rows["illegal"].min() == 0
    many = evaluate(leftmost, "4x3", repeats=np.int64(50))
    assert (many["illegal"].mean, many["illegal"].high) == (0, 0)
    assert many["keeps"].mean == pytest.approx(evaluate(leftmost, "4x3")["keeps"].mean, abs=1e-15)
    unsure = evaluate(lambda of: np.full(4, 0.25), "4x3", returns="policy")
    assert len(unsure.mistakes(5)) == 5
    assert unsure.mistakes(5, least=0.3) == []


def test_few_positions_have_no_interval_and_none_that_matter_no_table():
    few = evaluate(leftmost, "5x4", sample=10)
    other = evaluate(lambda position: position.legal_moves[-1], "5x4", sample=10)
    assert math.isnan(few.compare(other).low)
    assert json.loads(json.dumps(few.to_dict(), allow_nan=False))
    one = evaluate(leftmost, ["12341234"], db=Database("4x4"))
    assert "keeps" not in one.metrics
    assert str(one)


def test_a_frame_has_the_metrics_of_each_position():
    pytest.importorskip("polars")
    result = evaluate(leftmost, "4x3")
    frame = result.to_frame()
    assert frame.shape == (len(result.positions), 4 + len(result.rows))
    assert np.nanmean(frame["keeps"].to_numpy()) == pytest.approx(result["keeps"].mean)
    for most in (-1, 2.5, True):
        with pytest.raises(OptionError, match="most="):
            result.mistakes(most)  # type: ignore[arg-type]


def test_the_worst_mistakes_turn_wins_into_losses():
    mistakes = evaluate(leftmost, "4x4").mistakes(50)
    assert len(mistakes) == 50
    for mistake in mistakes:
        assert (mistake.best.value, mistake.played.value) == ("win", "lose")
        moves = Database("4x4").moves(mistake.position)
        assert mistake.best_columns == tuple(move.column for move in moves if move.outcome == mistake.best)
        assert mistake.played in [move.outcome for move in moves if move.column == mistake.column]
        assert mistake.probability == 1
    assert json.loads(json.dumps(mistakes[0].to_dict()))["column"] == mistakes[0].column


def test_illegal_moves_are_counted_and_keep_nothing():
    result = evaluate(lambda position: position.legal_moves[0] - 1, "4x3")
    full = [position.legal_moves[0] != 1 for position in fourbase.encode(result.positions, "positions", board="4x3")]
    # Column 0 is none; with column 1 full, the column before the first free one is full.
    assert result["illegal"].mean == 1
    assert 0 < sum(full) < len(full)
    assert result["keeps"].mean == 0
    assert evaluate(lambda boards: np.full(len(boards), 7), "4x3", batch=True)["illegal"].mean == 1


def test_wrong_answers_are_refused():
    for wrong in [1.9, True, np.True_, None, "4", [1]]:
        with pytest.raises(MoveError, match=r"row 0: the agent returned .*; return a column"):
            evaluate(lambda position, wrong=wrong: wrong, "4x3")  # type: ignore[misc]
        with pytest.raises(MoveError, match=r"row 0: the agent returned .*; return a column"):
            evaluate(lambda boards, wrong=wrong: [wrong] * len(boards), "4x3", batch=True)  # type: ignore[misc]
    for wrong in [np.ones(3, np.int8), True, None]:
        with pytest.raises(OptionError, match="return a column for each"):
            evaluate(lambda boards, wrong=wrong: wrong, "4x3", batch=True)  # type: ignore[misc]
    for policy in [[1, 1, 0, 0], [-1, 2, 0, 0], [np.nan, 1, 0, 0], [0, 0, 0, 0]]:
        with pytest.raises(MoveError, match="row 0: the agent returned the policy"):
            evaluate(lambda position, policy=policy: policy, "4x3", returns="policy")  # type: ignore[misc]
    with pytest.raises(MoveError, match=r"row 0: .*return 4 probabilities"):
        evaluate(lambda position: [0.5, 0.5], "4x3", returns="policy")
    ragged = iter([[1, 0, 0, 0]] * 5 + [[1, 0]] + [[1, 0, 0, 0]] * 10**4)
    with pytest.raises(MoveError, match=r"row 5: the agent returned no policy .*return 4 numbers"):
        evaluate(lambda position: next(ragged), "4x3", returns="policy")
    for pair in ([1, 0, 0, 0], None, ([1, 0, 0, 0],)):
        with pytest.raises(MoveError, match=r"row 0: the agent returned .*; return \(policy, value\)"):
            evaluate(lambda position, pair=pair: pair, "4x3", returns="policy+value")  # type: ignore[misc]
    for options in [{"repeats": True}, {"repeats": 2.5}, {"sample": 0}, {"batch": 2}, {"left": 2}]:
        with pytest.raises(OptionError):
            evaluate(leftmost, "4x3", **options)
    with pytest.raises(OptionError, match="of 4x3, not of 4x4"):
        evaluate(leftmost, "4x4", db=Database("4x3"))
    with pytest.raises(OptionError, match="sample= draws positions of a board"):
        evaluate(leftmost, "5x4-v1", sample=10)
    with pytest.raises(OptionError, match="no positions to ask about on 4x3"):
        evaluate(leftmost, [], db=Database("4x3"))
    with pytest.raises(MoveError, match="values are from -1 to 1"):
        evaluate(lambda position: ([1, 0, 0, 0], 3), "4x3", returns="policy+value")
    with pytest.raises(OptionError, match="sample=-1"):
        evaluate(leftmost, "4x3", sample=-1)
    with pytest.raises(OptionError, match="write db="):
        evaluate(leftmost, ["1", "2"])
    with pytest.raises(PositionError, match="row 1: the game is over"):
        evaluate(leftmost, ["1", "1212121"], db=Database("4x4"))
    with pytest.raises(OptionError, match="write one of keeps, best"):
        evaluate(leftmost, "4x3")["elo"]  # type: ignore[index]
    with pytest.raises(ZeroDivisionError):
        evaluate(lambda _: 1 // 0, "4x3")


@pytest.mark.parametrize(("name", "draws"), [("perfect:first", False), ("rating:1", True), ("random", True)])
def test_players_of_the_program_have_the_grades_that_it_gives_them(program, root, name, draws):
    expected = program("grade", name, "4x3", "--db", root, "--json")[0]
    db = Database("4x3")
    found = evaluate(db.player(name, seed=4), db)["keeps"]
    assert found.positions == expected["graded"]
    # A move that is drawn keeps the value or does not: four standard deviations of the difference of two gradings.
    share = expected["keeps_share"]
    margin = 4 * (2 * share * (1 - share) / found.positions) ** 0.5 if draws else 1e-4
    assert found.mean == pytest.approx(share, abs=margin)


@pytest.mark.parametrize(("name", "hashes"), HASHES.items())
def test_a_benchmark_is_the_same_for_ever_and_its_halves_do_not_cross(name, hashes):
    halves = [fourbase.benchmark(name, half) for half in ("test", "train")]
    assert [half.hash for half in halves] == hashes
    rows = [{tuple(row) for row in fourbase.canonical(half.positions, board=half.board).tolist()} for half in halves]
    assert [len(row) for row in rows] == [len(half.positions) for half in halves]
    assert rows[0].isdisjoint(rows[1])
    is_test = fourbase.split(halves[0].positions, board=halves[0].board, test=0.5, salt=name)
    assert is_test.all()
    for of, half in zip(rows, halves, strict=True):
        assert 0.45 < len(of) / sum(map(len, rows)) < 0.55
        drawn = np.random.default_rng(len(of)).choice(len(half.positions), 60, replace=False)
        found = Database(half.board).move_values(half.positions[drawn])
        assert all((a == b[drawn]).all() for a, b in zip(found, half.moves, strict=True))
        # Nobody can complete a line at once, and the choice matters.
        assert not ((half.moves.values == 1) & (half.moves.plies == 1)).any()
        perfect = evaluate(lambda _, half=half: best(half), half, batch=True, returns="policy")
        assert [perfect[name].mean for name in ("keeps", "best", "resists")] == pytest.approx([1, 1, 1])
        assert perfect["best"].positions + perfect["resists"].positions == len(half.positions)
    with pytest.raises(OptionError, match="'7x6-v2'"):
        fourbase.benchmark("7x6-v2")


def test_benchmarks_are_made_again_bit_for_bit(tmp_path):
    # The one of 7x6 takes 90 seconds of CPU; the nightly tests make it too.
    names = ["5x4-v1", "7x6-v1"] if os.environ.get("FOURBASE_LONG_TESTS") else ["5x4-v1"]
    script = Path(__file__).parents[1] / "benches" / "make_benchmark.py"
    for name in names:
        made = tmp_path / f"{name}.npz"
        subprocess.run([sys.executable, script, name, made], check=True, capture_output=True)
        with np.load(Path(fourbase.__file__).parent / "data" / f"{name}.npz") as kept, np.load(made) as again:
            assert sorted(kept) == sorted(again) == ["plies", "positions", "values"]
            assert all((kept[array] == again[array]).all() for array in kept)


def best(half: fourbase.Benchmark) -> np.ndarray:
    worth = np.where(half.moves.legal, half.moves.values * (1000.0 - half.moves.plies), -np.inf)
    good = worth == worth.max(axis=1)[:, None]
    return good / good.sum(axis=1)[:, None]
