"""Puzzles: reading, tagging, rating.

>>> from centipawn import puzzles
>>> some = puzzles.read("puzzles.csv", first=5)
>>> len(some), some.table["id"].dtype
(5, dtype('O'))
>>> rated = puzzles.rate(some, all=True, policy=False)
>>> bool((rated.table["low"] < rated.table["high"]).all())
True
"""

from __future__ import annotations

from . import _centipawn
from ._arguments import Games, Inputs, Progress
from ._centipawn import Puzzles

__all__ = ["Puzzles", "rate", "read", "tag"]


def read(files: Games, *, first: int | None = None, progress: Progress = None) -> Puzzles:
    """Reads puzzles: Lichess' CSV, JSON lines, or PGN; of each file only the ``first`` ones, if that is given."""
    with Inputs(files) as inputs:
        return _centipawn.puzzles_read(inputs.paths, first, progress)


def rate(puzzles: Puzzles, *, all: bool = False, policy: bool = True, progress: Progress = None) -> Puzzles:
    """Estimates ratings on Lichess' scale, as ``centipawn puzzles rate`` does.

    Puzzles that players rated keep their rating unless ``all`` is set. Without ``policy`` ratings come from the moves alone, and
    are less certain.
    """
    return _centipawn.puzzles_rate(puzzles, all, policy, progress)


def tag(puzzles: Puzzles, *, progress: Progress = None) -> Puzzles:
    """Finds the themes of puzzles, in place of those that they have."""
    return _centipawn.puzzles_tag(puzzles, progress)
