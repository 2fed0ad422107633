"""The options of a job: one reading of them for the command line, spider arguments and schedule.json.

All arrive as text. What names a file (`schema`, `pages`, a local TARGET) is for the command line alone: `files` says
whether the caller sits at this machine, and is false unless somebody vouched for it.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable
from urllib.parse import unquote, urlsplit

from scraping_ai.environment import boolean
from scraping_ai.examples import ExampleError, Taught, read_examples
from scraping_ai.frontier.scope import MAX_URL_LENGTH, Pattern, PatternError, Scope, compile_pattern, host_of
from scraping_ai.llm import ModelName, parse_model
from scraping_ai.schema import FieldSchema, SchemaError, parse_fields, parse_schema

NOT_YET = ("instruction", "sitemap", "query", "top_k", "budget")
KNOWN = (
    *("url", "fields", "schema", "pages", "examples", "follow", "max_pages", "max_depth", "include", "exclude"),
    *("evidence", "job", "llm"),
)
NEEDS_FOLLOW = ("max_depth", "include", "exclude")
MAX_TARGETS = 100_000
MAX_SCHEMA_BYTES = 100_000
_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
JOB_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")  # it becomes a folder's name
JOB_SUFFIX = ".sqlite"  # makes a file of what could be a name
HTML_SUFFIXES = (".html", ".htm", ".xhtml", ".gz")


class OptionError(ValueError):
    """Options that can't be used. One line: which, what is wrong, what to write instead."""

    def __init__(self, problem: str, option: str = "", meant: str = "", status: int = 2) -> None:
        self.problem, self.option, self.meant = problem, option, meant
        self.status = status  # with which a command exits: 1 for what can be used later
        super().__init__(self._line(str))

    def for_shell(self) -> str:
        """The same line with options as the command line spells them."""
        return self._line(lambda name: "--" + name.replace("_", "-"))

    def _line(self, spell: Callable[[str], str]) -> str:
        hint = f"; did you mean {spell(self.meant)}?" if self.meant else ""
        return (f"{spell(self.option)}: " if self.option else "") + self.problem + hint


@dataclass(frozen=True, slots=True)
class Options:
    """What a job is to do."""

    schema: FieldSchema
    urls: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    pages: Path | None = None
    follow: bool = False
    max_pages: int | None = None
    scope: Scope = field(default_factory=Scope)
    evidence: bool = False
    llm: ModelName | None = None
    llm_given: bool = False  # false: whatever the environment's keys allow
    examples: tuple[Taught, ...] = ()
    job: str | None = None  # the name under which it is kept, or its file


@runtime_checkable
class HasTasks(Protocol):
    """A spider whose pages are extracted from as options say."""

    def options_of(self, task: str | None) -> Options:
        """Of the task of a page under way."""
        ...


def parse_options(args: Mapping[str, str], *, targets: Iterable[str] = (), files: bool = False) -> Options:
    """Read a job's options from text.

    `targets` are added to those in `url` (several there: apart by white space). Keys that start with `_` are the
    scheduler's own and are passed over. Raises OptionError.
    """
    refuse_unknown(args)
    given = {name: text for name, text in args.items() if not name.startswith("_") and text != ""}
    urls, paths = split_targets([*given.get("url", "").split(), *targets], files)
    pages = pages_file(given["pages"], files) if "pages" in given else None
    if not (urls or paths or pages):
        raise OptionError("nothing to extract from: name a URL or an HTML file, or give pages=FILE.jsonl")
    follow = flag(given, "follow")
    refuse_unusable_follow(given, follow, urls)
    schema = schema_of(given, files)
    return Options(
        schema=schema,
        urls=tuple(urls),
        files=tuple(paths),
        pages=pages,
        follow=follow,
        max_pages=whole_number(given, "max_pages", least=1),
        scope=scope_of(given, urls),
        evidence=flag(given, "evidence"),
        llm=model_of(given),
        llm_given="llm" in given,
        examples=examples_of(given, files, schema),
        job=job_of(given, files),
    )


