"""Ratings of players, estimated from their moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import _centipawn
from ._arguments import Games, Inputs, Progress


@dataclass(frozen=True)
class PlayerRating:
    """A player's rating, estimated from the moves."""

    #: The name as in the games.
    name: str
    #: The estimate, on the scale of :attr:`pool`; ``None`` if no game has enough moves.
    rating: int | None
    #: The 80 % interval of the estimate.
    low: int | None
    high: int | None
    #: Games that the estimate rests on.
    games: int
    #: Mean of the ratings in the games' tags.
    tag_rating: float | None
    #: The pool of players that the scale of the estimate belongs to.
    pool: str
    #: All results for the player, as ``centipawn rating --json`` prints them, with an estimate and
    #: the features of each game.
    document: dict[str, Any]


def rating(games: Games, *, player: str | None = None, progress: Progress = None) -> list[PlayerRating]:
    """Estimates the ratings of the players of games from their moves, as ``centipawn rating`` does.

    ``player`` is the whole name as in the tags; upper and lower case do not matter. Without it, all
    players are estimated, and those with the most games come first. Evaluations and clocks in the
    games make the estimates more accurate. A single game is not enough for a useful estimate.
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
