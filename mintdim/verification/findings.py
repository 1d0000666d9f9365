"""What verification reports: findings with file and place, and a report of them all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mintdim.shared.messages import Phrase


_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it should be.

    ``file`` is relative to the dataset; ``offset`` is a byte in it (shards, binary index) and
    ``line`` a line of it from 1 (JSON lines), where there is one to name.
    """

    file: str
    problem: Phrase
    offset: int | None = None
    line: int | None = None

    def __str__(self) -> str:
        place = f", byte {self.offset:,}" if self.offset is not None else ""
        place += f", line {self.line:,}" if self.line is not None else ""
        return f"{self.file}{place}: {self.problem}"

    def as_dict(self) -> dict[str, Any]:
        """Return the finding as plain values; ``code`` is the same in every language."""
        return {
            "file": self.file,
            "code": self.problem.code,
            "problem": str(self.problem),
            "offset": self.offset,
            "line": self.line,
        }


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """The result of ``mintdim.verify``; ``str()`` shows it to people.

    ``checks`` names what was done: ``quick``, ``full``, ``source``. ``counted`` says what
    ``samples`` counts: ``samples`` of a unit dataset, ``documents`` of a stream dataset.
    """

    path: str
    checks: tuple[str, ...]
    samples: int
    bytes: int
    findings: tuple[Finding, ...]
    counted: str = "samples"

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain values, for JSON."""
        return {
            "path": self.path,
            "ok": self.ok,
            "checks": list(self.checks),
            self.counted: self.samples,
            "bytes": self.bytes,
            "findings": [finding.as_dict() for finding in self.findings],
        }

    def __str__(self) -> str:
        head = f"{self.path}: {self.samples:,} {self.counted}, {self.bytes:,} bytes, "
        head += f"checked: {', '.join(self.checks)}"
        if self.ok:
            return f"{head}\nno findings"
        lines = [f"  {finding}" for finding in self.findings[:_SHOWN]]
        rest = len(self.findings) - len(lines)
        lines += [f"  … and {rest:,} more"] if rest else []
        count = "1 finding" if len(self.findings) == 1 else f"{len(self.findings):,} findings"
        return "\n".join([head, f"{count}:", *lines])
