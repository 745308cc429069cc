"""Piece values, estimated from the results of games.

>>> from centipawn import material
>>> rows = material.rows("selfplay.pgn.gz")
>>> fit = rows.fit(resamples=50)
>>> fit.values["piece"][:2].tolist()
['pawn', 'knight']
>>> test = fit.test("Q > P")
>>> test.verdict, test.p < 0.001
('holds', True)
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from . import _centipawn
from ._arguments import Games, Inputs, Progress, known, listed, options
from ._centipawn import MaterialComparison, MaterialFit, Rows
from ._curves import AnyCurve
from ._remote import divided

__all__ = ["MaterialComparison", "MaterialFit", "Rows", "Tested", "compare", "fit", "rows"]


@dataclass(frozen=True)
class Tested:
    """The result of testing a hypothesis about values."""

    #: The hypothesis as it was given.
    test: str
    #: The side that should be greater minus the other one (for an equation, left minus right), in
    #: hundredths of a pawn.
    estimate: float
    #: The standard error of the estimate, by game. It includes the error of the pawn, which is the
    #: unit.
    error: float
    #: The difference in logits, divided by its standard error. It does not depend on the unit, so
    #: it differs from ``estimate / error``.
    z: float
    #: The probability of a ``z`` that is at least this large if both sides were equal: one-sided
    #: for ``>`` and ``<``, two-sided for ``=``.
    p: float
    #: ``p`` after Holm's correction for all tests that were made together; ``None`` for a single
    #: test.
    p_corrected: float | None
    #: ``holds``, ``fails`` or ``open`` at 5 %, by ``p_corrected`` if there is one, else by ``p``.
    verdict: str


def _tested(document: dict[str, Any]) -> Tested:
    return Tested(**document)


def compare(first: MaterialFit, *others: MaterialFit, names: Iterable[str] | None = None) -> MaterialComparison:
    """Compares the values of collections with those of the first one.

    Does the same as ``centipawn material --compare``.

    The collections must have no game in common. ``names`` are the names of all collections, by
    default ``fit 1``, ``fit 2``, …

    >>> early, late = (fit("selfplay.pgn.gz", resamples=0, terms=terms) for terms in ([], ["bishop-pair"]))
    >>> compare(early, late).table().column_names[:3]
    ['collection', 'piece', 'difference']
    """
    fits = [first, *others]
    called = [f"fit {number}" for number in range(1, len(fits) + 1)] if names is None else listed("names", names)
    return _centipawn.material_compare(fits, called)


def rows(
    games: Games,
    *,
    finished: bool = False,
    search: AnyCurve | None = None,
    structure: bool = False,
    features: str | os.PathLike[str] | None = None,
    evals: str = "auto",
    clusters: str | None = None,
    threads: int | None = None,
    strict: bool = False,
    progress: Progress = None,
    executor: Executor | None = None,
) -> Rows:
    """Collects quiet positions with their material balance from games, or from files of rows
    (.rows, .mat, .tsv, .csv).

    The method ``classic`` counts games without a result as drawn, as the article does; the other
    methods leave them out. ``finished`` always leaves them out. With ``search``, the expected
    scores of the games' evaluations by this curve are kept too, for ``target="search"``. With
    ``structure``, the structure of each position is kept too, for terms of it. ``features`` is a
    table of your own features, which every fit of these rows estimates, as in ``fit``. Files of
    rows must number their games (.tsv, .csv), because rows of one game are not independent; with
    ``clusters="row"``, each row of the article's format counts as a game. With an ``executor``, its workers count parts of the games (docs/executors.md).
    """
    recipe = options(
        evals=evals,
        finished=finished,
        clusters=clusters,
        terms=["structure"] if structure else [],
        features=_path(features),
        threads=threads,
        strict=strict,
    )
    return _collected(games, recipe, search, progress, executor)


def fit(
    games: Games | Rows,
    *,
    terms: Iterable[str] = (),
    features: str | os.PathLike[str] | None = None,
    method: str | None = None,
    first_move: bool | None = None,
    target: str = "result",
    resamples: int | None = None,
    folds: int | None = None,
    seed: int = 0,
    tests: Iterable[str] = (),
    by: str | None = None,
    width: int | None = None,
    top: int = 10,
    clusters: str | None = None,
    progress: Progress = None,
    executor: Executor | None = None,
) -> MaterialFit:
    """Estimates piece values, as ``centipawn material`` does, with the same defaults.

    ``terms`` are further features: ``bishop-pair``, ``knight-pair``, ``rook-pair``,
    ``queen-knight``, ``last-pawn``, ``tempo``, ``elo``, ``opposite-bishops``, or those of the
    structure (docs/material.md), all of which are ``structure``. ``features`` is a table with a
    header, the columns ``game`` and ``ply`` as ``Rows.save`` writes them, and a column for each of
    your own features. ``method`` is
    ``ordered``, ``davidson``, ``score`` or ``classic``; the default is ``ordered``, or ``score``
    with ``target="search"``. ``folds`` is the number of folds of the held-out test: five with
    terms, else none. ``tests`` are added to Capablanca's rules in the document. ``by`` fits bands
    of ``phase``, ``elo``, ``year``, ``event`` or ``player``, which are the table ``bands`` of the
    fit. ``clusters`` is that of ``rows``. With an ``executor``, its workers count games.
    """
    terms = listed("terms", terms)
    if isinstance(games, Rows):
        if clusters is not None:
            raise ValueError("clusters is for files of rows; give it to rows")
        if features is not None:
            raise ValueError("features belong to the rows; give them to rows")
        collected = games
    else:
        # Counting needs the target and the bands too: evaluations are read only if they are the
        # target, and names only if they divide the games.
        recipe = options(
            target=target,
            bands=_bands(by, width, top),
            terms=terms,
            features=_path(features),
            clusters=clusters,
        )
        collected = _collected(games, recipe, None, progress, executor)
    request = options(
        method=method,
        terms=terms,
        first_move=first_move,
        target=target,
        resamples=resamples,
        folds=folds,
        seed=seed,
        tests=listed("tests", tests),
        bands=_bands(by, width, top),
    )
    return collected._fit(request, progress)


def _collected(
    games: Games, recipe: str, search: AnyCurve | None, progress: Progress, executor: Executor | None
) -> Rows:
    def tasks(paths: list[str], workers: int) -> list[bytes]:
        return _centipawn.material_tasks(paths, recipe, search, workers)

    with Inputs(games) as inputs, divided(executor, inputs, tasks, progress) as paths:
        return _centipawn.material_rows(paths, recipe, search, progress)


def _path(path: str | os.PathLike[str] | None) -> str | None:
    return None if path is None else os.fspath(path)


def _bands(by: str | None, width: int | None, top: int) -> dict[str, Any] | None:
    if by is None and width is not None:
        raise ValueError('width is that of bands, which need by, as in by="elo"')
    return None if by is None else known(by=by, width=width, top=top)
