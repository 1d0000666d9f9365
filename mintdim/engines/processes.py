"""Worker processes on this machine: the same results in the same order, on all cores.

Each worker is a process of its own, driven by one thread here that hands it an item and waits
for the answer. Items are drawn at most ``window`` ahead of the results that were taken. A worker
that dies is replaced and its item runs again; a task may therefore run twice.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from mintdim.shared.errors import EngineError
from mintdim.shared.messages import phrase

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

A = TypeVar("A")
B = TypeVar("B")

_ATTEMPTS = 3
_LAST_BREATH_SECONDS = 5


class ProcessEngine:
    """Runs tasks in ``workers`` processes."""

    kind = "processes"

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def map(self, task: Callable[[A], B], items: Iterable[A]) -> Generator[B]:
        """Yield ``task(item)`` for every item, in order; ends all workers when it is closed."""
        crew = _Crew(task, iter(items), self.workers)
        try:
            yield from crew.results()
        finally:
            crew.end()


class _Crew(Generic[A, B]):
    """The threads and workers of one map."""

    def __init__(self, task: Callable[[A], B], items: Iterator[A], workers: int) -> None:
        self._task, self._items = task, items
        self._window = 2 * workers
        self._changed = threading.Condition()
        self._drawing = threading.Lock()
        self._answers: dict[int, tuple[bool, Any]] = {}
        self._drawn = self._taken = 0
        self._last: int | None = None  # how many items there are, once that is known
        self._ended = False
        self._workers: dict[int, _Worker] = {}
        self._threads = [
            threading.Thread(target=self._drive, args=(number,), daemon=True)
            for number in range(workers)
        ]
        for thread in self._threads:
            thread.start()

    def results(self) -> Iterator[B]:
        """Yield the results in order; raise what drawing an item or a worker raised."""
        while True:
            with self._changed:
                self._changed.wait_for(
                    lambda: self._taken in self._answers or self._taken == self._last
                )
                if self._taken == self._last:
                    return
                fine, answer = self._answers.pop(self._taken)
                self._taken += 1
                self._changed.notify_all()
            if not fine:
                raise answer
            yield answer

    def end(self) -> None:
        """End all workers and wait until they are gone."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()
        for worker in list(self._workers.values()):
            worker.stop()
        for thread in self._threads:
            thread.join()

    def _drive(self, number: int) -> None:
        worker = None
        while (drawn := self._draw()) is not None:
            index, item = drawn
            worker, answer = self._attempts(number, worker, item)
            self._answer(index, answer)
        if worker is not None:
            worker.kill()

    def _draw(self) -> tuple[int, A] | None:
        """Return the next item and its number; None when there is none, or the map has ended."""
        with self._drawing:
            with self._changed:
                self._changed.wait_for(
                    lambda: self._ended or self._drawn - self._taken < self._window
                )
                if self._ended or self._last is not None:
                    return None
            index = self._drawn
            try:
                item = next(self._items)
            except StopIteration:
                self._finish_at(index)
                return None
            except BaseException as error:
                self._answer(index, (False, error))
                self._finish_at(index + 1)
                return None
            self._drawn += 1
            return index, item

    def _finish_at(self, count: int) -> None:
        with self._changed:
            self._last = count
            self._changed.notify_all()

    def _answer(self, index: int, answer: tuple[bool, Any]) -> None:
        with self._changed:
            self._answers[index] = answer
            self._changed.notify_all()

    def _attempts(
        self, number: int, worker: _Worker | None, item: A
    ) -> tuple[_Worker | None, tuple[bool, Any]]:
        """Run an item, in a new worker if the old one is gone."""
        status = ""
        for _ in range(_ATTEMPTS):
            try:
                worker = worker or self._hire(number)
                return worker, worker.run(item)
            except (OSError, EOFError, pickle.UnpicklingError) as error:
                status = worker.exit_status() if worker is not None else str(error)
                if worker is not None:
                    worker.kill()
                    worker = None
                if self._ended:
                    break
        problem = phrase("worker_lost", times=_ATTEMPTS, detail=status)
        return None, (False, EngineError(problem=problem))

    def _hire(self, number: int) -> _Worker:
        with self._changed:  # so that ``end`` misses no worker
            if self._ended:
                raise EOFError
            worker = self._workers[number] = _Worker(self._task)
        return worker


class _Worker:
    """One worker process, from this side."""

    def __init__(self, task: Callable[[Any], Any]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "mintdim.engines.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=_environment(),
        )
        self._unsent = [task]

    def run(self, item: Any) -> tuple[bool, Any]:
        """Send an item, the first time behind the task, and wait for the answer."""
        while self._unsent:
            self._send(self._unsent.pop())
        self._send(item)
        assert self._process.stdout is not None
        answer: tuple[bool, Any] = pickle.load(self._process.stdout)
        return answer

    def exit_status(self) -> str:
        """Say how a process that stopped answering has ended."""
        try:
            return f"exit status {self._process.wait(timeout=_LAST_BREATH_SECONDS)}"
        except subprocess.TimeoutExpired:
            return "it gave no answer"

    def stop(self) -> None:
        """End the process; its streams stay open for the thread that is using them."""
        self._process.kill()

    def kill(self) -> None:
        """End the process and close its streams."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def _send(self, message: Any) -> None:
        assert self._process.stdin is not None
        pickle.dump(message, self._process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
        self._process.stdin.flush()


def _environment() -> dict[str, str]:
    """Return the environment of a worker: our import path, and one thread per worker."""
    path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
    one_thread = {
        "TOKENIZERS_PARALLELISM": "false",
        "RAYON_NUM_THREADS": "1",
        "FASTOKENS_BPE_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    return {**os.environ, "PYTHONPATH": path, **one_thread}
