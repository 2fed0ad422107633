"""The sample shop's pages, made from shop.json.

On purpose they state their products in three ways (JSON-LD, microdata, visible text alone) and in two languages, with
crossed-out list prices and sold-out items, as shops do.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from html import escape
from importlib.resources import files
from typing import Any, TypeAlias

Category: TypeAlias = dict[str, str]
Product: TypeAlias = dict[str, Any]

PAGE_SIZE = 4  # products on a page of a category
ROBOTS = "User-agent: *\nDisallow: /cart\n"
WORDS = {
    "en": {
        "sku": "SKU",
        "brand": "Brand",
        "stock": "Availability",
        "in stock": "In stock",
        "sold out": "Sold out",
        "next": "Next",
    },
    "ja": {
        "sku": "商品番号",
        "brand": "ブランド",
        "stock": "在庫",
        "in stock": "在庫あり",
        "sold out": "売り切れ",
        "next": "次へ",
    },
}
FRAME = """<!DOCTYPE html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<title>{title}</title>{head}
</head>
<body>
<nav><a href="/">The Tea Shelf</a> {menu} <a href="/cart">Cart</a></nav>
<main>
{main}
</main>
<footer><a href="/about">About us</a> <a href="/contact">Contact</a></footer>
</body>
</html>
"""
PLAIN = {
    "/": ("The Tea Shelf", "<p>Kettles, teapots and cups. This shop is a sample: nothing in it is for sale.</p>"),
    "/about": ("About us", "<p>Two people, one shelf, and a weakness for things that pour well.</p>"),
    "/contact": ("Contact", "<p>Write to <a href='mailto:shop@example.com'>shop@example.com</a>.</p>"),
    "/cart": ("Cart", "<p>Your cart is empty. Our robots.txt asks crawlers to stay away from here.</p>"),
}


def pages() -> dict[str, str]:
    """Every page of the shop, path → HTML; `/robots.txt` → text."""
    data = json.loads(files(__package__).joinpath("shop.json").read_text("utf-8"))
    menu = " ".join(f'<a href="/{c["slug"]}">{escape(c["name"])}</a>' for c in data["categories"])
    made = {"/robots.txt": ROBOTS}
    for path, (title, text) in PLAIN.items():
        made[path] = frame(menu, "en", title, f"<h1>{title}</h1>\n{text}")
    for category in data["categories"]:
        products = [p for p in data["products"] if p["category"] == category["slug"]]
        made.update(listings(menu, category, products))
        made.update((path_of(p), product_page(menu, category["lang"], p)) for p in products)
    return made


def frame(menu: str, lang: str, title: str, main: str, head: str = "") -> str:
    return FRAME.format(menu=menu, lang=lang, title=escape(title), main=main, head=head)


def path_of(product: Product) -> str:
    return f"/{product['category']}/{product['slug']}"


def listings(menu: str, category: Category, products: list[Product]) -> Iterator[tuple[str, str]]:
    """The pages of one category, each with a link to the next."""
    for start in range(0, len(products), PAGE_SIZE):
        number = start // PAGE_SIZE + 1
        rows = [
            f'<li><a href="{path_of(p)}">{escape(p["title"])}</a></li>' for p in products[start : start + PAGE_SIZE]
        ]
        main = f"<h1>{escape(category['name'])}</h1>\n<ul>\n" + "\n".join(rows) + "\n</ul>"
        if start + PAGE_SIZE < len(products):
            following = f"/{category['slug']}/page/{number + 1}"
            main += f'\n<a rel="next" href="{following}">{WORDS[category["lang"]]["next"]}</a>'
        path = f"/{category['slug']}" + (f"/page/{number}" if number > 1 else "")
        yield path, frame(menu, category["lang"], category["name"], main)


def product_page(menu: str, lang: str, product: Product) -> str:
    head = json_ld(product) if product["markup"] == "json-ld" else ""
    main = microdata(lang, product) if product["markup"] == "microdata" else visible(lang, product)
    return frame(menu, lang, product["title"], main, head)


def json_ld(product: Product) -> str:
    """A schema.org Product in a script element."""
    offer = {
        "@type": "Offer",
        "price": product["price"],
        "priceCurrency": product["currency"],
        "availability": availability(product),
    }
    data = {
        "@context": "https://schema.org",
        "@type": "Product",
        "name": product["title"],
        "sku": product["sku"],
        "brand": {"@type": "Brand", "name": product["brand"]},
        "description": product["description"],
        "offers": offer,
    }
    return f'\n<script type="application/ld+json">{json.dumps(data, ensure_ascii=False)}</script>'


def microdata(lang: str, product: Product) -> str:
    """A schema.org Product in attributes of the visible elements."""
    words = WORDS[lang]
    return f"""<div itemscope itemtype="https://schema.org/Product">
<h1 itemprop="name">{escape(product["title"])}</h1>
<div itemprop="offers" itemscope itemtype="https://schema.org/Offer">
<meta itemprop="price" content="{product["price"]}">
<meta itemprop="priceCurrency" content="{product["currency"]}">
<link itemprop="availability" href="{availability(product)}">
{price(product)}
<p>{words["in stock" if product["in_stock"] else "sold out"]}</p>
</div>
<p itemprop="description">{escape(product["description"])}</p>
<p>{words["brand"]}: <span itemprop="brand">{escape(product["brand"])}</span></p>
<p>{words["sku"]}: <span itemprop="sku">{product["sku"]}</span></p>
{table(product["details"])}
</div>"""


def visible(lang: str, product: Product) -> str:
    """What a visitor reads, with no markup for machines."""
    words = WORDS[lang]
    facts = {
        words["sku"]: product["sku"],
        words["brand"]: product["brand"],
        words["stock"]: words["in stock" if product["in_stock"] else "sold out"],
    }
    return f"""<h1>{escape(product["title"])}</h1>
{price(product)}
<p>{escape(product["description"])}</p>
{table(facts | product["details"])}"""


def price(product: Product) -> str:
    """The price as a visitor sees it, after the crossed-out list price where there is one."""
    before = f"<del>{amount(product, 'list_price')}</del> " if "list_price" in product else ""
    return f'<p class="price">{before}<strong>{amount(product, "price")}</strong></p>'


def amount(product: Product, key: str) -> str:
    number = Decimal(product[key])
    return f"{number:,}円(税込)" if product["currency"] == "JPY" else f"€{number:,}"


def table(facts: dict[str, str]) -> str:
    rows = "\n".join(f"<tr><th>{escape(name)}</th><td>{escape(fact)}</td></tr>" for name, fact in facts.items())
    return f"<table>\n{rows}\n</table>"


def availability(product: Product) -> str:
    return "https://schema.org/" + ("InStock" if product["in_stock"] else "OutOfStock")
