"""How hard positions are for people."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from . import _centipawn
from ._arguments import Position, Progress, known, options
from ._centipawn import Engine
from ._curves import AnyCurve


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
    engine: Engine | str | None = None,
    nodes: int | None = None,
    depth: int | None = None,
    movetime: float | None = None,
    jobs: int | None = None,
    store: str | os.PathLike[str] | None = None,
    lines: int = 5,
    ahead: int = 1,
    curve: AnyCurve | None = None,
    networks: Iterable[str] = ("centipawn-1",),
    progress: Progress = None,
) -> Ease:
    """Judges how easy a position is for players of a rating, as ``centipawn ease`` does.

    The engine's arguments are those of :func:`centipawn.review`. ``ahead`` is the number of own moves to look ahead.
    """
    own = not isinstance(engine, Engine)
    if not own and any(value is not None for value in (nodes, depth, movetime, jobs, store)):
        raise ValueError("nodes, depth, movetime, jobs and store are the engine's; give them to Engine")
    if isinstance(engine, Engine):
        asked = engine
    else:
        command = engine or os.environ.get("CENTIPAWN_ENGINE") or "stockfish"
        asked = Engine(command, nodes=nodes, depth=depth, movetime=movetime, jobs=jobs, store=store)
    recipe = options(limit=asked.limit, lines=lines, ahead=ahead, levels={"fixed": [rating], "players": "none"})
    try:
        [document, *_] = _centipawn.ease([position], asked, recipe, curve, list(networks), progress)
    finally:
        if own:
            asked.close()
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
