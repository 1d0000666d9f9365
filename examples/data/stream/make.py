"""Make the two files of documents and the tokenizer of ``examples/stream_build.py``.

The texts are real; they come from ``benchmarks/data``, where their sources and licences stand.
Addresses and time stamps are invented, the same ones in every run, and so are the few rows listed
in ``awkward_articles`` and ``awkward_pages``: each of them is a case that a build has to count.
The same sources and the same version of sentencepiece give the same bytes.
"""

import argparse
import contextlib
import hashlib
import io
import json
import re
import tempfile
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import sentencepiece as spm

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parents[2] / "benchmarks" / "data"

Row = dict[str, str | None]

# Bytes of text to take from each source.
EN_BYTES, JA_BYTES, PAGES_BYTES = 350_000, 300_000, 200_000
# English sections above this are posts run together, apart from the one that is wanted so.
LONGEST_SECTION = 4_000

FIRST_DAY = datetime(2026, 3, 1, tzinfo=UTC)
DAYS = 200
INDIA, JAPAN = timezone(timedelta(hours=5.5)), timezone(timedelta(hours=9))
# How each language writes its time stamps; None: without a zone, which means UTC here.
ZONES = {"en": UTC, "ja": JAPAN, "hi": None, "ta": INDIA}
# Rank from the newest of the Hindi documents that get one common instant: the border of the test
# split (20 documents) falls among them, so that all of them go to it.
TIED = range(18, 23)

VOCAB_SIZE = 6_000
# No-break, zero-width and ideographic spaces and tabs are read as a space; nothing else is changed.
# One "from, tab, to" a line, code points in hexadecimal.
BLANKS = "".join(f"{blank}\t20\n" for blank in ("A0", "200B", "3000", "9"))


def parse_args() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Make the documents of the stream example.")
    parser.add_argument("--source", type=Path, default=SOURCES)
    parser.add_argument("--target", type=Path, default=HERE)
    return parser.parse_args()


# ------------------------------------------------------------------------------------- the texts


def sections(text: str, levels: str) -> list[tuple[str, str]]:
    """Cut Markdown at its headings of ``levels``; return (heading, body), stripped."""
    parts = re.split(rf"(?m)^#{{{levels}}} +(.*)$", text)[1:]
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return [(head.strip(), re.sub(r"\n{3,}", "\n\n", body).strip()) for head, body in pairs]


def within(texts: Iterable[tuple[str, str]], limit: int) -> list[tuple[str, str]]:
    """Return the first texts that together have at most ``limit`` bytes."""
    taken, size = [], 0
    for title, text in texts:
        size += len(text.encode())
        if size > limit:
            break
        taken.append((title, text))
    return taken


def is_japanese(text: str) -> bool:
    """Tell prose from tables and code: at least 40 % kana and kanji."""
    return len(re.findall(r"[\u3040-\u30ff\u4e00-\u9fff]", text)) >= 0.4 * len(text)


def english(source: Path) -> tuple[list[tuple[str, str]], tuple[str, str]]:
    """Return sections of the 18F web log, and the longest one there is."""
    every = sections((source / "en_web.txt").read_text(encoding="utf-8"), "1,6")
    usable = [part for part in every if 200 <= len(part[1]) <= LONGEST_SECTION]
    return within(usable, EN_BYTES), max(every, key=lambda part: len(part[1]))


def japanese(source: Path) -> list[tuple[str, str]]:
    """Return sections of the translated course."""
    every = sections((source / "ja.txt").read_text(encoding="utf-8"), "1,3")
    return within((p for p in every if len(p[1]) >= 120 and is_japanese(p[1])), JA_BYTES)


def pages(source: Path, lang: str) -> list[tuple[str, str]]:
    """Return tldr pages: the command, and the page with the command as its first line."""
    every = sections((source / f"{lang}_human_ccby.txt").read_text(encoding="utf-8"), "1")
    return within(((name, f"{name}\n{body}") for name, body in every), PAGES_BYTES)


# -------------------------------------------------------------------------------------- the rows


def instant(url: str) -> datetime:
    """Return the invented time of a document: some second of the 200 days, fixed by its url."""
    number = int.from_bytes(hashlib.sha256(url.encode()).digest()[:8], "big")
    return FIRST_DAY + timedelta(seconds=number % (DAYS * 86_400))


def written(moment: datetime, lang: str) -> str:
    """Return ``moment`` as documents of this language write it."""
    zone = ZONES[lang]
    return (moment.astimezone(zone) if zone else moment.replace(tzinfo=None)).isoformat()


def article(lang: str, number: int, title: str, text: str) -> Row:
    """Return one row with an invented url and time."""
    url = f"https://example.org/{lang}/{number:04d}"
    published = written(instant(url), lang)
    return {"url": url, "lang": lang, "title": title, "text": text, "published": published}


