"""Amounts, counts and currencies from text, by locale."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from urllib.parse import urlsplit

from scraping_ai.extraction.normalise import bounds, compounds, fractions, magnitudes, money, tokens

MAX_MONEY = 200  # characters
_LITERAL = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3})?\Z")
_PRICE_NUMBER = re.compile(money.NUMBER)
_THREE_DIGITS = re.compile(r"\d{1,3}[.,]\d{3}")
_DOLLARS = frozenset(("$", "us$", "usd"))
_OF_THREE_DECIMALS = frozenset("BHD IQD JOD KWD LYD OMR TND".split())  # ISO 4217's minor unit 3
_IN_CENTS = re.compile(r"\s?(?:[pc]|cts?|cents?|pence)(?!\w)", re.I)
_CENT = Decimal("0.01")
_MARK_BETWEEN = re.compile(r"[^€£]+[€£]\s?\d\d")
_COMMA_DECIMAL = frozenset(
    "bg ca cs da de el es et fi fr hr hu id it lt lv nb nl nn no pl pt ro ru sk sl sv tr uk vi".split()
)


def number(text: str, language: str | None = None, kind: str = "") -> Decimal | None:
    """The first number in a text, None where it is one of several that are no single value ("12-15", "1920 x 1080").

    `kind` "price" reads "1.299" as 1299, "rating" as 1.299; others go by language. A price is the first of a range. Of
    a "measure" a letter is the unit ("5M" of cable), of others a factor ("12k").
    """
    text = tokens.plain(text.strip())
    if _LITERAL.match(text) and not _grouped(text, language, kind):
        return None if kind == "price" and text[0] == "-" else _decimal(text)
    if kind == "price":
        return _priced(text, language)
    match = tokens.first(text)
    if match is None:
        return None
    amount, end = _amount_at(text, match, language, kind)
    if amount is None or kind == "rating":
        return amount
    if compounds.is_part(text, match.start(), end) or bounds.is_bound(text, match.start(), end):
        return None
    sign = 1 if kind == "count" else bounds.sign(text, match.start(), end)
    return None if sign is None else sign * amount


def literal(text: str) -> Decimal | None:
    """A number as JSON and programs write it, None for any other text."""
    return _decimal(text.strip()) if _LITERAL.match(text.strip()) else None


def _amount_at(text: str, token: re.Match[str], language: str | None, kind: str) -> tuple[Decimal | None, int]:
    """The number that begins with a token, and where it ends."""
    start, digits = token.start(), token[0].lstrip("-+\u2212")
    found = magnitudes.myriads(text, start) or fractions.at(text, start) if kind != "rating" else None
    if found is not None:
        return found
    amount = tokens.value(digits, _separator(digits, language, kind))
    if amount is None or kind == "rating":
        return amount, token.end()
    money_before = money.is_mark(text[max(0, start - 3) : start].strip(" ("))
    letters = kind != "measure"
    factor, end = magnitudes.behind(text, token.end(), letters=letters, money=money_before, language=language)
    if factor is None:
        return None, end
    return (-factor if token[0][0] in "-\u2212" else factor) * amount, end


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Where the numbers of a text stand; those inside words and codes are none."""
    return (match.span() for match in tokens.every(tokens.plain(text)))


def _priced(text: str, language: str | None) -> Decimal | None:
    """The first amount that has a currency, else the first number."""
    start, end, mark = next(money.marked(text), (0, 0, ""))
    match = _PRICE_NUMBER.search(text, start) if end else tokens.first(text)
    if match is None or match[0][0] in "-\u2212" or (not end and _IN_CENTS.match(text, match.end())):
        return None
    begin = match.start()
    if bounds.is_bound(text, begin, 0) or bounds.is_negative(text, begin):
        return None
    if (myriads := magnitudes.myriads(text, match.start())) is not None:
        return myriads[0]
    between = _MARK_BETWEEN.fullmatch(text, start, end)
    factor, _ = magnitudes.behind(text, match.end(), letters=True, money=bool(end), language=language)
    if factor is None:
        return None
    separator = _separator(match[0], language, "") if factor > 1 else None
    if _THREE_DIGITS.fullmatch(match[0]) and factor == 1:
        if mark in _DOLLARS and "." in match[0] and _is_english(language):
            return None  # $3.299: a litre of petrol, or 3299 as Latin America writes it
        separator = match[0][-4] if (money.CODE_OF.get(mark) or mark.upper()) in _OF_THREE_DECIMALS else None
    amount = tokens.value(between[0] if between else match[0], separator)
    if amount is None or not amount.is_finite():
        return None
    rest = money.rest_in(text, start, end, mark)
    return amount * factor * (_CENT if mark == "¢" else 1) + rest * _CENT


def is_doubtful(text: str) -> bool:
    """Whether a price in markup, such as 3.299, may be 3299 as pages write it, or what it is in JSON."""
    return _grouped(text.strip(), None, "price")


def _grouped(literal: str, language: str | None, kind: str) -> bool:
    """Whether the dot of "1.299" groups thousands."""
    if not re.match(r"[-+]?[1-9]\d{0,2}\.\d{3}\Z", literal) or kind == "rating":
        return False
    return kind == "price" or _uses_comma(language)


def _separator(digits: str, language: str | None, kind: str) -> str | None:
    """The decimal separator where price-parser's guess needs the language: one separator and three digits after it."""
    match = re.match(r"\d{1,3}([.,])\d{3}\Z", digits)
    if match is None:
        return None
    if digits.startswith("0") or kind == "rating":
        return match[1]
    if kind == "count":
        return "," if match[1] == "." else "."
    return "," if _uses_comma(language) else "."


def _is_english(language: str | None) -> bool:
    return (language or "").split("-")[0] == "en"


def _uses_comma(language: str | None) -> bool:
    return (language or "").split("-")[0] in _COMMA_DECIMAL


def _decimal(text: str) -> Decimal | None:
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return value if value.is_finite() and -30 < value.adjusted() < 30 else None


def currency(text: str, url: str = "", language: str | None = None) -> str | None:
    """ISO 4217 code of a symbol, code or price; the page's country or language tells which `$` or `kr`."""
    symbol = money.mark_in(unicodedata.normalize("NFC", text[:MAX_MONEY]))
    if symbol is None:
        return None
    if symbol.upper() in money.CODES:
        return symbol.upper()
    choices = money.SHARED.get(symbol, {})
    shared = next((choices[hint] for hint in _countries(url, language) if hint in choices), None)
    return shared or money.DEFAULTS.get(symbol) or money.CODE_OF.get(symbol)


def _countries(url: str, language: str | None) -> list[str]:
    """Country of the host name, then region and language of the page: "se", "sv"."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        host = ""
    return [host.rsplit(".", 1)[-1], *reversed((language or "").split("-"))]
