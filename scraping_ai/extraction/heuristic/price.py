"""The price asked now: near the heading, not crossed out, not of a part, of shipping or of another product."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cached_property
from importlib.resources import files
from itertools import islice

from lxml import etree

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.concepts import named
from scraping_ai.extraction.document import Anchor
from scraping_ai.extraction.heuristic.amounts import PRICE_HINT, Amount
from scraping_ai.extraction.heuristic.scope import Scope
from scraping_ai.extraction.heuristic.split import cents, whole
from scraping_ai.extraction.heuristic.view import View, nearest
from scraping_ai.extraction.normalise import money, numbers

MAX_CANDIDATES = 10
ASKED = 40  # elements behind the heading that may say that the price is to be asked for
NEAR = (-50, 200)  # elements from the heading
SURE = 0.75
OLD = 0.7  # confidence of an amount shown as an old one
NEVER = -100.0
UNLIKELY = 1.5  # score below which an amount is no answer
PLAIN = 6.5  # score from which an amount is the price beyond doubt
_PLAIN_ROLES = frozenset(("", "now"))
BARE = 4.0  # score from which a number without a currency is a price
_OTHER_ROLES = frozenset(("old", "saving", "shipping", "part", "unit", "high"))
_ROLE_SCORES = {"now": 2.5, "soft_old": -2.0, "from": -0.5, "member": -3.0, "net": -4.0}
_OLD = re.compile(
    r"old|was\b|was-?price|before|regular|compare-?at|list-?price|strike|crossed|line-?through|msrp|rrp|uvp|original|"
    r"previous|high-?price|retail|promo-?amount"
)
_CROSSED = re.compile(r"strike|crossed|line-?through")
_OTHER = re.compile(
    r"per-?unit|unit-?price|per-?stock|saving|discount|shipping|install?ment|deliver|loyalty|coupon|points"
)
_NOW = re.compile(
    r"sale|current|final|now\b|our|special|actual|offer|new-?price|product-?price|price-?new|buying|buybox"
)
_CROSSING_STYLE = re.compile(r"line-through", re.I)
_NO_DIGIT = re.compile(r"\D+")
_NOT_ZERO = re.compile(r"[1-9]")
MAX_NOTICE = 60  # characters
MAX_COLUMNS = 20
_WORDS = json.loads(files("scraping_ai.extraction.heuristic").joinpath("price_words.json").read_text("utf-8"))
_ON_REQUEST = re.compile("|".join(map(re.escape, _WORDS["on_request"])), re.I)


class Prices:
    """The amounts of one page, weighed once for the price and its currency."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    @cached_property
    def _scored(self) -> list[tuple[float, Amount]]:
        """Amounts that may be the product's price, the likeliest first."""
        order, least = self.scope.view.order, PLAIN if self._is_on_request else UNLIKELY
        scored = [(score, -order[a.node], a) for a in self.scope.amounts if (score := _score(self.scope, a)) >= least]
        return [(score, amount) for score, _, amount in sorted(scored, key=lambda s: s[:2], reverse=True)]

    @cached_property
    def _is_on_request(self) -> bool:
        """Whether the page says beside its heading that the price is to be asked for."""
        scope = self.scope
        if scope.heading is None:
            return False
        said = (n for n, text in scope.texts if len(text) <= MAX_NOTICE and _ON_REQUEST.match(text))
        return any(0 <= scope.distance(n) <= ASKED and not scope.is_aside(n) and not scope.is_in_card(n) for n in said)

    def candidates(self) -> Iterator[Candidate]:
        """Amounts as they stand; parts of one that cannot be told ("$229" and "99" run together) are none either."""
        untold: set[etree._Element] = set()
        for score, amount in self._scored[:MAX_CANDIDATES]:
            if not untold.isdisjoint(nearest(amount.node, 3)) or not (amount.marked or score >= BARE):
                continue
            found = whole(self.scope.view, amount)
            if found is None and cents(amount) is not None:
                untold.add(amount.node)
            elif found is not None:
                yield Candidate(*found, _confidence(score), "heuristic")

    def currencies(self) -> Iterator[Candidate]:
        """The same amounts: each has its currency beside it."""
        marked = [(score, amount) for score, amount in self._scored if amount.marked][:MAX_CANDIDATES]
        yield from (Candidate(a.text, Anchor(a.node), _confidence(score), "heuristic") for score, a in marked)

    def old(self) -> Iterator[Candidate]:
        """Amounts that the page shows as asked before, the nearest to the heading first."""
        scope = self.scope
        shown = [a for a in scope.amounts if a.marked and not a.glued and a.role not in _OTHER_ROLES - {"old"}]
        old = [a for a in shown if _is_old(scope, a) and NEAR[0] <= scope.distance(a.node) <= NEAR[1]]
        own = (a for a in old if not scope.is_aside(a.node) and not scope.is_in_card(a.node))
        for amount in islice(sorted(own, key=lambda a: abs(scope.distance(a.node))), MAX_CANDIDATES):
            yield Candidate(amount.text, Anchor(amount.node), OLD, "heuristic")

    def asks(self, text: str) -> bool:
        """Whether an amount is the likeliest one that the page shows as its price."""
        best = next(self.candidates(), None)
        return best is not None and best.confidence >= SURE and self._number(best.text) == self._number(text)

    def contradict(self, candidate: Candidate, currency: str | None = None) -> bool:
        """Whether the page shows a candidate's amount only as an old price and another one as the price asked now, or
        shows it nowhere and another one plainly. `currency` is the candidate's (ISO 4217).
        """
        claimed = self._number(candidate.text)
        shown = [a for a in self._showing(claimed) if a.marked and not self.scope.is_aside(a.node)]
        if not shown:
            return self._is_plainly_another(claimed, currency)
        asked = [a for a in shown if not _is_old(self.scope, a)]
        if any(NEAR[0] <= self.scope.distance(a.node) <= NEAR[1] for a in asked):
            return False
        if len(asked) == len(shown) or not all(self.scope.is_in_card(a.node) for a in asked):
            return False
        best = next(self.candidates(), None)
        return best is not None and best.confidence >= SURE and self._number(best.text) != claimed

    def shows(self, candidate: Candidate) -> bool:
        """Whether the page shows a candidate's amount."""
        return bool(self._showing(self._number(candidate.text)))

    def _is_plainly_another(self, claimed: Decimal | None, currency: str | None) -> bool:
        """Whether a claimed amount stands nowhere on the page, which shows one other price, in the same currency."""
        plain = [a for score, a in self._scored if score >= PLAIN]
        asked = {self._number(a.text) for a in plain if a.marked and not a.glued}
        if claimed is None or len(asked) != 1 or claimed in asked or any(a.role not in _PLAIN_ROLES for a in plain):
            return False
        document = self.scope.view.document
        shown = {numbers.currency(a.text, document.url, document.language) for a in plain}
        return currency is not None and shown == {currency} and not self._is_written(claimed)

    def _is_written(self, claimed: Decimal) -> bool:
        """Whether an amount's digits stand somewhere on the page, however they are set."""
        digits = _NO_DIGIT.sub("", f"{claimed.normalize():f}")
        return any(digits in _NO_DIGIT.sub("", text) for node, text in self.scope.numbered if node.tag != "html")

    def _showing(self, claimed: Decimal | None) -> list[Amount]:
        """The amounts that are a claimed one."""
        digits = "" if claimed is None else str(int(claimed))
        alike = (a for a in self.scope.amounts if digits and digits in _NO_DIGIT.sub("", a.text))
        return [amount for amount in alike if self._number(amount.text) == claimed]

    def _number(self, text: str) -> Decimal | None:
        return numbers.number(text, self.scope.view.document.language, "price")


