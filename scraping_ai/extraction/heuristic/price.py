"""The price asked now: near a currency, not crossed out, not of another product."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from lxml import etree

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.document import Anchor
from scraping_ai.extraction.heuristic.view import View
from scraping_ai.extraction.normalise.numbers import currency

MAX_PRICE = 40  # characters
MAX_AMOUNTS = 1_000  # texts weighed
_AMOUNT = re.compile(r"\d[\d.,'\u2019 \u00a0\u202f]*")
_OLD = re.compile(
    r"old|was\b|before|regular|compare|list-?price|strike|crossed|msrp|rrp|uvp|original|previous|per-?unit|"
    r"unit-?price|saving"
)
_NOW = re.compile(r"sale|current|final|now\b|our|special|actual|offer|new-?price|product-?price|price-?new")
_OLD_WORDS = re.compile(
    r"\b(?:was|rrp|msrp|uvp|list price|regular|instead of|save|statt|from|off|ab|prix conseillé)\b|"
    r"定価|通常価格|参考価格|"
    r"原價|原价|市價|市价|建議售價|省|割引|정가",
    re.I,
)
ELSEWHERE = re.compile(
    r"related|similar|recommend|carousel|slider|upsell|cross-?sell|cart|basket|menu|nav\b|footer|shipping|install?ment|"
    r"viewed|bought|bundle|accessor|swiper|teaser|widget|review|rating|compar"
)
_PRICE = re.compile(r"price|preis|prix|precio|prezzo|preco|цена|cena")


def candidates(view: View, for_currency: bool = False) -> Iterator[Candidate]:
    """Short texts with an amount and a currency, the likeliest first."""
    document = view.document
    start = view.order.get(view.heading, 0) if view.heading is not None else 0
    scored = []
    for node, text in islice(_amounts(view), MAX_AMOUNTS):
        score = _score(view, node, text, start)
        if score is None:
            continue
        found = currency(text, document.url, document.language)
        if found or (score >= 4 and not for_currency):
            scored.append((score + bool(found), -view.order[node], node, text))
    for score, _, node, text in sorted(scored, key=lambda s: s[:2], reverse=True)[:10]:
        yield Candidate(text, Anchor(node), min(0.8, 0.4 + score / 10), "heuristic")


def _amounts(view: View) -> Iterator[tuple[etree._Element, str]]:
    for node in view.nodes:
        text = view.text(node) if view.length(node) <= 3 * MAX_PRICE else ""
        if text and len(text) <= MAX_PRICE and len(_AMOUNT.findall(text)) in (1, 2):
            yield node, text


def _score(view: View, node: etree._Element, text: str, start: int) -> float | None:
    """How likely a node shows the page's price; None for one that does not."""
    around = [node, *(a for a, _ in zip(node.iterancestors(), range(12), strict=False))]
    if any(a.tag in ("del", "s", "strike") for a in around[:4]) or _OLD_WORDS.search(text):
        return None
    near = around[:3]
    score = 3.0 * view.hinted(_PRICE, near) + 1.0 * view.hinted(_NOW, near)
    score -= 3.0 * view.hinted(_OLD, near) + 3.0 * view.hinted(ELSEWHERE, around)
    if any(a.tag in ("nav", "footer", "header", "aside") for a in around):
        score -= 2
    distance = view.order[node] - start
    score += 2.0 * max(0.0, 1 - distance / 400) if distance >= 0 else max(-1.0, distance / 100)
    others = sum(c.isalpha() for c in text)
    return score - 0.1 * max(0, others - 4) - (3.0 if not re.search(r"[1-9]", text) else 0.0)
