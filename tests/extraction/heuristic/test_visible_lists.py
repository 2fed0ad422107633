"""Lists that the visible page shows: under a heading, in a container whose class names them, as items or one text."""

from __future__ import annotations

from typing import Any

import pytest
from extraction.proof import unproved
from extraction.trees import leaf, many

from scraping_ai.extraction import Extractor
from scraping_ai.schema import FieldSchema

BREAD = ["500 g flour", "10 g salt", "350 ml water"]


def value(field: FieldSchema, html: str) -> Any:
    result = Extractor(FieldSchema("", "object", fields=(field,))).extract(html, "https://cooking.example/bread")
    assert unproved(result, html) == []
    return result.records[0][field.name]


def bullets(lines: list[str], tag: str = "ul") -> str:
    return f"<{tag}>" + "".join(f"<li>{line}</li>" for line in lines) + f"</{tag}>"


@pytest.mark.parametrize(
    "html",
    [
        f"<h2>Ingredients</h2>{bullets(BREAD)}<h2>Method</h2>{bullets(['Mix.', 'Bake.'])}",
        f"<h3>Ingredients (serves 4)</h3>{bullets(BREAD)}",
        f"<h2>Zutaten für 4 Personen</h2>{bullets(BREAD)}",
        f"<h2>Les ingrédients de la recette</h2>{bullets(BREAD)}",
        f"<h2>材料</h2>{bullets(BREAD)}",
        f"<p><strong>Ingredients:</strong></p>{bullets(BREAD)}<p>Enjoy!</p>",
        f"<div class=head><h2>Ingredients</h2></div>{bullets(BREAD)}",
        f"<h2>Ingredients</h2><h4>Dough</h4>{bullets(BREAD[:2])}<h4>Later</h4>{bullets(BREAD[2:])}<h2>Notes</h2>"
        + bullets(["Keeps well."]),
        f"<div class='acme-recipe-ingredients'>{bullets(BREAD)}</div>",
        "<h2>Ingredients</h2><table>" + "".join(f"<tr><td>{b}</td></tr>" for b in BREAD) + "</table>",
        "<h2>Ingredients</h2><div>" + "".join(f"<p>{b}</p>" for b in BREAD) + "</div>",
        "<h2>Ingredients</h2><p>" + "<br>".join(BREAD) + "</p>",
        "<h2>Ingredients</h2>" + bullets([f"▢ {b}" for b in BREAD]),
        "<h2>Ingredients</h2>" + bullets([f"- {b}" for b in BREAD]),
        "<div class=h-recipe><ul>" + "".join(f"<li class=p-ingredient>{b}</li>" for b in BREAD) + "</ul></div>",
    ],
)
def test_items_of_a_list(html: str) -> None:
    assert value(many(leaf(""), name="ingredients"), html) == BREAD


def test_a_list_of_any_name_stands_under_its_heading() -> None:
    html = f"<h2>Side effects</h2>{bullets(['Headache', 'Fever'])}<h2>Storage</h2>{bullets(['Keep cool'])}"
    assert value(many(leaf(""), name="side_effects"), html) == ["Headache", "Fever"]
    assert value(many(leaf(""), name="warnings"), html) is None


def test_a_marked_list_goes_before_a_heading_in_running_text() -> None:
    html = f"<h2>Ingredients</h2>{bullets(['Flour: any', 'Salt: fine'])}<div class=recipe-ingredients>{bullets(BREAD)}"
    assert value(many(leaf(""), name="ingredients"), html) == BREAD


def test_a_list_in_another_ones_container_is_not_its_own() -> None:
    step = "<li class=instruction>Mix.<div class=instruction-ingredients><ul><li>1 egg</li></ul></div></li>"
    html = f"<h2>Ingredients</h2>{bullets(BREAD)}<ol class=recipe-instructions>{step}</ol>"
    assert value(many(leaf(""), name="ingredients"), html) == BREAD


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (f"<h2>Directions</h2>\n{bullets(['Mix the flour.', 'Bake it.'], 'ol')}", "Mix the flour.\nBake it."),
        ("<h2>作り方</h2><ol>\n<li>混ぜる。\n<li>焼く。\n</ol>", "混ぜる。\n焼く。"),
        ("<h2>Method</h2>\n<p>Mix it.</p>\n<p>Bake it.</p>\n<h2>Notes</h2><p>Good.</p>", "Mix it.\nBake it."),
        (
            "<div class=instructions><h4>Dough</h4>\n<ol><li>Mix.</li>\n</ol><h4>Oven</h4>\n<ol><li>Bake.</li></ol>",
            "Mix.\nOven\nBake.",
        ),
        ("<p>Mix it. Bake it.</p>", None),
    ],
)
def test_all_steps_as_one_text(html: str, text: str | None) -> None:
    assert value(leaf("instructions"), html) == text


def test_a_time_beside_preparation_is_not_its_steps() -> None:
    steps = bullets(["Mixer la pâte.", "Cuire au four."], "ol")
    html = f"<p>Préparation : 10 min</p><h2>Préparation</h2>{steps}"
    assert (
        value(leaf("instructions", description="All steps"), f"<html lang=fr>{html}")
        == "Mixer la pâte.\nCuire au four."
    )
