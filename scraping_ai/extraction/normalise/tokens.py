"""Where numbers stand in a text: whole runs of digits and what parts them, in every script; never a part of a run."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache

from price_parser import Price

DECIMAL = "\u066b"  # the Arabic decimal separator, which parts nothing else
# What parts the digits of a number without a space, of all that CLDR's locales use, in the form that `plain` gives.
PARTING = rf"[.,'_\u00b7{DECIMAL}]"
GOES_ON = rf"(?!{PARTING}?\d)"
BEGINS = rf"(?<!\d)(?<!\d{PARTING})"
_PLAIN = {
    **dict.fromkeys(map(ord, "\u2018\u2019\u02bc\u02b9\uff07\u066c"), "'"),
    **dict.fromkeys(map(ord, "\u00a0\u202f\u2009\u2007\u2008"), " "),
    **dict.fromkeys(map(ord, "\u00b2\u00b3\u00b9\u2070\u2074\u2075\u2076\u2077\u2078\u2079"), "^"),
    **dict.fromkeys(range(0x2080, 0x208A), "^"),
    0xFF0C: ",",
    0xFF0E: ".",
    0xFF3F: "_",
    0x2219: "\u00b7",
    0x22C5: "\u00b7",
    0x30FB: "\u00b7",
}
_FOREIGN = re.compile(r"[^\x00-\x7f]")
_FIRST = re.compile(rf"(?<![\w.,]){BEGINS}[-+\u2212]?\.?\d")
_TOKEN = re.compile(
    r"[-+\u2212]?(?:\d{1,2}(?:,\d{2})+,\d{3}(?!\d)|"
    rf"\d{{1,3}}(?:[ .,'_]\d{{3}})+(?!\d)(?:[.,{DECIMAL}]\d+)?|\d+(?:[.,{DECIMAL}]\d+)?|\.\d+)"
)
_ENDS = re.compile(rf"{GOES_ON}(?!\^)")
_TAKEN_APART = re.compile(r"(?<=\d)[\u00b2\u00b3\u00b9\u2070-\u2079\u2080-\u2089]")


def plain(text: str) -> str:
    """A text of the same length whose digits are 0-9 and whose numbers are parted by `. , ' _ ·`, spaces or DECIMAL.

    Raised and lowered digits, which are an exponent or a note, are `^`.
    """
    return text if text.isascii() else _FOREIGN.sub(lambda char: _plain(char[0]), text)


@lru_cache(maxsize=4096)
def _plain(char: str) -> str:
    digit = unicodedata.decimal(char, None)
    return str(digit) if digit is not None else _PLAIN.get(ord(char), char)


def compatible(text: str) -> str:
    """NFKC of a text, its numbers as in `plain`: what NFKC would make a digit of the number before it is `^`."""
    return plain(unicodedata.normalize("NFKC", _TAKEN_APART.sub("^", text)))


def first(text: str) -> re.Match[str] | None:
    """The first number of a `plain` text; None also where what stands there is no whole one ("1·234", "1.2.3")."""
    start = _FIRST.search(text)
    return _whole(text, start.start()) if start else None


def every(text: str) -> Iterator[re.Match[str]]:
    """The whole numbers of a `plain` text; those inside words and codes are none."""
    end = 0
    for start in _FIRST.finditer(text):
        if start.start() >= end and (token := _whole(text, start.start())):
            end = token.end()
            yield token


def _whole(text: str, start: int) -> re.Match[str] | None:
    token = _TOKEN.match(text, start)
    return token if token and _ENDS.match(text, token.end()) else None


def value(digits: str, separator: str | None) -> Decimal | None:
    """The amount of a token without its sign; `separator`: the decimal one where it is known."""
    digits = digits.replace("'", "").replace("_", "").replace(" ", "")
    if DECIMAL in digits:
        digits, separator = re.sub("[.,]", "", digits).replace(DECIMAL, "."), "."
    return Price.fromstring(digits, decimal_separator=separator).amount
