"""Whether a page says in its heading that a search found nothing: what it lists then is something else."""

from __future__ import annotations

import re

from scraping_ai.extraction.heuristic.view import View

MAX_HEADINGS = 6
MAX_HEADING = 150  # characters
_NOTHING = re.compile(
    r"(?<![\w.,])(?:0|no|zero|keine|aucun|sin|ning[uú]n|nessun|geen|nenhum|sem|inga|ingen|ei|brak|žádné)\s+(?:\w+\s)?"
    r"(?:results?|matches|hits|ergebnisse|treffer|résultats?|resultados?|risultat[io]|resultaten|resultat|träffar|tuloksia|"
    r"wyników|výsledky)(?!\w)|(?<!\d)0\s?件|見つかりませんでした|没有找到|未找到|找不到|검색 결과가 없|"
    r"ничего не найдено|нічого не знайдено",
    re.I,
)


def says_nothing_found(view: View) -> bool:
    """Whether the page's title or one of its first headings says so."""
    heads = (node for node in view.nodes if node.tag in ("h1", "h2"))
    texts = [view.text(node) for _, node in zip(range(MAX_HEADINGS), heads, strict=False)]
    return any(_NOTHING.search(text) for text in (view.document.title, *texts) if len(text) <= MAX_HEADING)
