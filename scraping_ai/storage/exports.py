"""Records as JSON lines, JSON, CSV and XML: a `Page` item becomes a row for each of its records.

A row holds the schema's fields, then `_url`, `_id` where the page was given one, `_evidence` where it was asked for,
and, in a record that holds nothing, `_reason`.
"""

from __future__ import annotations

import csv
import json
import logging
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from scrapy.crawler import Crawler
from scrapy.exporters import CsvItemExporter, JsonItemExporter, JsonLinesItemExporter, XmlItemExporter

from scraping_ai.items import Page
from scraping_ai.options import OptionError, Options
from scraping_ai.schema import columns

logger = logging.getLogger(__name__)

Row = dict[str, Any]

NEEDED = {"s3": ("boto3", "boto3"), "gs": ("google.cloud.storage", "google-cloud-storage")}  # module, package
OUTPUT_FAILED = object()  # a signal: an output can't be written any more

# Names as of XML 1.0, section 2.3, without the colon and what lies beyond the basic plane.
NOT_XML_NAME = re.compile(
    "[^-.0-9A-Z_a-z\u00b7\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u037d\u037f-\u1fff\u200c\u200d\u203f\u2040\u2070-\u218f"
    "\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd]"
)
XML_START = re.compile("[^-.0-9\u00b7\u0300-\u036f\u203f\u2040]")
NOT_XML_TEXT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def rows(page: Page, *, evidence: bool = False) -> Iterator[Row]:
    """The records of a page as they are written out."""
    for record in page.records:
        row = {**encodable_all(record.values), "_url": encodable(page.url)}
        if page.id is not None:
            row["_id"] = encodable(page.id) if isinstance(page.id, str) else page.id
        if evidence:
            row["_evidence"] = encodable_all({path: found.to_dict() for path, found in record.evidence.items()})
        if not record.evidence and page.reason is not None:
            row["_reason"] = encodable(page.reason)
        yield row


def encodable(text: str) -> str:
    """Text from outside without the lone surrogates that no encoding can write."""
    return text.encode("utf-8", "replace").decode("utf-8")


def encodable_all(value: Any) -> Any:
    """As `encodable`, for all texts of a value."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, dict):
        return {encodable(name): encodable_all(part) for name, part in value.items()}
    return [encodable_all(part) for part in value] if isinstance(value, list) else value


class PageExporter:
    """Mixed into Scrapy's exporters: takes the options from the spider, and exports a row for each record."""

    crawler: Crawler | None = None  # None: who exports hears of failures as errors
    options: Options
    out: Any  # the file
    failed = False

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: Any, **kwargs: Any) -> Any:
        options = getattr(crawler.spider, "options", None)
        if not isinstance(options, Options):  # an ordinary spider, whose items Scrapy's own exporter takes
            return next(kind for kind in cls.__mro__ if kind.__module__ == "scrapy.exporters")(file, **kwargs)
        exporter: Any = cls(file, **kwargs)  # type: ignore[call-arg]  # the constructor of Scrapy's exporter beside it
        exporter.crawler, exporter.out = crawler, file
        exporter.options = options
        return exporter

    def export_item(self, item: Page) -> None:
        """Write the page's rows and hand them on, so that a kill loses none; the first failure ends the job."""
        if self.failed:
            return
        try:
            for row in rows(item, evidence=self.options.evidence):
                super().export_item(self.shaped(row))  # type: ignore[misc]
            self.out.flush()
        except OSError as error:
            self.fail(error)

    def finish_exporting(self) -> None:
        if self.failed:
            return
        try:
            super().finish_exporting()  # type: ignore[misc]
            self.out.flush()
        except OSError as error:
            self.fail(error)

    def fail(self, error: OSError) -> None:
        if self.crawler is None:
            raise error
        self.failed = True
        if self.out is not sys.stdout.buffer:
            with suppress(OSError):  # once more, for what is buffered: closed here, it is not tried again
                self.out.close()
        self.crawler.stats.inc_value("scraping_ai/output_failed")
        if not isinstance(error, BrokenPipeError):  # `| head` has what it wanted
            logger.error("can't write the records: %s; the job ends", error.strerror or error)
        self.crawler.signals.send_catch_log(OUTPUT_FAILED)

    def shaped(self, row: Row) -> Row:
        return row


class JsonLinesExporter(PageExporter, JsonLinesItemExporter):
    """A row a line."""