def _confidence(score: float) -> float:
    return min(0.8, 0.4 + score / 12)


def _is_old(scope: Scope, amount: Amount) -> bool:
    near = nearest(amount.node, 2)
    return amount.role in ("old", "soft_old") or scope.view.hinted(_OLD, near) or is_crossed(scope.view, amount.node)


def _is_compared(amount: Amount) -> bool:
    """Whether an amount stands in a row "Price | $20 | $30": each column is another thing's."""
    cell = next((a for a in nearest(amount.node, 3) if a.tag in ("td", "th")), None)
    row = cell.getparent() if cell is not None else None
    if cell is None or row is None or row.tag != "tr" or not 3 <= len(row) <= MAX_COLUMNS or row[0] is cell:
        return False
    view, concept = amount.view, named(amount.view.text(row[0]))
    if concept is None or concept.kind != "price":
        return False
    return all(next(money.marked(view.text(other)), None) is not None for other in list(row)[1:3])


def _score(scope: Scope, amount: Amount) -> float:
    """How likely an amount is the page's price; one that is something else has less than any threshold."""
    view, node = scope.view, amount.node
    near = nearest(node, 2)
    if scope.is_in_card(node) or amount.role in _OTHER_ROLES or is_crossed(view, node) or _is_compared(amount):
        return NEVER
    if amount.told:
        return NEVER
    score = 3.0 * view.hinted(PRICE_HINT, near) + 1.0 * view.hinted(_NOW, near) + 1.0 * amount.marked
    score -= 3.0 * view.hinted(_OLD, near) + 3.0 * view.hinted(_OTHER, near) + 5.0 * scope.is_aside(node)
    score += _ROLE_SCORES.get(amount.role, 0.0)
    distance = scope.distance(node)
    score += 4.0 * max(0.0, 1 - distance / 200) if distance >= 0 else max(-1.5, distance / 150)
    return score - 1.5 * (not amount.alone) - 4.0 * (not _NOT_ZERO.search(amount.text))


def is_crossed(view: View, node: etree._Element) -> bool:
    """Whether an element is shown crossed out, as far as tags, styles and class names tell."""
    around = nearest(node, 3)
    struck = any(a.tag in ("del", "s", "strike") or _CROSSING_STYLE.search(a.get("style") or "") for a in around)
    return struck or view.hinted(_CROSSED, around[:2])
