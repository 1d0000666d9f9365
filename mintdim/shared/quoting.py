"""How texts are shown to people: in double quotes, control characters as JSON escapes."""

import json


def quoted(text: str) -> str:
    """Return ``text`` in double quotes on one line; non-ASCII characters stay as they are."""
    return json.dumps(text, ensure_ascii=False)
