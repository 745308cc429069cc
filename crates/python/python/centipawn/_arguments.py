"""Converts arguments to what the libraries accept."""

from __future__ import annotations

import json
import math
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import Any, Optional, Protocol, Union


class Readable(Protocol):
    """An open file, ``io.StringIO``, ``io.BytesIO``, or another object with a method ``read``."""

    def read(self, size: int = ..., /) -> Any:
        """The next characters or bytes; empty at the end."""


#: A file, a folder or a pattern; ``-`` for standard input; or an object with ``read``.
Source = Union[str, "os.PathLike[str]", Readable]
#: One source of games, or several.
Games = Union[Source, Iterable[Source]]
#: A function with three arguments: the work done, the total (or ``None``), and the number of games.
Show = Callable[[int, Optional[int], int], object]
#: ``True`` shows a bar on standard error. A function is called with the progress.
Progress = Union[bool, Show, None]


class Board(Protocol):
    """A position with the moves that led to it: ``chess.Board``, or an object with the same
    methods.
    """

    @property
    def move_stack(self) -> Iterable[Any]:
        """The moves played, each with ``uci()``."""

    def root(self) -> Any:
        """The position before the moves, with ``fen()``."""


#: A FEN or ``startpos``, which ``moves e2e4 …`` may follow; a pair of FEN and moves; or a board.
Position = Union[str, tuple[str, Iterable[str]], Board]


#: Number of characters or bytes that are copied at a time.
_PART = 1 << 20


#: For all running calls: the paths of copies, which the user does not know, and the names to show.
_copies: dict[str, str] = {}


def shown(text: str, names: Mapping[str, str] = _copies) -> str:
    """A message in which these paths are replaced by the names of the files."""
    for path, name in list(names.items()):
        text = text.replace(path, name)
    return text


class Inputs:
    """The files that an argument names. Contents of objects with ``read`` are copied into files,
    which are removed at the end.
    """

    #: The paths.
    paths: list[str]
    #: Names to show in messages, by path. They are needed for copies, and for files that the
    #: workers of an executor know by other paths.
    names: dict[str, str]

    def __init__(self, games: Games) -> None:
        self.paths, self.names = [], {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        sources = [games] if isinstance(games, (str, os.PathLike)) or hasattr(games, "read") else games
        if isinstance(sources, (bytes, bytearray, Mapping)) or not isinstance(sources, Iterable):
            raise TypeError(_refused(sources))
        try:
            for source in sources:
                self.paths.append(self._path(source))
        except BaseException:
            self.close()
            raise

    def _path(self, source: Any) -> str:
        if isinstance(source, (str, os.PathLike)):
            path = os.fspath(source)
            if isinstance(path, str):
                return path
        elif hasattr(source, "read"):
            return self._copy(source)
        raise TypeError(_refused(source))

    def _copy(self, source: Readable) -> str:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="centipawn-")
        part = source.read(_PART)
        named = getattr(source, "name", None)
        name = os.path.basename(named) if isinstance(named, str) else ""
        if not name or name.startswith("<"):
            name = "table.tsv" if _is_table(part) else "games.pgn"
        # Several objects can have the same name, so each copy gets a separate folder.
        folder = os.path.join(self._folder.name, str(len(self.names)))
        os.mkdir(folder)
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            while part:
                if not isinstance(part, (str, bytes, bytearray)):
                    raise TypeError(f"read() must return text or bytes, not {type(part).__name__}")
                file.write(part.encode() if isinstance(part, str) else part)
                part = source.read(_PART)
        self.names[path] = _copies[path] = name
        return path

    def close(self) -> None:
        """Removes the copies."""
        if self._folder is not None:
            self._folder.cleanup()
            for path in self.names:
                _copies.pop(path, None)

    def __enter__(self) -> Inputs:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        if error is not None and error.args and isinstance(error.args[0], str):
            error.args = (shown(error.args[0], self.names), *error.args[1:])


def _is_table(begin: Any) -> bool:
    """Whether a text without a name is a table, because its first line contains a tab. Compressed
    games can contain tabs too, but their first line is not ASCII.
    """
    if isinstance(begin, (bytes, bytearray)):
        line = begin.split(b"\n", 1)[0]
        return b"\t" in line and line.isascii()
    return isinstance(begin, str) and "\t" in begin.split("\n", 1)[0]


def _refused(source: Any) -> str:
    accepted = "games are a path, an open file or another object with read(), or several of them"
    hint = "; put bytes into io.BytesIO" if isinstance(source, (bytes, bytearray)) else ""
    return f"{accepted}, not {type(source).__name__}{hint}"


def options(**given: Any) -> str:
    """Options as JSON. Those that are ``None`` are left out."""
    return json.dumps({name: _plain(name, value) for name, value in known(**given).items()})


def _plain(name: str, value: Any) -> Any:
    """A value that JSON can contain. Numbers of NumPy and paths are converted."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{name} must be a finite number, not {value}")
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        return {key: _plain(str(key), own) for key, own in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(name, own) for own in value]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    for convert in ("tolist", "__index__", "__float__"):
        if hasattr(value, convert):
            return _plain(name, getattr(value, convert)())
    raise TypeError(f"{name} must not be of type {type(value).__name__}")


def listed(name: str, values: Iterable[str | os.PathLike[str]]) -> list[str]:
    """A list of texts. A single text raises ``TypeError``, because iterating over it would give
    characters.
    """
    if isinstance(values, (str, os.PathLike)):
        raise TypeError(f"{name} is a list, such as [{os.fspath(values)!r}]")
    return [os.fspath(value) for value in values]


def known(**given: Any) -> dict[str, Any]:
    """The arguments that are not ``None``."""
    return {name: value for name, value in given.items() if value is not None}


def show(progress: Progress) -> Show | None:
    """The function that shows progress, or ``None``."""
    if progress is None or progress is False:
        return None
    return Bar() if progress is True else progress


class Bar:
    """Shows progress on standard error: a bar if tqdm is installed, otherwise a number."""

    def __init__(self) -> None:
        self.bar: Any = None
        self.text = ""
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
        if text != self.text:
            self.text = text
            print(f"\r{text}", end="\n" if done == total else "", file=sys.stderr, flush=True)
