"""Arguments as the libraries take them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable
from typing import Any, Optional, Protocol, Union

#: A file, folder or pattern, or several; ``-`` is standard input.
Games = Union[str, "os.PathLike[str]", Iterable[Union[str, "os.PathLike[str]"]]]
#: A function of the work done, the total (or ``None``) and the number of games.
Show = Callable[[int, Optional[int], int], object]
#: ``True`` for a bar on standard error, or a function that shows progress.
Progress = Union[bool, Show, None]


class Board(Protocol):
    """A position with its moves: ``chess.Board``, or anything else of its shape."""

    @property
    def move_stack(self) -> Iterable[Any]:
        """The moves played, each with ``uci()``."""

    def root(self) -> Any:
        """The position before the moves, with ``fen()``."""


#: A FEN or ``startpos``, either followed by ``moves e2e4 …``; a pair of FEN and moves; or a board.
Position = Union[str, tuple[str, Iterable[str]], Board]


def paths(games: Games) -> list[str]:
    """The paths that an argument names."""
    if isinstance(games, (str, os.PathLike)):
        return [os.fspath(games)]
    return [os.fspath(path) for path in games]


def options(**given: Any) -> str:
    """Options as JSON, without those that are ``None``."""
    return json.dumps(known(**given))


def known(**given: Any) -> dict[str, Any]:
    """Arguments without those that are ``None``."""
    return {name: value for name, value in given.items() if value is not None}


def show(progress: Progress) -> Show | None:
    """The function that shows progress."""
    if progress is None or progress is False:
        return None
    return Bar() if progress is True else progress


class Bar:
    """Progress on standard error: tqdm's bar if that is installed, otherwise a number."""

    def __init__(self) -> None:
        self.bar: Any = None
        try:
            from tqdm.auto import tqdm

            self.bar = tqdm(unit="", unit_scale=True)
        except ImportError:
            pass

    def __call__(self, done: int, total: int | None, games: int) -> None:
        if self.bar is not None:
            self.bar.total = total
            self.bar.n = done
            self.bar.refresh()
            return
        text = f"{100 * done / total:.0f} %" if total else f"{done}"
        print(f"\r{text}", end="", file=sys.stderr, flush=True)
