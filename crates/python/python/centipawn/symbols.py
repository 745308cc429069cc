"""Symbols of moves, computed from evaluations.

>>> from centipawn import symbols
>>> found = symbols.of_move(played=-1.0, best=2.0, curve="lichess")
>>> found.s8, found.s20
('?', '??')
>>> symbols.of_move(played=0.3, best=0.3, second=-2.5).s20
'!!'
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Union

from . import _centipawn
from ._curves import AnyCurve

__all__ = ["MoveSymbols", "of_move"]

#: Pawns from White's point of view, or a mate: ``"#3"``, ``"#-2"``.
AnyEval = Union[float, str]


@dataclass(frozen=True)
class MoveSymbols:
    """The symbols of a move in each scheme: ``!!``, ``!``, ``!?``, ``?!``, ``?``, ``??``, or empty.
    """

    s8: str
    s7: str
    s20: str
    s12: str
    #: The whole document, as ``centipawn symbols --json`` prints it.
    document: dict[str, Any]


def of_move(
    played: AnyEval,
    best: AnyEval,
    *,
    second: AnyEval | None = None,
    side: str = "white",
    curve: AnyCurve = "relevance",
    material: int = 58,
    ply: int = 64,
) -> MoveSymbols:
    """The symbols of a move. ``played``, ``best`` and ``second`` are evaluations in pawns from
    White's point of view.

    ``second`` is the evaluation after the second-best move. Without it, good moves get no symbol.
    """
    if side not in ("white", "black"):
        raise ValueError("a side is white or black")
    document = _centipawn.symbols_of_move(
        str(played), str(best), None if second is None else str(second), side == "white", curve, material, ply
    )
    moves: dict[str, str] = document["move"]
    return MoveSymbols(moves["s8"], moves["s7"], moves["s20"], moves["s12"], document)
