import asyncio
import multiprocessing
import os
import signal
import sys
import threading
import time

import fourbase
import pytest
from conftest import begin
from fourbase._progress import progress_display
from fourbase.errors import SearchLimit, SolveMemory

HASH = "bf24785a4e22734dbc660f05ee2843b903b0d10acf1e637d288e451aa61d3d55"


def test_progress_is_called_on_the_thread_of_the_caller_and_ends_with_all(tmp_path):
    seen = []
    fourbase.solve("5x4", db=tmp_path, progress=lambda progress: seen.append((progress, threading.current_thread())))
    assert {thread for _, thread in seen} == {threading.current_thread()}
    assert seen[-1][0] == fourbase.SolveProgress(ply=0, done=2_584_821, entries=2_584_821)
    done = [progress.done for progress, _ in seen]
    assert done == sorted(done)


def test_a_line_of_progress_is_written_over_and_cleared(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    fourbase.solve("4x4", db=tmp_path, progress=True)
    written = capsys.readouterr().err
    assert "4x4: ply 0" in written
    assert written.endswith("\r")
    assert "\n" not in written


def test_progress_into_a_file_is_a_line_now_and_then_with_the_time_that_is_left(capsys, monkeypatch):
    clock = iter([100.0, 100.0, 101.9, 102.0, 105.0, 111.9, 112.5, 130.0, 131.0])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    show = progress_display("5x4", "Progress", True)
    assert show is not None
    for done in (0, 1, 250, 500, 600, 800):
        show("rows", done, 1000, 0)
    show()
    assert capsys.readouterr().err.splitlines() == [
        "5x4: 250 rows of 1,000, 25%, 2 s, about 6 s left",
        "5x4: 800 rows of 1,000, 80%, 12 s, about 3 s left",
    ]
    # What an earlier call has done took no time of this one.
    clock = iter([100.0, 100.0, 110.0, 120.0])
    show = progress_display("5x4", "Progress", True)
    assert show is not None
    for done in (800, 850):
        show("rows", done, 1000, 0)
    assert capsys.readouterr().err == "5x4: 850 rows of 1,000, 85%, 10 s, about 30 s left\n"
    assert progress_display("5x4", "Progress", None) is None


def test_long_calls_tell_how_far_they_are(tmp_path, capsys, monkeypatch):
    seen: list[fourbase.Progress] = []
    db, rows = fourbase.Database("7x6"), ["", "1", "1", "12345671234567"]
    db.probe_many(rows, progress=seen.append)
    assert seen[-1][:3] == ("positions", 4, 4)
    db.move_values(rows, progress=seen.append)
    assert seen[-1][:3] == ("moves", 28, 28)
    assert seen[-1].nodes > 0
    seen.clear()
    with pytest.raises(SearchLimit):
        fourbase.search("7x6", nodes=100_000, progress=seen.append)
    assert 100_000 <= seen[-1].nodes < 120_000
    assert seen[-1] == ("nodes", seen[-1].nodes, 100_000, seen[-1].nodes)
    fourbase.Database("7x6").moves("12345671234567", nodes=10**9, progress=seen.append)
    assert seen[-1] == ("nodes", seen[-1].nodes, 10**9, seen[-1].nodes)
    fourbase.strategy(lambda position, last: time.sleep(0.06), "4x3", progress=seen.append)
    assert (seen[-1].unit, seen[-1].total) == ("positions", None)
    capsys.readouterr()
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    db.probe_many(rows, progress=True)
    assert capsys.readouterr().err.startswith("\r7x6: 4 positions of 4, 100%")
    monkeypatch.undo()
    for quiet in (None, False):
        db.probe_many(rows, progress=quiet)
    assert capsys.readouterr().err == ""


def test_other_threads_run_during_a_search_which_an_error_of_progress_stops():
    stop = threading.Event()

    def heed(progress: fourbase.Progress) -> None:
        if stop.is_set():
            raise InterruptedError

    async def count() -> int:
        task = asyncio.create_task(asyncio.to_thread(fourbase.search, "8x8", progress=heed))
        begun, counted = time.monotonic(), 0
        while time.monotonic() - begun < 1:
            await asyncio.sleep(0.001)
            counted += 1
        task.cancel()
        stop.set()
        return counted

    # Leaves only when all threads have ended.
    assert asyncio.run(count()) > 20


def test_a_solved_board_is_not_solved_again(tmp_path):
    db = fourbase.solve("5x4", db=tmp_path)
    assert db.hash == HASH
    assert db.folder == tmp_path / "5x4" / "remoteness"
    tiers = {path: path.stat().st_mtime_ns for path in db.folder.glob("tier-*")}
    assert fourbase.solve("5x4", db=tmp_path).hash == HASH
    assert {path: path.stat().st_mtime_ns for path in db.folder.glob("tier-*")} == tiers
    assert fourbase.solve("5x4", db=tmp_path, replace=True, threads=1).hash == HASH


def test_a_database_may_keep_early_plies_alone(tmp_path):
    db = fourbase.solve("5x4", db=tmp_path, keep_plies=9)
    assert db.keep_plies == 9
    assert db.probe("12345123451") == fourbase.Database("5x4").probe("12345123451")


def test_a_board_that_does_not_fit_is_refused(tmp_path):
    with pytest.raises(SolveMemory, match="memory=BYTES") as refused:
        fourbase.solve("7x6", db=tmp_path, memory=1 << 20)
    assert isinstance(refused.value, MemoryError)


def test_a_search_has_limits():
    begun = time.monotonic()
    for limit in ({"seconds": 0.2}, {"nodes": 10}):
        with pytest.raises(SearchLimit):
            fourbase.search("7x6", **limit)
    assert time.monotonic() - begun < 20
    with pytest.raises(fourbase.errors.OptionError):
        fourbase.search("7x6", seconds=-1)


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to one process")
@pytest.mark.parametrize(
    "call",
    [
        "fourbase.search('8x8')",
        "fourbase.solve('6x6', db=db)",
        # Positions of ply 14 are not stored, so each is searched.
        "fourbase.Database('7x6').sample(10**6, plies=[14])",
        "fourbase.Database('7x6').sample(10**6, plies=[14], kind='choice-matters')",
        "fourbase.strategy(lambda position, last: position.legal_moves[-1], '7x6', db=db)",
    ],
)
def test_ctrl_c_stops_everything_that_takes_long(call, tmp_path):
    asked = begin(f"print('begun', flush=True); {call}", tmp_path)
    time.sleep(0.5)
    asked.send_signal(signal.SIGINT)
    _, errors = asked.communicate(timeout=60)
    assert errors.rstrip().endswith("KeyboardInterrupt"), errors


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGTERM to one process")
def test_sigterm_leaves_only_what_the_same_solve_resumes_from(tmp_path):
    tell = "lambda progress: print(progress.done, flush=True)"
    solve = begin(f"fourbase.solve('6x5', db=db, threads=1, progress={tell})", tmp_path)
    time.sleep(0.3)
    solve.terminate()
    solve.communicate(timeout=60)
    assert solve.returncode == 128 + signal.SIGTERM
    assert [path.name for path in tmp_path.iterdir()] == ["6x5"]
    left = {path.name.split("-")[0] for path in tmp_path.rglob("*")}
    assert left <= {"6x5", "remoteness", "remoteness.lock", "manifest", "tier", "frontier"}

    def stop(progress: fourbase.SolveProgress) -> None:
        raise InterruptedError(progress.done)

    # Not from 0 on.
    with pytest.raises(InterruptedError, match=r"^[1-9]"):
        fourbase.solve("6x5", db=tmp_path, progress=stop)


def test_a_forked_process_has_threads_of_its_own():
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("this system does not fork")
    db = fourbase.Database("5x4")
    texts = ["", "1", "12", "123"] * 100
    expected = db.probe_many(texts)[1].tolist()
    with multiprocessing.get_context("fork").Pool(1) as pool:
        found = pool.apply_async(db.probe_many, (texts,)).get(timeout=60)
    assert found[1].tolist() == expected
