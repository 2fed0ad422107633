"""Schemas: what each way to write one becomes, what is refused and how, and that trees survive a round trip."""

from __future__ import annotations

import datetime
import enum
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scraping_ai.schema import (
    FieldSchema,
    SchemaError,
    columns,
    empty_record,
    field_at,
    leaves,
    parse_fields,
    parse_schema,
    read_schema,
    to_json_schema,
)

STRING = {"type": "string"}
OFFERS = {
    "type": "object",
    "properties": {
        "title": STRING,
        "brand": {"type": "object", "properties": {"name": STRING, "url": {"type": "string", "format": "uri"}}},
        "offers": {"type": "array", "items": {"type": "object", "properties": {"price": {"type": "number"}}}},
        "tags": {"type": "array", "items": STRING},
    },
}


def one(node: Any, **document: Any) -> FieldSchema:
    """The field that `node` becomes as the only property of an object."""
    return parse_schema({"type": "object", "properties": {"x": node}, **document}).fields[0]


def scalar(type_: str, **more: Any) -> FieldSchema:
    return FieldSchema("x", type_, **{"nullable": False, **more})


def message(build: Callable[[Any], object], source: Any) -> str:
    with pytest.raises(SchemaError) as caught:
        build(source)
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 300
    return text


# ---------------------------------------------------------------- shorthand


def test_shorthand_gives_names_types_lists_and_optional_fields() -> None:
    root = parse_fields(
        " title, price : number ?,\n tags[], prices:integer[]?, day:date, at:datetime, link:url, new:boolean"
    )
    assert (root.name, root.type, root.nullable) == ("", "object", False)
    got = [(f.name, f.type, f.items.type if f.items else None, f.required, f.nullable) for f in root.fields]
    assert got == [
        ("title", "string", None, True, False),
        ("price", "number", None, False, True),
        ("tags", "array", "string", True, False),
        ("prices", "array", "integer", False, True),
        ("day", "date", None, True, False),
        ("at", "datetime", None, True, False),
        ("link", "url", None, True, False),
        ("new", "boolean", None, True, False),
    ]


def test_shorthand_takes_names_in_any_language_and_full_width_punctuation() -> None:
    assert columns(parse_fields("価格:number, größe, цена:number")) == ["価格", "größe", "цена"]
    assert parse_fields("価格：number、題名？") == parse_fields("価格:number,題名?")
    assert columns(parse_fields("gro\u0308ße")) == ["größe"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ["no fields", "title, price:number"]),
        ("a,,b", ["no name"]),
        ("a,", ["no name"]),
        (":number", ['":number"', "no name"]),
        ("a,b,a", ["a: named twice"]),
        ("price:nubmer", ["price: ", '"nubmer"', "did you mean number?", "string, number, integer"]),
        ("price:float", ["did you mean number?"]),
        ("price:", ["price: no type", "string, number"]),
        ("price:number:url", ["price: unknown type"]),
        ("_url", ["_url: ", "start with _"]),
        ("price?:number", ["? goes last", "price:number?"]),
        ("brand.name", ["dot", "JSON Schema"]),
        ("title price:number", ["title price", "comma"]),
        ("a\x1b[31m", ["\\u001b"]),
        ("\ud800", ["\\ud800"]),
        ('{"type": "object"}', ["JSON Schema"]),
        ("x" * 101, ["101 characters", "at most 100"]),
        (",".join(f"f{i}" for i in range(201)), ["201 fields", "at most 200"]),
        ("x" * 100_001, ["at most 100,000"]),
    ],
)
def test_shorthand_errors_say_what_is_wrong_and_what_to_write(text: str, parts: list[str]) -> None:
    found = message(parse_fields, text)
    assert [part for part in parts if part not in found] == []


@pytest.mark.parametrize("parse", [parse_fields, parse_schema])
@given(text=st.text(max_size=60))
def test_any_text_is_a_schema_or_one_clear_line(parse: Callable[[str], FieldSchema], text: str) -> None:
    try:
        root = parse(text)
    except SchemaError as error:
        lines = str(error).splitlines()
    else:
        lines = [root.type]
    assert len(lines) == 1


