"""The part of a text that is the value: what stands between two literals. No regular expressions, linear."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

MAX_LITERAL = 40  # characters
_PARTING = frozenset(",;/|·•、，；")


@dataclass(frozen=True, slots=True)
class Part:
    """From the first `after` ("" is the start) to the first `before` behind it ("" is the end)."""

    after: str = ""
    before: str = ""

    @property
    def is_plain(self) -> bool:
        """Whether its literals are marks or single words, which vary less than longer ones."""
        return not any(" " in literal for literal in (self.after, self.before))

    def of(self, text: str) -> str | None:
        """The part, without outer whitespace; None when a literal is not there or nothing is left."""
        start = 0
        if self.after:
            found = _find(text, self.after, 0)
            if found < 0:
                return None
            start = found + len(self.after)
        end = _find(text, self.before, start) if self.before else len(text)
        return text[start:end].strip() or None if end >= 0 else None


WHOLE = Part()


def parts(text: str, start: int, end: int) -> Iterator[Part]:
    """Parts that give `text[start:end]`, those that say most about what is around it first."""
    wanted = text[start:end].strip()
    for after in _literals(text[:start], -1):
        for before in _literals(text[end:], 1):
            if (part := Part(after, before)).of(text) == wanted:
                yield part


def _literals(text: str, way: int) -> list[str]:
    """Literals that end (`way` -1) or begin a text: three words, one word, the marks alone; "" when it is blank.

    Words beyond a mark that parts a list's items are no wording about the value but its neighbours.
    """
    words = _unparted(text.split(), way)
    if not words:
        return [""]
    near = words[-3:] if way < 0 else words[:3]
    edge = near[-1] if way < 0 else near[0]
    found = [" ".join(near), edge, _marks(edge, way)]
    return list(dict.fromkeys(f for f in found if f and f in text and len(f) <= MAX_LITERAL))


def _unparted(words: list[str], way: int) -> list[str]:
    """The words as far as the first mark, from the value's side, that parts a list's items."""
    near = words[::way][:3]
    if near and (edge := near[0][-1] if way < 0 else near[0][0]) in _PARTING:
        return [edge]
    for count, word in enumerate(near):
        if word[-1] in _PARTING:
            return words[-count:] if way < 0 else words[: count + 1]
    return words


def _marks(word: str, way: int) -> str:
    """The punctuation at a word's edge that is nearest the value."""
    bare = word.rstrip if way < 0 else word.lstrip
    rest = bare("".join(c for c in set(word) if not c.isalnum()))
    return word[len(rest) :] if way < 0 else word[: len(word) - len(rest)]


def _find(text: str, literal: str, start: int) -> int:
    """The first place from `start` on where a literal stands, in any case, splitting no word; -1 when there is none."""
    if len(lower := text.lower()) == len(text):  # a few letters change their length with their case
        text, literal = lower, literal.lower()
    place = text.find(literal, start)
    while place >= 0 and (_inside(text, place, literal[0]) or _inside(text, place + len(literal), literal[-1])):
        place = text.find(literal, place + 1)
    return place


def _inside(text: str, place: int, edge: str) -> bool:
    """Whether a word with the letter `edge` in it goes on across a place."""
    if not 0 < place < len(text):
        return False
    left, right = text[place - 1], text[place]
    return left.isalpha() and right.isalpha() and edge.isalpha() and max(left, right) < "\u2e80"
