"""A byte-level BPE tokenizer from first principles, in the standard library alone.

::

    from mintdim.bpe import Tokenizer

    tokenizer = Tokenizer.train("low lower lowest", vocab_size=260)
    ids = tokenizer.encode("lowest")
    assert tokenizer.decode(ids) == "lowest"

Read the files in this order: ``patterns`` cuts text into pieces, ``words`` makes bytes of
them, ``train_naive`` defines what is learned, ``train_fast`` learns the same sooner,
``merge_word`` applies it, ``model_file`` keeps it, ``tokenizer`` puts them together.
"""

from mintdim.bpe.decoding import StreamDecoder
from mintdim.bpe.errors import ModelFileError
from mintdim.bpe.tokenizer import Tokenizer

__all__ = ["ModelFileError", "StreamDecoder", "Tokenizer"]