# ---------------------------------------------------------------- JSON Schema


@pytest.mark.parametrize(
    ("node", "field"),
    [
        (STRING, scalar("string")),
        ({}, scalar("string")),
        ({"type": "STRING"}, scalar("string")),
        ({"type": ["number", "null"]}, scalar("number", nullable=True)),
        ({"type": "integer", "nullable": True}, scalar("integer", nullable=True)),
        ({"type": "string", "format": "date"}, scalar("date")),
        ({"type": "string", "format": "date-time"}, scalar("datetime")),
        ({"format": "uri"}, scalar("url")),
        ({"type": "string", "format": "email", "pattern": "(a+)+$"}, scalar("string")),
        ({"type": "string", "title": "The price", "x-grounding": "free"}, scalar("string", description="The price")),
        ({"type": "string", "title": "T", "description": "D"}, scalar("string", description="D")),
        ({"type": "string", "title": "X"}, scalar("string")),
        ({"enum": ["new", "used", None]}, scalar("string", enum=("new", "used"), nullable=True)),
        ({"enum": [1, 2]}, scalar("integer", enum=(1, 2))),
        ({"enum": [1, 2.5]}, scalar("number", enum=(1, 2.5))),
        ({"enum": [True]}, scalar("boolean", enum=(True,))),
        ({"const": "new"}, scalar("string", enum=("new",))),
        (
            {"anyOf": [STRING, {"type": "null"}], "title": "A name"},
            scalar("string", nullable=True, description="A name"),
        ),
        ({"anyOf": [{"type": "number"}, STRING]}, scalar("number")),
        ({"type": ["integer", "number", "string"]}, scalar("number")),
        (
            {"oneOf": [{"const": "a", "title": "A"}, {"const": "b"}], "title": "C"},
            scalar("string", enum=("a", "b"), description="C"),
        ),
        ({"type": "string", "anyOf": [{"minLength": 1}, {"pattern": "x"}]}, scalar("string")),
        ({"type": "string", "anyOf": [{"format": "date"}, {"const": None}]}, scalar("date", nullable=True)),
        ({"allOf": [{"type": "number", "description": "D"}], "title": "T"}, scalar("number", description="D")),
        ({"type": "array"}, scalar("array", items=FieldSchema("", "string", nullable=False))),
        ({"items": {"type": "number"}}, scalar("array", items=FieldSchema("", "number", nullable=False))),
    ],
)
def test_a_node_becomes_a_field(node: dict[str, Any], field: FieldSchema) -> None:
    assert one(node) == field
    assert one(json.loads(json.dumps(node))) == field


def test_enum_values_keep_their_type() -> None:
    assert [type(value) for value in one({"enum": [1, 2.0, 3.5]}).enum] == [int, float, float]
    assert one({"enum": [True, False]}).enum == (True, False)


def test_references_are_written_out_and_what_stands_beside_them_wins() -> None:
    defs = {"Money": {"type": "number", "description": "An amount"}, "a/b %": {"$ref": "#/$defs/Money"}}
    assert one({"$ref": "#/$defs/Money"}, **{"$defs": defs}) == scalar("number", description="An amount")
    assert one({"$ref": "#/$defs/a~1b%20%25", "description": "own"}, **{"$defs": defs}) == scalar(
        "number", description="own"
    )
    assert one({"$ref": "#/definitions/M"}, definitions={"M": STRING}) == scalar("string")


def test_one_definition_may_be_used_side_by_side_and_inside_another() -> None:
    defs = {
        "Price": {"properties": {"amount": {"type": "number"}}},
        "Offer": {"properties": {"price": {"$ref": "#/$defs/Price"}}},
    }
    root = parse_schema({"allOf": [{"$ref": "#/$defs/Price"}, {"$ref": "#/$defs/Offer"}], "$defs": defs})
    assert columns(root) == ["amount", "price.amount"]


