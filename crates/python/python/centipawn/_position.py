"""Statistics of one position."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from . import _centipawn
from ._arguments import Games, Inputs, Position, Progress, known, options
from ._centipawn import Table


@dataclass(frozen=True)
class PositionStatistics:
    """How often a position occurs in games, and their results from White's point of view."""

    #: The position as FEN.
    fen: str
    #: The Zobrist key of the position, which is the column ``key`` of an index.
    key: int
    #: Number of games with the position.
    games: int
    white_wins: int
    draws: int
    black_wins: int
    #: White's average points, 0 to 1, and their 95 % interval.
    score: float
    low: float
    high: float
    #: White's expected score by the human curve; ``None`` without an evaluation or without rated
    #: games.
    expected: float | None
    #: A row for each move and band of ratings: ``move`` (empty if the game ended), ``san``,
    #: ``rating_from``, results, ``expected``.
    moves: Table
    #: The whole document, as ``centipawn position --json`` prints it.
    document: dict[str, Any]


def position(
    position: Position,
    games: Games,
    *,
    eval: int | None = None,
    seconds: float | None = None,
    threads: int | None = None,
    strict: bool = False,
    progress: Progress = None,
) -> PositionStatistics:
    """Counts how often a position occurs in games or in indexes of games.

    Does the same as ``centipawn position``.

    ``eval`` is the evaluation of the position in centipawns from White's point of view. The human
    curve computes the expected score from it. By default it is the median of the evaluations in the
    games. ``seconds`` is the time of a player for the game, 5400 by default.
    """
    report = known(eval=None if eval is None else {"cp": eval}, seconds=seconds)
    recipe = options(report=report, threads=threads, strict=strict)
    with Inputs(games) as inputs:
        table, document = _centipawn.position(position, inputs.paths, recipe, progress)
    results, expected = document["results"], document["expected"]
    low, high = results["score_interval"]
    return PositionStatistics(
        fen=document["fen"],
        key=int(document["key"], 16),
        games=results["games"],
        white_wins=results["white_wins"],
        draws=results["draws"],
        black_wins=results["black_wins"],
        score=results["score"],
        low=low,
        high=high,
        expected=None if expected is None else expected["score"],
        moves=table,
        document=document,
    )


def position_index(
    games: Games,
    out: str | os.PathLike[str],
    *,
    threads: int | None = None,
    strict: bool = False,
    progress: Progress = None,
) -> int:
    """Writes an index of all positions of games to a Parquet file, or merges indexes, as
    ``centipawn position index`` does.

    Returns the number of rows. :func:`position` accepts the file instead of the games, and DuckDB
    and polars can read it.
    """
    recipe = options(threads=threads, strict=strict)
    with Inputs(games) as inputs:
        rows, _games = _centipawn.position_index(inputs.paths, os.fspath(out), recipe, progress)
    return rows
