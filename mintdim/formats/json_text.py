"""JSON as the outputs spell it: UTF-8, keys in the given order, non-ASCII left as it is."""

import json


def text(value: object) -> str:
    """Return ``value`` as one line of JSON.

    A lone surrogate (a file name that is not UTF-8) is written as its JSON escape, so the
    text can always be encoded and reads back as the same ``str``.
    """
    return _escape_surrogates(json.dumps(value, ensure_ascii=False))


def document(value: object) -> bytes:
    """Return ``value`` as a whole JSON file: indented by two, with a final newline."""
    return (_escape_surrogates(json.dumps(value, ensure_ascii=False, indent=2)) + "\n").encode()


def _escape_surrogates(json_text: str) -> str:
    return json_text.encode("utf-8", "backslashreplace").decode("utf-8")