def test_all_of_merges_properties_and_required_names() -> None:
    root = parse_schema(
        {
            "allOf": [{"properties": {"a": STRING}, "required": ["b"]}, {"properties": {"b": {"type": "number"}}}],
            "properties": {"a": {"type": "integer"}},
            "required": ["a"],
        }
    )
    assert [(f.name, f.type, f.required) for f in root.fields] == [("a", "integer", True), ("b", "number", True)]


def test_a_root_array_asks_for_many_records() -> None:
    root = parse_schema(json.dumps({"type": "array", "items": OFFERS}))
    assert root.type == "array"
    assert root.items is not None
    assert columns(root) == columns(parse_schema(OFFERS))


def test_a_tree_stays_as_it_is_and_a_byte_order_mark_is_skipped() -> None:
    root = parse_fields("title")
    assert parse_schema(root) is root
    assert parse_schema("\ufeff" + json.dumps(to_json_schema(root))) == root


@pytest.mark.parametrize(
    ("source", "parts"),
    [
        ("", ["isn't JSON at line 1, column 1"]),
        ('{"type": "object",\n "properties": }', ["isn't JSON at line 2, column 16"]),
        ("title, price:number", ["isn't JSON"]),
        ('{"enum": [' + "9" * 5000 + "]}", ["too long"]),
        ("[" * 50_000, ["nested too deep"]),
        (" " * 100_001, ["at most 100,000"]),
        ("[]", ["a list is no schema"]),
        (None, ["null is no schema"]),
        (int, ["no schema"]),
        ({}, ["empty", '"properties"']),
        ({"title": "string", "price": "number"}, ["the root is a string", '"properties"']),
        ({"type": "array", "items": STRING}, ["a list of string", "wrap it"]),
        ({"type": "array", "items": {"type": "array", "items": OFFERS}}, ["a list of array"]),
        ({"type": "object"}, ["without fields"]),
        ({"type": "object", "patternProperties": {"^a": STRING}}, ["without fields"]),
        ({"properties": []}, ["properties is a list"]),
        ({"properties": {"_id": STRING}}, ["_id: ", "start with _"]),
        ({"properties": {"a": {"properties": {"_b": STRING}}}}, ["a._b: "]),
        ({"properties": {"a.b": STRING}}, ['"a.b"', "write _ instead"]),
        ({"properties": {" ": STRING}}, ["no name"]),
        ({"properties": {"a\nb": STRING}}, ["can't be printed"]),
        ({"properties": {1: STRING}}, ["no text"]),
        ({"properties": {"a": STRING}, "required": ["b"]}, ['required names "b"']),
        ({"properties": {"a": STRING}, "required": True}, ["required is no list"]),
        ({"properties": {f"f{i}": STRING for i in range(201)}}, ["201 properties", "at most 200"]),
    ],
)
def test_a_refused_schema_says_what_is_wrong_and_what_to_write(source: Any, parts: list[str]) -> None:
    found = message(parse_schema, source)
    assert [part for part in parts if part not in found] == []


