"""Pages in XML that use HTML's named entities: XML knows five, and from the first other one on its parser drops these
five too, without a trace.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import unescape

from lxml import etree

from scraping_ai.extraction.document import Anchor, Document

_FOREIGN = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z]\w{1,30};")


def is_cut(document: Document, anchor: Anchor) -> bool:
    """Whether characters are missing from what an anchor names."""
    if not document.is_xml or not (sources := _sources(document.text)):
        return False
    if not anchor.attribute and next(anchor.node.iter(etree.Entity), None) is not None:
        return True
    texts = [document.string_at(anchor)] if anchor.attribute else anchor.node.itertext()
    folded = (" ".join(str(text).split()) for text in texts)
    return any(not any(text in source for source in sources) for text in folded)


@lru_cache(maxsize=1)
def _sources(text: str) -> tuple[str, ...]:
    """The page's own text, as written and with its entities read; nothing where XML loses none of them."""
    return tuple(" ".join(source.split()) for source in (text, unescape(text))) if _FOREIGN.search(text) else ()
