"""Which of the dates on a page is that of its publication, or of its last change."""

from __future__ import annotations

import pytest
from extraction.proof import unproved

from scraping_ai.extraction import Extractor

URL = "https://www.dailynews.example/a/1"


def found(html: str, field: str = "publish_date") -> str | None:
    result = Extractor(field).extract(html, URL)
    assert unproved(result, html) == []
    value: str | None = result.records[0][field]
    return value


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h1>A</h1><p>12 March 2026 18:30</p>", "2026-03-12T18:30:00"),
        ("<h1>A</h1><p>Updated 4 May 2026 | Published 1 May 2026</p>", "2026-05-01"),
        ("<h1>A</h1><p>1 May 2026 (updated 4 May 2026)</p>", None),
        ("<h1>記事</h1><p>公開日：2026年5月1日　更新日：2026年5月4日</p>", "2026-05-01"),
        ("<h1>A</h1><p class=author>By <a>Ann Lee</a>\n\n   on 04-ago-2021 5:11:10\n</p>", "2021-08-04T05:11:10"),
        ("<h1>A</h1><p>Open from 1.5.2026 – 4.5.2026</p>", None),
        ("<h1>A</h1><x-stamp publishdate='2025-12-19T11:15:56Z'></x-stamp>", "2025-12-19T11:15:56+00:00"),
        ("<link rel=canonical href='https://dailynews.example/2020/03/23/fire'><h1>A</h1>", "2020-03-23"),
        ("<link rel=canonical href='https://dailynews.example/2020/93/23/fire'><h1>A</h1>", None),
        ("<body class=has-comments><h1>A</h1><time>1 May 2026</time>", "2026-05-01"),
        ("<header><p>29 May 2026</p></header><h1>A</h1>", None),
        ("<header><time datetime=2026-05-29>today</time></header><h1>A</h1>", None),
        ("<article><header><p>1 May 2026</p><h1>A</h1></header></article>", "2026-05-01"),
        ("<h1>Ann</h1><table><tr><th>Born</th><td>4 May 1961</td></tr></table>", None),
        ("<h1>Ann</h1><p>Born: 4 May 1961</p>", None),
        ("<html lang=en><h1>Fair</h1><p>The fair is on 5 May 2027.</p>", None),
        ("<h1>A</h1><p>Member since 2011-04-01</p><p>12 March 2026</p>", "2026-03-12"),
        ("<h1>A</h1><p>Mitglied seit 1.4.2011</p>", None),
        ("<html lang=fa><h1>A</h1><p>Published: 1404/12/13</p>", None),
        ("<h1>A</h1><p>OSLO, April 7, 2026 (NEWSWIRE) -- Acme said today that it had grown.</p>", "2026-04-07"),
        ("<h1>A</h1><div class=comment><time datetime=2026-05-01></time></div>", None),
        ("<h1>A</h1><div><b>Updated on</b>\n<i>4 May 2026</i></div>", None),
        ("<h1>A</h1><div>\n<b>Published on</b>\n<i>4 May 2026</i>\n<b>3 minutes</b></div>", "2026-05-04"),
        ("<h1>A</h1><p>Last updated: <time datetime=2026-05-04>4 May</time></p>", None),
        ("<h1>A</h1><p>Created by Ann Lee, last modified on <a>4 May 2026</a></p>", None),
        ("<div class=review-page><h1>A</h1><time>1 May 2026</time></div>", "2026-05-01"),
        (f"<div><h1>A</h1><div class=review><p>{'Good. ' * 20}</p><time>1 May 2026</time></div></div>", None),
        ("<h1>A</h1><article><h3><a href=/b>B</a></h3><time datetime=2026-05-01></time></article>", None),
    ],
)
def test_publication_dates(html: str, expected: str | None) -> None:
    assert found(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h1>A</h1><p>Published 1 May 2026, last updated 4 May 2026</p>", "2026-05-04"),
        ("<h1>記事</h1><p>更新：2026年5月4日 10:30</p>", "2026-05-04T10:30:00"),
        ("<link rel=canonical href='https://dailynews.example/2020/03/23/fire'><h1>A</h1>", None),
    ],
)
def test_dates_of_the_last_change(html: str, expected: str | None) -> None:
    assert found(html, "modified_date") == expected


@pytest.mark.parametrize(
    ("html", "published", "start"),
    [
        ("<table><tr><th>Date<td>12 May 2026<tr><th>Venue<td>Blue Hall</table>", None, "2026-05-12"),
        ("<p>Date: 12 May 2026</p><p>Doors open: 19:00</p>", None, "2026-05-12"),
        ("<dl><dt>Datum<dd>12. Mai 2026<dt>Einlass<dd>19 Uhr</dl>", None, "2026-05-12"),
        ("<p><span>Date</span><span>12 May 2026</span></p><p><b>Location</b> Blue Hall</p>", None, "2026-05-12"),
        ("<p><time class=dt-start datetime=2026-05-12>12 May</time></p>", None, None),
        ("<p>Date: 12 May 2026</p><p>All about the night.</p>", "2026-05-12", None),
        ("<p>Published: 12 May 2026</p><p>Location: London</p>", "2026-05-12", None),
    ],
)
def test_the_date_of_an_event_is_no_publication(html: str, published: str | None, start: str | None) -> None:
    html = f"<html lang=en><h1>Jazz Night</h1>{html}"
    assert (found(html), found(html, "start_date")) == (published, start)


@pytest.mark.parametrize(("shown", "expected"), [("2026-05-04", "2026-05-01"), ("2026-04-01", "2026-04-01")])
def test_of_the_day_that_the_head_states_and_the_one_that_is_shown_the_earlier_is_the_first(
    shown: str, expected: str
) -> None:
    stated = "<meta property=article:published_time content=2026-05-01>"
    assert found(f"{stated}<body><main><h1>A</h1><time datetime={shown}>then</time></main>") == expected


def test_the_day_of_a_video_is_not_that_of_the_page() -> None:
    day = "<meta itemprop=uploadDate content=2021-06-30><meta itemprop=name content=A>"
    video = f"<div itemscope itemtype=http://schema.org/VideoObject>{day}</div>"
    assert found(f"<title>A</title><meta name=date content=2026-05-01><h1>A</h1>{video}") == "2026-05-01"
