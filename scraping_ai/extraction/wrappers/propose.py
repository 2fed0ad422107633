"""Rules that would find a place again on another page of its template, each with its kind.

A kind says what a rule goes by ("label1-way": one text after a label, by the same route); `choice.PRIOR` says how far
each is to be trusted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lxml import etree

from scraping_ai.extraction.wrappers.layout import Layout, ancestors
from scraping_ai.extraction.wrappers.parts import WHOLE
from scraping_ai.extraction.wrappers.places import Place
from scraping_ai.extraction.wrappers.rules import LOOK_AHEAD, MAX_FORM, Down, Named, Near, Rule, Under, form_of, way
from scraping_ai.extraction.wrappers.steps import MAX_PLACE, Step, named, positional

OFFSETS = (1, 2, 3, -1)
MAX_ANCHORS = 6  # named ancestors that selectors start from
MAX_PATH = 8  # steps below an anchor
MAX_INDEX = 30
MAX_FORM_TEXTS = 40  # below an element in which a form is looked for

Proposal = tuple[str, Rule]


def proposals(layout: Layout, place: Place) -> Iterator[Proposal]:
    """Rules of every kind that give the place's text on its own page."""
    for variant in _variants(layout, place):
        found: Iterator[Proposal]
        for found in (_by_label(layout, variant), _by_heading(layout, variant), _by_names(layout, variant)):
            yield from found
        yield from _by_path(variant)
    if place.part == WHOLE and place.chunk is not None and not place.is_list:
        yield from _by_form(layout, place.chunk)


def _variants(layout: Layout, place: Place) -> Iterator[Place]:
    """The place, and its text counted from the element's last."""
    yield place
    if place.chunk is not None and place.take.startswith("text:") and place.take != "text:0":
        own = layout.own[place.node]
        yield replace(place, take=f"text:{own.index(place.chunk) - len(own)}")


def _by_label(layout: Layout, place: Place) -> Iterator[Proposal]:
    if place.chunk is None or (take := _taken(layout, place, place.chunk)) is None:
        return
    if place.chunk in layout.leads.get(lead := layout.lead(place.chunk), ()):
        yield "lead", place.rule(Near(lead, 0), take)
    for offset in (
        OFFSETS[:1] if layout.is_key(place.chunk - 1) else OFFSETS
    ):  # other rows' labels say nothing of this one
        if label := layout.label(place.chunk - offset):
            kind = _label_kind(layout, place.chunk - offset) + str(offset)
            yield f"{kind}-way", place.rule(Near(label, offset, way(layout, place.chunk - offset, place.chunk)), take)
            yield kind, place.rule(Near(label, offset), take)


def _label_kind(layout: Layout, chunk: int) -> str:
    return "label" if layout.is_label(chunk) else "text"


def _taken(layout: Layout, place: Place, chunk: int) -> str | None:
    """`Rule.take` of a place, counted from its first chunk's element."""
    if place.take.startswith("text:"):
        return "text"
    holder = layout.chunks[chunk].holder
    above = [holder, *ancestors(holder)]
    return f"up:{above.index(place.node)}" if place.node in above else None


def _by_form(layout: Layout, chunk: int) -> Iterator[Proposal]:
    """The first text with the form of "(325) 674-2000" after a label or below a named element."""
    text = layout.chunks[chunk].text
    form = form_of(text) if len(text) <= MAX_FORM else ""
    if "0" not in form or len(form) < 2:
        return
    for offset in range(1, 2 if layout.is_key(chunk - 1) else LOOK_AHEAD):
        if label := layout.label(chunk - offset):
            yield f"{_label_kind(layout, chunk - offset)}-like", Rule(Near(label), f"like:{form}")
    for above in ancestors(layout.chunks[chunk].holder)[:MAX_PATH]:
        start, end = layout.span(above)
        if end - start <= MAX_FORM_TEXTS:
            yield from (("names-like", Rule(Named(step), f"like:{form}")) for step in named(above)[:1])


def _by_heading(layout: Layout, place: Place) -> Iterator[Proposal]:
    above = layout.heading_above(place.chunk) if place.chunk is not None else None
    if above is None:
        return
    heading = layout.label(above)
    for step in [*named(place.node)[:2], Step(str(place.node.tag))]:
        for index in range(MAX_INDEX):
            found = Under(heading, step, index).find(layout)
            if found is place.node:
                yield "under", place.rule(Under(heading, step, index))
            if found is None or found is place.node:
                break


def _by_names(layout: Layout, place: Place) -> Iterator[Proposal]:
    """Selectors: by the element's own names, then by its way down from named elements above it."""
    own = named(place.node)
    for step in own:
        yield from _selecting(layout, place, Named(step), "own")
    path: list[etree._Element] = [place.node]
    anchors = 0
    for above in ancestors(place.node):
        if len(path) > MAX_PATH or anchors >= MAX_ANCHORS:
            return
        names = named(above)
        anchors += bool(names)
        steps = tuple(positional(n) for n in reversed(path))
        kind = "id" if names and names[0].id else "class"
        for name in names[:2]:
            yield from _selecting(layout, place, Down(steps, name), f"{kind}-path")
            for step in [*own[:2], Step(str(place.node.tag))]:
                yield from _selecting(layout, place, Named(step, name), f"{kind}-gap")
        path.append(above)


def _selecting(layout: Layout, place: Place, select: Named | Down, kind: str) -> Iterator[Proposal]:
    """The selector with the index at which it finds the place, from the start and, for the last one, from the end."""
    found = select.elements(layout)
    if place.node not in found:
        return
    index = found.index(place.node)
    kind += "-1" if len(found) == 1 else "-n"
    if index <= MAX_INDEX:
        yield kind, place.rule(replace(select, index=index))
    if index and index == len(found) - 1:
        yield kind, place.rule(replace(select, index=-1))


def _by_path(place: Place) -> Iterator[Proposal]:
    """The way down from the root by position alone: the last resort."""
    steps = tuple(positional(n) for n in reversed([place.node, *ancestors(place.node)]))
    if len(steps) <= 60 and all(s.nth < MAX_PLACE for s in steps):
        yield "path", place.rule(Down(steps))
