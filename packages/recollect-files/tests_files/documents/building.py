"""Makes real documents, byte by byte, as small as their formats allow."""

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence

from recollect.model.files import TextPiece
from recollect.ports import FileReading

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_DC = 'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"'


def pdf_of(objects: Sequence[bytes], trailer: bytes = b"") -> bytes:
    """Give a PDF of numbered objects, the first of which is its catalogue."""
    data = b"%PDF-1.4\n"
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    return data + (
        b"xref\n0 %d\n0000000000 65535 f \n%btrailer\n<</Size %d/Root 1 0 R%b>>\nstartxref\n%d\n%%%%EOF\n"
        % (size, table, size, trailer, len(data))
    )


def pdf(pages: Sequence[Sequence[str]], info: Mapping[str, str] | None = None, trailer: bytes = b"") -> bytes:
    """Give a PDF with lines of text on its pages."""
    first = 5
    kids = b" ".join(b"%d 0 R" % (first + 2 * number) for number in range(len(pages)))
    told = b"".join(b"/%b(%b)" % (key.encode(), value.encode()) for key, value in (info or {}).items())
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[%b]/Count %d>>" % (kids, len(pages)),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<<%b>>" % told,
    ]
    for number, lines in enumerate(pages):
        shown = b" ".join(b"(%b) Tj 0 -20 Td" % line.encode() for line in lines)
        content = b"BT /F1 12 Tf 50 700 Td %b ET" % shown
        objects += [
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F1 3 0 R>>>>/Contents %d 0 R>>"
            % (first + 2 * number + 1),
            b"<</Length %d>>stream\n%b\nendstream" % (len(content), content),
        ]
    return pdf_of(objects, b"/Info 4 0 R" + trailer)


def endless_pdf() -> bytes:
    """Give a small PDF with a million pages: a hundred times a hundred times a hundred times the same one."""
    hundred = [b" ".join([b"%d 0 R" % number] * 100) for number in range(6)]
    return pdf_of(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[%b]/Count 1000000>>" % hundred[3],
            b"<</Type/Pages/Parent 2 0 R/Kids[%b]/Count 10000>>" % hundred[4],
            b"<</Type/Pages/Parent 3 0 R/Kids[%b]/Count 100>>" % hundred[5],
            b"<</Type/Page/Parent 4 0 R/MediaBox[0 0 600 800]>>",
        ]
    )


def archive(parts: Mapping[str, str | bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return data.getvalue()


def docx(body: str, parts: Mapping[str, str | bytes] | None = None) -> bytes:
    """Give a DOCX with this body, and other parts by their names."""
    document = f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'
    return archive({"[Content_Types].xml": "<Types/>", "word/document.xml": document, **(parts or {})})


def word_part(name: str, content: str) -> str:
    """Give another part of a DOCX: styles, notes, what stands on every page."""
    return f'<w:{name} xmlns:w="{WORD}">{content}</w:{name}>'


def core(content: str) -> str:
    """Give what a DOCX says about itself."""
    return f"<cp:coreProperties xmlns:cp='urn:x' {_DC}>{content}</cp:coreProperties>"


def paragraph(text: str, settings: str = "") -> str:
    return f"<w:p><w:pPr>{settings}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def png(width: int, height: int, chunks: Sequence[tuple[bytes, bytes]] = ()) -> bytes:
    """Give a PNG that says it is so large, with more chunks."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    whole = [(b"IHDR", header), *chunks, (b"IDAT", zlib.compress(b"\0")), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in whole
    )


def pieces_of(reading: FileReading) -> list[TextPiece]:
    return [indexed.piece for indexed in reading.pieces]


def words_of(reading: FileReading) -> str:
    return "\n".join(piece.content for piece in pieces_of(reading))
