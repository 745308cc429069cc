"""What is a chess evaluation worth?

Centipawn reads games into tables at the speed of memory, turns evaluations into expected scores,
fits models to games, and reviews games with an engine. It uses the libraries of the program
``centipawn``, so the results are the same.

>>> import centipawn as cp
>>> round(cp.expected_score(120, curve="lichess"), 3)
0.609
>>> cp.symbols.of_move(played=-1.0, best=2.0, curve=cp.Curve.relevance(0.62)).s8
'??'

Evaluations are centipawns from White's point of view, unless a name contains another one. Moves are
in UCI notation. A position is a FEN, a pair of FEN and moves, or a ``chess.Board``. Tables have
``__arrow_c_stream__``, so ``polars.DataFrame(table)``, ``pyarrow.table(table)`` and
``pandas.DataFrame.from_arrow(table)`` use their memory without a copy. ``table["column"]`` is a
NumPy array.
"""

from . import balance, human, match, material, policy, puzzles, symbols, wdl
from ._centipawn import (
    CentipawnError,
    CentipawnWarning,
    Drawing,
    EngineError,
    ExecutorError,
    FitError,
    NetworkError,
    PgnError,
    Store,
    StoreError,
    Table,
    __version__,
)
from ._curves import Curve, expected_score
from ._ease import Ease, EaseMove, ease, ease_batches, ease_many
from ._position import PositionStatistics, position, position_index
from ._rating import PlayerRating, rating
from ._reviews import Engine, Review, Reviews, review
from ._scans import Batch, Scan, scan, scan_batches

__all__ = [
    "Batch",
    "CentipawnError",
    "CentipawnWarning",
    "Curve",
    "Drawing",
    "Ease",
    "EaseMove",
    "Engine",
    "EngineError",
    "ExecutorError",
    "FitError",
    "NetworkError",
    "PgnError",
    "PlayerRating",
    "PositionStatistics",
    "Review",
    "Reviews",
    "Scan",
    "Store",
    "StoreError",
    "Table",
    "__version__",
    "balance",
    "ease",
    "ease_batches",
    "ease_many",
    "expected_score",
    "human",
    "match",
    "material",
    "policy",
    "position",
    "position_index",
    "puzzles",
    "rating",
    "review",
    "scan",
    "scan_batches",
    "symbols",
    "wdl",
]
