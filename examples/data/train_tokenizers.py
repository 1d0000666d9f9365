"""Train the two small example tokenizers from the bundled instruction sets.

Writes ``instruct_sp.model`` (SentencePiece) and ``instruct_hf.json`` (tokenizers library). Both
are BPE models without byte fallback, so characters that are rare in the data become the unknown
token. Printable ASCII and the newline are always covered, and covered text decodes to itself.
Training runs on one thread, and the same data and library versions give the same bytes.
"""

import argparse
import hashlib
import io
import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import sentencepiece as spm
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

HERE = Path(__file__).resolve().parent
# The prompt layout used for training only; each set is rendered with its own fields.
TRAINING_TEMPLATES = {
    "gsm8k_test.jsonl": "### Question:\n{question}\n\n### Answer:\n{answer}",
    "humaneval.jsonl": "{prompt}{canonical_solution}",
    "self_instruct.jsonl": "{instruction}\n\n{input}\n\n{output}",
}
PRINTABLE_ASCII = "".join(map(chr, range(0x21, 0x7F)))
SP_VOCAB_SIZE = 1500
SP_CHARACTER_COVERAGE = 0.9999
HF_VOCAB_SIZE = 2000
HF_MIN_CHARACTER_COUNT = 5
# One digit, or a word or a run of signs with at most one space before it, or newlines, or blanks.
# Whatever the pattern leaves out is kept as a piece of its own, so no character is lost.
HF_PIECES = r"\p{N}| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\n+|[^\S\n]+(?!\S)|[^\S\n]+"


def parse_args() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Train the example tokenizers.")
    parser.add_argument("--source", type=Path, default=HERE / "instruction")
    parser.add_argument("--target", type=Path, default=HERE / "tokenizers")
    return parser.parse_args()


def training_texts(source: Path) -> Iterator[str]:
    """Yield every row of the three sets as text, in file order."""
    for name, template in TRAINING_TEMPLATES.items():
        for line in (source / name).read_bytes().split(b"\n"):
            if line.strip():
                yield template.format_map(json.loads(line))


def train_sentencepiece(texts: list[str]) -> bytes:
    """Train the SentencePiece model and return its file content."""
    model = io.BytesIO()
    spm.SentencePieceTrainer.train(
        sentence_iterator=iter(texts),
        model_writer=model,
        model_type="bpe",
        vocab_size=SP_VOCAB_SIZE,
        character_coverage=SP_CHARACTER_COVERAGE,
        required_chars=PRINTABLE_ASCII,
        user_defined_symbols=["\n"],
        pad_id=3,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        add_dummy_prefix=False,
        allow_whitespace_only_pieces=True,
        split_digits=True,
        max_sentence_length=1 << 20,
        num_threads=1,
        minloglevel=1,
    )
    return model.getvalue()


def hf_alphabet(texts: list[str]) -> list[str]:
    """Return the characters to cover: ASCII and those that are not rare, in code point order.

    The trainer would break ties at the end of its alphabet in no fixed order, so it gets the
    whole alphabet from here.
    """
    counts = Counter(char for text in texts for char in text)
    frequent = {char for char, count in counts.items() if count >= HF_MIN_CHARACTER_COUNT}
    return sorted(frequent | set(PRINTABLE_ASCII) | {" ", "\n"})


def bare_hf_tokenizer() -> Tokenizer:
    """Return an untrained BPE tokenizer that keeps all whitespace."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(HF_PIECES), behavior="isolated")
    tokenizer.decoder = decoders.Fuse()
    return tokenizer


def train_hf(texts: list[str]) -> bytes:
    """Train the tokenizers-library model and return its file content."""
    alphabet = hf_alphabet(texts)
    tokenizer = bare_hf_tokenizer()
    trainer = trainers.BpeTrainer(
        vocab_size=HF_VOCAB_SIZE,
        special_tokens=["<unk>", "<pad>"],
        initial_alphabet=alphabet,
        limit_alphabet=len(alphabet),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.enable_padding(pad_id=tokenizer.token_to_id("<pad>"), pad_token="<pad>")
    return (tokenizer.to_str(pretty=False) + "\n").encode("utf-8")


def write_file(path: Path, content: bytes) -> None:
    """Write ``content`` and print its size and SHA-256."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    print(f"{path.name}: {len(content)} bytes, sha256 {hashlib.sha256(content).hexdigest()}")


def main() -> None:
    """Train both tokenizers and write them."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    args = parse_args()
    texts = list(training_texts(args.source))
    write_file(args.target / "instruct_sp.model", train_sentencepiece(texts))
    write_file(args.target / "instruct_hf.json", train_hf(texts))


if __name__ == "__main__":
    main()
