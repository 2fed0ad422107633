"""Whether the product can be bought: words about stock beside it, and the button that puts it in a cart."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import islice

from lxml import etree

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.document import Anchor, string_value
from scraping_ai.extraction.heuristic.scope import Scope
from scraping_ai.extraction.heuristic.view import nearest
from scraping_ai.extraction.normalise import words
from scraping_ai.extraction.seams import BLOCKS

MAX_CANDIDATES = 5
MAX_TOLD = 50  # attributes of widgets
MAX_WORDS = 60  # characters
MAX_NOTICE = 200  # characters of a sentence that says a product cannot be bought
BEFORE, AFTER = -900, 900  # elements from the heading
NEAR = 80
SURE = 0.7  # confidence from which the visible page may overrule markup
MOSTLY = 0.45  # of a text
ALL = 0.8
_STOCK = re.compile(r"stock|avail|lager|verfueg|dispon|inventory|sold-?out")
_SENTENCE = re.compile(r"[.!]\s|。")
_BUTTONS = frozenset(("button", "a", "input"))
_BUTTON_TYPES = frozenset(("submit", "button", "image"))
_ADD = re.compile(r"add-?to-?(?:cart|basket|bag)|buy-?(?:now|button|btn)|btn-?(?:buy|cart)|to-?(?:cart|basket)")
_PARAMETER = re.compile(r"[?&;][Aa]vailability=([\w-]{1,40})")
# Beside these a button that puts the product in a cart doesn't say that it is in stock.
_UNSURE = re.compile(
    r"(?:made|built|cut|thrown) to order|sold|on display only|display only|"
    r"(?:ships|dispatched|delivered|ready) in (?:about )?\d{1,2}(?:\s?[-–]\s?\d{1,2})? (?:weeks?|months?)",
    re.I,
)
MAX_WRAPPED = 8  # elements with nothing else in them
_LEAVES = frozenset(("option", "label", "li", "th"))


class Stock:
    """What one page says about its product's stock."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    @cached_property
    def found(self) -> list[Candidate]:
        """Texts that say it, the surest first."""
        scope = self.scope
        shown: list[tuple[etree._Element, str, str | None]]
        telling = {
            text for text in {text for _, text in scope.texts} if len(text) > MAX_WORDS or words.availability(text)
        }
        shown = [(node, text, None) for node, text in scope.texts if text in telling and node.tag != "input"]
        shown += [(node, *_labelled(node)) for node in scope.view.nodes if node.tag == "input"]
        if any(words.differs_by_place(text) and _is_beside(scope, node) for node, text, _ in shown):
            return []
        found = [c for node, text, attribute in shown if (c := _candidate(scope, node, text, attribute)) is not None]
        found += _passed_on(scope)
        if any(_UNSURE.fullmatch(text.strip(" .!")) and _is_beside(scope, node) for node, text in scope.texts):
            found = [c for c in found if not _is_button(c.anchor.node)]
        return sorted(found, key=lambda c: -c.confidence)[:MAX_CANDIDATES]

    def contradicts(self, candidate: Candidate) -> bool:
        """Whether the page says that its product is sold out while a candidate says that it is in stock."""
        if words.availability(candidate.text) != words.IN_STOCK:
            return False
        sure = {words.availability(c.text) for c in self.found if c.confidence >= SURE}
        return words.OUT_OF_STOCK in sure and words.IN_STOCK not in sure


def _is_button(node: etree._Element) -> bool:
    return any(a.tag in _BUTTONS for a in nearest(node, 2))


def _is_beside(scope: Scope, node: etree._Element) -> bool:
    """Whether a text without a control of its own stands near the product's heading."""
    if not 0 <= scope.distance(node) <= NEAR or next(node.iter(*_BUTTONS), None) is not None:
        return False
    return not scope.is_aside(node) and not scope.is_in_card(node)


def _labelled(button: etree._Element) -> tuple[str, str]:
    """What a button that is an `<input>` shows, and the attribute that holds it."""
    attribute = "value" if button.get("value") else "alt"
    shown = button.get("type") in _BUTTON_TYPES
    return (button.get(attribute) or "").strip() if shown else "", attribute