@pytest.mark.parametrize(
    ("node", "parts"),
    [
        ({"type": "float"}, ['"float"', 'write "type": "number"']),
        ({"type": "date"}, ['write "type": "string", "format": "date"']),
        ({"type": 3}, ["a number", '"type": "string"']),
        ({"type": "null"}, ["always null"]),
        ({"type": ["string", "object"]}, ["can be string or object"]),
        ({"anyOf": [STRING, {"type": "array"}]}, ["can be string or array"]),
        ({"oneOf": [{"properties": {"a": STRING}}, {"properties": {"b": STRING}}]}, ["several kinds of object"]),
        ({"anyOf": STRING}, ["anyOf is an object", "write a list"]),
        (True, ["true describes no field"]),
        ("number", ['"number" describes no field']),
        ({"type": "array", "items": False}, ["x[]: false describes no field"]),
        ({"type": "array", "items": [STRING]}, ["write one for all"]),
        ({"prefixItems": [STRING]}, ["write one for all"]),
        ({"enum": []}, ["no list of values"]),
        ({"enum": "new"}, ["no list of values"]),
        ({"enum": [{"a": 1}]}, ["no text, number, boolean or null"]),
        ({"enum": [float("nan")]}, ["no text, number"]),
        ({"enum": [10**400]}, ["no text, number"]),
        ({"enum": [1, "a"]}, ['"a" is no integer']),
        ({"type": "string", "enum": [True]}, ["true is no string"]),
        ({"type": "array", "enum": ["a"]}, ["enum of arrays"]),
        ({"enum": list(range(1001))}, ["1,001 values"]),
        ({"description": "\ud800"}, ["surrogate"]),
        ({"$ref": "other.json#/$defs/A"}, ["leaves the schema"]),
        ({"$ref": "https://example.com/schema"}, ["leaves the schema"]),
        ({"$ref": "#/$defs/missing"}, ["names nothing"]),
        ({"$ref": "#anchor"}, ["names nothing"]),
        ({"$ref": "#"}, ["never ends"]),
    ],
)
def test_a_refused_field_is_named_by_its_path(node: Any, parts: list[str]) -> None:
    document = {"type": "array", "items": {"properties": {"offers": {"items": {"properties": {"x": node}}}}}}
    found = message(parse_schema, document)
    assert found.startswith("[].offers[].x")
    assert [part for part in parts if part not in found] == []


def nested(depth: int) -> dict[str, Any]:
    node: dict[str, Any] = STRING
    for _ in range(depth):
        node = {"type": "object", "properties": {"a": node}}
    return node


def test_depth_is_bounded() -> None:
    assert columns(parse_schema(nested(8))) == [".".join("a" * 8)]
    assert "deeper than 8" in message(parse_schema, nested(9))


def fan_out(keyword: str, width: int = 2, levels: int = 30) -> dict[str, Any]:
    """Small in text, `width` to the power of `levels` nodes when written out."""
    defs: dict[str, Any] = {f"d{levels}": STRING}
    for level in range(levels):
        below = {"$ref": f"#/$defs/d{level + 1}"}
        many = {f"p{i}": below for i in range(width)} if keyword == "properties" else [below] * width
        defs[f"d{level}"] = {keyword: many}
    return {"properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": defs}


def cyclic(keyword: str) -> dict[str, Any]:
    node: dict[str, Any] = {}
    node[keyword] = {"x": node} if keyword == "properties" else [node]
    return node


@pytest.mark.parametrize(
    "source",
    [
        fan_out("allOf"),
        fan_out("anyOf"),
        fan_out("properties", width=10, levels=5),
        cyclic("allOf"),
        cyclic("anyOf"),
        cyclic("properties"),
        {"properties": {"x": {"anyOf": [STRING] * 1_000_000}}},
        {"properties": {"x": STRING}, "required": ["x"] * 1_000_000},
        {
            "properties": {f"f{i}": {"$ref": "#/$defs/d"} for i in range(50)},
            "$defs": {"d": {"description": "x" * 9000}},
        },
    ],
)
def test_schemas_that_grow_without_bound_are_refused(source: dict[str, Any]) -> None:
    message(parse_schema, source)


def test_recursive_references_are_refused_where_they_come_back() -> None:
    tree = {"$ref": "#/$defs/N", "$defs": {"N": {"properties": {"kids": {"items": {"$ref": "#/$defs/N"}}}}}}
    found = message(parse_schema, tree)
    assert found.startswith("kids[]: ")
    assert "never ends" in found


# ---------------------------------------------------------------- pydantic


class Condition(enum.Enum):
    new = "new"
    used = "used"


class Brand(pydantic.BaseModel):
    """Who makes it."""

    name: str
    url: pydantic.HttpUrl | None = None


class Product(pydantic.BaseModel):
    title: str = pydantic.Field(description="Name of the product")
    price: Decimal
    old_price: Decimal | None = None
    brand: Brand | None = None
    tags: list[str]
    condition: Condition
    released: datetime.date | None = None
    seen: datetime.datetime
    label: str = pydantic.Field(alias="表示")


