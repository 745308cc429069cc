"""Executors: results are the same as without one, lost workers are replaced, and broken executors
are reported.
"""

import contextlib
import gzip
import io
import itertools
import json
import multiprocessing
import os
import re
import shutil
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import centipawn as cp
import distributed
import polars as pl
import pytest
from centipawn import _centipawn, _remote

ENGINE: dict[str, Any] = {"nodes": 1_000, "jobs": 1}


@pytest.fixture(scope="module")
def pool() -> Iterator[Executor]:
    # Processes must be spawned, because a forked copy of this process could deadlock on its
    # threads' locks.
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


@pytest.fixture(scope="module")
def client() -> Iterator[distributed.Client]:
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(params=["pool", "dask"])
def executor(request: pytest.FixtureRequest) -> Executor:
    if request.param == "pool":
        found: Executor = request.getfixturevalue("pool")
    else:
        found = request.getfixturevalue("client").get_executor()
    return found


def copies(path: Path, examples: Path, count: int) -> Path:
    """A file of games that all differ, because equal games would share their answers."""
    game = (examples / "opera-game.pgn").read_text().strip()
    path.write_text("\n\n".join(game.replace('[Round "?"]', f'[Round "{number}"]') for number in range(1, count + 1)))
    return path


@pytest.fixture
def many(tmp_path: Path, examples: Path) -> Path:
    return copies(tmp_path / "many.pgn", examples, 12)


@pytest.fixture
def six(tmp_path: Path, examples: Path) -> Path:
    return copies(tmp_path / "six.pgn", examples, 6)


def reviewed(games: Path | list[Path], executor: Executor | None, **engine: Any) -> str:
    """All results of reviewed games, as text."""
    reviews = cp.review(games, executor=executor, **{**ENGINE, **engine})
    return json.dumps([[review.document, review.provenance, review.pgn] for review in reviews])


def test_reviews_are_the_same(executor: Executor, examples: Path) -> None:
    games = [examples / f"{name}.pgn" for name in ("opera-game", "evergreen-game", "immortal-draw")]
    assert reviewed(games, executor) == reviewed(games, None)
    with cp.Engine("stockfish", nodes=1_000, jobs=2) as engine:
        alone, sent = cp.review(games[0], engine, ease=True), cp.review(games[0], engine, ease=True, executor=executor)
    assert sent[0].document == alone[0].document and sent[0].document["plies"]


def test_the_ease_of_many_positions_is_the_same(executor: Executor) -> None:
    positions = ["startpos", "startpos moves e2e4 e7e5", "8/8/4k3/8/8/8/3R4/4K3 w - - 0 1"]
    alone = pl.DataFrame(cp.ease_many(positions, rating=[1200, 1800], **ENGINE))
    seen: list[int] = []
    sent = cp.ease_many(
        positions, rating=[1200, 1800], executor=executor, progress=lambda done, _total, _games: seen.append(done), **ENGINE
    )
    assert pl.DataFrame(sent).equals(alone) and alone.height == 6
    assert seen and seen[-1] == 3
    batches = [pl.DataFrame(table) for table in cp.ease_batches(positions, size=2, rating=[1200, 1800], executor=executor, **ENGINE)]
    assert len(batches) == 2 and pl.concat(batches).equals(alone)


def test_puzzles_are_the_same(executor: Executor, examples: Path) -> None:
    games = [examples / "opera-game.pgn", examples / "evergreen-game.pgn"]
    mining: dict[str, Any] = {"effort": 0.02, "jobs": 1}
    alone = cp.puzzles.mine(games, **mining)
    sent = cp.puzzles.mine(games, executor=executor, **mining)
    assert len(alone) > 0 and [sent[index] for index in range(len(sent))] == [alone[index] for index in range(len(alone))]
    assert "rating" in alone[0] and alone[0]["provenance"]["engine"]["name"].startswith("Stockfish")
    with pytest.raises(ValueError, match="effort"):
        cp.puzzles.mine(games, effort=0)


