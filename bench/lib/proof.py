"""Evidence checked by code of its own: nothing here comes from the extractor.

The text has to stand where the evidence says, and has to read as the value.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import urljoin

from parsel import Selector
from w3lib.encoding import html_to_unicode

NUMBER = re.compile(r"\d[\d.,' \u00a0\u202f\u2019]*\d|\d")
MAGNITUDE = re.compile(r"\d\s?(?:[kmb]n?\b|mio|mrd|mi?l|bi?l|thous|tausend|тыс|млн|млрд|[百千万萬億亿만억])", re.I)
DURATION = re.compile(r"(\d+(?:[.,]\d+)?)\s*([a-zà-ÿ日時分秒]+)", re.I)
# First letters of units, in minutes: weeks, days (jours, Tage), hours (ore), minutes, seconds.
MINUTES = {"w": 10080, "d": 1440, "j": 1440, "t": 1440, "日": 1440, "h": 60, "o": 60, "時": 60, "m": 1, "分": 1}
MINUTES |= {"s": 1 / 60, "秒": 1 / 60}
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925, "大正": 1911, "民國": 1911}
_CURRENCIES = """
$ USD CAD AUD NZD SGD HKD TWD MXN CLP ARS COP | € EUR | £ GBP | ¥ JPY CNY | 円 JPY | 元 CNY TWD | ₽ RUB | р RUB BYN |
zł PLN | ₹ INR | rs INR PKR LKR NPR | ₪ ILS | ₩ KRW | 원 KRW | lei RON | kr SEK NOK DKK ISK | ₸ KZT | kč CZK | ft HUF |
kn HRK | ฿ THB | ₫ VND | ₴ UAH | ₺ TRY | tl TRY | rp IDR | rm MYR | лв BGN | ر.س SAR
"""
SYMBOLS = {symbol: codes for symbol, *codes in (entry.split() for entry in _CURRENCIES.split("|"))}
NOT_FOR_SALE = re.compile(
    r"out.?of.?stock|sold.?out|un.?available|not (?:in|avail)|discontinued|nicht|ausverkauft|épuisé|rupture|agotado|"
    r"esaurito|indispon|no disponible|ei saatavilla|slut|udsolgt|utsolgt|vyprodáno|wyprzedan|нет в|нема|"
    r"nie je možné|pole hetkel|売り?切れ|品切|在庫(?:なし|切れ)|缺货|售罄|품절|false|0",
    re.I,
)


def decoded(body: bytes) -> str:
    """Bytes that are valid UTF-8 as that, whatever a declaration that browsers do not see says; else as declared."""
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        return html_to_unicode(None, body)[1]


class Checker:
    """One page, and whether pieces of evidence stand in it."""

    def __init__(self, body: bytes, url: str) -> None:
        self.selector = Selector(text=decoded(body))
        self.base = urljoin(url, self.selector.xpath("string(//base/@href)").get() or "")

    def proves(self, evidence: dict[str, Any] | None, value: Any) -> bool:
        if not evidence or not evidence["text"]:
            return False
        standing = self.standing(evidence["xpath"], evidence.get("pointer"))
        return evidence["text"] in standing and reads_as(evidence["text"], value, self.base)

    def standing(self, xpath: str, pointer: str | None) -> str:
        """The text at a place of the page; "" where there is none."""
        nodes = self.selector.xpath(xpath)
        if len(nodes) != 1:
            return ""
        text = nodes[0].xpath("string()").get() if hasattr(nodes[0].root, "tag") else nodes[0].get()
        if pointer is None:
            return text or ""
        value = json.loads(text or "")
        for token in pointer.split("/")[1:]:
            key = token.replace("~1", "/").replace("~0", "~")
            value = value[int(key)] if isinstance(value, list) else value[key]
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def reads_as(text: str, value: Any, base: str = "") -> bool:
    """Whether a text may be read as a value: a boolean, number, date, link, currency, availability or string."""
    if isinstance(value, bool):
        return bool(re.search(r"\w", text)) and not (value and NOT_FOR_SALE.fullmatch(text.strip()))
    if isinstance(value, int | float):
        return any(abs(Decimal(str(value)) - number) < Decimal("0.0001") for number in [*numbers(text), *minutes(text)])
    if same(text, value):
        return True
    if re.match(r"\d{4}-\d\d-\d\d(?:T|\Z)", value):
        return is_date(text, value[:10])
    if re.match(r"https?://", value):
        return "".join(urljoin(base, "".join(text.split())).split()) == value
    if re.fullmatch(r"[A-Z]{3}", value):
        return is_currency(text, value)
    if value in ("InStock", "OutOfStock", "PreOrder", "BackOrder"):
        return bool(NOT_FOR_SALE.search(text)) == (value == "OutOfStock")
    return False


def folded(text: str) -> str:
    """Without tags, entities, case, width, invisible characters and whitespace."""
    text = re.sub(r"</?[a-zA-Z][^<>]*>", " ", html.unescape(text))
    text = re.sub("[\u200b-\u200d\u2060\ufeff\u00ad]", "", unicodedata.normalize("NFKC", text))
    return "".join(text.split()).casefold()


def same(text: str, value: str) -> bool:
    """Whether a string value is its text, or the strings in JSON that the text is."""
    wanted = folded(value)
    if folded(text) == wanted:
        return True
    if text[:1] not in "[{":
        return False
    try:
        parts = [folded(part) for part in strings(json.loads(text))]
    except ValueError:
        return False
    rest = wanted
    for part in sorted(filter(None, parts), key=len, reverse=True):
        rest = rest.replace(part, "")
    return not rest.strip(",") and any(parts)


def strings(value: Any) -> list[str]:
    below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [value] if isinstance(value, str) else [part for each in below for part in strings(each)]


def numbers(text: str) -> list[Decimal]:
    """Every number in a text, in each way its separators can be read."""
    text = unicodedata.normalize("NFKC", text).replace("\u2212", "-")
    found: list[Decimal] = []
    with suppress(ArithmeticError):
        found.append(Decimal(text.strip()))
    for match in NUMBER.finditer(text):
        digits = re.sub(r"[' \u2019]", "", match[0])
        found.append(Decimal(re.sub(r"[.,]", "", digits)))
        if parts := re.match(r"(.*)[.,](\d+)\Z", digits):
            found.append(Decimal(re.sub(r"[.,]", "", parts[1]) + "." + parts[2]))
    if MAGNITUDE.search(text):
        found += [number * 10**power for number in found for power in (3, 4, 5, 6, 7, 8, 9, 12)]
    return [*found, *(-number for number in found)]


def minutes(text: str) -> list[Decimal]:
    """A duration in minutes, hours, days and seconds, ISO 8601 or written; none when the text has none."""
    found = [(Decimal(number.replace(",", ".")), unit[0].lower()) for number, unit in DURATION.findall(text)]
    total = sum((number * Decimal(str(MINUTES[unit])) for number, unit in found if unit in MINUTES), Decimal(0))
    return [total, total * 60, total / 60, total / 1440] if found else []


def is_date(text: str, day: str) -> bool:
    """Whether a text names an ISO 8601 day: its year, its month by number or name, its day."""
    text = unicodedata.normalize("NFKC", text)
    year, month, date = map(int, day.split("-"))
    if re.fullmatch(r"\d{10}(?:\d{3})?", text.strip()):
        return datetime.fromtimestamp(int(text.strip()[:10]), UTC).strftime("%Y-%m-%d") == day
    if re.match(rf"\s*{year:04}{month:02}{date:02}", text):
        return True
    if week := re.fullmatch(r"\s*(\d{4})-?W(\d\d)-?(\d)\s*", text):
        return datetime.fromisocalendar(*map(int, week.groups())).strftime("%Y-%m-%d") == day
    text = re.sub(r"\d{1,2}\s?[:h時时시]\s?\d{0,2}(?:[:분分]\s?\d{2})?", " ", text)  # the time of day
    found = [int(number) for number in re.findall(r"\d+", text)]
    years = [year, year + 543, *(year - start for start in ERAS.values())]
    if re.fullmatch(r"(?:\w{1,3}\.?,? )?\d{1,2}\.\d{1,2}\.\d\d\b.*|.*['\u2019]\d\d\s*", text, re.S):
        years.append(year % 100)
    named = MONTHS[month - 1] in text.lower() or not re.search(r"\d\D+\d\D+\d", text)
    return date in found and any(each in found or "元年" in text for each in years) and (month in found or named)


def is_currency(text: str, code: str) -> bool:
    lower = text.lower()
    return code.lower() in lower or any(symbol in lower for symbol, codes in SYMBOLS.items() if code in codes)