def _passed_on(scope: Scope) -> list[Candidate]:
    """What the product's widgets are told, as in `https://registry.example/add?sku=1&availability=Available`."""
    if scope.heading is None or "vailability=" not in scope.view.document.text:
        return []
    told = (
        (node, str(name), match[1])
        for node in scope.view.document.select("//*[@*]")
        for name, value in node.items()
        if (match := _PARAMETER.search(str(value))) is not None
    )
    near = [(node, name, text) for node, name, text in islice(told, MAX_TOLD) if _is_near(scope, node)]
    return [
        Candidate(text, Anchor(node, name), 0.65, "heuristic") for node, name, text in near if words.availability(text)
    ]


def _is_near(scope: Scope, node: etree._Element) -> bool:
    """Whether what is shown of a widget, itself or what it is hidden in, stands by the product's heading."""
    shown = next((a for a in (node, *node.iterancestors()) if a in scope.view.order), None)
    return shown is not None and 0 <= scope.distance(shown) <= AFTER and not scope.is_aside(shown)


def _candidate(scope: Scope, node: etree._Element, text: str, attribute: str | None) -> Candidate | None:
    distance = scope.distance(node)
    if len(text) > MAX_WORDS and not 0 <= distance <= NEAR:
        return None
    if scope.heading is not None and not BEFORE <= distance <= AFTER:
        return None
    if not 0 < len(text) <= MAX_NOTICE or (state := words.availability(text)) is None:
        return None
    if node in scope.around_others or scope.is_aside(_holder(node)) or scope.is_in_card(node):
        return None
    if _is_idle(scope, node, state) or _hides(scope, node) or _is_glued(scope, node):
        return None
    confidence = _confidence(scope, node, text, state)
    return Candidate(text, Anchor(node, attribute), confidence, "heuristic") if confidence else None


def _holder(node: etree._Element) -> etree._Element:
    """What an element stands in, past a link or button of its own: a link to compare offers is classed as one."""
    control = next((a for a in nearest(node, 2) if a.tag in _BUTTONS), None)
    parent = control.getparent() if control is not None else None
    return node if parent is None else parent


def _confidence(scope: Scope, node: etree._Element, text: str, state: str) -> float:
    around = nearest(node, 2)
    near = -NEAR // 2 <= scope.distance(node) <= 2 * NEAR
    if len(text) > MAX_WORDS:  # prose
        return 0.72 if state == words.OUT_OF_STOCK and _is_of_product(text) else 0.0
    if scope.view.hinted(_STOCK, around):
        return 0.8 if near else 0.75
    if near and state == words.OUT_OF_STOCK and words.is_notice(text):
        return 0.72
    is_button = _is_button(node)
    if near and node.tag == "p" and state != words.IN_STOCK and not is_button and words.stated(text)[1] >= ALL:
        return 0.72  # words come before a button
    if is_button or scope.view.hinted(_ADD, around):
        return 0.7 if near else 0.65
    notice = state == words.OUT_OF_STOCK and near and _is_of_product(text)
    if node.tag in _LEAVES or (len(text) > MAX_WORDS // 2 and not notice):
        return 0.0
    return 0.74 if notice else 0.6


def _is_of_product(text: str) -> bool:
    """Whether it is the product that a text says to be sold out: "Chat is unavailable" speaks of something else."""
    first = _SENTENCE.split(text, maxsplit=1)[0]
    return max(words.stated(text)[1], words.stated(first)[1]) >= MOSTLY or words.names_product(text)


def _is_idle(scope: Scope, node: etree._Element, state: str) -> bool:
    """Whether a text stands in a disabled control that does not itself say, and say nothing else, "sold out"."""
    disabled = (a for a in nearest(node, 3) if a.get("disabled") is not None or a.get("aria-disabled") == "true")
    control = next(disabled, None)
    if control is None:
        return False
    said, share = words.stated(scope.view.text(control))
    return control.tag != "button" or state != words.OUT_OF_STOCK or said != state or share < ALL


def _hides(scope: Scope, node: etree._Element) -> bool:
    """Whether part of an element's text is not to be seen."""
    return len(string_value(node)) > scope.view.length(node)


def _is_glued(scope: Scope, node: etree._Element) -> bool:
    """Whether an element's text is that of several blocks, which run into each other."""
    for _ in range(MAX_WRAPPED):
        parts = [child for child in node if scope.view.length(child)]
        if len(parts) != 1 or scope.view.length(parts[0]) < scope.view.length(node):
            return any(child.tag in BLOCKS for child in parts)
        node = parts[0]
    return False