def refuse_unknown(args: Mapping[str, str]) -> None:
    for name in args:
        if name in KNOWN or name.startswith("_"):
            continue
        if name in NOT_YET:
            raise OptionError("not available yet; leave it out", name)
        close = difflib.get_close_matches(name, KNOWN, 1)
        if close:
            raise OptionError("no such option", name, meant=close[0])
        raise OptionError(f"no such option; there are {', '.join(KNOWN)}", name)


def refuse_unusable_follow(given: Mapping[str, str], follow: bool, urls: list[str]) -> None:
    for name in NEEDS_FOLLOW:
        if name in given and not follow:
            raise OptionError("says which links to follow, so add follow", name)
    if follow and not urls:
        raise OptionError("needs a URL to start from; saved pages are extracted without the network", "follow")


def split_targets(targets: list[str], files: bool) -> tuple[list[str], list[Path]]:
    """URLs and local files, apart. Raises OptionError."""
    if len(targets) > MAX_TARGETS:
        raise OptionError(f"{len(targets):,} targets: at most {MAX_TARGETS:,} at once; put them into several jobs")
    urls: list[str] = []
    paths: list[Path] = []
    for target in targets:
        if is_url(target):
            urls.append(target)
        else:
            paths.append(local_file(target, files))
    return urls, paths


def is_url(target: str) -> bool:
    """Whether a target is an http(s) address; raises OptionError for one that is broken or of another scheme."""
    if "://" not in target:
        return False
    if len(target) > MAX_URL_LENGTH:
        raise OptionError(f"{shown(target)}: a URL of more than {MAX_URL_LENGTH:,} characters")
    try:
        target.encode("utf-8")
        parts = urlsplit(target)
        valid = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError as error:
        raise OptionError(f"{shown(target)}: not a valid URL ({error})") from None
    scheme = parts.scheme.lower()
    if scheme == "file":
        return False
    if scheme not in ("http", "https"):
        raise OptionError(f"{shown(target)}: only http:// and https:// URLs can be fetched")
    if "@" in parts.netloc:
        without = shown(parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl())
        raise OptionError(f"a name or password in the address of {without}: records would show it, and nobody logs in")
    if not valid:
        raise OptionError(f"{shown(target)}: a URL without a host; write https://example.com/page")
    if not is_host(parts.hostname or ""):
        raise OptionError(f"{shown(target)}: no host can have that name; write https://example.com/page")
    return True


def is_host(name: str) -> bool:
    """Whether a name can be one of a host (RFC 1035, 2.3.4)."""
    return len(name) <= 253 and all(0 < len(label) <= 63 for label in name.removesuffix(".").split("."))


def local_file(target: str, files: bool) -> Path:
    if not files:
        raise OptionError(f"{shown(target)}: not an http:// or https:// URL (files are read only for the command line)")
    if not target.strip():
        raise OptionError("an empty target; write https://... or an HTML file's path")
    path = path_of(target)
    if is_file(path):
        return path
    if os.path.isdir(path):  # noqa: PTH112 - Path.is_dir raises for names that no file can have
        raise OptionError(f"{shown(target)}: a folder; name an HTML file in it")
    scheme = scheme_of(target)
    hint = f"did you mean {scheme}://{shown(target)}?" if scheme else "write https://... or an HTML file's path"
    raise OptionError(f"{shown(target)!r}: neither a URL nor a file; {hint}")


def scheme_of(target: str) -> str:
    """The scheme that an address without one most likely has, "" for what does not look like an address."""
    host, _, port = target.partition("/")[0].partition(":")
    if " " in target or not host or (port and not port.isdecimal()):
        return ""
    if port or host == "localhost" or _ADDRESS.fullmatch(host):
        return "https" if port == "443" else "http"
    return "https" if "." in host and Path(target).suffix not in HTML_SUFFIXES else ""


def path_of(target: str) -> Path:
    """A file's path, or that of its `file:` address."""
    if not target.lower().startswith("file://"):
        return Path(target)
    parts = urlsplit(target)
    return Path(parts.netloc.removeprefix("localhost") + unquote(parts.path))


def is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113 - Path.is_file raises for names that no file can have


def pages_file(text: str, files: bool) -> Path:
    return jsonl_file("pages", text, files, '{"url", "path"}')


