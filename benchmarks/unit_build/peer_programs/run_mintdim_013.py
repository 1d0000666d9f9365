"""mintdim 0.1.3 from PyPI, the same job; one thing is patched.

A ``tokenizer.json`` with stored padding makes 0.1.3 pad every list of texts to its longest (the
padding then counts as tokens). Padding and truncation are switched off when its adapter is made,
which is after it has read the id of the padding; nothing else is changed. Its only parallelism is
that of ``tokenizers`` (TOKENIZERS_PARALLELISM).
"""

from __future__ import annotations

import job

import mintdim
from mintdim.pipelines.unit_build.tokenizer.hf_json import HFTokenizerHandle

_make = HFTokenizerHandle.__init__


def _make_unpadded(handle: HFTokenizerHandle, library: object, **ids: int) -> None:
    library.no_padding()
    library.no_truncation()
    _make(handle, library, **ids)


if __name__ == "__main__":
    HFTokenizerHandle.__init__ = _make_unpadded
    mine = job.read()
    chain = mintdim.pipeline("unit-build").source.jsonl(
        files=[str(mine.corpus)], fields=[mine.fields], templates=[mine.template]
    )
    kind = "hf_json" if mine.tokenizer.suffix == ".json" else "sentencepiece"
    chain = getattr(chain.tokenizer, kind)({"path": str(mine.tokenizer)})
    chain = chain.units(sizes=[mine.sizes], build_batch=[mine.batch])
    chain.output.dir(str(mine.out), samples_per_shard=[10_000]).run()
