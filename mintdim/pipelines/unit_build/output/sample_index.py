"""Sample index writer: where every sample came from and where it went."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mintdim.formats import names

if TYPE_CHECKING:
    from mintdim.pipelines.unit_build.output.dir import OutputDirectory
    from mintdim.pipelines.unit_build.output.index_rows import WrittenRows


class SampleIndexWriter:
    """Takes the rows of batches over into ``sample_index.jsonl`` and ``sample_index.bin``."""

    def __init__(self, output: OutputDirectory) -> None:
        self._output = output
        self._files = {
            name: output.new_file(name) for name in (names.SAMPLE_INDEX, names.SAMPLE_INDEX_BINARY)
        }

    def write(self, rows: WrittenRows) -> None:
        """Append the rows of a batch."""
        for name, file in self._files.items():
            file.take_over(*rows.files[name])

    def finish(self) -> None:
        """Give both files their final names."""
        for name, file in self._files.items():
            self._output.finish(file, name)
