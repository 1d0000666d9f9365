"""Every SHA-256 of a dataset, recomputed from the disk."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from mintdim.shared.messages import phrase
from mintdim.verification.findings import Finding

if TYPE_CHECKING:
    from mintdim.verification.documents import Documents


def check_hashes(documents: Documents) -> list[Finding]:
    """Return the listed files whose content is not the recorded one."""
    findings = []
    for entry in documents.entries:
        path = documents.root / entry["name"]
        if not path.is_file():
            continue  # reported by the quick checks
        with open(path, "rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if found != entry["sha256"]:
            findings.append(Finding(entry["name"], phrase("other_content")))
    return findings
