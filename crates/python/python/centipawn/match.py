"""Results of matches and tournaments: Elo, pairs of games, sequential tests, ratings.

>>> from centipawn import match
>>> result = match.results("selfplay.pgn.gz", sprt=(-10, 0))
>>> len(result.pairings), result.document["pairings"][0]["sprt"]["verdict"]
(1, 'continue')
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from . import _centipawn
from ._arguments import Games, Inputs, Progress, known, listed, options
from ._centipawn import Table
from ._remote import divided

__all__ = ["Match", "results"]


@dataclass(frozen=True)
class Match:
    """The results of games."""

    #: The players, those with a rating first: the rating with the half width of its 95 % interval
    #: (``error``), results, faults, and ``counting_balance``, the article's count, which ignores
    #: strength and few draws.
    players: Table
    #: The games of every two players who met: results, score, Elo and normalised Elo with their
    #: errors, superiority, and ``llr``.
    pairings: Table
    #: The whole document, as ``centipawn match --json`` prints it; ``balance`` is the win-draw
    #: balance of ``wdl.run`` for the same games.
    document: dict[str, Any]


def results(
    games: Games,
    *,
    players: Iterable[str] = (),
    sprt: tuple[float, float] | None = None,
    model: str | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    white_advantage: float | None = None,
    anchor: Mapping[str, float] | None = None,
    evals: str = "auto",
    threads: int | None = None,
    strict: bool = False,
    progress: Progress = None,
    executor: Executor | None = None,
) -> Match:
    """Computes the strength of players from their games, as ``centipawn match`` does.

    ``players`` are one or two names, or parts of names that no other player has. Only their games
    count, and results are those of the first one. ``sprt`` are the bounds (H0, H1) of a sequential
    test, in the Elo of ``model``: ``normalized`` (the default), ``logistic`` or ``bayesian``.
    ``alpha`` and ``beta`` are its error rates, 0.05 by default. ``white_advantage`` in Elo is
    fitted by default. ``anchor`` fixes the rating of one player, as in ``{"Stockfish 17": 3600}``;
    by default the mean of all ratings is 0. With an ``executor``, its workers count parts of the
    games (docs/executors.md).
    """
    if anchor is not None and not (isinstance(anchor, Mapping) and len(anchor) == 1):
        raise ValueError('anchor fixes one rating, as in {"Stockfish 17": 3600}')
    test, asked = None, known(alpha=alpha, beta=beta, model=model)
    if sprt is not None:
        if len(sprt) != 2:
            raise ValueError("sprt are two bounds in Elo, as in (0, 5)")
        elo0, elo1 = sprt
        default = {"alpha": 0.05, "beta": 0.05, "model": "normalized"}
        test = {"elo0": elo0, "elo1": elo1, **default, **asked}
    elif asked:
        raise ValueError(f"{next(iter(asked))} is for a sequential test, which needs its bounds, as in sprt=(0, 5)")
    fixed = None
    if anchor is not None:
        [(name, elo)] = anchor.items()
        fixed = {"name": name, "elo": elo}
    recipe = options(
        count={"evals": evals},
        report=known(players=listed("players", players), sprt=test, white_advantage=white_advantage, anchor=fixed),
        threads=threads,
        strict=strict,
    )

    def tasks(paths: list[str], workers: int) -> list[bytes]:
        return _centipawn.match_tasks(paths, recipe, workers)

    with Inputs(games) as inputs, divided(executor, inputs, tasks, progress) as paths:
        return Match(*_centipawn.match_results(paths, recipe, progress))
