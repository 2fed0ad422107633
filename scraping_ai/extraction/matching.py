"""Finding a text inside another as a person would: case, width, whitespace and typographic marks do not count."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_SAME = {
    **dict.fromkeys("\u2018\u2019", "'"),
    **dict.fromkeys("\u201c\u201d", '"'),
    **dict.fromkeys("\u2010\u2011\u2013\u2014\u2212", "-"),
    **dict.fromkeys("\u200b\u200c\u200d\ufeff\u00ad", ""),
}


@lru_cache(maxsize=65536)
def _folded(char: str) -> str:
    char = _SAME.get(char, char)
    return "".join(_SAME.get(c, c) for c in unicodedata.normalize("NFKC", char)).casefold()


def key(text: str) -> str:
    """The form in which two texts that read the same are equal."""
    folded = text.lower() if text.isascii() else "".join(map(_folded, text))
    return " ".join(folded.split())


def locate(text: str, wanted: str) -> list[tuple[int, int]]:
    """Spans of `text`, verbatim, that read as `wanted` (a `key`); whole words only."""
    folded, origin = _mapped(text)
    spans, start = [], folded.find(wanted) if wanted else -1
    while start >= 0:
        end = start + len(wanted)
        if is_edge(folded, start) and is_edge(folded, end):
            spans.append((origin[start], origin[end - 1] + 1))
        start = folded.find(wanted, start + 1)
    return spans


def _mapped(text: str) -> tuple[str, list[int]]:
    """`key` of a text, without the trimming, and for each of its characters the index it comes from."""
    chars: list[str] = []
    origin: list[int] = []
    for index, char in enumerate(text):
        for folded in _folded(char):
            folded = " " if folded.isspace() else folded
            if folded != " " or (chars and chars[-1] != " "):
                chars.append(folded)
                origin.append(index)
    return "".join(chars), origin


def is_edge(text: str, index: int) -> bool:
    """Whether no word goes on across an index; scripts that put no spaces between words have edges everywhere."""
    if index in (0, len(text)):
        return True
    left, right = text[index - 1], text[index]
    return not (left.isalnum() and right.isalnum()) or max(left, right) >= "\u2e80"
