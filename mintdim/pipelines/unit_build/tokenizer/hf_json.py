"""``tokenizer.json`` at the door of this pipeline: UNK in the model, PAD in the padding settings.

An ``unk_token`` that is only an added token does not count (encoding would fail on it), nor do
padding settings whose token and id do not belong together.
"""

from mintdim.encoders.hf_json import HfJsonEncoder
from mintdim.shared.errors import TokenizerSpecialTokenError
from mintdim.shared.messages import phrase


def unk_id(encoder: HfJsonEncoder, path: str) -> int:
    """Return the id of the model's unknown token; raises ``TokenizerSpecialTokenError``."""
    if encoder.unk_id >= 0:
        return encoder.unk_id
    problem = phrase("no_unk")
    if encoder.unk_token is not None:
        problem = phrase("unk_outside", token=encoder.unk_token)
    raise TokenizerSpecialTokenError(special_token="unk_id", problem=problem, file=path)


def pad_id(encoder: HfJsonEncoder, path: str) -> int:
    """Return the id of the padding settings; raises ``TokenizerSpecialTokenError``."""
    settings = encoder.padding
    if settings is None:
        problem = phrase("no_pad")
    elif settings.actual_id != settings.pad_id:
        problem = phrase("pad_disagrees", token=settings.token, pad_id=settings.pad_id)
    else:
        return settings.pad_id
    raise TokenizerSpecialTokenError(special_token="pad_id", problem=problem, file=path)
