"""Long work: interrupts, other threads of Python, progress, memory."""

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import centipawn as cp
import numpy as np
import pyarrow as pa
import pytest

ENDLESS = """
import signal, sys, threading, time
import centipawn as cp

# A shell starts background jobs with interrupts ignored, and the child process would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

count = 0
def counting():
    global count
    while True:
        count += 1
        time.sleep(0.001)

threading.Thread(target=counting, daemon=True).start()
print("ready", flush=True)
try:
    cp.scan("-")
except KeyboardInterrupt:
    print("interrupted", count, flush=True)
"""


def interrupt_a_scan(game: bytes) -> tuple[float, int]:
    """Interrupts an endless scan. Returns the seconds until it ended, and how far another Python
    thread has counted by then.
    """
    process = subprocess.Popen([sys.executable, "-c", ENDLESS], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None
    assert process.stdout.readline() == b"ready\n"

    reads = threading.Event()

    def feed() -> None:
        try:
            while True:
                process.stdin.write(game * (1_000_000 // len(game)))
                # This is much more than a pipe can hold, so the scan has read a part of it.
                reads.set()
        except (BrokenPipeError, ValueError):
            pass

    threading.Thread(target=feed, daemon=True).start()
    assert reads.wait(60)
    time.sleep(1.0)
    # If the interrupt has no effect, kill the scan before it fills the memory.
    end = threading.Timer(20, process.kill)
    end.start()
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    said = process.stdout.readline().split()
    took = time.monotonic() - began
    end.cancel()
    process.kill()
    process.wait()
    assert said and said[0] == b"interrupted", "not within 20 s"
    return took, int(said[1])


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such timer")
def test_an_interrupt_ends_many_expected_scores() -> None:
    evals = np.zeros(30_000_000)
    began = time.monotonic()
    cp.expected_score(evals, mate=np.nan, curve="human", rating=1500)
    whole = time.monotonic() - began
    times = []
    handler = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        # Try several times, because other programs may slow down one attempt.
        while len(times) < 5 and min(times, default=whole) >= whole / 2:
            began = time.monotonic()
            with pytest.raises(KeyboardInterrupt):
                # Interrupt after a twentieth of the time, because a second run may be much faster
                # than the first.
                signal.setitimer(signal.ITIMER_REAL, whole / 20)
                cp.expected_score(evals, mate=np.nan, curve="human", rating=1500)
            times.append(time.monotonic() - began)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    assert min(times) < whole / 2, (times, whole)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no named pipes of this kind")
def test_an_interrupt_ends_the_wait_for_a_book(tmp_path: Path) -> None:
    games, book = tmp_path / "games.pgn", tmp_path / "book.epd"
    games.write_text("1. e4 {+0.20/12 0.1s} e5 1-0\n")
    os.mkfifo(book)
    # Nothing is written, so reading the book would wait without end.
    writer = os.open(book, os.O_RDWR)
    handler = signal.signal(signal.SIGALRM, signal.default_int_handler)
    began = time.monotonic()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with pytest.raises(KeyboardInterrupt):
            cp.wdl.count(games, fix_fen_source=book)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        os.close(writer)
    assert time.monotonic() - began < 20


@pytest.mark.skipif(os.name == "nt", reason="interrupts are sent otherwise on Windows")
def test_an_interrupt_ends_an_endless_scan(examples: Path) -> None:
    game = (examples / "opera-game.pgn").read_bytes() + b"\n"
    times = []
    # Try several times, because other programs may slow down one attempt.
    while len(times) < 5 and min(times, default=1.0) >= 1.0:
        took, counted = interrupt_a_scan(game)
        # Another Python thread was running during the scan.
        assert counted > 50
        times.append(took)
    assert min(times) < 1.0, times


def test_progress_is_reported_and_may_stop_the_work(tmp_path: Path, examples: Path) -> None:
    games = tmp_path / "many.pgn"
    games.write_bytes((examples / "opera-game.pgn").read_bytes() * 20_000)
    seen: list[tuple[int, int | None, int]] = []
    cp.scan(games, columns=["ply"], progress=lambda *step: seen.append(step))
    assert seen and all(0 <= done <= (total or done) for done, total, _ in seen)

    # Every function accepts `True`, which shows a bar.
    assert len(cp.policy.Network().evaluate_many(["startpos"], top=1, progress=True)) == 1

    def stop(done: int, total: int | None, games: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        cp.scan(games, columns=["ply"], threads=1, progress=stop)


def test_exports_do_not_leak(examples: Path) -> None:
    plies = cp.scan(examples / "selfplay.pgn.gz")
    for _ in range(50):
        pa.table(plies)
    # The value is in kilobytes, on macOS in bytes.
    unit = 1024 if sys.platform == "darwin" else 1
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(1000):
        assert pa.table(plies).num_rows == len(plies)
    # If each export kept a copy of the table, this would be 300 MB.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000 * unit


def test_a_table_outlives_its_scan(examples: Path) -> None:
    table = pa.table(cp.scan(examples / "opera-game.pgn"))
    assert table["ply"].to_pylist() == list(range(1, 34))


def test_a_million_expected_scores_are_quick() -> None:
    evals = np.linspace(-1000, 1000, 1_000_000)
    curve = cp.Curve("lichess")
    curve.expected(evals)
    times = []
    for _ in range(20):
        began = time.perf_counter()
        curve.expected(evals)
        times.append(time.perf_counter() - began)
    # It takes 12 ms on an idle core. The limit is high because other programs may be running. A
    # loop in Python would take more than a second.
    assert min(times) < 0.3, times