def test_scans_are_the_same(executor: Executor, examples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(examples)
    games = ["selfplay.pgn.gz", "opera-game.pgn"]
    counts, sent = cp.wdl.count(games), cp.wdl.count(games, executor=executor)
    counts.save(tmp_path / "alone.wdl")
    sent.save(tmp_path / "sent.wdl")
    assert (tmp_path / "alone.wdl").read_bytes() == (tmp_path / "sent.wdl").read_bytes()
    assert sent.summary == counts.summary
    fit: dict[str, Any] = {"resamples": 5, "folds": 2, "seed": 3}
    assert cp.wdl.fit(games, **fit, executor=executor).document == cp.wdl.fit(games, **fit).document
    assert cp.match.results(games, executor=executor).document == cp.match.results(games).document
    assert pl.DataFrame(cp.balance.estimate(games, by="engine", resamples=5, executor=executor)).equals(
        pl.DataFrame(cp.balance.estimate(games, by="engine", resamples=5))
    )
    material: dict[str, Any] = {"resamples": 5, "terms": ["bishop-pair"], "by": "phase"}
    assert cp.material.fit(games, **material, executor=executor).document == cp.material.fit(games, **material).document
    with pytest.raises(ValueError, match=r"people\.tsv\.zst has rows, which are not divided; leave out executor"):
        cp.human.fit("people.tsv.zst", executor=executor)


@pytest.fixture
def people(tmp_path: Path, examples: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Files of games with ratings and times, like games of humans."""
    monkeypatch.chdir(tmp_path)
    games = gzip.decompress((examples / "selfplay.pgn.gz").read_bytes()).decode().split("[Event ")[1:]
    for number, game in enumerate(games):
        sides = itertools.cycle((1, -1))

        def noted(comment: re.Match[str], sides: Iterator[int] = sides) -> str:
            # In these games each comment is from the mover's view, but Lichess' `[%eval]` is from
            # White's.
            side, text = next(sides), comment[1].split("/")[0]
            return f"{{ [%eval {side * float(text):.2f}] }}" if "M" not in text and text != "book" else ""

        tags = f'[WhiteElo "{1500 + number}"]\n[BlackElo "{1510 + number}"]\n[TimeControl "300+3"]\n[Result '
        played = re.sub(r"\{(.*?)\}", noted, re.sub(r"Stockfish 15.1( weak)?", "Anna", game))
        with Path(f"people-{number % 3}.pgn").open("a") as file:
            file.write("[Event " + played.replace("[Result ", tags))
    return [f"people-{number}.pgn" for number in range(3)]


def test_fits_to_human_games_are_the_same(executor: Executor, people: list[str]) -> None:
    fit: dict[str, Any] = {"resamples": 4, "folds": 2}
    alone = cp.human.fit(people, **fit)
    assert cp.human.fit(people, executor=executor, **fit).document == alone.document
    fit = {"every": 25, "resamples": 0, "folds": 0}
    with cp.Engine("stockfish", nodes=200, jobs=1) as engine:
        asked = cp.human.fit(people[:2], engine=engine, **fit)
        assert cp.human.fit(people[:2], engine=engine, executor=executor, **fit).document == asked.document


def test_tables_are_the_same(executor: Executor, examples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(examples)
    (tmp_path / "bad.pgn").write_text('[White "X"]\n\n1. e4 e5 *\n\n1. e5 *\n')
    games = ["opera-game.pgn", str(tmp_path / "bad.pgn"), "selfplay.pgn.gz"]
    alone, sent = cp.scan(games), cp.scan(games, executor=executor)
    for name in ("plies", "games", "problems"):
        one, other = getattr(alone, name), getattr(sent, name)
        assert one.schema == other.schema
        assert pl.DataFrame(one).equals(pl.DataFrame(other)), name
    assert sent.report == alone.report and len(sent.problems) == 1
    batches = list(cp.scan_batches(games, columns=["game", "san"], executor=executor))
    assert len(batches) == 3
    san = [move for batch in batches for move in batch["san"]]
    assert san == list(cp.scan(games, columns=["san"])["san"])
    assert [int(batch["game"][-1]) for batch in batches] == [0, 1, 131]
    with pytest.raises(cp.PgnError, match=r"bad\.pgn"):
        cp.scan(games, strict=True, executor=executor)


def test_messages_name_files_as_without_an_executor(examples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    Path("../bad.pgn").write_text('[White "X"]\n\n1. e5 *\n\n1. e4 e5 1-0\n')
    Path("damaged.pgn.gz").write_bytes((examples / "selfplay.pgn.gz").read_bytes()[:200])
    executor = Own()

    def said(executor: Executor | None, *, strict: bool) -> list[str]:
        texts: list[str] = []
        for games in ("../bad.pgn", "damaged.pgn.gz", io.StringIO("1. e5 *")):
            for call in (cp.scan, cp.material.rows):
                if isinstance(games, io.StringIO):
                    games.seek(0)
                with warnings.catch_warnings(record=True) as warned:
                    warnings.simplefilter("always")
                    try:
                        found = call(games, executor=executor, strict=strict)
                        texts.extend(found.problems["reason"] if isinstance(found, cp.Scan) else [])
                    except cp.PgnError as error:
                        texts.append(str(error))
                texts.extend(str(warning.message) for warning in warned)
        return texts

    for strict in (False, True):
        alone = said(None, strict=strict)
        assert said(executor, strict=strict) == alone and len(alone) == 6
        assert "damaged.pgn.gz" in alone[2] and not any(str(tmp_path) in text or "centipawn-" in text for text in alone)


def test_empty_inputs_give_the_same_results() -> None:
    executor = Own()
    alone, sent = cp.scan([]), cp.scan([], executor=executor)
    assert len(sent) == len(sent.games) == 0 and sent.schema == alone.schema
    assert list(cp.scan_batches([], executor=executor)) == [] and len(cp.material.rows([], executor=executor)) == 0
    calls: list[Callable[..., Any]] = [cp.match.results, cp.balance.estimate, cp.wdl.count, cp.human.fit]
    for call in calls:
        with pytest.raises(cp.FitError) as error:
            call([])
        with pytest.raises(cp.FitError, match=f"^{re.escape(str(error.value))}$"):
            call([], executor=executor)
    assert executor.submitted == 0


def test_a_killed_worker_of_dask_changes_nothing(client: distributed.Client, many: Path) -> None:
    alone = reviewed(many, None, nodes=8_000)
    killed: list[int] = []

    def kill(_done: int, _total: int | None, _games: int) -> None:
        if not killed:
            pids = client.run(os.getpid)
            [worker] = [worker for worker, tasks in client.processing().items() if tasks][:1] or list(pids)[:1]
            killed.append(pids[worker])
            os.kill(pids[worker], signal.SIGKILL)

    reviews = cp.review(many, executor=client.get_executor(), progress=kill, nodes=8_000, jobs=1)
    sent = json.dumps([[review.document, review.provenance, review.pgn] for review in reviews])
    assert killed and sent == alone
    assert killed[0] not in client.run(os.getpid).values()


class Own(Executor):
    """An executor that runs tasks in threads and counts them. `change` can replace the work of a
    task.
    """

    def __init__(self, change: Callable[[int, Callable[[], bytes]], bytes] | None = None) -> None:
        self.pool, self.submitted, self.futures = ThreadPoolExecutor(1), 0, list[Future[Any]]()
        self.change = change or (lambda _number, work: work())

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.submitted += 1
        future = self.pool.submit(self.change, self.submitted, lambda: fn(*args, **kwargs))
        self.futures.append(future)
        return future


def test_failed_tasks_are_tried_again(six: Path, examples: Path) -> None:
    def fail_once(number: int, work: Callable[[], bytes]) -> bytes:
        if number in (1, 3):
            raise RuntimeError("a worker was lost")
        return work()

    alone = reviewed(six, None, nodes=200)
    assert reviewed(six, Own(fail_once), nodes=200) == alone
    games = examples / "selfplay.pgn.gz"
    assert cp.wdl.count(games, executor=Own(fail_once)).summary == cp.wdl.count(games).summary

    def fail(number: int, work: Callable[[], bytes]) -> bytes:
        raise RuntimeError("no luck")

    with pytest.raises(cp.ExecutorError, match="part 1 of 1 failed 3 times; the last time: RuntimeError: no luck"):
        cp.wdl.count(games, executor=Own(fail))

    with pytest.raises(cp.ExecutorError, match=r"5 games in a row failed.*six\.pgn, game \d+: RuntimeError: no luck"):
        reviewed(six, Own(fail), nodes=200)

    def fail_one(number: int, work: Callable[[], bytes]) -> bytes:
        # The first task contains all games and fails, then each game is a task. The fourth game
        # fails again, and once more when it is tried alone.
        return fail(number, work) if number in (1, 5, 8) else work()

    with pytest.warns(cp.CentipawnWarning) as warnings:
        sent = json.loads(reviewed(six, Own(fail_one), nodes=200))
    others = json.loads(alone)
    del others[3]
    assert sent == others and len(warnings) == 1
    text = str(warnings[0].message)
    assert "six.pgn" in text and "game 4" in text and "it failed 3 times; the last time: RuntimeError: no luck" in text


def test_a_broken_pool_is_reported_with_its_games(many: Path, examples: Path) -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        pool.submit(os.getpid).result()

        def kill(_done: int, _total: int | None, _games: int) -> None:
            for process in list((pool._processes or {}).values()):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process.pid or 0, signal.SIGKILL)

        with pytest.raises(cp.ExecutorError, match=r"the executor is broken \(BrokenProcessPool.*many.pgn, game"):
            cp.review(many, executor=pool, progress=kill, nodes=20_000, jobs=1)
        with pytest.raises(cp.ExecutorError, match=r"broken \(BrokenProcessPool.*part 1 of 1"):
            cp.wdl.count(examples / "selfplay.pgn.gz", executor=pool)


def test_an_exception_cancels_tasks_that_have_not_started(six: Path) -> None:
    going = threading.Event()

    def hold(number: int, work: Callable[[], bytes]) -> bytes:
        answer = work()
        if number > 1:
            going.wait(60)
        return answer

    executor = Own(hold)

    def stop(_done: int, _total: int | None, _games: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        cp.review(six, executor=executor, progress=stop, nodes=30_000, jobs=1)
    submitted = executor.submitted
    going.set()
    executor.pool.shutdown()
    assert submitted == executor.submitted > 1
    # One task was running. The tasks behind it must be cancelled before they start.
    assert all(future.cancelled() for future in executor.futures[2:]) and len(executor.futures) > 2


def test_arguments_that_are_no_executor_are_refused(client: distributed.Client, examples: Path) -> None:
    games = examples / "opera-game.pgn"
    calls: list[Callable[[Any], object]] = [
        lambda wrong: cp.review(games, executor=wrong, **ENGINE),
        lambda wrong: cp.scan(games, executor=wrong),
        lambda wrong: cp.scan_batches(games, executor=wrong),
        lambda wrong: cp.wdl.count(games, executor=wrong),
        lambda wrong: cp.ease_many(["startpos"], executor=wrong, **ENGINE),
        lambda wrong: cp.human.fit(games, executor=wrong),
        lambda wrong: cp.puzzles.mine(games, executor=wrong),
    ]
    for wrong, name in [("dask", "str"), (ProcessPoolExecutor, "ProcessPoolExecutor"), (client, "Client")]:
        for call in calls:
            with pytest.raises(TypeError, match=f"executor must be a concurrent.futures.Executor, not {name}"):
                call(wrong)
    with pytest.raises(TypeError, match=r"give client.get_executor\(\)"):
        cp.material.rows(games, executor=client)
    with pytest.raises(ValueError, match="cannot read standard input"):
        cp.scan("-", executor=client.get_executor())


def test_a_worker_refuses_missing_files_damaged_tasks_and_other_engines(examples: Path, tmp_path: Path) -> None:
    games = tmp_path / "here.pgn"
    games.write_bytes((examples / "opera-game.pgn").read_bytes())

    def elsewhere(_number: int, work: Callable[[], bytes]) -> bytes:
        games.rename(tmp_path / "there.pgn")
        try:
            return work()
        finally:
            (tmp_path / "there.pgn").rename(games)

    for call in (cp.scan, cp.wdl.count):
        with pytest.raises(cp.ExecutorError, match=r"refuses the work: it cannot read .*here\.pgn.*same path on all workers"):
            call(games, executor=Own(elsewhere))
    with pytest.raises(cp.ExecutorError, match="refuses the work: the task is damaged"):
        _centipawn.part_answer(_remote.perform(b"something else"))

    # On the worker, the engine at this path is another program.
    path = tmp_path / "engine"
    path.symlink_to("/bin/false")

    def with_stockfish(command: str) -> None:
        path.unlink()
        path.write_text(f"#!/bin/sh\nexec {command}\n")
        path.chmod(0o755)

    def other_engine(_number: int, work: Callable[[], bytes]) -> bytes:
        with_stockfish("false")
        return work()

    # Debian installs games in a folder that is not on the PATH of a shell. Centipawn searches it
    # too.
    stockfish = shutil.which("stockfish", path=f"{os.environ.get('PATH', os.defpath)}:/usr/games")
    assert stockfish is not None
    with_stockfish(stockfish)
    with pytest.raises(cp.ExecutorError, match="refuses the work: "):
        cp.review(games, str(path), executor=Own(other_engine), **ENGINE)
