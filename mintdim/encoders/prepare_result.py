"""What ``prepare_tokenizer`` returns; printed, it says what was done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mintdim.shared.quoting import quoted

if TYPE_CHECKING:
    from mintdim.shared.types import TokenizerKind

_KINDS = {"hf_json": "Hugging Face tokenizer", "sentencepiece": "SentencePiece model"}


@dataclass(frozen=True, slots=True)
class PreparedTokenizer:
    """A finished copy at ``path`` (as it was given).

    ``appended`` are the entries that the original did not have, in the order of their ids;
    ``found_in_text`` those of the two that data may hold: their text is encoded to their id.
    """

    path: str
    kind: TokenizerKind
    pad_token: str
    pad_id: int
    unk_token: str
    unk_id: int
    appended: tuple[str, ...]
    found_in_text: tuple[str, ...]
    texts_compared: int

    def __str__(self) -> str:
        lines = [
            f"{self.path}: {_KINDS[self.kind]}, ready for unit-build",
            f"  PAD  id {self.pad_id:<7} {self._entry(self.pad_token)}",
            f"  UNK  id {self.unk_id:<7} {self._entry(self.unk_token)}",
            f"  every other id is unchanged, compared on {self.texts_compared:,} texts",
        ]
        return "\n".join([*lines, *self._notes()])

    def _entry(self, token: str) -> str:
        return f"{quoted(token)} ({'appended' if token in self.appended else 'was there'})"

    def _notes(self) -> list[str]:
        notes = [f"  {quoted(t)} written in data gets that id as well" for t in self.found_in_text]
        if self.appended:
            rows = max(self.pad_id, self.unk_id) + 1
            notes.append(f"  a model that is trained on it needs at least {rows:,} embeddings")
        if self.pad_id == self.unk_id:
            notes.append("  PAD and UNK are one entry: readers cannot tell them apart")
        return notes
