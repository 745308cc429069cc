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
    """The best of some runs, and the result."""
    best, result = float("inf"), None
    for _ in range(repeat):
        began = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - began)
    return best, result


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
    ours, table = timed(lambda: pl.DataFrame(cp.scan(paths)))
    print(f"centipawn     {len(table):>9,} plies {ours:>8.3f} s {len(table) / ours:>12,.0f} plies/s")
    theirs, plies = timed(lambda: slowly(paths[0]), repeat=1)
    print(f"python-chess  {plies:>9,} plies {theirs:>8.3f} s {plies / theirs:>12,.0f} plies/s")
    print(f"ratio         {(len(table) / ours) / (plies / theirs):>9.0f}")
    evals = np.random.default_rng(1).normal(0, 200, 1_000_000)
    material = np.random.default_rng(1).integers(20, 79, 1_000_000).astype(float)
    for name, given in [("lichess", {}), ("stockfish-18", {"material": material})]:
        curve = cp.Curve(name)
        took, _ = timed(lambda: curve.expected(evals, **given), repeat=7)
        print(f"expected score of a million, {name:<14} {1000 * took:>6.1f} ms")


if __name__ == "__main__":
    main(sys.argv[1:])
