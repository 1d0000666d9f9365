"""A worker process: reads tasks from standard input, writes results to standard output.

Started as ``python -m mintdim.engines.worker``, so that it imports this package and nothing of
the caller's program: scripts need no ``__main__`` guard, and notebooks work. Messages are
pickles; the first one of all is the task, each further one an item. The end of the input ends
the worker, also when the driver was killed.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from typing import BinaryIO


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer every item with ``task(item)``, or with the exception that it raised."""
    task = pickle.load(requests)
    while True:
        try:
            item = pickle.load(requests)
        except EOFError:
            return
        try:
            answer = True, task(item)
        except Exception as error:
            answer = False, error
        pickle.dump(answer, answers, protocol=pickle.HIGHEST_PROTOCOL)
        answers.flush()


def main() -> None:
    """Serve on the standard streams; whatever else prints to standard output goes to stderr."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the driver's to answer
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