class JsonExporter(PageExporter, JsonItemExporter):
    """One array of rows."""


class CsvExporter(PageExporter, CsvItemExporter):
    """Columns from the schema, so that the first record does not decide them; nested objects dotted, lists as JSON."""

    def __init__(self, file: BytesIO, **kwargs: Any) -> None:
        super().__init__(file, include_headers_line=False, **kwargs)
        had = file.seekable() and file.tell() > 0  # -o on a file that has its header
        self.continues = had or getattr(file, "continues", False)

    def start_exporting(self) -> None:
        if self.fields_to_export is None:
            self.fields_to_export = header(self.options)
        names = self.fields_to_export
        if not self.continues:
            self.csv_writer.writerow(names.values() if isinstance(names, Mapping) else names)

    def shaped(self, row: Row) -> Row:
        flat: Row = {}
        flatten(row, "", flat)
        return flat


def flatten(value: Any, path: str, into: Row) -> None:
    """Cells of a row: nested objects by dotted path, lists and evidence as JSON text, booleans as JSON's."""
    if isinstance(value, dict) and not path.startswith("_evidence"):
        for name, part in value.items():
            flatten(part, f"{path}.{name}" if path else name, into)
    elif isinstance(value, dict | list | bool):
        into[path] = json.dumps(value, ensure_ascii=False)
    else:
        into[path] = "" if value is None else value


class XmlExporter(PageExporter, XmlItemExporter):
    """An element a row; names that XML does not allow get underscores, characters it does not allow are left out."""

    def shaped(self, row: Row) -> Row:
        if "_evidence" in row:
            row["_evidence"] = [{"field": path, **found} for path, found in row["_evidence"].items()]
        shaped: Row = xml_safe(row)
        return shaped


def xml_safe(value: Any) -> Any:
    if isinstance(value, dict):
        safe: Row = {}
        for name, part in value.items():
            safe[unused(xml_name(name), safe)] = xml_safe(part)
        return safe
    if isinstance(value, list):
        return [xml_safe(part) for part in value]
    if isinstance(value, str):
        return NOT_XML_TEXT.sub("", value)
    if value is None:
        return ""
    return json.dumps(value) if isinstance(value, bool) else value


def xml_name(name: str) -> str:
    safe = NOT_XML_NAME.sub("_", name)
    return safe if XML_START.match(safe) else f"_{safe}"


def unused(name: str, taken: Mapping[str, Any]) -> str:
    """The name, with underscores behind it where another field has become the same."""
    while name in taken:
        name += "_"
    return name


def refuse_unwritable(feeds: Mapping[str, Any], options: Options) -> None:
    """Raise OptionError when an output can't be written or continued, before a page is fetched for it."""
    for uri, feed in feeds.items():
        parts = urlsplit(str(uri))
        if (needed := NEEDED.get(parts.scheme)) and not is_installed(needed[0]):
            raise OptionError(f"can't write {parts.scheme}:// outputs: pip install {needed[1]}, or name a local file")
        if parts.scheme not in ("", "file") or "%(" in str(uri):
            continue
        path = Path(unquote(parts.path) if parts.scheme else str(uri))
        existed = path.exists()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab") as file:
                continues = file.seekable() and file.tell() > 0 and not feed.get("overwrite")
            if not existed:
                path.unlink()
            if continues:
                refuse_broken_append(path, str(feed.get("format")), options)
        except (OSError, ValueError) as error:
            problem = getattr(error, "strerror", None) or error
            raise OptionError(f"can't write {path}: {problem}; name another file") from None


def is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package that the module is in
        return False


def refuse_broken_append(path: Path, kind: str, options: Options) -> None:
    """Raise ValueError where rows after what a file holds would spoil it."""
    if kind in ("json", "xml"):
        raise ValueError(f"it holds a whole {kind.upper()} document already; replace it with -O, or append to .jsonl")
    if kind == "csv":
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            found = next(csv.reader(file), [])
        if found != (wanted := header(options)):
            raise ValueError(f"its columns are {', '.join(found)[:200]}, not {', '.join(wanted)}; replace it with -O")


def header(options: Options) -> list[str]:
    """The columns of a CSV file."""
    extra = ["_id"] if options.pages else []
    return [*columns(options.schema), "_url", *extra, *(["_evidence"] if options.evidence else []), "_reason"]
