"""Curves, and expected scores of many evaluations at once."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Union, overload

import numpy as np

from ._centipawn import Curve

__all__ = ["AnyCurve", "Curve", "curve_of", "expected_score"]

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

#: A curve, its name on the command line, or the path of a curve file.
AnyCurve = Union[Curve, str, "os.PathLike[str]"]


def curve_of(curve: AnyCurve) -> Curve:
    """The curve that an argument names."""
    return curve if isinstance(curve, Curve) else Curve(curve)


@overload
def expected_score(
    eval: float,
    *,
    mate: float | None = None,
    curve: AnyCurve = ...,
    material: float | None = None,
    ply: float | None = None,
) -> float: ...
@overload
def expected_score(
    eval: ArrayLike,
    *,
    mate: ArrayLike | None = None,
    curve: AnyCurve = ...,
    material: ArrayLike | None = None,
    ply: ArrayLike | None = None,
) -> NDArray[np.float64]: ...
def expected_score(
    eval: Any,
    *,
    mate: Any = None,
    curve: AnyCurve = "stockfish",
    material: Any = None,
    ply: Any = None,
) -> Any:
    """The expected score, 0 to 1, of evaluations in centipawns.

    ``eval`` is a number, or whatever ``numpy.asarray`` takes: the result is a ``float``, or an array of its shape. Where ``mate``
    (moves to mate, negative if it is against the side whose score this is) is a number, it counts instead: 1 or 0. ``material``
    (both sides, pawn 1 to queen 9; default 58) and ``ply`` (half-moves played; default 64) matter to curves of engines. Missing
    values, NaN or null, give NaN.

    >>> import numpy as np
    >>> expected_score(np.array([0, 100, -100]), curve="lichess").round(3)
    array([0.5  , 0.591, 0.409])
    >>> expected_score([30, None], mate=[None, -2], curve="lichess").round(3)
    array([0.528, 0.   ])
    >>> few, many = expected_score(50, curve="stockfish-18", material=[30, 78])
    >>> bool(few < many)
    True
    """
    return curve_of(curve).expected(eval, mate=mate, material=material, ply=ply)


def _floats(values: Any) -> NDArray[np.float64]:
    """Numbers as an array; what is missing becomes NaN."""
    array = np.asarray(values)
    if array.dtype == np.float64:
        return array
    if array.dtype == object:
        filled = [np.nan if _is_missing(value) else value for value in array.ravel()]
        return np.array(filled, dtype=np.float64).reshape(array.shape)
    return array.astype(np.float64)


def _is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ == "NAType"


def _expected(self: Curve, eval: Any, *, mate: Any = None, material: Any = None, ply: Any = None) -> Any:
    given = [_floats(eval), *(None if other is None else _floats(other) for other in (mate, material, ply))]
    shape = np.broadcast_shapes(*(array.shape for array in given if array is not None))
    evals, *others = (None if array is None else np.ascontiguousarray(np.broadcast_to(array, shape)) for array in given)
    assert evals is not None
    scores = self._expected(evals, *others).reshape(shape)
    return scores.item() if shape == () else scores