class Products(pydantic.RootModel[list[Product]]):
    pass


class Tree(pydantic.BaseModel):
    kids: list[Tree]


class Callback(pydantic.BaseModel):
    call: Callable[[], None]


def test_a_pydantic_model_becomes_a_tree() -> None:
    brand = (FieldSchema("name", "string", required=True, nullable=False), FieldSchema("url", "url"))
    assert parse_schema(Product).fields == (
        FieldSchema("title", "string", "Name of the product", required=True, nullable=False),
        FieldSchema("price", "number", required=True, nullable=False),
        FieldSchema("old_price", "number"),
        FieldSchema("brand", "object", "Who makes it.", fields=brand),
        FieldSchema("tags", "array", required=True, nullable=False, items=FieldSchema("", "string", nullable=False)),
        FieldSchema("condition", "string", required=True, nullable=False, enum=("new", "used")),
        FieldSchema("released", "date"),
        FieldSchema("seen", "datetime", required=True, nullable=False),
        FieldSchema("表示", "string", required=True, nullable=False),
    )
    assert parse_schema(Products).type == "array"
    assert columns(parse_schema(Products)) == columns(parse_schema(Product))


def test_the_three_ways_give_the_same_fields() -> None:
    class Small(pydantic.BaseModel):
        title: str
        price: float | None = None
        tags: list[str]

    written = {
        "type": "object",
        "properties": {
            "title": STRING,
            "price": {"type": ["number", "null"]},
            "tags": {"type": "array", "items": STRING},
        },
        "required": ["title", "tags"],
    }
    assert parse_fields("title, price:number?, tags[]") == parse_schema(written)
    assert parse_fields("title, price:number?, tags[]").fields == parse_schema(Small).fields


def test_models_without_a_usable_schema_are_refused() -> None:
    assert "never ends" in message(parse_schema, Tree)
    assert message(parse_schema, Callback).startswith("Callback has no JSON Schema")


