"""Curves, and expected scores of many evaluations."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional, Union, overload

import numpy as np

from ._centipawn import Curve

__all__ = ["AnyCurve", "Curve", "curve_of", "expected_score"]

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    #: A number, an array or column of numbers, or a list in which numbers may be missing.
    Numbers = Union[ArrayLike, Sequence[Optional[float]]]

#: A curve, the name of a curve on the command line, or the path of a curve file.
AnyCurve = Union[Curve, str, "os.PathLike[str]"]


def curve_of(curve: AnyCurve) -> Curve:
    """The curve that an argument names."""
    if isinstance(curve, Curve):
        return curve
    if not isinstance(curve, (str, os.PathLike)):
        raise TypeError(f"curve must be a Curve, a name, or the path of a curve file, not {type(curve).__name__}")
    return Curve(curve)


@overload
def expected_score(
    eval: float,
    *,
    mate: float | None = None,
    curve: AnyCurve = ...,
    material: float | None = None,
    ply: float | None = None,
    rating: float | None = None,
    seconds: float | None = None,
) -> float: ...
@overload
def expected_score(
    eval: Numbers,
    *,
    mate: Numbers | None = None,
    curve: AnyCurve = ...,
    material: Numbers | None = None,
    ply: Numbers | None = None,
    rating: Numbers | None = None,
    seconds: Numbers | None = None,
) -> NDArray[np.float64]: ...
def expected_score(
    eval: Any,
    *,
    mate: Any = None,
    curve: AnyCurve = "stockfish",
    material: Any = None,
    ply: Any = None,
    rating: Any = None,
    seconds: Any = None,
) -> Any:
    """The expected score, 0 to 1, of evaluations in centipawns.

    ``eval`` is a number, for which the result is a ``float``, or anything that ``numpy.asarray``
    accepts, for which the result is an array of the same shape. ``mate`` is the number of moves to
    mate, negative if the side whose score is computed is mated. If it is given, it replaces
    ``eval``; the score is then 1 or 0, and for human curves what humans score with such a mate.
    ``material`` (both sides, pawn 1 to queen 9; default 58) and ``ply`` (half-moves played; default
    64) are used by curves of engines. ``rating`` (the mean of both players) and ``seconds`` (the
    time of each player for the game) are used by human curves and replace the curve's own values.
    Arguments are numbers or columns, which are broadcast. Missing values (NaN, null or masked) give
    NaN. Text, dates and booleans raise ``TypeError``.

    >>> import numpy as np
    >>> expected_score(np.array([0, 100, -100]), curve="lichess").round(3)
    array([0.5  , 0.591, 0.409])
    >>> expected_score([30, None], mate=[None, -2], curve="lichess").round(3)
    array([0.528, 0.   ])
    >>> few, many = expected_score(50, curve="stockfish-18", material=[30, 78])
    >>> bool(few < many)
    True
    >>> expected_score(300, curve="human", rating=[1500, 2500], seconds=180).round(2)
    array([0.66, 0.76])
    """
    return curve_of(curve).expected(eval, mate=mate, material=material, ply=ply, rating=rating, seconds=seconds)


def _floats(name: str, values: Any) -> NDArray[np.float64]:
    """Converts numbers to an array. Missing numbers become NaN."""
    if isinstance(values, np.ma.MaskedArray):
        # ``numpy.asarray`` would return the numbers that the mask hides.
        return np.where(np.ma.getmaskarray(values), np.nan, _floats(name, values.data))
    array = np.asarray(values)
    if array.dtype == np.float64:
        return array
    if array.dtype.kind in "iuf":
        return array.astype(np.float64)
    if array.dtype != object:
        raise TypeError(f"{name} must be numbers, not {_KINDS.get(array.dtype.kind, array.dtype)}")
    return np.array([_float(name, value) for value in array.ravel()], dtype=np.float64).reshape(array.shape)


#: Types of arrays that are refused, by NumPy's code.
_KINDS = {"b": "booleans", "U": "text", "S": "bytes", "M": "dates", "m": "time spans", "c": "complex numbers"}


def _float(name: str, value: Any) -> float:
    if value is None or type(value).__name__ == "NAType":
        return float("nan")
    if isinstance(value, (str, bytes, bool, np.bool_)) or not hasattr(value, "__float__"):
        raise TypeError(f"{name} must be numbers, not {type(value).__name__}: {value!r}")
    return float(value)


def columns(eval: Any, **given: Any) -> tuple[tuple[int, ...], NDArray[np.float64], list[NDArray[np.float64] | None]]:
    """Converts arguments to arrays of one shape. Arguments that are ``None`` stay ``None``, except
    evaluations, which become NaN.
    """
    evals = _floats("eval", eval)
    arrays = {name: None if values is None else _floats(name, values) for name, values in given.items()}
    known = {"eval": evals, **{name: array for name, array in arrays.items() if array is not None}}
    try:
        shape = np.broadcast_shapes(*(array.shape for array in known.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in known.items())
        raise ValueError(f"the arguments must have one shape, or be single numbers; their shapes are {shapes}") from None

    def spread(array: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.ascontiguousarray(np.broadcast_to(array, shape))

    return shape, spread(evals), [None if array is None else spread(array) for array in arrays.values()]


def rows(eval: Any, **given: Any) -> tuple[NDArray[np.float64], list[NDArray[np.float64] | None]]:
    """Converts arguments to columns of one length, for a table."""
    _, evals, others = columns(eval, **given)
    return evals.reshape(-1), [None if array is None else array.reshape(-1) for array in others]


def _expected(
    self: Curve,
    eval: Any,
    *,
    mate: Any = None,
    material: Any = None,
    ply: Any = None,
    rating: Any = None,
    seconds: Any = None,
) -> Any:
    shape, evals, others = columns(eval, mate=mate, material=material, ply=ply, rating=rating, seconds=seconds)
    scores = self._expected(evals, *others).reshape(shape)
    return scores.item() if shape == () else scores
