"""The engine that a call uses."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from ._centipawn import Engine


@contextmanager
def engine_for(
    engine: Engine | str | os.PathLike[str] | None,
    nodes: int | None,
    depth: int | None,
    movetime: float | None,
    jobs: int | None,
    store: str | os.PathLike[str] | None,
) -> Iterator[Engine]:
    """The engine that was given, which stays open, or a new one for this call."""
    if isinstance(engine, Engine):
        if any(value is not None for value in (nodes, depth, movetime, jobs, store)):
            raise ValueError("nodes, depth, movetime, jobs and store are the engine's; give them to Engine")
        yield engine
        return
    command = engine or os.environ.get("CENTIPAWN_ENGINE") or "stockfish"
    with Engine(command, nodes=nodes, depth=depth, movetime=movetime, jobs=jobs, store=store) as own:
        yield own
