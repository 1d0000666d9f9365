"""datatrove: JsonlReader and DocumentTokenizer, one task per file and worker.

Its defaults, but for the shuffle of the documents, which no other tool does here: without it it
has less to do. It takes the padding of a ``tokenizer.json`` as it is, hence the copy without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import job
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.tokens import DocumentTokenizer

if TYPE_CHECKING:
    from collections.abc import Callable


def adapter(template: str, fields: list[str]) -> Callable[..., dict[str, str]]:
    def document(reader: JsonlReader, row: dict, path: str, number: int) -> dict[str, str]:
        text = template.format(**{field: row[field] for field in fields})
        return {"text": text, "id": f"{path}/{number}"}

    return document


if __name__ == "__main__":
    mine = job.read()
    tokenize = DocumentTokenizer(
        str(mine.out),
        tokenizer_name_or_path=str(mine.unpadded),
        local_working_dir=str(mine.scratch / "working"),
        shuffle_documents=False,
    )
    LocalPipelineExecutor(
        [JsonlReader(str(mine.parts), adapter=adapter(mine.template, mine.fields)), tokenize],
        tasks=mine.workers,
        workers=mine.workers,
        logging_dir=str(mine.scratch / "logs"),
    ).run()
