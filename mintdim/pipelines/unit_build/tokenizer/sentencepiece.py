"""SentencePiece at the door of this pipeline: UNK and PAD must be defined by the model."""

from mintdim.encoders.contract import Encoder
from mintdim.shared.errors import TokenizerSpecialTokenError
from mintdim.shared.messages import phrase


def unk_id(encoder: Encoder, path: str) -> int:
    """Return the id of ``unk_id()``; raises ``TokenizerSpecialTokenError``."""
    if encoder.unk_id < 0:
        raise TokenizerSpecialTokenError(
            special_token="unk_id", problem=phrase("no_unk"), file=path
        )
    return encoder.unk_id


def pad_id(encoder: Encoder, path: str) -> int:
    """Return the id of ``pad_id()``; raises ``TokenizerSpecialTokenError``."""
    if encoder.pad_id < 0:
        raise TokenizerSpecialTokenError(
            special_token="pad_id", problem=phrase("no_pad"), file=path
        )
    return encoder.pad_id
