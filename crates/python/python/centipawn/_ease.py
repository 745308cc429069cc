"""How hard positions are for humans."""

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

    #: The move in UCI notation and in algebraic notation.
    uci: str
    san: str
    #: The probability that players of this rating play it, 0 to 1, computed from ``p_policy`` and
    #: from what it loses.
    p: float
    #: The probability by the policy network alone.
    p_policy: float
    #: The evaluation for the side to move: ``{"cp": 31}``, ``{"mate": 3}``.
    mover_eval: Any
    #: The value for the side to move, −1 to 1.
    q: float | None
    #: The expected score that it loses.
    score_loss: float
    #: The share of the position's hardness (1 − ease) that it causes, 0 to 1.
    share: float


@dataclass(frozen=True)
class Ease:
    """How hard a position is for players of a level: their average loss, and the ease, from 0
    (hardest) to 1 (easiest).
    """

    #: The position as FEN.
    fen: str
    #: The network, and the rating of the players that it imitates.
    policy: str
    level: int | None
    #: The ease, 0 to 1; ``None`` if only a bound is known.
    ease: float | None
    #: Expected score that players of this rating lose here on average, 0 to 1.
    expected_loss: float
    #: The most tempting mistake, in UCI notation.
    trap: str | None
    #: Probabilities of good moves, inaccuracies and blunders.
    meter: dict[str, float]
    #: The candidate moves, the most likely first.
    moves: tuple[EaseMove, ...]
    #: The whole document, as ``centipawn ease --json`` prints it.
    document: dict[str, Any]

    @property
    def provenance(self) -> dict[str, Any]:
        """The program, options, engine and networks."""
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

    The arguments for the engine are those of :func:`centipawn.review`. ``ahead`` is the number of
    own moves that are looked ahead.
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


#: Number of positions that are judged together.
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
    """Judges many positions like :func:`ease`. Returns a table with a row for each position, rating
    and network.

    ``rating`` can be a list. Each rating is then judged with the candidate moves of all ratings.
    The column ``row`` is the index of the position. ``ease``, ``ease_each``, ``ease_at_most``,
    ``ease_ahead``, ``sharpness`` and ``expected_loss`` are the values in the document of a
    position, ``p_good`` to ``p_unknown`` its probabilities, ``trap`` the most tempting mistake with
    ``p_trap`` and ``trap_score_loss``. A position that cannot be judged has no row and causes a
    warning. An invalid FEN is a ``ValueError`` before the work begins. All processes of ``engine``
    work at the same time. ``progress`` counts positions. With an ``executor``, the engines of its
    workers are used instead (docs/executors.md).
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
    """Judges positions in chunks of ``size`` positions. Each chunk is a table of :func:`ease_many`,
    so memory is bounded.

    The column ``row`` counts through all chunks. With a ``store``, a repeated run takes the
    evaluations of the first one from it. With an ``executor``, the engines of its workers are used.
    Then choose chunks as large as memory allows, because a chunk begins only after the one before
    has ended.
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
