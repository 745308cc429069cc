"""Reviews of games."""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import Executor

from . import _centipawn
from ._arguments import Games, Inputs, Progress, listed, options
from ._centipawn import Engine, Review, Reviews
from ._curves import AnyCurve
from ._remote import checked

__all__ = ["Engine", "Review", "Reviews", "review"]


def review(
    games: Games,
    engine: Engine | str | os.PathLike[str] | None = None,
    *,
    nodes: int | None = None,
    depth: int | None = None,
    movetime: float | None = None,
    jobs: int | None = None,
    store: str | os.PathLike[str] | None = None,
    lines: int = 2,
    quick: str | None = None,
    deepen: str = "symbols",
    curve: AnyCurve = "auto",
    scheme: str = "auto",
    every_symbol: bool = False,
    reuse_evals: bool | str = False,
    ease: bool = False,
    networks: Iterable[str | os.PathLike[str]] = ("centipawn-1",),
    language: str = "en",
    keep: bool = True,
    progress: Progress = None,
    executor: Executor | None = None,
) -> Reviews:
    """Reviews games, as ``centipawn review`` does.

    ``engine`` is an :class:`Engine`, which stays open, or a command (default ``stockfish``) that
    runs for this call with ``nodes`` (default a million), ``depth`` or ``movetime`` (seconds) for
    each position. Evaluations are kept in the ``store``: a path, an address, ``"none"``, or the
    user's default store. ``quick`` is a first limit (``"100k nodes"``), after which only positions
    that matter are searched fully. With ``deepen="blunders"``, these are only positions in which a
    ``??`` or a mate may depend on the search; ``centipawn review --archive`` does this with
    ``quick="30k nodes"`` and ``nodes=300_000``. ``reuse_evals`` uses the evaluations in the games.
    ``ease`` also judges how hard every move was to find. With an ``executor``, the engines of its
    workers are used (docs/executors.md).
    """
    checked(executor)
    evals = "auto" if reuse_evals is True else reuse_evals or None
    own = not isinstance(engine, Engine)
    if not own and any(value is not None for value in (nodes, depth, movetime, jobs, store)):
        raise ValueError("nodes, depth, movetime, jobs and store are the engine's; give them to Engine")
    if isinstance(engine, Engine):
        asked = engine
    else:
        command = engine or os.environ.get("CENTIPAWN_ENGINE") or "stockfish"
        asked = Engine(
            command, nodes=nodes, depth=depth, movetime=movetime, jobs=jobs, store=store, lazy=evals is not None
        )
    recipe = options(
        limit=asked.limit,
        quick=quick,
        deepen=deepen,
        lines=lines,
        scheme=scheme,
        every_symbol=every_symbol,
        reuse_evals=evals,
        language=language,
        annotations="keep" if keep else "replace",
    )
    try:
        with Inputs(games) as inputs:
            named = listed("networks", networks) if ease else []
            return _centipawn.review(inputs.paths, asked, recipe, curve, named, progress, executor)
    finally:
        if own:
            asked.close()
