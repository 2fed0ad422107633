"""Which place is meant, what counts as a value there, and when a page has none."""

from __future__ import annotations

from typing import Any

import pytest
from extraction.proof import unproved

from scraping_ai.extraction import wrappers
from scraping_ai.extraction.result import Result

URL = "https://archive.example/1"


def applied(fields: str, examples: list[tuple[str, dict[str, Any]]], html: str) -> Result:
    wrapper = wrappers.learn(fields, [(page, URL, values) for page, values in examples])
    assert wrapper.unfound == wrapper.unlearned == ()
    result = wrapper.apply(html, URL)
    assert unproved(result, html) == []
    return result


def value(fields: str, examples: list[tuple[str, dict[str, Any]]], html: str) -> Any:
    (found,) = applied(fields, examples, html).records[0].values()
    return found


def hospital(wards: int, taken: str, code: str = "X-9") -> str:
    rows = f"<dl><dt>Wards</dt><dd>{wards}</dd><dt>Plan</dt><dd>{code}</dd></dl>"
    return f"<h1>St Anne</h1><p class=credit>{taken}</p>{rows}"


@pytest.mark.parametrize(
    ("taken", "code"),
    [("photographed 3 May 2019", "X-9"), ("3 May 2019", "X-9"), ("3", "X-9"), ("of 1920", "3-11-B")],
)
def test_the_labelled_number_is_meant_and_not_one_that_agrees_by_chance(taken: str, code: str) -> None:
    examples = [(hospital(3, taken, code), {"ward_count": 3})]
    assert value("ward_count:integer", examples, hospital(12, "photographed 8 June 2020", "7-1-C")) == 12
    without = "<h1>St Anne</h1><p class=credit>8</p><dl><dt>Plan</dt><dd>5</dd></dl>"
    assert value("ward_count:integer", examples, without) is None


def test_a_word_of_the_description_tells_the_label() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer", "description": "how many wards there are"}}}
    wrapper = wrappers.learn(schema, [(hospital(3, "3"), URL, {"n": 3})])
    assert wrapper.apply(hospital(5, "9"), URL).records == [{"n": 5}]


def specimen(where: str) -> str:
    return f"<h1>Beetle</h1><div class=note><p>{where}</p></div>"


KEPT = [(specimen("Cabinet C, tray 14. In the care of Lena Holt since 1994."), {"tray_no": 14})]


def test_a_number_in_a_sentence_is_told_by_the_word_before_it() -> None:
    html = specimen("Cabinet 9 K, tray 203. In the care of Ola Berg since 1981.")
    result = applied("tray_no:integer", KEPT, html)
    assert result.records == [{"tray_no": 203}]
    assert result.evidence["tray_no"].text == "203"
    assert value("tray_no:integer", KEPT, specimen("Tray 7 since 1981.")) == 7


@pytest.mark.parametrize("where", ["In the care of Ola Berg since 1981.", "Lost; tray unknown since 1981.", "1981"])
def test_without_that_word_there_is_no_number(where: str) -> None:
    assert value("tray_no:integer", KEPT, specimen(where)) is None


def test_a_later_number_of_a_sentence_is_learned_too() -> None:
    (page, _) = KEPT[0]
    html = specimen("Tray 203. In the care of Ola Berg since 1981.")
    assert value("year:integer", [(page, {"year": 1994})], html) == 1981
    assert value("year:integer", [(page, {"year": 1994})], specimen("Tray 203.")) is None


def weighed(weight: str) -> str:
    return f"<table><tr><th>Mass</th><td>{weight}</td></tr><tr><th>Find</th><td>44</td></tr></table>"


BOTH = "1,134.5 g (after cleaning; 1,201 g before)"


def test_each_number_of_a_text_is_learned_by_what_stands_before_it() -> None:
    other = weighed("310 g (after cleaning; 355.5 g before)")
    assert value("mass:number", [(weighed(BOTH), {"mass": 1134.5})], other) == 310
    assert value("raw:number", [(weighed(BOTH), {"raw": 1201})], other) == 355.5
    assert applied("mass:number", [(weighed(BOTH), {"mass": 1134.5})], other).evidence["mass"].text == "310 g"


@pytest.mark.parametrize(
    ("weight", "mass"),
    [
        ("75 g", 75), ("75 g (dry)", 75), ("75", None), ("0.21 kg", None),
        ("not counted (c. 1979 X-ray lost)", None), ("—", None), ("n/a", None),
    ],
)  # fmt: skip
def test_other_units_and_other_texts_are_no_value(weight: str, mass: int | None) -> None:
    assert value("mass:number", [(weighed("320 g"), {"mass": 320})], weighed(weight)) == mass


