"""Runs tasks on executors (``concurrent.futures.Executor``), and the workers' side of it.

Tasks and answers are bytes, so both sides need no common classes. They contain their version.
"""

from __future__ import annotations

import atexit
import os
import platform
import tempfile
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import contextmanager
from typing import Any

from . import _centipawn
from ._arguments import Inputs, Progress, show, shown
from ._centipawn import CentipawnWarning, ExecutorError

#: How often a task is tried.
_ATTEMPTS = 3
#: The assumed number of workers of an executor that does not state it.
_WIDTH = 64


class _Process:
    """What this process keeps open for its tasks. A forked process must open its own, because
    threads that the engines of its parent need do not exist in it.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        #: Workers by the process that opened them. Workers of a parent process are kept, because
        #: removing them would stop the parent's engines.
        self.workers: dict[int, _centipawn.Worker] = {}

    def worker(self) -> _centipawn.Worker:
        process = os.getpid()
        with self.lock:
            if process not in self.workers:
                self.workers[process] = _centipawn.Worker(f"{platform.node() or 'worker'} (process {process})")
            return self.workers[process]

    def close(self) -> None:
        """Stops the engines of this process."""
        if (worker := self.workers.get(os.getpid())) is not None:
            worker.close()

    def forked(self) -> None:
        """Replaces the lock, because another thread of the parent may have held it during the fork.
        """
        self.lock = threading.Lock()


_process = _Process()
atexit.register(_process.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_process.forked)


def perform(task: bytes, _number: int = 0) -> bytes:
    """Runs a task in this process. Its engines stay open for the next one.

    Each attempt has another number. Otherwise Dask, which recognises equal calls, would return the
    result of the last attempt.
    """
    return _process.worker().perform(bytes(task))


def checked(executor: Any) -> Executor | None:
    """The executor. Any other object raises ``TypeError``."""
    if executor is None or isinstance(executor, Executor):
        return executor
    kind = executor.__name__ if isinstance(executor, type) else type(executor).__name__
    hint = ""
    if isinstance(executor, type) and issubclass(executor, Executor):
        hint = f"; give an executor, such as {kind}()"
    elif hasattr(executor, "get_executor"):
        hint = "; give client.get_executor()"
    raise TypeError(f"executor must be a concurrent.futures.Executor, not {kind}{hint}")


def workers(executor: Executor) -> int:
    """The number of workers, if the executor states it."""
    client = getattr(executor, "_client", None)
    if client is not None and hasattr(client, "nthreads"):
        # Dask: the number of threads of all workers. It is 0 if they have not started yet.
        return sum(client.nthreads().values()) or _WIDTH
    for name in ("_max_workers", "num_workers"):
        number = getattr(executor, name, None)
        if isinstance(number, int) and number > 0:
            return number
    return _WIDTH


def opened(executor: Any) -> tuple[Callable[..., Any], Callable[[bytes, int], bytes], int]:
    """The function that submits, the function that workers run, and how many tasks are submitted at
    a time: two for each worker, so that no worker waits for its next task.
    """
    known = checked(executor)
    assert known is not None
    return known.submit, perform, 2 * workers(known)


class _Task:
    """A task whose answer was not returned yet."""

    def __init__(self, name: str, task: bytes) -> None:
        self.name, self.task, self.attempts = name, task, 0
        self.future: Future[bytes] | None = None
        self.answer: bytes | None = None


def results(executor: Executor, tasks: Iterable[tuple[str, bytes]]) -> Iterator[bytes]:
    """The answers of tasks, in their order. A task that fails is tried three times. Only a few
    tasks are submitted at a time, so that memory is bounded.
    """
    submit, work, width = opened(executor)
    source, line, is_read = iter(tasks), deque[_Task](), False

    def begin(task: _Task) -> None:
        try:
            task.future = submit(work, task.task, task.attempts)
        except Exception as error:
            raise _broken(error, line) from error

    try:
        while line or not is_read:
            while not is_read and len(line) < width:
                try:
                    task = _Task(*next(source))
                except StopIteration:
                    is_read = True
                    break
                line.append(task)
                begin(task)
            for task in line:
                if task.future is not None and task.future.done():
                    _receive(task, line)
                    if task.answer is None:
                        begin(task)
            while line and (answer := line[0].answer) is not None:
                line.popleft()
                yield answer
            waiting = {task.future for task in line if task.future is not None}
            if waiting and line[0].answer is None:
                # Return at least once a second, because ``wait`` cannot be interrupted on every
                # system.
                wait(waiting, timeout=1.0, return_when=FIRST_COMPLETED)
    finally:
        for task in line:
            if task.future is not None:
                task.future.cancel()


def _receive(task: _Task, line: Iterable[_Task]) -> None:
    future, task.future = task.future, None
    assert future is not None
    try:
        task.answer = bytes(future.result())
    except BrokenExecutor as error:
        raise _broken(error, line) from error
    except Exception as error:
        task.attempts += 1
        if task.attempts == _ATTEMPTS:
            reason = f"{type(error).__name__}: {error}"
            raise ExecutorError(f"{task.name} failed {_ATTEMPTS} times; the last time: {reason}") from error


def _broken(error: Exception, line: Iterable[_Task]) -> ExecutorError:
    names = [task.name for task in line if task.answer is None]
    shown = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
    reason = f"{type(error).__name__}: {error}"
    return ExecutorError(f"the executor is broken ({reason}) while it had {shown}; make a new one and run this again")


@contextmanager
def divided(
    executor: Executor | None, inputs: Inputs, tasks_of: Callable[[list[str], int], list[bytes]], progress: Progress
) -> Iterator[list[str]]:
    """The paths to count: the games, or with an executor the parts that its workers counted."""
    known = checked(executor)
    tasks = [] if known is None else tasks_of(inputs.paths, workers(known))
    if known is None or not tasks:
        yield inputs.paths
        return
    # Workers know the files by absolute paths, so these need names for messages too.
    inputs.names = {**_centipawn.shared_names(inputs.paths), **inputs.names}
    report = show(progress)
    with tempfile.TemporaryDirectory(prefix="centipawn-") as folder:
        paths: list[str] = []
        named = [(f"part {number} of {len(tasks)}", task) for number, task in enumerate(tasks, 1)]
        for answer in results(known, named):
            part, problems = _centipawn.part_answer(answer)
            path = os.path.join(folder, f"part {len(paths) + 1} of {len(tasks)}")
            with open(path, "wb") as file:
                file.write(part)
            paths.append(path)
            for _is_error, text in problems:
                warnings.warn(shown(text, inputs.names), CentipawnWarning, stacklevel=5)
            if report is not None:
                report(len(paths), len(tasks), 0)
        yield paths
