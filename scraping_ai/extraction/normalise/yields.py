"""How much a recipe makes, out of a text that says more: "Makes 12", "für 4 Portionen", "4 servings 1x"."""

from __future__ import annotations

import json
import re
from importlib.resources import files

_DATA = json.loads(files("scraping_ai.extraction.normalise").joinpath("yields.json").read_text("utf-8"))
_WORDS, _VERBS, _HEADINGS = ("|".join(map(re.escape, _DATA[key])) for key in ("portions", "verbs", "headings"))
_AMOUNT = r"\d+(?:[.,/]\d+)?(?:\s*(?:[-\u2013\u2014~\u301c]|to|bis|à)\s*\d+)?"
_YIELD = re.compile(rf"(?<![\w.,])(?P<amount>{_AMOUNT})(?P<unit>(?:[^\n.:;|()（）]|\([^()]*\))*)", re.I)
_SAYS = re.compile(
    rf"\W*(?:(?:{_HEADINGS})\W+)?(?:(?:{_VERBS})\W+{_AMOUNT}\b[^\n.]{{0,20}}|(?:\w{{1,4}}\s+)?{_AMOUNT}\s*(?:{_WORDS})[\w()]*)\W*\Z",
    re.I,
)
_SCALE = re.compile(r"\s*(?:\d+x\s*)+\Z", re.I)  # the buttons that multiply a recipe
_PORTION = re.compile(rf"\s*(?:{_WORDS})[\w()]*\s*\Z", re.I)


def stated(text: str, description: str = "") -> str:
    """The part of a text that says how much, verbatim: the amount and its unit.

    A unit that only says "portions" is left out, unless the field's description writes it so ("such as '4 servings'").
    """
    match = _YIELD.search(_SCALE.sub("", text[:300]))
    if match is None:
        return text
    unit = match["unit"].strip()
    if not unit or (_PORTION.match(unit) and unit.casefold() not in description.casefold().replace("'", " ").split()):
        return match["amount"]
    return match[0].strip()


def says(text: str) -> bool:
    """Whether a short text is a yield for itself: "Serves 4", "für 4 Personen", "材料（4人分）"."""
    return _SAYS.match(text) is not None