def test_plurals_and_currencies_are_no_other_unit() -> None:
    shown = "<p>Age: {}</p>"
    examples = [(shown.format("1 week"), {"age": 1})]
    assert value("age:integer", examples, shown.format("7 weeks")) == 7
    assert value("price:number", [("<b class=p>12 EUR</b>", {"price": 12})], "<b class=p>9 USD</b>") == 9
    assert value("price:number", [("<b class=p>$1,250</b>", {"price": 1250})], "<b class=p>€9.50</b>") == 9.5


def rows(**cells: str) -> str:
    listed = "".join(f"<tr><th>{name}</th><td class=v>{text}</td></tr>" for name, text in cells.items())
    return f"<h1>Ship</h1><table>{listed}</table><p class=v>Harbour</p>"


FLEET = [
    (rows(Builder="Ann Lee", Yard="Ely", Port="Hull"), {"yard": "Ely"}),
    (rows(Builder="Bo Kim", Yard="Rye", Port="Deal"), {"yard": "Rye"}),
]


@pytest.mark.parametrize("count", [1, 2])
def test_a_missing_row_does_not_give_its_neighbour(count: int) -> None:
    assert value("yard", FLEET[:count], rows(Builder="Cy Orr", Yard="Wick", Port="Bude")) == "Wick"
    assert value("yard", FLEET[:count], rows(Builder="Cy Orr", Port="Bude")) is None
    assert value("yard", FLEET[:count], rows(Port="Bude", Flag="red")) is None


def test_an_element_with_a_name_of_its_own_needs_no_label() -> None:
    shown = "<p>{} <b id=yard-name>{}</b></p>"
    examples = [(shown.format("Yard:", "Ely"), {"yard": "Ely"})]
    assert value("yard", examples, shown.format("Built at", "Rye")) == "Rye"


@pytest.mark.parametrize("text", ["12", "-", "—", "N/A"])
def test_a_text_without_letters_is_no_value_of_words(text: str) -> None:
    assert value("yard", FLEET, rows(Builder="Cy Orr", Yard=text, Port="Bude")) is None


def test_a_title_may_be_a_number() -> None:
    assert value("title", [("<h1>Dune</h1>", {"title": "Dune"})], "<h1>1984</h1>") == "1984"


def test_a_code_may_have_letters_or_none() -> None:
    assert value("sku", [("<p>SKU: <b>AB-1</b></p>", {"sku": "AB-1"})], "<p>SKU: <b>77</b></p>") == "77"


def test_a_value_that_stands_on_the_page_without_a_rule_is_told_apart() -> None:
    page = "<p>Rooms 3, 4 and 5</p>"
    wrapper = wrappers.learn("a:integer, b:integer", [(page, URL, {"a": 4, "b": 9})])
    assert wrapper.unlearned == ((URL, "a"),)
    assert wrapper.unfound == ((URL, "b"),)


def test_values_of_the_examples_are_no_labels() -> None:
    wrapper = wrappers.learn(
        "builder, yard, port", [(FLEET[0][0], URL, {"builder": "Ann Lee", "yard": "Ely", "port": "Hull"})]
    )
    rules = [rule for entry in wrapper.to_dict()["fields"].values() for rule in entry["rules"]]
    assert not {rule.get("label", rule.get("heading")) for rule in rules} & {"ann lee", "ely", "hull"}
    assert all(len(entry["rules"]) <= 12 for entry in wrapper.to_dict()["fields"].values())


def nut(packer: str, finish: str, state: str) -> str:
    return (
        f"<h1>Axle nut</h1><p>£3</p><p>{state}</p><p>Ships from the shed in 2 days, packed by {packer} herself.</p>"
        f"<b>{state}</b><p>{finish}</p>"
    )


def test_a_text_that_all_examples_happen_to_share_is_no_label() -> None:
    examples = [
        (nut(packer, finish, "In stock"), {"packed_by": packer, "finish": finish})
        for packer, finish in (("Ingrid Solberg", "zinc"), ("Tom Ash", "copper"))
    ]
    page = nut("Maya Okafor", "brass", "Out of stock")
    (record,) = applied("packed_by, finish", examples, page).records
    assert record == {"packed_by": "Maya Okafor", "finish": "brass"}


def test_a_unit_that_all_examples_have_is_required_and_one_that_some_have_is_not() -> None:
    page = "<main><h1>Jar</h1><span>{}</span></main>"
    united = [(page.format(text), {"weight": number}) for text, number in (("2810 g", 2810), ("1046 g", 1046))]
    assert value("weight:number", united, page.format("1952")) is None
    assert value("weight:number", united, page.format("952 g")) == 952
    mixed = [*united, (page.format("500"), {"weight": 500})]
    assert [value("weight:number", mixed, page.format(text)) for text in ("1952", "952 g", "95 cm")] == [
        1952,
        952,
        None,
    ]


