"""What each format says arrives as text with headings and exact lines, and what it says about itself as metadata."""

import io
import json
import struct
import zlib
from datetime import UTC, datetime
from email.message import EmailMessage

import pytest
from PIL import Image
from tests.rows import every

from recollect.errors import InvalidDocument
from recollect.model.literals import FileKind
from recollect.ports import ChunkingRecipe, FileReading
from recollect_files.documents import LocalDocuments, extract
from recollect_files.documents.extract import ExtractionLimits, _ChildOutput
from recollect_files.documents.extract_process import answer
from tests_files.documents.building import (
    archive,
    core,
    docx,
    paragraph,
    pdf,
    pieces_of,
    png,
    word_part,
    words_of,
)

DOCUMENTS = LocalDocuments(timeout_s=300)
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
XMP = (
    b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><r:RDF xmlns:r="urn:r" xmlns:dc="urn:d">'
    b'<r:Description dc:description="By boat">'
    b"<dc:title><r:Alt><r:li>The pier</r:li></r:Alt></dc:title>"
    b"<dc:subject><r:Bag><r:li>sea</r:li><r:li>sun</r:li></r:Bag></dc:subject>"
    b"</r:Description></r:RDF></x:xmpmeta>"
)


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run readers here, which is quick and counted; one test holds the process of their own to the same."""

    def ask(data: bytes, kind: FileKind, _limits: ExtractionLimits) -> _ChildOutput:
        return _ChildOutput(json.dumps(answer(kind, data)).encode("utf-8", "replace"), 0, too_slow=False)

    monkeypatch.setattr(extract, "_ask", ask)


def read(data: bytes, name: str, recipe: ChunkingRecipe | None = None) -> FileReading:
    return DOCUMENTS.read(data, name, recipe or ChunkingRecipe())


def test_a_process_of_its_own_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    letter = b"From: a@example.org\nTo: b@example.org\nSubject: Tea\nDate: Wed, 01 May 2024 18:30:00 +0200\n\nHello\n"
    page = "<!doctype html><title>Čaj</title><h1>Tea</h1><p>and cake".encode()
    picture = png(4, 3, [(b"tEXt", b"Title\0Pier")])
    samples = (pdf([["Chapter one"]], {"Title": "Plan"}), docx(paragraph("Plan")), letter, page, picture)
    here = [read(data, "a.eml") for data in samples]
    assert [reading.kind for reading in here] == ["pdf", "docx", "email", "html", "image"]
    monkeypatch.undo()
    assert [read(data, "a.eml") for data in samples] == here


def test_pdf_is_cut_page_by_page() -> None:
    info = {"Title": f"Plan {SECRET}", "Author": "Anna", "CreationDate": "D:20240131120000+01'00'"}
    data = pdf([["Chapter one", "begins here"], [], ["It ends", "<private>", "hidden", "</private>after"]], info)
    reading = read(data, "wrong.txt")
    assert (reading.kind, reading.mime, reading.external, reading.dated_at) == ("pdf", "application/pdf", False, None)
    assert reading.lines == 7
    shown = [(piece.heading, piece.start_line, piece.end_line) for piece in pieces_of(reading)]
    assert shown == [("page 1", 1, 2), ("page 3", 4, 7)]
    first, second = (piece.content for piece in pieces_of(reading))
    assert first == "Chapter one\nbegins here"
    assert second.split("\n") == ["It ends", "", "", "after"]
    assert reading.metadata["pages"] == 3
    assert reading.metadata["author"] == "Anna"
    assert reading.metadata["created"] == "2024-01-31T12:00:00+01:00"
    assert SECRET not in str(reading)
    assert "redacted" in reading.metadata["title"]


def test_a_long_page_is_cut_into_lines_of_the_whole_text() -> None:
    pages = [[f"page {page} line {line} of many words" for line in range(30)] for page in range(2)]
    reading = read(pdf(pages), "long.pdf", ChunkingRecipe(tokens=60, overlap=10))
    text = "\n".join(line for page in pages for line in page).split("\n")
    assert len(pieces_of(reading)) > 4
    for piece in pieces_of(reading):
        assert piece.content == "\n".join(text[piece.start_line - 1 : piece.end_line])
        assert piece.heading == ("page 1" if piece.start_line <= 30 else "page 2")


def test_a_pdf_without_text_is_found_by_its_name_and_title() -> None:
    reading = read(pdf([[], []], {"Title": "Scanned lease"}), "scan 7.pdf")
    assert reading.notes == ("no text layer",)
    assert (words_of(reading), reading.lines) == ("scan 7.pdf\nScanned lease", 2)


def test_an_encrypted_pdf_says_so() -> None:
    locked = b"/Encrypt<</Filter/Standard/V 1/R 2/O<%b>/U<%b>/P -4>>/ID[<00><00>]" % (b"11" * 32, b"22" * 32)
    with pytest.raises(InvalidDocument, match=r"'a\.pdf' was not read\. The PDF is encrypted"):
        read(pdf([["x"]], trailer=locked), "a.pdf")


def test_html_says_what_people_see() -> None:
    page = """<!doctype html><html><head><title>Caf&eacute; &amp; more</title><style>p {}</style>
      <meta name="author" content="Anna"><script>secret()</script></head><body>
      <h1>Menu</h1><p>Fresh <b>bread</b>,
      <a href="/x">every day</a>.<p hidden>gone<p>Stays.
      <![if !mso]><![strange><div style="display: none">gone</div><![endif]><!x><template>gone</template>
      <h2>Drinks<h2></h2><ul><li>tea<li>juice<ol><li>apple</ol></ul><img src="x" alt="a cup">
      <table><tr><th>What<th>Price<tr><td><p>tea</p><td><td><p>2</p><td></table><pre>
  one
    two</pre></body>"""
    reading = read(page.encode("cp1250"), "page")
    assert (reading.kind, reading.external) == ("html", True)
    assert reading.metadata == {"title": "Café & more", "author": "Anna"}
    assert "gone" not in words_of(reading)
    assert "secret()" not in words_of(reading)
    assert words_of(reading) == (
        "# Menu\n\nFresh bread, every day.\n\nStays.\n\n## Drinks\n\n- tea\n- juice\n  1. apple\na cup\n\n"
        "What | Price\ntea | | 2\n\n  one\n    two"
    )
    assert pieces_of(reading)[0].heading == "Menu"


@every(
    "page",
    [
        '<html><meta charset="windows-1250"><p>Žluťoučký'.encode("cp1250"),
        "<html><p>Žluťoučký".encode("utf-16"),
        '<html><meta charset="no such thing"><p>Žluťoučký'.encode(),
        "<html><meta charset='idna'><p>Žluťoučký".encode(),
    ],
)
def test_html_is_decoded_as_it_says(page: bytes) -> None:
    assert words_of(read(page, "a.html")) == "Žluťoučký"


def test_docx_keeps_headings_lists_tables_and_notes() -> None:
    style = '<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>'
    item = '<w:numPr><w:ilvl w:val="{}"/><w:numId w:val="1"/></w:numPr>'
    body = (
        paragraph("Plan", '<w:pStyle w:val="berschrift1"/><w:tabs><w:tab w:val="left"/></w:tabs>')
        + '<w:p><w:r><w:t xml:space="preserve">We </w:t></w:r><w:r><w:t>go</w:t><w:br/><w:t>home</w:t></w:r>'
        + '<w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:r><w:footnoteReference w:id="2"/></w:r>'
        + "<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r></w:p>"
        + paragraph("one", item.format(0))
        + paragraph("two", item.format(1))
        + "<w:tbl><w:tr><w:tc><w:p/></w:tc><w:tc>"
        + paragraph("What")
        + paragraph("else")
        + "</w:tc></w:tr><w:tr><w:tc>"
        + paragraph("tea")
        + "</w:tc><w:tc>"
        + paragraph("2 &amp; 3")
        + "</w:tc></w:tr></w:tbl>"
        + paragraph("End")
    )
    note = '<w:footnote w:id="2">' + paragraph("By train.") + "</w:footnote>"
    parts = {
        "word/styles.xml": word_part("styles", style),
        "word/footnotes.xml": word_part("footnotes", note),
        "word/header1.xml": word_part("hdr", paragraph("Confidential")),
        "word/header2.xml": word_part("hdr", paragraph("Confidential")),
        "docProps/core.xml": core(
            "<dc:title>Trip</dc:title><dc:creator>Anna</dc:creator><dcterms:created>2024-05-01</dcterms:created>"
        ),
    }
    reading = read(docx(body, parts), "trip.zip")
    assert reading.kind == "docx"
    assert reading.metadata == {"title": "Trip", "author": "Anna", "created": "2024-05-01"}
    assert words_of(reading) == (
        "# Plan\n\nWe go\nhome[^2]\n\n- one\n  - two\n\n| What else\ntea | 2 & 3\n\nEnd\n\n"
        "[^2]: By train.\n\nConfidential"
    )
    assert {piece.heading for piece in pieces_of(reading)} == {"Plan"}


def test_a_docx_without_a_document_is_refused() -> None:
    with pytest.raises(InvalidDocument, match=r"without word/document\.xml"):
        read(archive({"word/other.xml": "<x/>"}), "a.docx")


def test_mail_tells_who_when_and_what() -> None:
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = "Grüße aus Köln", "Anna <a@example.org>", "b@example.org"
    message["Date"] = "Wed, 01 May 2024 18:30:00 +0200"
    message.set_content("Wir kommen später.\n", charset="iso-8859-1")
    message.add_alternative("<p>never shown</p>", subtype="html")
    message.add_attachment("small notes", filename="notes.txt")
    message.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="foto.png")
    inner = EmailMessage()
    inner["Subject"], inner["From"] = "Inner", "c@example.org"
    inner.set_content("<h2>Deep</h2>words", subtype="html")
    message.add_attachment(inner)
    reading = read(bytes(message), "message")
    assert (reading.kind, reading.external) == ("email", True)
    assert reading.dated_at == datetime(2024, 5, 1, 16, 30, tzinfo=UTC)
    assert reading.metadata["title"] == "Grüße aus Köln"
    assert reading.metadata["from"] == "Anna <a@example.org>"
    assert reading.metadata["attachments"] == ["notes.txt", "foto.png"]
    said = words_of(reading)
    assert said.startswith("Subject: Grüße aus Köln\nFrom: Anna <a@example.org>\nTo: b@example.org\nDate: Wed, 01 May")
    assert "Wir kommen später." in said
    assert "Attachment notes.txt:\n\nsmall notes" in said
    assert "Forwarded message:\nSubject: Inner\nFrom: c@example.org\n\n## Deep\n\nwords" in said
    assert "never shown" not in said
    assert pieces_of(reading)[0].heading == "Grüße aus Köln"


def test_files_that_came_with_a_mail_are_read_and_found_by_their_names() -> None:
    message = EmailMessage()
    message["Subject"], message["From"], message["Message-ID"] = "Papers", "a@example.org", "<1@example.org>"
    message.set_content("All papers are in here.\n")
    page = "<html><title>Menu</title><body><h2>Soups</h2><p>Lentils on Monday</p></body></html>"
    word = docx(paragraph("The deposit is two rents"))
    for data, subtype, name in (
        (pdf([["The lease ends in June"], ["The cellar is number seven"]]), "pdf", "lease.pdf"),
        (pdf([["Insured until May"]]), "octet-stream", f"policy {SECRET}.pdf"),
        (word, "vnd.openxmlformats-officedocument.wordprocessingml.document", "rent.docx"),
        (page.encode("cp1250"), "octet-stream", "menu.html"),
        ("# Žluťoučký kůň\n\nOats, twice a day, for the old one.".encode("cp1250"), "octet-stream", "horse.md"),
        (b"%PDF-1.4 nothing else", "pdf", "broken.pdf"),
        (docx("<w:p>" * 5_000), "octet-stream", "deep.docx"),
        (b"x" * (8 * 2**20 + 1), "octet-stream", "long.txt"),
        (png(2, 2, [(b"tEXt", b"Comment\0words in a picture")]), "octet-stream", "photo.png"),
        (b"PK\x05\x06" + bytes(18), "zip", "all.zip"),
        (b"From: c@d\r\nSubject: Old\r\nMessage-ID: <2@x>\r\n\r\nThe bell is loud", "octet-stream", "old.eml"),
    ):
        message.add_attachment(data, maintype="application", subtype=subtype, filename=name)
    for number in range(51):
        message.add_attachment(f"number {number}", filename=f"{number}.txt")
    reading = read(bytes(message), "papers.eml")
    where = {piece.content.split("\n")[-1]: piece.heading for piece in pieces_of(reading)}
    assert where["All papers are in here."] == "Papers"
    assert where["The lease ends in June"] == "Attachment lease.pdf, page 1"
    assert where["The cellar is number seven"] == "Attachment lease.pdf, page 2"
    assert where["The deposit is two rents"] == "Attachment rent.docx"
    assert where["Lentils on Monday"].startswith("Attachment menu.html")
    assert where["Oats, twice a day, for the old one."].startswith("Attachment horse.md")
    assert where["The bell is loud"] == "Forwarded message Old"
    assert "Žluťoučký kůň" in words_of(reading)
    assert SECRET not in str(reading)
    assert "words in a picture" not in words_of(reading)
    assert {"photo.png", "all.zip", "broken.pdf"} <= set(reading.metadata["attachments"])
    notes = "\n".join(reading.notes)
    assert "broken.pdf was not read. The PDF is damaged" in notes
    assert "deep.docx was not read. " in notes
    assert "long.txt was not read. It has more than 8 MiB" in notes
    assert ("number 41" in words_of(reading), "number 50" in words_of(reading)) == (True, False)
    assert "50.txt was not read. The message has too many files" in notes
    text = words_of(reading).split("\n")
    assert reading.lines >= len(text)
    assert [piece.start_line for piece in pieces_of(reading)] == sorted({p.start_line for p in pieces_of(reading)})


def test_a_file_beside_the_alternative_that_is_not_shown_is_read() -> None:
    message = EmailMessage()
    message["Subject"], message["From"], message["Message-ID"] = "Tickets", "a@example.org", "<1@example.org>"
    message.set_content("See the ticket.\n")
    message.add_alternative("<p>never shown</p>", subtype="html")
    _, shown = message.iter_parts()
    assert isinstance(shown, EmailMessage)
    shown.add_attachment(pdf([["Coach 12, seat 45"]]), maintype="application", subtype="pdf", filename="ticket.pdf")
    reading = read(bytes(message), "a.eml")
    assert [piece.heading for piece in pieces_of(reading)] == ["Tickets", "Attachment ticket.pdf"]
    assert ("Coach 12, seat 45" in words_of(reading), "never shown" in words_of(reading)) == (True, False)


def test_mail_of_html_alone_is_read_and_odd_headers_do_no_harm() -> None:
    data = (
        b"Subject: =?no-such?q?caf=E9?= =?utf-8?b?!!!?=\nFrom: x\nDate: yesterday\nMessage-ID: <1@x>\n"
        b"Content-Type: text/html; charset=utf-8\n\n<p>Only <b>here</b></p>"
    )
    reading = read(data, "a.eml")
    assert reading.dated_at is None
    assert words_of(reading).endswith("Only here")


PRIVATE = (
    "<title>Trip <private>HIDDEN</private></title><p>Seen<private class='x'> HIDDEN <b>HIDDEN</b></PRIVATE> too</p>"
    "<p><private/x>HIDDEN</private></p>"
    "<p>&lt;private&gt;HIDDEN&lt;/private&gt; last</p><p><private>HIDDEN<p>HIDDEN"
)


def test_what_is_private_in_tags_is_gone() -> None:
    page = f"<!doctype html><html>{PRIVATE}".encode()
    mail = b"Subject: x\nFrom: y\nMessage-ID: <1@x>\nContent-Type: text/html; charset=utf-8\n\n" + page
    for data, name in ((page, "a.html"), (page, "notes.txt"), (mail, "a.eml")):
        reading = read(data, name, ChunkingRecipe(redact=False))
        assert "HIDDEN" not in str(reading), name
        said = words_of(reading)
        assert "Seen too" in said
        assert said.endswith("last")
    drawing = read(b"<svg><text>Seen <private>HIDDEN</private></text></svg>", "a.svg")
    assert (words_of(drawing), "HIDDEN" in str(drawing)) == ("Seen", False)


def test_a_page_that_tears_marks_apart_without_end_says_nothing() -> None:
    torn = "<private>HIDDEN</private>"
    for _ in range(30):
        torn = f"<pri{torn}vate>HIDDEN</private>"
    assert "HIDDEN" not in str(read(f"<html><p>{torn}".encode(), "a.html"))


def photo(kind: str) -> bytes:
    exif = Image.Exif()
    exif[0x010F], exif[0x0110], exif[0x010E] = "Acme", "One", "Sunset"
    exif[0x8769] = {0x9003: "2024:05:01 18:30:00", 0x9011: "+02:00", 0x9286: b"ASCII\0\0\0said by hand"}
    exif[0x8825] = {1: "S", 2: (50.0, 5.0, 15.0), 3: "W", 4: (14.0, 25.0, 12.0)}
    if kind == "HEIC":
        size = b"\0\0\0\x14ispe\0\0\0\0" + struct.pack(">II", 40, 30)
        return b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + size + XMP + exif.tobytes()
    data = io.BytesIO()
    Image.new("RGB", (40, 30)).save(data, kind, exif=exif, xmp=XMP, comment=b"a remark")
    return data.getvalue()


@every("kind", ["JPEG", "WEBP", "HEIC"])
def test_a_photo_tells_camera_time_place_and_words(kind: str) -> None:
    reading = read(photo(kind), "a.bin")
    assert reading.kind == "image"
    assert reading.dated_at == datetime(2024, 5, 1, 16, 30, tzinfo=UTC)
    expected = {"title": "The pier", "format": kind, "width": 40, "height": 30, "camera": "Acme One"}
    expected |= {"keywords": ["sea", "sun"], "latitude": -50.0875, "longitude": -14.42}
    assert expected.items() <= reading.metadata.items()
    lines = words_of(reading).split("\n")
    assert lines[0] == "The pier"
    assert {"By boat", "sea", "sun", "Sunset", "said by hand"} <= set(lines)
    assert ("a remark" in lines) == (kind == "JPEG")


def test_png_carries_words_in_three_ways() -> None:
    chunks = [
        (b"tEXt", b"Author\0Anna"),
        (b"zTXt", b"Comment\0\0" + zlib.compress("größer".encode("latin-1"))),
        (b"iTXt", b"Title\0\1\0cs\0\0" + zlib.compress("žába".encode())),
        (b"zTXt", b"Broken\0\0no zlib"),
    ]
    reading = read(png(3, 4, chunks), "a.jpg")
    assert words_of(reading) == "Author: Anna\nComment: größer\nTitle: žába"
    assert reading.metadata == {"format": "PNG", "width": 3, "height": 4}


def test_a_drawing_says_what_is_written_in_it() -> None:
    words = "<title>Sales</title><style>x{}</style><text>in<tspan>2024</tspan></text>"
    drawing = f'<?xml version="1.0"?><svg viewBox="0 0 10 20">{words}</svg>'
    reading = read(drawing.encode(), "chart.svg")
    assert words_of(reading) == "Sales\nin 2024"
    assert reading.metadata == {"title": "Sales", "format": "SVG", "width": 10.0, "height": 20.0}


def test_a_picture_without_words_is_found_by_its_name() -> None:
    reading = read(png(1, 1), f"{SECRET}\nholiday.png")
    assert words_of(reading).endswith("holiday.png")
    assert SECRET not in words_of(reading)
    assert (reading.lines, pieces_of(reading)[0].end_line) == (1, 1)
