"""Templates: literal text with ``{field}`` placeholders, substituted once and purely."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_INNERMOST_BRACES = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Template:
    """A parsed template: ``literals[0] {placeholders[0]} literals[1] … literals[n]``.

    ``literals`` has one entry more than ``placeholders``; entries may be empty.
    """

    literals: tuple[str, ...]
    placeholders: tuple[str, ...]
    _pattern: str

    def render(self, values: tuple[str, ...]) -> str:
        """Return the text with the i-th placeholder replaced by ``values[i]``."""
        return self._pattern % values

    def render_all(self, columns: Sequence[Sequence[str]]) -> list[str]:
        """Return many texts; ``columns[i]`` holds the values of the i-th placeholder."""
        if self.literals == ("", ""):
            return list(columns[0])
        parts: list[Iterable[str]] = [repeat(self.literals[0])]
        for column, literal in zip(columns, self.literals[1:], strict=True):
            parts += [column, repeat(literal)]
        return list(map("".join, zip(*parts, strict=False)))

    def value_spans(self, values: tuple[str, ...]) -> list[tuple[int, int]]:
        """Return the characters ``[start, stop)`` that each value takes in the rendered text."""
        spans, end = [], 0
        for literal, value in zip(self.literals, values, strict=False):
            start = end + len(literal)
            end = start + len(value)
            spans.append((start, end))
        return spans


@lru_cache(maxsize=64)
def parse_template(text: str, fields: tuple[str, ...]) -> Template:
    """Split a template into literals and placeholders.

    A placeholder is an innermost ``{name}`` whose name is one of ``fields`` (any JSON key) or
    could be one by mistake (an identifier). All other braces are literal text, so
    ``{"q": "{question}"}`` has one placeholder.
    """
    literals, placeholders, end = [], [], 0
    for match in _INNERMOST_BRACES.finditer(text):
        name = match[1]
        if name in fields or name.isidentifier():
            literals.append(text[end : match.start()])
            placeholders.append(name)
            end = match.end()
    literals.append(text[end:])
    pattern = "%s".join(literal.replace("%", "%%") for literal in literals)
    return Template(tuple(literals), tuple(placeholders), pattern)