def test_of_lists_with_one_item_alone_nothing_tells_what_stands_between_two() -> None:
    page = "<h1>Jar</h1><p>Trefwoorden: {}</p>"
    single = [(page.format(tag), {"tags": [tag]}) for tag in ("north", "delta")]
    assert value("tags[]", single, page.format("willow / maple")) is None
    assert value("tags[]", single, page.format("willow")) == ["willow"]
    several = [*single, (page.format("ash / oak"), {"tags": ["ash", "oak"]})]
    assert value("tags[]", several, page.format("willow / maple")) == ["willow", "maple"]


def shelf(*rows: tuple[str, str]) -> str:
    listed = "".join(
        f"<div class=row_{key[:2]}7x{len(text)}><i></i><div>{key}</div><div>{text}</div></div>" for key, text in rows
    )
    return f"<html lang=nl><body><h1>Jar</h1><div>{listed}</div></body></html>"


def test_the_label_of_a_row_is_known_by_its_row_and_other_rows_say_nothing() -> None:
    height, maker, seen = ("Hoogte", "34 cm"), ("Maker", "Hal Moss"), ("Bekeken", "161")
    examples = [
        (shelf(height, maker, ("Voorraad", "2")), {"year": None, "glaze": None}),
        (shelf(("Jaar", "1990"), height, ("Glazuur", "ash"), maker, seen), {"year": 1990, "glaze": "ash"}),
    ]
    other = shelf(("Voorraad", "7"), maker, ("Bekeken", "259"), height, ("Jaar", "2013"))
    assert applied("year:integer, glaze", examples, other).records == [{"year": 2013, "glaze": None}]
    assert applied("year:integer, glaze", examples[1:], other).records == [{"year": 2013, "glaze": None}]
    without = shelf(("Bekeken", "164"), maker, height)
    assert applied("year:integer, glaze", examples[1:], without).records == [{"year": None, "glaze": None}]


def test_items_beside_a_value_are_no_wording_of_it() -> None:
    page = "<html><body><h2>Jar</h2><p>{}, signed.</p><p>Tags: {}</p></body></html>"
    examples = [(page.format("Glaze is islet", "lunar, zephyr, islet"), {"glaze": "islet"})]
    assert value("glaze", examples, page.format("Glaze is ash", "ocean, zephyr, haven")) in ("ash", None)
    assert value("glaze", examples, page.format("Big", "ocean, zephyr, haven")) is None
    assert "lunar" not in str([r.part for r in learned("glaze", examples)])


def learned(fields: str, examples: list[tuple[str, dict[str, Any]]]) -> list[Any]:
    wrapper = wrappers.learn(fields, [(page, URL, values) for page, values in examples])
    return [rule for field in wrapper.fields.values() for rule in field.rules]


def test_literals_hold_no_value_of_the_one_example() -> None:
    page = "<html><body><p>{} thrown by {} in Ely, {} cm</p></body></html>"
    given = {"title": "Brown jar", "potter": "Ann Lee", "height": 12}
    rules = learned("title, potter, height:number", [(page.format("Brown jar", "Ann Lee", 12), given)])
    assert not [r for r in rules for text in (r.part.after, r.part.before) if "jar" in text or "Ann" in text]


def test_a_part_of_a_sentence_does_not_run_on_into_years_and_measures() -> None:
    page = "<html><body><h1>Jar</h1><p>A pot by {}{}.</p></body></html>"
    examples = [(page.format(name, ""), {"maker": name}) for name in ("Ann Moss", "Jo Yew")]
    assert value("maker", examples, page.format("Ed Vane", "")) == "Ed Vane"
    assert value("maker", examples, page.format("Ed Vane", " (2022), 13.5 cm tall")) is None


def test_a_value_behind_two_labels_in_the_one_example_is_told_and_not_guessed() -> None:
    page = "<html><body><h1>Jar</h1><p>Ships from: {}</p><p>Origin: {}</p></body></html>"
    one = (page.format("Japan", "Japan"), URL, {"country": "Japan"})
    wrapper = wrappers.learn("country", [one])
    assert (wrapper.unlearned, dict(wrapper.fields)) == (((URL, "country"),), {})
    named = wrappers.learn("origin", [(page.format("Japan", "Japan"), URL, {"origin": "Japan"})])
    assert named.apply(page.format("Kenya", "Peru"), URL).records == [{"origin": "Peru"}]
    two = wrappers.learn("country", [one, (page.format("Kenya", "Peru"), URL, {"country": "Peru"})])
    assert two.apply(page.format("Chile", "Mali"), URL).records == [{"country": "Mali"}]


