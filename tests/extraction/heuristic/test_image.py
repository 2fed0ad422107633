"""The page's main image, as large as the page offers it."""

from __future__ import annotations

import pytest
from extraction.proof import unproved
from extraction.trees import record

from scraping_ai.extraction import Extractor


@pytest.mark.parametrize(
    ("html", "image"),
    [
        ("<img src=/logo.png><h1>Pie</h1><img src=/pie.jpg>", "/pie.jpg"),
        ("<h1>Pie</h1><img src=/dot.jpg width=20 height=20><img src=/pie.jpg>", "/pie.jpg"),
        ("<h1>Pie</h1><img src='data:image/gif;base64,AA' data-lazy-src=/pie.jpg>", "/pie.jpg"),
        ("<h1>Pie</h1><img src=/s.jpg srcset='/s.jpg 300w, /large.jpg 1200w'>", "/large.jpg"),
        ("<h1>Pie</h1><img src=/pie-300x200.jpg srcset='/pie-300x200.jpg 300w, /pie.jpg 1200w'>", "/pie.jpg"),
        ("<aside><img src=/ad1.jpg></aside><h1>Pie</h1><figure><img src=/pie.jpg></figure>", "/pie.jpg"),
        ("<h1>Pie</h1><div class=related-posts><img src=/cake.jpg></div><main><img src=/pie.jpg></main>", "/pie.jpg"),
        ("<h1>Pie</h1><img src=/sprite-icons.png>", None),
    ],
)
def test_main_image(html: str, image: str | None) -> None:
    result = Extractor(record("image:url")).extract(html, "https://pies.example/apple")
    assert result.records[0]["image"] == (f"https://pies.example{image}" if image else None)
    assert unproved(result, html) == []