def articles_of(lang: str, texts: list[tuple[str, str]]) -> list[Row]:
    """Return the rows of one language, numbered from 1."""
    return [article(lang, number, *parts) for number, parts in enumerate(texts, start=1)]


def without(row: Row, *names: str) -> Row:
    """Return the row with some keys left out."""
    return {name: value for name, value in row.items() if name not in names}


def tie(rows: list[Row], ranks: range) -> None:
    """Give the documents at these ranks from the newest one and the same instant."""
    newest_first = sorted(rows, key=lambda row: str(row["published"]), reverse=True)
    for rank in ranks:
        newest_first[rank - 1]["published"] = newest_first[ranks.start - 1]["published"]


def awkward_articles(en: list[Row], ja: list[Row], longest: tuple[str, str]) -> list[Row]:
    """Return the rows that a build of ``articles.jsonl`` drops, counts or treats with care."""
    made = article("en", 9001, "A literal mark", "The piece </s> ends a document in the stream. ")
    made["text"] = f"{made['text']}Written in a text, </s> is four characters like any other."
    short = article("en", 9002, "Thanks", "See you!")
    empty = article("ja", 9003, "", "")
    late = {"published": "2031-01-01T00:00:00+00:00"}
    french = article("en", 9004, "Bonjour", "Une phrase en français, que personne n'a demandée.")
    return [
        made,
        article("en", 9005, *longest),  # longer than a shard
        short,
        empty,
        {**en[2], "published": late["published"]},  # seen before: the first one counts
        {**en[10], "title": "A later version"},
        {**ja[5]},
        {**article("en", 9006, "No address", str(en[20]["text"])), "url": None},
        {**article("en", 9007, "No address either", str(en[21]["text"])), "url": None},
        {**article("en", 9008, "An empty address", str(en[22]["text"])), "url": ""},
        without(article("ja", 9009, "No key at all", str(ja[20]["text"])), "url"),
        without(article("en", 9010, "No language", str(en[23]["text"])), "lang"),
        {**article("en", 9011, "No language", str(en[24]["text"])), "lang": None},
        {**french, "lang": "fr"},
        without(article("en", 9012, "No date", str(en[25]["text"])), "published"),
        {**article("ja", 9013, "No date", str(ja[21]["text"])), "published": None},
        {**article("en", 9014, "Not a date", str(en[26]["text"])), "published": "last week"},
        {**article("en", 9015, "From the future", str(en[27]["text"])), **late},
    ]


def awkward_pages(hi: list[Row], ta: list[Row]) -> list[Row]:
    """Return the rows that a build of ``pages.jsonl`` drops, counts or treats with care."""
    invisible = article("hi", 9101, "", "\u200b" * 30)  # zero-width spaces: no tokens at all
    return [invisible, {**hi[0]}, {**ta[0]}]


def build_rows(source: Path) -> dict[str, list[Row]]:
    """Return the rows of both files, by file name."""
    texts, longest = english(source)
    en, ja = articles_of("en", texts), articles_of("ja", japanese(source))
    hi, ta = (articles_of(lang, pages(source, lang)) for lang in ("hi", "ta"))
    tie(hi, TIED)
    return {
        "articles.jsonl": [*en, *ja, *awkward_articles(en, ja, longest)],
        "pages.jsonl": [*hi, *ta, *awkward_pages(hi, ta)],
    }


# --------------------------------------------------------------------------------- the tokenizer


def train(texts: list[str]) -> bytes:
    """Train a SentencePiece BPE model with byte fallback; return its file content.

    Runs in a folder of its own, because the model keeps the path of the rules as it is given.
    """
    model = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("blanks.tsv").write_bytes(BLANKS.encode())
        spm.SentencePieceTrainer.train(
            sentence_iterator=iter(texts),
            model_writer=model,
            model_type="bpe",
            vocab_size=VOCAB_SIZE,
            byte_fallback=True,
            character_coverage=0.999,
            normalization_rule_tsv="blanks.tsv",
            user_defined_symbols=["\n"],
            max_sentence_length=1 << 20,
            num_threads=1,
            minloglevel=2,
        )
    return model.getvalue()


def write_file(path: Path, content: bytes) -> None:
    """Write ``content`` and print its size and SHA-256."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    print(f"{path.name}: {len(content)} bytes, sha256 {hashlib.sha256(content).hexdigest()}")


def main() -> None:
    """Write the documents and the tokenizer."""
    args = parse_args()
    files = build_rows(args.source)
    for name, rows in files.items():
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
        write_file(args.target / name, "".join(lines).encode("utf-8"))
    texts = [f"{row['title']}\n{row['text']}" for rows in files.values() for row in rows]
    write_file(args.target / "stream_sp.model", train(texts))


if __name__ == "__main__":
    main()
