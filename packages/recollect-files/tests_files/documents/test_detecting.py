"""What a file is, is said by how it begins; its name is asked only when that does not tell."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import every

from recollect.errors import InvalidDocument
from recollect.model.literals import FILE_KINDS
from recollect_files.documents import detect
from tests_files.documents.building import archive, docx, paragraph, pdf, png

MAIL = b"Received: from a\r\n by b\r\nFrom: a@example.org\r\nSubject: hi\r\n\r\nbody"


@every(
    ("name", "head", "kind", "mime"),
    [
        ("a.txt", pdf([["x"]]), "pdf", "application/pdf"),
        ("a.bin", b"\0\0 junk before\n%PDF-1.7", "pdf", "application/pdf"),
        ("notes.md", docx(paragraph("x")), "docx", None),
        ("strange.docx", archive({"docProps/thumbnail.jpeg": b"x" * 10}), "docx", None),
        ("a.pdf", png(1, 1), "image", "image/png"),
        ("a", b"\xff\xd8\xff\xe0\0\x10JFIF", "image", "image/jpeg"),
        ("a", b"GIF89a\1\0\1\0", "image", "image/gif"),
        ("a", b"RIFF\0\0\0\0WEBPVP8 ", "image", "image/webp"),
        ("a", b"II*\0\x08\0\0\0", "image", "image/tiff"),
        ("a", b"\0\0\0\x18ftypheic\0\0\0\0", "image", "image/heic"),
        ("a", b"\0\0\0\x18ftypavif\0\0\0\0", "image", "image/avif"),
        ("a", b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0", "image", "image/bmp"),
        ("a.xml", b'<?xml version="1.0"?>\n<!-- x - y -->\n<svg width="1">', "image", "image/svg+xml"),
        ("a.txt", b"\xef\xbb\xbf  <!DOCTYPE html><p>", "html", "text/html"),
        ("a.txt", "<html><p>".encode("utf-16"), "html", "text/html"),
        ("a.htm", b"<p>only a part", "html", "text/html"),
        ("a.html", b"no tag in it", "text", "text/plain"),
        ("a.txt", MAIL, "email", "message/rfc822"),
        ("a.eml", b"Subject: hi\n\nbody", "email", "message/rfc822"),
        ("a.md", b"From: me\nTo: you\n\na note, no message", "markdown", "text/markdown"),
        ("a.jsonl", b'{"type":"message","message":{"role":"user"}}\n', "session", "application/x-ndjson"),
        ("a.jsonl", b'{"name":"x"}\n', "text", "application/x-ndjson"),
        ("a.csv", b"a,b\n1,2\n", "csv", "text/csv"),
        ("a.TSV", b"a\tb\n", "csv", "text/tab-separated-values"),
        ("deep/er/a.py", b"x = 1\n", "code", "text/x-python"),
        ("Makefile", b"all:\n", "code", "text/plain"),
        ("run", b"#!/bin/sh\nls\n", "code", "text/plain"),
        ("README", b"# Title\n\n## Part\n", "markdown", "text/markdown"),
        ("README.md", b'<div align="center">\n\n# Title', "markdown", "text/markdown"),
        ("a.png", b"just words", "text", "text/plain"),
        ("a.unknown", b"just words", "text", "text/plain"),
        (".hidden", b"just words", "text", "text/plain"),
        ("a", "größer".encode("utf-16"), "text", "text/plain"),
        ("a.md", b"one \0 in a text that is named as one", "markdown", "text/markdown"),
        ("a.txt", "Grüße".encode("latin-1"), "text", "text/plain"),
        ("empty", b"", "text", "text/plain"),
    ],
)
def test_content_tells_before_the_name(name: str, head: bytes, kind: str, mime: str | None) -> None:
    found = detect(name, head)
    assert found[0] == kind
    assert mime is None or found[1] == mime


@every(
    ("name", "head", "said"),
    [
        ("a.md", b"\x7fELF" + bytes(100), "a program"),
        ("a.txt", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "save it as DOCX or PDF"),
        ("a.txt", b"{\\rtf1\\ansi hello}", "Rich Text"),
        ("a.xlsx", archive({"[Content_Types].xml": "x", "xl/workbook.xml": "x"}), "a spreadsheet; save it as CSV"),
        ("a.zip", archive({"a.txt": "x"}), "a zip archive"),
        ("a.bin", b"\1\2\3\4", "begins with the bytes 01 02 03 04"),
        ("a.mov", b"\0\0\0\x14ftypqt  \0\0\0\0", "a film"),
        ("a.md", random.Random(7).randbytes(8_000), "binary"),
    ],
)
def test_what_nobody_can_read_is_named(name: str, head: bytes, said: str) -> None:
    with pytest.raises(InvalidDocument, match="Readable are Markdown") as refused:
        detect(name, head)
    assert said in str(refused.value)


@given(st.text(max_size=30), st.one_of(st.binary(max_size=300), st.text(max_size=300).map(str.encode)))
def test_anything_is_of_a_known_kind_or_refused(name: str, head: bytes) -> None:
    try:
        kind, mime = detect(name, head)
    except InvalidDocument:
        return
    assert kind in FILE_KINDS
    assert "/" in mime


@every("head", [b"<!--" * 5_000, b"<?" * 5_000, b"a:" * 5_000, b"<!doctype svg " + b"[" * 9_000])
def test_beginnings_without_an_end_are_text(head: bytes) -> None:
    assert detect("a.txt", head) == ("text", "text/plain")
