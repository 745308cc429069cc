#!/usr/bin/env python3
"""Times games to a table, beside python-chess, and expected scores: bench_python.py GAMES… (run by `make bench-python`)."""

import sys
import time

import centipawn as cp
import chess.pgn
import numpy as np
import polars as pl

# python-chess reads so many games only; it would need minutes for all.
GAMES = 100


def timed(work, repeat=3):
    """The best of some runs, in seconds of processor time (others may be at work here) and by the clock; and the result."""
    best, clock, result = float("inf"), float("inf"), None
    for _ in range(repeat):
        began, used = time.perf_counter(), time.process_time()
        result = work()
        best = min(best, time.process_time() - used)
        clock = min(clock, time.perf_counter() - began)
    return best, clock, result


def slowly(path):
    """Plies of the first games, as python-chess reads them."""
    plies = 0
    with open(path, encoding="utf-8", errors="replace") as file:
        for _ in range(GAMES):
            if (game := chess.pgn.read_game(file)) is None:
                break
            plies += sum(1 for node in game.mainline() if node.eval() or node.comment or True)
    return plies


def main(paths):
    def shown(name, plies, processor, clock):
        pace = f"{plies / processor:>12,.0f} plies a second of one processor"
        print(f"{name:<13} {plies:>9,} plies {processor:>8.3f} s ({clock:.3f} by the clock) {pace}")
        return plies / processor

    *ours, table = timed(lambda: pl.DataFrame(cp.scan(paths)), repeat=7)
    own = shown("centipawn", len(table), *ours)
    *theirs, plies = timed(lambda: slowly(paths[0]), repeat=1)
    print(f"ratio {own / shown('python-chess', plies, *theirs):.0f}")
    evals = np.random.default_rng(1).normal(0, 200, 1_000_000)
    material = np.random.default_rng(1).integers(20, 79, 1_000_000).astype(float)
    for name, given in [("lichess", {}), ("stockfish-18", {"material": material})]:
        curve = cp.Curve(name)
        processor, clock, _ = timed(lambda curve=curve, given=given: curve.expected(evals, **given), repeat=7)
        print(f"expected score of a million, {name:<14} {1000 * processor:>6.1f} ms ({1000 * clock:.1f} by the clock)")


if __name__ == "__main__":
    main(sys.argv[1:])
