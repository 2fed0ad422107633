"""Pages of one template, for wrappers to learn from."""

from __future__ import annotations

from typing import Any

SCHEMA = "title, author, price:number, weight, in_print:boolean, topics[], tags[], blurb?"
LAMP = {
    "title": "Desk lamp",
    "author": "Ann Lee",
    "price": 49.5,
    "weight": "2 kg",
    "in_print": True,
    "topics": ["light", "desks"],
    "tags": ["steel", "oak"],
    "blurb": None,
}
CHAIR = {
    "title": "Easy chair",
    "author": "Bo Kim",
    "price": 1250,
    "weight": "14 kg",
    "in_print": False,
    "topics": ["rest"],
    "tags": ["ash", "wool", "tin"],
    "blurb": "Sit well.",
}
VASE = {
    "title": "Tall vase",
    "author": "Cy Orr",
    "price": 8,
    "weight": "900 g",
    "in_print": True,
    "topics": ["flowers", "glass", "gifts"],
    "tags": ["glass"],
    "blurb": "Holds tulips.",
}


def page(values: dict[str, Any], *, advert: str = "", rows: str = "") -> str:
    """A product page; fields that are null have neither value nor label."""

    def row(label: str, name: str, before: str = "", after: str = "") -> str:
        value = values[name]
        text = {True: "Yes", False: "No"}.get(value, value) if isinstance(value, bool) else value
        return f"<tr><th>{label}</th><td>{before}{text}{after}</td></tr>" if value is not None else ""

    listed = "".join(f"<li>{tag}</li>" for tag in values["tags"] or ())
    blurb = f'<p class="blurb">{values["blurb"]}</p>' if values["blurb"] else ""
    return f"""<html><head><title>{values["title"]} | Example shop</title></head><body>
<div class="nav"><a href="/">Home</a> <a href="/new">New</a></div>{advert}
<div id="main"><h1>{values["title"]}</h1><p class="by">by {values["author"]} on 3 May</p>
<table>{rows}{row("Price", "price", "$")}{row("Shipping weight", "weight")}{row("In print", "in_print")}</table>
{blurb}<ul class="tags">{listed}</ul><p>Topics: {", ".join(values["topics"] or ())}</p></div>
<div id="also"><h2>See also</h2><p>Stool</p><p>$12</p><ul class="tags"><li>pine</li></ul></div></body></html>"""


def example(values: dict[str, Any], number: int = 1) -> tuple[str, str, dict[str, Any]]:
    return page(values), f"https://shop.example/{number}", values
