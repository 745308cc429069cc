"""How strong players are, by their moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import _centipawn
from ._arguments import Games, Inputs, Progress


@dataclass(frozen=True)
class PlayerRating:
    """A player's rating, estimated from the moves."""

    #: The name in the games.
    name: str
    #: The estimate, on the scale of :attr:`pool`; ``None`` if no game has enough moves.
    rating: int | None
    #: The 80 % interval of the estimate.
    low: int | None
    high: int | None
    #: Games that the estimate rests on.
    games: int
    #: Mean rating in the games' tags.
    tag_rating: float | None
    #: Whose ratings these are.
    pool: str
    #: Everything about the player, as ``centipawn rating --json`` prints it: each game with its own estimate and features.
    document: dict[str, Any]


def rating(games: Games, *, player: str | None = None, progress: Progress = None) -> list[PlayerRating]:
    """Estimates the ratings of the players of games from their moves, as ``centipawn rating`` does.

    ``player`` is the whole name as in the tags, in upper or lower case; without it, all players are estimated, those with the most games
    first. Evaluations and clocks in the games make the estimates more accurate. A single game says little.
    """
    with Inputs(games) as inputs:
        document = _centipawn.rating(inputs.paths, player, progress)
    found = []
    for one in document["players"]:
        estimate = one["estimate"] or {"rating": None, "low": None, "high": None, "games": 0}
        rated = PlayerRating(
            one["name"],
            estimate["rating"],
            estimate["low"],
            estimate["high"],
            estimate["games"],
            one["tag_rating"],
            document["pool"],
            one,
        )
        found.append(rated)
    return found
