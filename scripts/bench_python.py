#!/usr/bin/env python3
"""Times games to a table, beside python-chess, and expected scores: bench_python.py GAMES… (run by `make bench-python`)."""

import sys
import time

import centipawn as cp
import chess.engine
import chess.pgn
import numpy as np
import polars as pl

# python-chess reads only this many games; it would need minutes for all.
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
    """The first games as a table of the same columns, as far as python-chess knows them, as notebooks make it."""
    rows = []
    with open(path, encoding="utf-8", errors="replace") as file:
        for number in range(GAMES):
            if (game := chess.pgn.read_game(file)) is None:
                break
            result = SCORES.get(game.headers.get("Result"))
            board = game.board()
            after = material(board)
            for ply, node in enumerate(game.mainline(), start=1):
                mover = "white" if board.turn else "black"
                before = after
                board.push(node.move)
                after = material(board)
                evaluation = node.eval()
                pov = evaluation and evaluation.white()
                notes = (pov and pov.score(), pov and pov.mate(), node.eval_depth(), node.emt(), node.clock())
                rows.append((number, ply, mover, before, after, *notes, result))
    columns = ["game", "ply", "mover", "material_before", "material", "eval_cp", "eval_mate", "depth", "time_seconds", "clock_seconds", "result"]
    return pl.DataFrame(rows, schema=columns, orient="row", infer_schema_length=None)


def material(board):
    return sum(worth * bin(mask(board)).count("1") for mask, worth in PIECES)


# Their nearest: Stockfish's model of its time, by full moves instead of material.
THEIR_CURVES = {"lichess": "lichess", "stockfish-18": "sf16"}
SCORES = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
PIECES = [
    (lambda board: board.queens, 9),
    (lambda board: board.rooks, 5),
    (lambda board: board.bishops | board.knights, 3),
    (lambda board: board.pawns, 1),
]


def main(paths):
    def shown(name, plies, processor, clock):
        pace = f"{plies / processor:>12,.0f} plies a second of one processor"
        print(f"{name:<13} {plies:>9,} plies {processor:>8.3f} s ({clock:.3f} by the clock) {pace}")
        return plies / processor

    *ours, table = timed(lambda: pl.DataFrame(cp.scan(paths)), repeat=7)
    own = shown("centipawn", len(table), *ours)
    *theirs, theirs_table = timed(lambda: slowly(paths[0]), repeat=1)
    print(f"ratio {own / shown('python-chess', len(theirs_table), *theirs):.0f}")
    columns = [name for name in theirs_table.columns if theirs_table[name].null_count() < len(theirs_table)]
    print(f"filled by python-chess: {', '.join(columns)}")
    # Whole centipawns, as tables of games have them.
    evals = np.rint(np.random.default_rng(1).normal(0, 200, 1_000_000))
    material = np.random.default_rng(1).integers(20, 79, 1_000_000).astype(float)
    few = [int(cp) for cp in evals[:10_000]]
    for name, given in [("lichess", {}), ("stockfish-18", {"material": material})]:
        curve = cp.Curve(name)
        processor, clock, _ = timed(lambda curve=curve, given=given: curve.expected(evals, **given), repeat=50)
        theirs, _, _ = timed(lambda own=THEIR_CURVES[name]: [chess.engine.Cp(cp).wdl(model=own).expectation() for cp in few], repeat=5)
        ratio = theirs / len(few) / (processor / len(evals))
        print(f"expected score of a million, {name:<14} {1000 * processor:>6.1f} ms ({1000 * clock:.1f} by the clock), ratio {ratio:.0f}")


if __name__ == "__main__":
    main(sys.argv[1:])
