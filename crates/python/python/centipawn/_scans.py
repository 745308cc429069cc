"""Reads games into tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from typing import Any

from . import _centipawn
from ._arguments import Games, Inputs, Progress, listed, options, show
from ._centipawn import Table
from ._remote import checked, results


class Batch:
    """Plies of some games, with these games and with the problems.

    Wherever a table is accepted, it counts as its table of plies.
    """

    #: The plies, in the order of the input.
    plies: Table
    #: A row for each game. The column ``game`` of the plies is the index of this row, from 0.
    games: Table
    #: Games and files that cannot be read: source, game, line, move, reason, and whether the game
    #: was ``skipped``. In batches of a large file, the problem of a game may be in a later batch
    #: than the game.
    #: file, a later one may have them.
    problems: Table

    def __init__(self, plies: Table, games: Table, problems: Table) -> None:
        self.plies, self.games, self.problems = plies, games, problems

    def __len__(self) -> int:
        return len(self.plies)

    def __getitem__(self, column: str) -> Any:
        return self.plies[column]

    @property
    def schema(self) -> dict[str, str]:
        """The columns of the plies and their Arrow types."""
        return self.plies.schema

    @property
    def column_names(self) -> list[str]:
        """The columns of the plies."""
        return self.plies.column_names

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.plies.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self.plies.__arrow_c_schema__()

    def _repr_html_(self) -> str:
        return self.plies._repr_html_()

    def __repr__(self) -> str:
        problems = f", {len(self.problems)} problems" if len(self.problems) else ""
        return f"<centipawn.{type(self).__name__}: {len(self.plies)} plies of {len(self.games)} games{problems}>"


class Scan(Batch):
    """All plies of a scan, with its games, its problems and its report."""

    #: Numbers of games, plies, files and errors.
    report: dict[str, Any]

    def __init__(self, plies: Table, games: Table, problems: Table, report: dict[str, Any]) -> None:
        super().__init__(plies, games, problems)
        self.report = report


def scan(
    games: Games,
    *,
    columns: Iterable[str] | None = None,
    evals: str = "auto",
    threads: int | None = None,
    strict: bool = False,
    progress: Progress = None,
    executor: Executor | None = None,
) -> Scan:
    """Reads games on all cores into a table of plies.

    ``games`` are files (plain, .gz, .zst, .bz2), folders or patterns, ``-`` for standard input, or
    open files, ``io.StringIO`` and other objects with ``read``. The default columns are ``game``,
    ``ply``, ``mover``, ``material_before``, ``material``, ``eval_before_cp``, ``eval_before_mate``,
    ``eval_cp``, ``eval_mate``, ``depth``, ``time_seconds``, ``clock_seconds`` and ``result``.
    ``columns`` names others, among them ``move_number``, ``san``, ``uci``, ``nag``, ``fen``,
    ``comment`` (the whole text) and the probabilities ``p_win``, ``p_draw``, ``p_loss``,
    ``p_before_win``, ``p_before_draw`` and ``p_before_loss``. Evaluations and probabilities are
    from White's point of view and belong to the position before or after the move.
    ``plies.metadata(column)`` explains a column. ``evals`` is the dialect of the evaluations; by
    default it is detected. A game that cannot be read is a row of ``problems``; with ``strict`` the
    first one is raised. With an ``executor``, each file is read by one of its workers
    (docs/executors.md), and ``progress`` counts files.

    >>> plies = scan("opera-game.pgn", columns=["ply", "san", "result"])
    >>> len(plies), plies["san"][-1], plies.games["white_name"][0]
    (33, 'Rd8', 'Morphy, Paul')
    >>> plies.schema["result"], float(plies["result"][0])
    ('Float64', 1.0)
    """
    chosen = _names(columns)
    with Inputs(games) as inputs:
        read = options(evals=evals, threads=threads, strict=strict, names=inputs.names)
        known = checked(executor)
        tasks = [] if known is None else _tasks(inputs, chosen, read)
        if known is None or not tasks:
            return Scan(*_centipawn.scan(inputs.paths, chosen, read, progress))
        report, answers = show(progress), []
        for answer in results(known, tasks):
            answers.append(answer)
            if report is not None:
                report(len(answers), len(tasks), 0)
        return Scan(*_centipawn.scan_answers(answers, 0))


def scan_batches(
    games: Games,
    *,
    columns: Iterable[str] | None = None,
    evals: str = "auto",
    threads: int | None = None,
    strict: bool = False,
    executor: Executor | None = None,
) -> Iterator[Batch]:
    """Reads games part by part, in the order of the input. Memory is bounded, so the games may be
    larger than it.

    The arguments are those of :func:`scan`. Games are numbered through all batches. With an
    ``executor``, a batch is a file.

    >>> sum(len(batch) for batch in scan_batches("selfplay.pgn.gz"))
    12075
    """
    chosen = _names(columns)
    inputs = Inputs(games)
    try:
        read = options(evals=evals, threads=threads, strict=strict, names=inputs.names)
        if (known := checked(executor)) is not None:
            return _files(known, _tasks(inputs, chosen, read), inputs)
        return _parts(_centipawn.Batches(inputs.paths, chosen, read), inputs)
    except BaseException:
        inputs.close()
        raise


def _parts(batches: _centipawn.Batches, inputs: Inputs) -> Iterator[Batch]:
    with inputs:
        try:
            while (part := batches.next()) is not None:
                yield Batch(*part)
        finally:
            batches.close()


def _tasks(inputs: Inputs, columns: list[str] | None, read: str) -> list[tuple[str, bytes]]:
    """A task for each file, with the file's name."""
    tasks = _centipawn.scan_tasks(inputs.paths, columns, read)
    return [(f"file {number} of {len(tasks)}", task) for number, task in enumerate(tasks, 1)]


def _files(executor: Executor, tasks: list[tuple[str, bytes]], inputs: Inputs) -> Iterator[Batch]:
    before = 0
    with inputs:
        for answer in results(executor, tasks):
            plies, games, problems, _report = _centipawn.scan_answers([answer], before)
            before += len(games)
            yield Batch(plies, games, problems)


def _names(columns: Iterable[str] | None) -> list[str] | None:
    if columns is None:
        return None
    names = listed("columns", columns)
    if not names:
        raise ValueError("columns is empty; name at least one")
    return names