def examples_of(given: Mapping[str, str], files: bool, schema: FieldSchema) -> tuple[Taught, ...]:
    if "examples" not in given:
        return ()
    try:
        return read_examples(jsonl_file("examples", given["examples"], files, '{"url", "values"}'), schema)
    except ExampleError as error:
        raise OptionError(str(error), "examples") from None


def jsonl_file(name: str, text: str, files: bool, lines: str) -> Path:
    if not files:
        raise OptionError("names a file, which only the command line may; use url", name)
    if not is_file(Path(text)):
        raise OptionError(f"no file {shown(text)}; name a JSONL file of {lines} lines", name)
    return Path(text)


def schema_of(given: Mapping[str, str], files: bool) -> FieldSchema:
    if "fields" in given and "schema" in given:
        raise OptionError("fields and schema both say what to extract; leave one out")
    if "fields" not in given and "schema" not in given:
        raise OptionError('say what to extract: fields "title, price:number", or schema with a JSON Schema')
    try:
        if "fields" in given:
            return parse_fields(given["fields"])
        return parse_schema(schema_text(given["schema"], files))
    except SchemaError as error:
        raise OptionError(str(error), "fields" if "fields" in given else "schema") from None


def schema_text(text: str, files: bool) -> str:
    """The schema's JSON, read from a file when the text is not JSON itself."""
    if text.lstrip().startswith(("{", "[")):
        return text
    if not files:
        raise OptionError("write the JSON Schema itself (files are read only for the command line)", "schema")
    path = Path(text)
    if not is_file(path):
        raise OptionError(f"{shown(text)} is neither JSON nor a file", "schema")
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_SCHEMA_BYTES + 1)
        if len(raw) > MAX_SCHEMA_BYTES:
            raise OptionError(f"{shown(text)} is larger than {MAX_SCHEMA_BYTES:,} bytes", "schema")
        return raw.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise OptionError(f"can't read {shown(text)}: {error}", "schema") from None


def scope_of(given: Mapping[str, str], urls: Iterable[str]) -> Scope:
    return Scope(
        hosts=frozenset(map(host_of, urls)),
        include=patterns(given, "include"),
        exclude=patterns(given, "exclude"),
        max_depth=whole_number(given, "max_depth", least=0),
    )


def patterns(given: Mapping[str, str], name: str) -> tuple[Pattern, ...]:
    """Several patterns stand on lines of their own."""
    try:
        return tuple(map(compile_pattern, given.get(name, "").split("\n"))) if name in given else ()
    except PatternError as error:
        raise OptionError(str(error), name) from None


def model_of(given: Mapping[str, str]) -> ModelName | None:
    try:
        return parse_model(given.get("llm", "none"))
    except ValueError as error:
        raise OptionError(str(error).removeprefix("llm: "), "llm") from None


def job_of(given: Mapping[str, str], files: bool) -> str | None:
    name = given.get("job")
    if name is not None and not (files and "\0" not in name if is_path(name) else JOB_NAME.fullmatch(name)):
        raise OptionError(f"{shown(name)!r}; write a name of letters, digits, dots, - and _", "job")
    return name


def is_path(job: str) -> bool:
    """Whether a job is named by its file rather than by a name."""
    return job.endswith(JOB_SUFFIX) or "/" in job or os.sep in job


def flag(given: Mapping[str, str], name: str) -> bool:
    try:
        return boolean(given.get(name, "false"))
    except ValueError:
        raise OptionError(f"{shown(given[name])!r}; write true or false", name) from None


def whole_number(given: Mapping[str, str], name: str, *, least: int) -> int | None:
    if name not in given:
        return None
    try:
        number = int(given[name])
    except ValueError:
        number = least - 1
    if number < least or number > 10**12:
        raise OptionError(f"{shown(given[name])!r}; write a whole number of at least {least}", name)
    return number


def shown(text: str) -> str:
    """Text of a caller's, short and on one line."""
    line = " ".join(text.encode("utf-8", "replace").decode("utf-8").split())
    return line if len(line) <= 80 else line[:77] + "..."