def test_pydantic_is_imported_only_for_models() -> None:
    code = (
        "import sys; from scraping_ai.schema import parse_fields, parse_schema, to_json_schema; "
        "parse_schema(to_json_schema(parse_fields('a'))); print('pydantic' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


# ---------------------------------------------------------------- back to JSON Schema

NAMES = st.text(
    st.characters(blacklist_categories=["Cc", "Cs", "Zl", "Zp"], blacklist_characters=".[]"), min_size=1, max_size=8
)
TEXTS = st.text(st.characters(blacklist_categories=["Cs"]), max_size=12)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
VALUES = {
    "string": TEXTS,
    "date": TEXTS,
    "datetime": TEXTS,
    "url": TEXTS,
    "integer": st.integers(-(2**60), 2**60),
    "number": FINITE | st.integers(-(2**60), 2**60),
    "boolean": st.booleans(),
}


@st.composite
def trees(draw: st.DrawFn, depth: int = 3, type_: str | None = None) -> FieldSchema:
    """Any node without a name, `type_` fixed for a root."""
    kinds = [*VALUES, *(["object", "array"] if depth else [])]
    kind = type_ or draw(st.sampled_from(kinds))
    fields: tuple[FieldSchema, ...] = ()
    if kind == "object":
        names = draw(st.lists(NAMES.filter(usable), min_size=1, max_size=3, unique=True))
        fields = tuple(named(draw(trees(depth - 1)), name, draw(st.booleans())) for name in names)
    values = draw(st.lists(VALUES[kind], max_size=3, unique=True)) if kind in VALUES else []
    items = draw(trees(depth - 1)) if kind == "array" else None
    return FieldSchema("", kind, draw(TEXTS), False, draw(st.booleans()), tuple(values), fields, items)


def usable(name: str) -> bool:
    return bool(name.strip()) and not name.startswith("_")


def named(node: FieldSchema, name: str, required: bool) -> FieldSchema:
    return FieldSchema(name, node.type, node.description, required, node.nullable, node.enum, node.fields, node.items)


@st.composite
def roots(draw: st.DrawFn) -> FieldSchema:
    record = draw(trees(type_="object"))
    return FieldSchema("", "array", draw(TEXTS), items=record) if draw(st.booleans()) else record


@settings(max_examples=150, deadline=None)
@given(roots())
def test_every_tree_survives_the_round_trip(root: FieldSchema) -> None:
    written = to_json_schema(root)
    assert parse_schema(written) == root
    assert parse_schema(json.dumps(written)) == root


def nodes(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    for child in [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]:
        yield from nodes(child)


@settings(max_examples=80, deadline=None)
@given(roots())
def test_the_strict_form_keeps_openais_rules(root: FieldSchema) -> None:
    for node in nodes(to_json_schema(root, strict=True)):
        assert node.keys() <= {
            "type", "description", "enum", "format", "properties", "required", "additionalProperties", "items",
        }  # fmt: skip
        assert node.get("format") in (None, "date", "date-time")
        if "properties" in node:
            assert node["additionalProperties"] is False
            assert node["required"] == list(node["properties"])
            assert all("null" in child["type"] for child in node["properties"].values())
            assert all(None in child["enum"] for child in node["properties"].values() if "enum" in child)


def test_the_strict_form_by_example() -> None:
    root = parse_schema(
        {"properties": {"link": {"format": "uri"}, "state": {"enum": ["new"]}, "tags": {"type": "array"}}}
    )
    assert to_json_schema(root, strict=True) == {
        "type": "object",
        "properties": {
            "link": {"type": ["string", "null"], "description": "(URL)"},
            "state": {"type": ["string", "null"], "enum": ["new", None]},
            "tags": {"type": ["array", "null"], "items": {"type": "string"}},
        },
        "required": ["link", "state", "tags"],
        "additionalProperties": False,
    }


# ---------------------------------------------------------------- paths


@pytest.mark.parametrize("many", [False, True])
def test_columns_and_empty_records(many: bool) -> None:
    root = parse_schema({"type": "array", "items": OFFERS} if many else OFFERS)
    assert columns(root) == ["title", "brand.name", "brand.url", "offers", "tags"]
    assert empty_record(root) == {"title": None, "brand": None, "offers": None, "tags": None}


def test_leaves_are_the_scalars_with_their_paths() -> None:
    paths = ["title", "brand.name", "brand.url", "offers[].price", "tags[]"]
    assert [path for path, _ in leaves(parse_schema(OFFERS))] == paths
    assert [path for path, _ in leaves(parse_schema({"type": "array", "items": OFFERS}))] == [f"[].{p}" for p in paths]
    assert dict(leaves(parse_schema(OFFERS)))["brand.url"].type == "url"


@pytest.mark.parametrize(
    ("path", "type_"),
    [
        ("", "object"),
        ("title", "string"),
        ("brand", "object"),
        ("brand.url", "url"),
        ("offers", "array"),
        ("offers[12]", "object"),
        ("offers[1].price", "number"),
        ("tags[0]", "string"),
        ("nothing", None),
        ("title.name", None),
        ("title[0]", None),
        ("offers.price", None),
        ("offers[x].price", None),
        ("offers[-1].price", None),
        ("brand..url", None),
        (".title", None),
        ("title.", None),
    ],
)
def test_field_at_finds_what_a_path_names(path: str, type_: str | None) -> None:
    found = field_at(parse_schema(OFFERS), path)
    assert (found.type if found else None) == type_


def test_field_at_below_a_root_array() -> None:
    root = parse_schema({"type": "array", "items": OFFERS})
    found = field_at(root, "[0].offers[2].price")
    assert found is not None
    assert found.type == "number"
    assert field_at(root, "title") is None


def test_any_form_of_schema_is_read() -> None:
    shorthand = read_schema("title, price:number")
    assert shorthand == parse_fields("title, price:number")
    assert read_schema(to_json_schema(shorthand)) == read_schema(json.dumps(to_json_schema(shorthand))) == shorthand
