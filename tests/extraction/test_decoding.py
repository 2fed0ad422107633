"""The encoding of a page: what it declares, and what its bytes look like where it declares nothing."""

from __future__ import annotations

import time

import pytest

from scraping_ai.extraction import decoding


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<meta charset=iso8859-2>", "iso8859-2"),
        ("<META\n CHARSET = 'iso8859-2' >", "iso8859-2"),
        ("<meta http-equiv=Content-Type content='text/html; charset=euc-jp'>", "euc_jp"),
        ("<meta content='text/html; charset = \"iso8859-2\"' http-equiv=content-type>", "iso8859-2"),
        ('<?xml version="1.0" encoding="Shift_JIS"?><html>', "cp932"),
        ("<meta charset=bogus><meta charset=latin1>", "cp1252"),
        ("<meta charset=gb2312>", "gb18030"),
        ("<meta charset=utf-16le>", "utf-8"),
        ("<!-- <meta charset=euc-jp> --><meta charset=iso8859-2>", "iso8859-2"),
        ("<p title='<meta charset=euc-jp>'>", None),
        ("<meta content='text/html; charset=iso8859-2'>", None),
        ("<meta http-equiv=refresh content='charset=iso8859-2'>", None),
        ('<meta charset=iso8859-2">', None),
        ("<meta charset=euc-jp", None),
        ("<meta charset='euc-jp", None),
        ("<metacharset=iso8859-2>", None),
        ("<!-- <meta charset=euc-jp>", None),
        ("a < b <", None),
    ],
)
def test_declared_encodings(body: str, expected: str | None) -> None:
    assert decoding.declared(body.encode()) == expected


@pytest.mark.parametrize(
    ("text", "encoding", "expected"),
    [
        ("これは日本語のページです", "utf-8", "utf-8"),
        ("これは日本語のページです", "euc_jp", "euc_jp"),
        ("これは日本語のページです", "cp932", "cp932"),
        ("これは日本語のページです", "iso2022_jp", "iso2022_jp"),
        ("这是一个中文的页面，用来测试我们的编码", "gb18030", "gb18030"),
        ("這是一個中文的頁面，用來測試我們的編碼", "big5", "big5hkscs"),
        ("이것은 한국어로 된 페이지입니다", "cp949", "cp949"),
        ("Это страница на русском языке", "cp1251", "cp1251"),
        ("Café crème für große Straßen", "cp1252", "cp1252"),
    ],
)
def test_undeclared_encodings_are_detected(text: str, encoding: str, expected: str) -> None:
    body = f"<title>A</title><p>{text}</p>".encode(encoding)
    assert decoding.detected(body) == expected
    assert text in decoding.decode(body)


def test_a_sample_may_end_in_the_midst_of_a_character() -> None:
    body = b"<p>" + "日本語の".encode("euc_jp") * 10_000
    assert decoding.detected(body) == "euc_jp"


def test_the_mark_comes_before_the_header_and_the_header_before_the_page() -> None:
    body = "<meta charset=euc-jp>é"
    assert decoding.decode("\ufeff".encode() + body.encode(), "text/html; charset=latin1") == body
    assert decoding.decode(body.encode("latin1"), "text/html; charset=latin1") == body


@pytest.mark.parametrize("piece", ["<", "<!--", "<meta ", '<meta a="', "<a /", "<a x= ", "<?xml encoding "])
def test_hostile_declarations_take_linear_time(piece: str) -> None:
    started = time.monotonic()
    decoding.declared(piece.encode() * 200_000)
    assert time.monotonic() - started < 1
