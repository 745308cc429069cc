"""What an evaluation is worth between humans, by rating and time, fitted to games.

>>> from centipawn import human
>>> fit = human.fit("people.tsv.zst", resamples=20, folds=0)
>>> list(fit.constants)[:2], fit.covariance.shape == 2 * (len(fit.constants),)
(['b0', 'b1'], True)
>>> club = fit.curve(rating=1600, seconds=600)
>>> 0.5 < club.expected(100) < 0.7
True
>>> len(fit.curves(rating=1600, seconds=600))
20
>>> predicted = fit.predict(100, rating=[1200, 2000], seconds=600)
>>> bool((predicted["expected_score_error"] > 0).all())
True
"""

from __future__ import annotations

import os
from concurrent.futures import Executor
from typing import Any

from . import _centipawn
from ._arguments import Games, Inputs, Progress, known, options
from ._centipawn import Engine, HumanFit, Table
from ._curves import rows
from ._remote import checked, divided

__all__ = ["HumanFit", "check", "fit"]


def fit(
    games: Games,
    *,
    time: float | None = None,
    units: float | None = None,
    pool: str | None = None,
    evals: str = "auto",
    games_in: str | os.PathLike[str] | None = None,
    per_class: int | None = None,
    resamples: int | None = None,
    folds: int | None = None,
    seed: int = 0,
    clusters: str | None = None,
    engine: Engine | None = None,
    every: int | None = None,
    threads: int | None = None,
    strict: bool = False,
    progress: Progress = None,
    executor: Executor | None = None,
) -> HumanFit:
    """Fits the human curve to games, as ``centipawn wdl human`` does, with the same defaults.

    ``games`` are PGN with evaluations and ratings, or tables of positions (.tsv, with the columns
    ``cp``, ``white_elo``, ``black_elo``, ``result`` and more, see docs/people.md). They can also be
    open files or ``io.StringIO``. ``time`` is the time in seconds of a player in games that state
    no time control. ``units`` is the unit of the evaluations, in pawns for one pawn of Stockfish
    15.1. ``pool`` names the site or federation of games that name none: lichess, chesscom, fide,
    fide-online, fics. ``per_class`` is the maximum number of games of a class of time and rating. Errors are
    computed from ``resamples`` resamples of the games, the held-out test from ``folds`` folds; 0
    leaves them out. A table must number its games (column ``game``), because rows of one game are
    not independent; with ``clusters="row"``, each row without a number counts as a game. With an
    ``engine``, it evaluates every ``every``-th position. ``games_in`` is
    the folder with the games of tables. With an ``executor``, its workers count parts of the games,
    or use their engines (docs/executors.md). Tables cannot be divided, so they are refused with an
    executor.
    """
    if every is not None and engine is None:
        raise ValueError("every is for an engine; give one")
    given: dict[str, Any] = {
        "count": known(
            evals=evals, seconds=time, units=units, pool=pool, per_class=per_class, seed=seed, clusters=clusters
        ),
        "fit": known(resamples=resamples, folds=folds),
        "every": every,
        "threads": threads,
        "strict": strict,
    }
    folder = None if games_in is None else os.fspath(games_in)
    recipe = options(**given)

    def tasks(paths: list[str], workers: int) -> list[bytes]:
        return _centipawn.human_tasks(paths, recipe, workers)

    with Inputs(games) as inputs:
        if engine is not None or checked(executor) is None:
            recipe = options(**given, names=inputs.names)
            return _centipawn.human_fit(inputs.paths, recipe, folder, engine, progress, executor)
        with divided(executor, inputs, tasks, progress) as paths:
            return _centipawn.human_fit(paths, options(**given, names=inputs.names), folder, None, progress, None)


def check(
    table: str | os.PathLike[str],
    *,
    curve: str | os.PathLike[str] = "human",
    pool: str | None = None,
    clusters: str | None = None,
) -> dict[str, Any]:
    """Checks a curve on data that it was not fitted to, as ``centipawn wdl human --check`` does.

    ``table`` has published scores (columns ``cell``, ``weight``, ``rating``, ``seconds``,
    ``eval_min``, ``eval_max``, ``decay``, ``material``, ``games``, ``score``, ``error``, ``deep``)
    or positions as ``centipawn wdl human --rows`` writes them. ``curve`` is a name or a curve file.
    Returns the document of the command: ``result`` has ``cells`` and ``misfit``, or ``log_loss``,
    ``by_pool`` and ``reliability``.
    """
    recipe = options(count=known(pool=pool, clusters=clusters))
    return _centipawn.human_check(os.fspath(table), recipe, os.fspath(curve))


def _predict(
    self: HumanFit,
    eval: Any,
    *,
    mate: Any = None,
    rating: Any = None,
    seconds: Any = None,
    rating_difference: Any = None,
    units: float = 1.0,
    progress: Progress = None,
) -> Table:
    evals, (mates, ratings, times, differences) = rows(
        eval, mate=mate, rating=rating, seconds=seconds, rating_difference=rating_difference
    )
    return self._predict(evals, mates, ratings, times, differences, units, progress)
