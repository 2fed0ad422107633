"""One text that stands for several items of a list: lines, or what commas set apart; each piece verbatim."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from scraping_ai.extraction.candidate import Candidate

MAX_ENUMERATION = 1_000  # characters
_COMMAS = re.compile(r"[,;、，；|•·]\s*|\s[/／]\s")
_INTRODUCES = re.compile(r"\D*[:：]\s*\Z")


def of_lines(candidates: Iterable[Candidate]) -> list[Candidate]:
    """One candidate a line; lines that only introduce others ("For the dough:") are no items."""
    found = [replace(c, text=line.strip()) for c in candidates for line in c.text.splitlines() if line.strip()]
    items = [c for c in found if not _INTRODUCES.match(c.text)]
    return items or found


def of_enumeration(candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    """One candidate for each text between commas, as schema.org has it for keywords."""
    for candidate in candidates:
        parts = _COMMAS.split(candidate.text) if len(candidate.text) <= MAX_ENUMERATION else [candidate.text]
        yield from (replace(candidate, text=part.strip()) for part in parts if part.strip())
