"""Sets of phrases found in short texts, each with a tag: quicker than one pattern of hundreds of alternatives."""

from __future__ import annotations

from collections.abc import Mapping

from scraping_ai.extraction.matching import is_edge


class Phrases:
    """Phrases as whole words, case folded; the longest that starts at a place counts."""

    def __init__(self, tags: Mapping[str, str]) -> None:
        self._starting: dict[str, list[tuple[str, str]]] = {}
        for phrase, tag in sorted(tags.items(), key=lambda entry: -len(entry[0])):
            self._starting.setdefault(phrase[:2], []).append((phrase, tag))

    def at(self, text: str, start: int) -> tuple[str, int] | None:
        """The tag of the phrase that starts at an index of a lower-case text, and where it ends."""
        for beginning in (text[start : start + 2], text[start]):
            for phrase, tag in self._starting.get(beginning, ()):
                end = start + len(phrase)
                if text.startswith(phrase, start) and _is_edge(text, start) and _is_edge(text, end):
                    return tag, end
        return None

    def last(self, text: str) -> tuple[str, int, int] | None:
        """The tag of the last phrase in a lower-case text, and where the phrase starts and ends."""
        start, last = 0, None
        while start < len(text):
            found = self.at(text, start)
            if found is not None:
                last = (found[0], start, found[1])
            start = found[1] if found is not None else start + 1
        return last


def _is_edge(text: str, index: int) -> bool:
    """As matching has it, and between a letter and a digit: "4pm"."""
    return is_edge(text, index) or text[index - 1].isdigit() != text[index].isdigit()
