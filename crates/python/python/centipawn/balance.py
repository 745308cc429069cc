"""Win-draw balances of engines. The balance is the evaluation with which an engine wins half of the
games.

>>> from centipawn import balance
>>> table = balance.estimate("selfplay.pgn.gz", by="engine", resamples=0)
>>> table.column_names[:4]
['event', 'engine', 'year', 'opponent']
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor

from . import _centipawn
from ._arguments import Games, Inputs, Progress, known, listed, options
from ._centipawn import Table
from ._remote import divided

__all__ = ["estimate"]


def estimate(
    games: Games,
    *,
    by: str = "event",
    not_won: Iterable[str] = (),
    exclude: Iterable[str] = (),
    player: str | None = None,
    resamples: int | None = None,
    seed: int = 0,
    evals: str = "auto",
    threads: int | None = None,
    strict: bool = False,
    progress: Progress = None,
    executor: Executor | None = None,
) -> Table:
    """Estimates balances, as ``centipawn balance`` does.

    Returns a row for each event, engine, year, opponent or band of ratings.

    ``by`` is ``event``, ``engine``, ``year``, ``opponent`` or ``elo``. ``balance`` with ``low`` and
    ``high`` is the estimate of the article in pawns, with its 95 % interval by ``resamples``
    resamples (1,000 by default). ``fitted`` is the maximum-likelihood estimate over all positions,
    with the interval ``fitted_low`` to ``fitted_high``. The interval is null if all games give the
    same estimate, as a single game does. ``player`` selects engines whose name contains it. With an
    ``executor``, its workers count parts of the games (docs/executors.md).
    """
    recipe = options(
        count={"evals": evals, "by": by, "not_won": listed("not_won", not_won), "exclude": listed("exclude", exclude)},
        bootstrap=known(resamples=resamples, seed=seed),
        player=player,
        threads=threads,
        strict=strict,
    )

    def tasks(paths: list[str], workers: int) -> list[bytes]:
        return _centipawn.balance_tasks(paths, recipe, workers)

    with Inputs(games) as inputs, divided(executor, inputs, tasks, progress) as paths:
        table, _document = _centipawn.balance_estimate(paths, recipe, progress)
    return table
