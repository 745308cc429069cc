"""How hard positions are for people."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import islice
from typing import Any

from . import _centipawn
from ._arguments import Position, Progress, known, listed, options
from ._centipawn import Engine, Table
from ._curves import AnyCurve
from ._engines import engine_for
from ._remote import checked


@dataclass(frozen=True)
class EaseMove:
    """A candidate move of a position."""

    #: The move in UCI notation, and in SAN.
    uci: str
    san: str
    #: How likely players of this rating play it, 0 to 1, given the policy's probability and what it loses.
    p: float
    #: Its probability by the policy network alone.
    p_policy: float
    #: Its evaluation for the side to move: ``{"cp": 31}``, ``{"mate": 3}``.
    mover_eval: Any
    #: Its worth to the side to move, −1 to 1.
    q: float | None
    #: Expected score that it loses.
    score_loss: float
    #: Its share in what makes the position hard.
    share: float


@dataclass(frozen=True)
class Ease:
    """How hard a position is for players of a level: what they lose on average, and ease (1 is easiest, 0 is hardest)."""

    #: The position.
    fen: str
    #: The network, and the rating of the players that it imitates.
    policy: str
    level: int | None
    #: Ease, 0 to 1; ``None`` if only a bound is known.
    ease: float | None
    #: Expected score that players of this rating lose here on average, 0 to 1.
    expected_loss: float
    #: The most tempting mistake, in UCI notation.
    trap: str | None
    #: Probabilities of good moves, inaccuracies and blunders.
    meter: dict[str, float]
    #: The candidates, the likeliest first.
    moves: tuple[EaseMove, ...]
    #: Everything, as ``centipawn ease --json`` prints it.
    document: dict[str, Any]

    @property
    def provenance(self) -> dict[str, Any]:
        """Program, options, engine and networks."""
        found: dict[str, Any] = self.document["provenance"]
        return found


def ease(
    position: Position,
    *,
    rating: int = 1500,
    engine: Engine | str | os.PathLike[str] | None = None,
    nodes: int | None = None,
    depth: int | None = None,
    movetime: float | None = None,
    jobs: int | None = None,
    store: str | os.PathLike[str] | None = None,
    lines: int = 5,
    ahead: int = 1,
    curve: AnyCurve | None = None,
    networks: Iterable[str | os.PathLike[str]] = ("centipawn-1",),
    progress: Progress = None,
) -> Ease:
    """Judges how easy a position is for players of a rating, as ``centipawn ease`` does.

    The engine's arguments are those of :func:`centipawn.review`. ``ahead`` is the number of own moves to look ahead.
    """
    with engine_for(engine, nodes, depth, movetime, jobs, store) as asked:
        recipe = _recipe(asked, rating, lines, ahead)
        document = _centipawn.ease([position], asked, recipe, curve, _named(networks), progress)[0]
    moves = tuple(EaseMove(**{"mover_eval": None, "q": None, **known(**move)}) for move in document["moves"])
    return Ease(
        document["fen"],
        document["policy"],
        document.get("level"),
        document["ease"],
        document["expected_loss"],
        document["trap"],
        document["meter"],
        moves,
        document,
    )


#: Positions that are judged at once.
_CHUNK = 500


def ease_many(
    positions: Iterable[Position],
    *,
    rating: int | Iterable[int] = 1500,
    engine: Engine | str | os.PathLike[str] | None = None,
    nodes: int | None = None,
    depth: int | None = None,
    movetime: float | None = None,
    jobs: int | None = None,
    store: str | os.PathLike[str] | None = None,
    lines: int = 5,
    ahead: int = 1,
    curve: AnyCurve | None = None,
    networks: Iterable[str | os.PathLike[str]] = ("centipawn-1",),
    progress: Progress = None,
    executor: Executor | None = None,
) -> Table:
    """Judges many positions, as :func:`ease` does for one: a table with a row for each position, rating and network.

    ``rating`` may be several; then each is judged with the candidates of all of them. The column ``row`` is the index of the position.
    ``ease``, ``ease_each``, ``ease_at_most``, ``ease_ahead``, ``sharpness`` and ``expected_loss`` are as in the document of one position,
    ``p_good`` to ``p_unknown`` its meter, ``trap`` the most tempting mistake with ``p_trap`` and ``trap_score_loss``. A position that
    cannot be judged has no row, and a warning; an invalid FEN is a ``ValueError`` before the work begins. All engines of ``engine`` work
    at once. ``progress`` counts positions. With an ``executor``, the engines of its workers are asked instead (docs/executors.md).
    """
    checked(executor)
    with engine_for(engine, nodes, depth, movetime, jobs, store) as asked:
        recipe = _recipe(asked, rating, lines, ahead)
        return _centipawn.ease_many(list(_several(positions)), asked, recipe, curve, _named(networks), progress, executor)


def ease_batches(
    positions: Iterable[Position],
    *,
    size: int = _CHUNK,
    rating: int | Iterable[int] = 1500,
    engine: Engine | str | os.PathLike[str] | None = None,
    nodes: int | None = None,
    depth: int | None = None,
    movetime: float | None = None,
    jobs: int | None = None,
    store: str | os.PathLike[str] | None = None,
    lines: int = 5,
    ahead: int = 1,
    curve: AnyCurve | None = None,
    networks: Iterable[str | os.PathLike[str]] = ("centipawn-1",),
    executor: Executor | None = None,
) -> Iterator[Table]:
    """Judges positions in chunks of ``size``: a table of :func:`ease_many` for each, in bounded memory.

    The column ``row`` counts through all chunks. With a ``store``, a run that is started again takes what it has from there. With an
    ``executor``, the engines of its workers are asked; make the chunks as large as memory allows, because each ends before the next.
    """
    checked(executor)
    if size < 1:
        raise ValueError("size must be at least 1")
    named, left, first = _named(networks), iter(_several(positions)), 0
    with engine_for(engine, nodes, depth, movetime, jobs, store) as asked:
        recipe = _recipe(asked, rating, lines, ahead)
        while chunk := list(islice(left, size)):
            yield _centipawn.ease_many(chunk, asked, recipe, curve, named, None, executor, first)
            first += len(chunk)


def _several(positions: Iterable[Position]) -> Iterable[Position]:
    if isinstance(positions, str):
        raise TypeError("positions is a list of positions; ease() judges a single one")
    return positions


def _named(networks: Iterable[str | os.PathLike[str]]) -> list[str]:
    names = listed("networks", networks)
    if not names:
        raise ValueError("networks is empty; name at least one")
    return names


def _recipe(engine: Engine, rating: int | Iterable[int], lines: int, ahead: int) -> str:
    ratings = list(rating) if isinstance(rating, Iterable) and not isinstance(rating, str) else [rating]
    return options(limit=engine.limit, lines=lines, ahead=ahead, levels={"fixed": ratings, "players": "none"})