def test_a_label_outside_an_aside_comes_before_the_same_one_inside() -> None:
    page = "<html><body>{}<h1>Jar</h1><dl><dt>Glaze<dd>{}<dt>Maker<dd>Ann Lee</dl></body></html>"
    side = "<aside><h3>Bowl</h3><dl><dt>Glaze<dd>ember<dt>Maker<dd>Bo Kim</dl></aside>"
    assert value("glaze", [(page.format("", "ash"), {"glaze": "ash"})], page.format(side, "oak")) == "oak"
    box = "<html><body><h1>Jar</h1><aside><dl><dt>Glaze<dd>{}<dt>Maker<dd>Ann Lee</dl></aside></body></html>"
    assert value("glaze", [(box.format("ash"), {"glaze": "ash"})], box.format("oak")) == "oak"


def jar(name: str, price: str, other: str = "Bowl", asked: str = "€9.00") -> str:
    also = f"<div><h2>You may also like</h2><a href='/o'>{other}</a> <span>{asked}</span></div>"
    return (
        f"<html><head><title>{name} | Kiln</title></head><body><main><h1>{name}</h1><p class=amount>{price}</p></main>"
        f"{also}</body></html>"
    )


def test_an_example_without_a_value_rules_out_only_what_gives_one_there() -> None:
    pages = [(jar("Ash Jar", "€120.00"), 120), (jar("Tile", "Ask us about this", "Ash Jar", "€120.00"), None)]
    examples = [(page, {"price": price}) for page, price in pages]
    assert value("price:number", examples, jar("Fern Bowl", "€24.50", "Ash Jar", "€120.00")) == 24.5
    for page, price in pages:
        assert value("price:number", examples, page) == price


def test_the_heading_of_an_example_is_no_label() -> None:
    wrapper = wrappers.learn("price:number", [(jar("Ash Jar", "€120.00"), URL, {"price": 120})])
    rules = wrapper.to_dict()["fields"]["price"]["rules"]
    assert "ash jar" not in {rule.get("label", rule.get("heading")) for rule in rules}


@pytest.mark.parametrize("last", ["elm", None])
def test_an_example_for_which_the_rules_give_something_else_is_told(last: str | None) -> None:
    page = "<html><body><h1>{}</h1><p class=a>{}</p>{}</body></html>".format
    pages = [page("Jar", "ash", ""), page("Cup", "oak", ""), page("Pot", "kept dry", "<p>elm</p>")]
    told = zip(pages, ("/1", "/2", "/3"), ("ash", "oak", last), strict=True)
    wrapper = wrappers.learn("glaze", [(html, url, {"glaze": glaze}) for html, url, glaze in told])
    assert wrapper.apply(pages[2]).records == [{"glaze": "kept dry"}]
    assert wrapper.unlearned == (("/3", "glaze"),)


@pytest.mark.parametrize(
    ("shown", "price"),
    [
        ("<s>€22.00</s> €18.00", 18),
        ("<del>€22.00</del> <ins>€18.00</ins>", 18),
        ("€18.00 <span style='text-decoration: line-through'>€22.00</span>", 18),
        ("<strike>€22.00</strike>", None),
        ("<s>€22.00</s> €18.00 €17.00 with a card", 18),
    ],
)
def test_an_amount_that_is_crossed_out_is_no_price(shown: str, price: int | None) -> None:
    one, two = (jar("Ash Jar", "€120.00"), {"price": 120}), (jar("Fern Bowl", "€24.50"), {"price": 24.5})
    for examples in ([one], [one, two]):
        assert value("price:number", examples, jar("River Mug", shown)) == price


def test_a_field_whose_example_is_crossed_out_takes_such_amounts() -> None:
    page = jar("Ash Jar", "<s>€22.00</s> €18.00")
    wrapper = wrappers.learn("was:number, price:number", [(page, URL, {"was": 22, "price": 18})])
    again = wrappers.from_dict(wrapper.to_dict())
    assert again.apply(jar("Mug", "<s>€9.00</s> €7.00")).records == [{"was": 9, "price": 7}]
    assert [entry.get("crossed") for entry in again.to_dict()["fields"].values()] == [True, None]


def test_what_stands_under_a_heading_of_other_things_is_not_the_page_s() -> None:
    examples = [(jar("Ash Jar", "€120.00", "Bowl", "€120.00"), {"price": 120})]
    assert value("price:number", examples, jar("Fern Bowl", "€24.50", "Bowl", "€120.00")) == 24.5
    assert value("price:number", examples, jar("Tile", "Ask us", "Bowl", "€120.00")) is None
    page = "<html><body>{}<h1>Jar</h1><dl><dt>Glaze<dd>{}<dt>Maker<dd>Ann Lee</dl></body></html>"
    box = "<div><h2>You may also like</h2><dl><dt>Glaze<dd>ember<dt>Maker<dd>Bo Kim</dl></div>"
    assert value("glaze", [(page.format("", "ash"), {"glaze": "ash"})], page.format(box, "oak")) == "oak"
