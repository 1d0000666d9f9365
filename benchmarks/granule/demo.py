"""``python -m benchmarks.granule.demo``: record ``docs/granule_demo.svg``.

Runs the commands below for real, in a folder that holds the English corpus, and draws a
terminal that shows them one after another. Where animation is not supported, the whole
session is visible.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

from benchmarks.granule.corpora import DATA

ROOT = Path(__file__).parents[2]
TARGET = ROOT / "docs" / "granule_demo.svg"

SESSION = (
    "granule train en.txt -o en.granule --vocab-size 8000 --special '<|end|>'",
    "granule info en.granule",
    "granule encode en.granule 'Small tokens, any language: தமிழ் ✓'",
    "granule encode en.granule 'Small tokens, any language: தமிழ் ✓' | granule decode en.granule",
    "granule encode en.granule <en.txt | granule decode en.granule | cmp - en.txt && echo same",
)

LINE, LEFT, WIDTH = 21, 18, 900  # pixels
PAUSE, STEP = 1.4, 0.25  # seconds before a command, and before a line of its output


def main() -> None:
    TARGET.write_text(svg(record()), "utf-8")


def record() -> list[tuple[str, list[str]]]:
    """Run the session; return each command with the lines it printed."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(DATA / "en_web.txt", Path(folder) / "en.txt")
        _make_command(Path(folder))
        return [(command, _run(command, folder)) for command in SESSION]


def _make_command(folder: Path) -> None:
    """Put ``granule`` of this checkout on the path of the session."""
    command = folder / "granule"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m mintdim.cli.granule "$@"\n')
    command.chmod(0o755)


def _run(command: str, folder: str) -> list[str]:
    path = os.pathsep.join([folder, os.environ["PATH"]])
    environment = os.environ | {"PATH": path, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
    done = subprocess.run(
        command, shell=True, cwd=folder, env=environment, check=True, capture_output=True
    )
    return (done.stdout + done.stderr).decode().splitlines()


def svg(session: list[tuple[str, list[str]]]) -> str:
    """Return the drawing."""
    rows: list[str] = []
    moment = 0.0
    for command, output in session:
        moment += PAUSE
        rows.append(_row(len(rows), moment, f'<tspan class="p">$ </tspan>{escape(command)}'))
        for line in output:
            moment += STEP
            rows.append(_row(len(rows), moment, escape(line), "o"))
    height = LINE * len(rows) + 56
    return "\n".join([_head(height), *rows, "</svg>", ""])


def _row(number: int, moment: float, content: str, kind: str = "c") -> str:
    top = 56 + LINE * number
    delay = f"animation-delay:{moment:.2f}s"
    return f'<text x="{LEFT}" y="{top}" class="{kind}" style="{delay}">{content}</text>'


def _head(height: int) -> str:
    dots = "".join(
        f'<circle cx="{22 + 18 * number}" cy="19" r="5" fill="{colour}"/>'
        for number, colour in enumerate(("#ff5f57", "#febc2e", "#28c840"))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" '
        f'width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        f'role="img" aria-label="A terminal session with granule">\n'
        "<style>text{font:12.5px ui-monospace,Menlo,Consolas,monospace;white-space:pre;"
        "animation:show .01s both}.c{fill:#f3f4f6}.o{fill:#9ca3af}.p{fill:#34d399}"
        "@keyframes show{from{opacity:0}to{opacity:1}}</style>\n"
        f'<rect width="{WIDTH}" height="{height}" rx="10" fill="#111827"/>{dots}'
    )


if __name__ == "__main__":
    main()
