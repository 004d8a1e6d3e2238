"""A document costs what its budget allows, and says so when it is cut."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from io import BytesIO

import pytest
from tests.growth import assert_linear

from recollect.engine.stored_files import assemble_text
from recollect.model.files import CUT, Chunk
from recollect.ports import ChunkingRecipe
from recollect_files.chunks import cut
from recollect_files.documents import LocalDocuments
from recollect_files.documents.formats import xml
from tests_files.documents.building import docx, paragraph, pdf, pieces_of

SMALL = ChunkingRecipe(tokens=50, overlap=10, most_pieces=20)
MAIL = b"From: a@b\r\nSubject: Much\r\n\r\n"
LONG = 6_000
MOMENT = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("data", "name"),
    [
        pytest.param(docx(paragraph("word " * LONG)), "a.docx", id="one paragraph"),
        pytest.param(docx(paragraph("a") * LONG), "a.docx", id="many paragraphs"),
        pytest.param(
            docx("<w:tbl>" + f"<w:tr><w:tc>{paragraph('a')}</w:tc></w:tr>" * 3_000 + "</w:tbl>"), "a.docx", id="rows"
        ),
        pytest.param(b"<html>" + b"<p>A word." * LONG, "a.html", id="page"),
        pytest.param(pdf([["A page with some words on it."] * 9] * 40), "a.pdf", id="PDF"),
        pytest.param(MAIL + b"Some words.\r\n" * LONG, "a.eml", id="mail"),
        pytest.param(b"x" * 10 * LONG, "a.txt", id="one line"),
        pytest.param(b"a\n" * 5 * LONG, "a.md", id="many lines"),
        pytest.param(b"# a\n" * LONG, "a.md", id="headings"),
        pytest.param(b",a" * LONG + b"\n1,2", "a.csv", id="wide table"),
        pytest.param(b"{\n" * LONG, "a.py", id="program"),
    ],
)
def test_what_is_beyond_the_budget_is_left_out_and_said(data: bytes, name: str) -> None:
    reading = LocalDocuments(timeout_s=300).read(data, name, SMALL)
    pieces = pieces_of(reading)
    assert 0 < len(pieces) <= SMALL.most_pieces
    assert sum(len(piece.content) for piece in pieces) < 2 * SMALL.most_characters
    assert (pieces[0].start_line, pieces[-1].end_line <= reading.lines) == (1, True)
    (said,) = (note for note in reading.notes if note.startswith(CUT))
    assert said == f"text was cut: only the first {len(pieces)} pieces are searched (files.most_pieces is 20)"


def test_of_a_session_the_last_turns_count() -> None:
    lines = [json.dumps({"role": "user", "content": f"Turn {number}."}) for number in range(900)]
    reading = LocalDocuments().read("\n".join(lines).encode(), "a.jsonl", SMALL)
    assert [piece.start_line for piece in pieces_of(reading)] == list(range(881, 901))
    assert reading.notes == ("text was cut: only the last 20 pieces are searched (files.most_pieces is 20)",)


def test_a_book_of_a_thousand_pages_fits() -> None:
    page = "".join(
        f"Sentence {number} of a page tells what happened next.\n" + "\n" * (number % 9 == 0) for number in range(50)
    )
    reading = LocalDocuments().read((page * 40).encode(), "book.md", ChunkingRecipe())
    assert not reading.notes
    assert len(reading.pieces) * 1_000 / 40 < ChunkingRecipe().most_pieces


def test_what_is_just_within_the_budget_is_whole() -> None:
    text = "\n\n".join(f"Paragraph {number} says something." for number in range(60))
    whole = LocalDocuments().read(text.encode(), "a.md", ChunkingRecipe(tokens=50))
    within = ChunkingRecipe(tokens=50, most_pieces=len(whole.pieces))
    assert LocalDocuments().read(text.encode(), "a.md", within) == whole


def test_xml_is_read_up_to_so_many_elements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml, "_MOST_ELEMENTS", 100)
    seen: list[str] = []

    def read(elements: int) -> bool:
        source = BytesIO(b"<a>" + b"<b></b>" * elements + b"</a>")
        return xml.stream(source, lambda name, _: seen.append(name), lambda _: None, lambda _: None)

    assert read(99)
    seen.clear()
    assert not read(1_000_000)
    assert len(seen) < 65_536


def chunk(content: str, line: int, column: int) -> Chunk:
    end = line + content.count("\n")
    return Chunk("", "", content, "", line, end, column, "", 1, None, MOMENT, "", "", "document", "text", None, None)


@pytest.mark.parametrize("width", [1, 100], ids=["letters", "sentences"])
def test_a_long_line_is_assembled_in_linear_time(width: int) -> None:
    def assemble(count: int) -> None:
        chunks = [chunk("x" * 2 * width, 1, place * width) for place in range(count)]
        assert len(assemble_text(chunks, 1, 1)) == (count + 1) * width

    assert_linear(assemble, 20_000)


def test_places_that_an_archive_made_up_cost_nothing() -> None:
    assert assemble_text([chunk("far", 1, 10**12), chunk("below", 10**12, 0)], 1, 2).split() == ["far"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(lambda size: "word " * size, id="words"),
        pytest.param(lambda size: "#\n" * size, id="headings"),
        pytest.param(lambda size: "a\n\n" * size, id="paragraphs"),
        pytest.param(lambda size: " a |" * size, id="cells"),
        pytest.param(lambda size: "```a\n" * size, id="fences"),
    ],
)
def test_what_is_made_to_be_slow_is_cut_in_linear_time(text: Callable[[int], str]) -> None:
    assert_linear(lambda size: cut(text(size), "docx"), 16_000)
