"""Progress of training, for ``verbose=True``."""

from __future__ import annotations

from typing import TextIO

from mintdim.bpe.train_naive import OnMerge, Pair, ignore

_REPORTS = 20


def reporter(wanted: int, stream: TextIO | None) -> OnMerge:
    """Return a callback that writes about twenty lines over ``wanted`` merges."""
    if stream is None:
        return ignore
    step = max(1, wanted // _REPORTS)

    def report(done: int, pair: Pair, count: int) -> None:
        if done % step == 0 or done == wanted:
            left, right = pair
            stream.write(
                f"{done:>{len(str(wanted))}} of {wanted} merges: "
                f"{left} + {right} occurred {count} times\n"
            )

    return report
