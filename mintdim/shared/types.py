"""Types that several rooms speak of."""

import os
from typing import Literal

StrPath = str | os.PathLike[str]
Language = Literal["en", "vi"]
TokenizerKind = Literal["sentencepiece", "hf_json"]
TokenDType = Literal["uint16", "uint32"]
Exactness = Literal["checked", "official"]
EngineKind = Literal["auto", "inline", "processes"]
