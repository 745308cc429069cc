"""Puzzles: mining, reading, tagging, rating.

>>> from centipawn import puzzles
>>> some = puzzles.read("puzzles.csv", first=5)
>>> len(some), some.table["id"].dtype
(5, dtype('O'))
>>> rated = puzzles.rate(some, all=True, policy=False)
>>> bool((rated.table["low"] < rated.table["high"]).all())
True
"""

from __future__ import annotations

import os
from concurrent.futures import Executor

from . import _centipawn
from ._arguments import Games, Inputs, Progress, options
from ._centipawn import Engine, Puzzles
from ._engines import engine_for
from ._remote import checked

__all__ = ["Puzzles", "mine", "rate", "read", "tag"]


def mine(
    games: Games,
    engine: Engine | str | os.PathLike[str] | None = None,
    *,
    jobs: int | None = None,
    store: str | os.PathLike[str] | None = None,
    rules: str | None = None,
    effort: float | None = None,
    ignore_evals: bool | None = None,
    min_moves: int | None = None,
    max_moves: int | None = None,
    max_positions: int | None = None,
    player: str | None = None,
    missed: bool | None = None,
    policy: bool = True,
    progress: Progress = None,
    executor: Executor | None = None,
) -> Puzzles:
    """Finds puzzles in games, as ``centipawn puzzles mine`` does, with the same defaults.

    ``engine`` is an :class:`centipawn.Engine`, which stays open, or a command that runs for this
    call. The limits of searches are those of the ``rules`` (``centipawn`` or ``lichess``),
    multiplied by ``effort``. With ``player``, only positions in which this player is to move are
    used; with ``missed``, only puzzles that the player did not solve. Without ``policy``, ratings
    are estimated from the moves alone. With an ``executor``, the engines of its workers are used
    (docs/executors.md).
    """
    checked(executor)
    recipe = options(
        rules=rules,
        effort=effort,
        ignore_evals=ignore_evals,
        min_moves=min_moves,
        max_moves=max_moves,
        max_positions=max_positions,
        player=player,
        missed=missed,
    )
    with engine_for(engine, None, None, None, jobs, store) as asked, Inputs(games) as inputs:
        return _centipawn.puzzles_mine(inputs.paths, asked, recipe, policy, progress, executor)


def read(files: Games, *, first: int | None = None, progress: Progress = None) -> Puzzles:
    """Reads puzzles: Lichess' CSV, JSON lines, or PGN. With ``first``, only this number of each
    file.
    """
    with Inputs(files) as inputs:
        return _centipawn.puzzles_read(inputs.paths, first, progress)


def rate(puzzles: Puzzles, *, all: bool = False, policy: bool = True, progress: Progress = None) -> Puzzles:
    """Estimates ratings on Lichess' scale, as ``centipawn puzzles rate`` does.

    Puzzles with a rating by players keep it unless ``all`` is set. Without ``policy``, ratings are
    estimated from the moves alone and are less certain.
    """
    return _centipawn.puzzles_rate(puzzles, all, policy, progress)


def tag(puzzles: Puzzles, *, progress: Progress = None) -> Puzzles:
    """Finds the themes of puzzles and replaces the themes that they have."""
    return _centipawn.puzzles_tag(puzzles, progress)
