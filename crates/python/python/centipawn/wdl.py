"""Win/draw/loss models, of the form that Stockfish publishes: counting, fitting, comparing.

>>> from centipawn import wdl
>>> counts = wdl.count("selfplay.pgn.gz")
>>> counts.positions
10775
>>> model = counts.fit(resamples=20, seed=1)
>>> model.curve.expected(0)
0.5
>>> sorted(model.errors)[:3]
['as', 'bs', 'covariance']
>>> model.covariance.shape, model.draws.shape                     # of the coefficients of a, then b
((8, 8), (20, 8))
>>> predicted = model.predict([0, 100], material=58)
>>> bool((predicted["expected_score_low"] <= predicted["expected_score"]).all())
True
>>> print(model.cpp().split("{")[0].strip())
constexpr double as[] =
"""

from __future__ import annotations

import os
from concurrent.futures import Executor
from typing import Any, Union

from . import _centipawn
from ._arguments import Games, Inputs, Progress, known, listed, options
from ._centipawn import Comparison, Counts, Fit, Model, Table
from ._curves import rows
from ._remote import divided

__all__ = ["Comparison", "Counts", "Fit", "Model", "compare", "count", "fit", "load", "read_counts"]

def count(
    games: Games,
    *,
    match_rev: str | None = None,
    match_engine: str | None = None,
    match_tc: str | None = None,
    match_threads: int | None = None,
    match_book: str | None = None,
    match_book_invert: bool = False,
    elo_diff_min: float | None = None,
    elo_diff_max: float | None = None,
    sprt_only: bool = False,
    fix_fen_source: str | os.PathLike[str] | None = None,
    bin: int = 5,
    compat: bool = False,
    evals: str = "auto",
    flat: bool = False,
    allow_duplicates: bool = False,
    threads: int | None = None,
    strict: bool = False,
    progress: Progress = None,
    executor: Executor | None = None,
) -> Counts:
    """Counts the evaluated positions of games by result, move, material and evaluation.

    Does the same as ``centipawn wdl count``.

    The filters ``match_…``, ``elo_diff_…`` and ``sprt_only`` use fishtest's metadata beside the
    games. Regular expressions must match the whole text. Evaluations are rounded to multiples of
    ``bin`` centipawns. With an ``executor``, its workers count parts of the games
    (docs/executors.md).
    """
    # The numbers are sent as text, as on the command line, because JSON has no infinity.
    numbers = known(match_threads=match_threads, elo_diff_min=elo_diff_min, elo_diff_max=elo_diff_max)
    fishtest = known(
        match_rev=match_rev,
        match_engine=match_engine,
        match_tc=match_tc,
        match_book=match_book,
        match_book_invert=match_book_invert,
        sprt_only=sprt_only,
        **{name: str(number) for name, number in numbers.items()},
    )
    recipe = options(
        selection={"flat": flat, "allow_duplicates": allow_duplicates},
        count=known(evals=evals, bin=bin, compat=compat),
        fishtest=fishtest,
        threads=threads,
        strict=strict,
    )
    book = None if fix_fen_source is None else os.fspath(fix_fen_source)

    def tasks(paths: list[str], workers: int) -> list[bytes]:
        return _centipawn.wdl_tasks(paths, recipe, book, workers)

    with Inputs(games) as inputs, divided(executor, inputs, tasks, progress) as paths:
        return _centipawn.wdl_count(paths, recipe, book, progress)


def read_counts(path: str | os.PathLike[str]) -> Counts:
    """Reads a file of counts that :meth:`Counts.save`, ``centipawn wdl count`` or WDL_model (JSON)
    wrote.
    """
    return _centipawn.wdl_read_counts(os.fspath(path))


def fit(
    games: Games | Counts,
    *,
    by: str = "material",
    method: str = "probability",
    shape: str = "cubic",
    units: str | float | None = None,
    moves: tuple[int, int] | None = None,
    material: tuple[int, int] | None = None,
    eval_max: int | None = None,
    target: float | None = None,
    win_min: int | None = None,
    compat: bool = False,
    resamples: int | None = None,
    folds: int | None = None,
    seed: int = 0,
    progress: Progress = None,
    executor: Executor | None = None,
) -> Fit:
    """Fits a model to counts, or to games, as ``centipawn wdl run`` does.

    ``by`` is ``material``, ``move`` or ``both``. ``units`` are the units of the engine's printed
    evaluations: a version of Stockfish (``"18"``), a file, or the number of internal units in a
    pawn; by default centipawns. ``compat`` counts and fits as WDL_model does; the units are then by
    default those of the newest Stockfish. Errors are computed from ``resamples`` resamples of the
    games, the held-out test on ``folds`` folds of them (100 and 5 by default); 0 leaves them out.
    ``eval_max`` is in centipawns. With an ``executor``, its workers count games.
    """
    counts = games if isinstance(games, Counts) else count(games, compat=compat, progress=progress, executor=executor)
    named, has_units = None, units is not None
    if isinstance(units, str):
        named, units = units, None
    selection = known(by=by, moves=moves, material=material, eval_max=eval_max, units=units)
    recipe = options(
        selection=selection,
        method=method,
        shape=shape,
        target=target,
        win_min=win_min,
        compat=compat,
        resampling=known(resamples=resamples, folds=folds, seed=seed),
    )
    return counts._fit(recipe, named, has_units, progress)


def load(name: str | os.PathLike[str]) -> Model:
    """Loads a model: a version of Stockfish, a curve file, the fit.json of a run or its folder, or
    Stockfish's ``src/uci.cpp``.

    >>> load("stockfish-18").curve.balance()
    1.0
    """
    return _centipawn.wdl_load(os.fspath(name))


def _predict(
    self: Fit | Model,
    eval: Any,
    *,
    mate: Any = None,
    material: Any = None,
    ply: Any = None,
    progress: Progress = None,
) -> Table:
    evals, (mates, materials, plies) = rows(eval, mate=mate, material=material, ply=ply)
    return self._predict(evals, mates, materials, plies, progress)


#: A model, a fit, or the name or file of a model.
AnyModel = Union[Model, Fit, str, "os.PathLike[str]"]


def compare(
    first: AnyModel,
    *others: AnyModel,
    on: Counts | None = None,
    names: list[str] | None = None,
    units: str | None = None,
    resamples: int | None = None,
    folds: int | None = None,
    seed: int = 0,
) -> Comparison:
    """Compares models with the first one: their constants, where they differ most, and with ``on``
    their log losses on games.

    A model that was fitted to the same counts ``on`` is tested on folds that its fit does not
    contain.

    >>> print(compare("stockfish-17", "stockfish-18").verdicts[0][:44])
    Stockfish 18 differs from Stockfish 17 by +1
    """
    models = [load(model) if isinstance(model, (str, os.PathLike)) else model for model in (first, *others)]
    if names is None:
        names = [model.name if isinstance(model, Model) else f"fit {number}" for number, model in enumerate(models, 1)]
    resampling = known(resamples=resamples, folds=folds, seed=seed)
    return _centipawn.wdl_compare(models, listed("names", names), on, options(resampling=resampling), units)
