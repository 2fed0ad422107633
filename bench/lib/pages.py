"""Pages for benches that are given none: a shop's of some 430 KB and a paper's of some 130 KB, from a fixed seed."""

from __future__ import annotations

import json
import random
from typing import Any

PAGES = 40  # a set
WORDS = (
    "the of and to in a is that for it as was with be by on not he his but at are this have from or had an they".split()
)


def _schema(**types: str) -> dict[str, Any]:
    properties = {name: {"type": kind} for name, kind in types.items()}
    return {"type": "object", "properties": properties}


SCHEMAS = {
    "products-dev": _schema(
        title="string",
        price="number",
        currency="string",
        sku="string",
        brand="string",
        availability="string",
        mpn="string",
    ),
    "articles-dev": _schema(title="string", author="string", publish_date="string"),
}


def pages_of(name: str) -> list[tuple[str, bytes]]:
    """The address and body of each page of a set. Half of them carry JSON-LD."""
    make, host = (product, "shop") if name == "products-dev" else (article, "paper")
    rng = random.Random(7)
    return [(f"https://{host}.example/p/{number}", make(rng, number).encode()) for number in range(PAGES)]


def product(rng: random.Random, number: int) -> str:
    """A product among menus, related products, reviews and the scripts that make up most of a shop's page."""
    name, price = f"Teapot No. {number}", f"{rng.randint(5, 900)}.{rng.randint(0, 99):02}"
    thing = {
        "@type": "Product",
        "name": name,
        "sku": f"T-{number}",
        "offers": {"@type": "Offer", "price": price, "priceCurrency": "EUR"},
    }
    buy = f'<div class="product-info"><h1>{name}</h1><p class="price">€{price}</p><p class="stock">In stock</p>'
    table = "".join(f"<tr><th>{word.title()} {row}</th><td>{text(rng, 3)}</td></tr>" for row, word in enumerate(WORDS))
    body = f"{menu(rng, 300)}{buy}<p>{text(rng, 120)}</p><table>{table}</table></div>{cards(rng, 80)}{reviews(rng, 40)}"
    return page(rng, name, thing if number % 2 else None, body, script=420_000)


def article(rng: random.Random, number: int) -> str:
    """An article between a menu and teasers."""
    title = f"{text(rng, 6).title()} {number}"
    thing = {
        "@type": "NewsArticle",
        "headline": title,
        "author": {"@type": "Person", "name": "Ann Lee"},
        "datePublished": "2024-05-06",
    }
    paragraphs = "".join(f"<p>{text(rng, 60)}</p>" for _ in range(30))
    head = f'<h1>{title}</h1><p class="byline">By Ann Lee</p><time datetime="2024-05-06">6 May 2024</time>'
    body = f"{menu(rng, 150)}<article>{head}{paragraphs}</article>{cards(rng, 30)}{reviews(rng, 20)}"
    return page(rng, title, thing if number % 2 else None, body, script=115_000)


def page(rng: random.Random, title: str, thing: dict[str, Any] | None, body: str, script: int) -> str:
    said = json.dumps({"@context": "https://schema.org", **thing}) if thing else ""
    data = f'<script type="application/ld+json">{said}</script>' if said else ""
    state = f"<script>var state = {json.dumps([text(rng, 20) for _ in range(script // 90)])}</script>"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title} | Example</title>{data}'
        f'<meta property="og:site_name" content="Example"></head><body>{body}{state}</body></html>'
    )


def menu(rng: random.Random, links: int) -> str:
    items = "".join(
        f'<li class="menu-item"><a href="/c/{n}"><span>{text(rng, 2)}</span></a></li>' for n in range(links)
    )
    return f'<nav class="menu"><ul>{items}</ul></nav>'


def cards(rng: random.Random, number: int) -> str:
    made = (
        f'<div class="card"><a href="/p/{n}"><img src="/i/{n}.jpg" alt="{text(rng, 3)}"><h3>{text(rng, 4)}</h3></a>'
        f'<span class="price"><del>${n}.50</del> <b>${n}.20</b></span><button>Add to cart</button></div>'
        for n in range(number)
    )
    return f'<section class="related"><h2>You may also like</h2>{"".join(made)}</section>'


def reviews(rng: random.Random, number: int) -> str:
    made = (
        f'<div class="review"><span class="stars" title="{rng.randint(1, 5)} of 5"></span><b>{text(rng, 2)}</b>'
        f"<time>March {rng.randint(1, 28)}, 2023</time><p>{text(rng, 40)}</p></div>"
        for _ in range(number)
    )
    return f'<section class="comments"><h2>Reviews</h2>{"".join(made)}</section>'


def text(rng: random.Random, words: int) -> str:
    return " ".join(rng.choices(WORDS, k=words))
