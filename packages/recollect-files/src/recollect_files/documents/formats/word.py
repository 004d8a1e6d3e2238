"""Reads DOCX: paragraphs, headings, lists, tables, notes, headers and footers, and what the file says about itself.

The invariant: parts are unpacked as they are read, and none of them when all together would exceed a bound. Their XML
is followed element by element: what is open is kept, never what is over.
"""

import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from recollect_files.documents.extracted import TEXT_WAS_CUT, DocumentRefused, ExtractedText, known_values, shortened
from recollect_files.documents.formats.page import MarkdownPage
from recollect_files.documents.formats.xml import Begin, End, Words, stream

_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_OFF = ("0", "false", "off", "none")
# What is gone, what is said a second time for old programs, and what computes instead of saying.
_UNSEEN = frozenset({"del", "moveFrom", "Fallback", "instrText", "delText", "pPrChange", "rPrChange"})
_SIGNS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}

_MOST_UNPACKED_BYTES = 128 * 2**20
_MOST_ENTRIES = 20_000
_ENCRYPTED = 0x1
_EDGES = re.compile(r"word/(?:header|footer)\d{0,6}\.xml")
_NOTES = ("word/footnotes.xml", "word/endnotes.xml")
_USUAL_BODY = "word/document.xml"
_CORE = {
    "title": "title",
    "creator": "author",
    "lastModifiedBy": "last_author",
    "subject": "subject",
    "description": "description",
    "keywords": "keywords",
    "created": "created",
    "modified": "modified",
}


class Styles:
    """Which styles are headings, whatever the language they are named in."""

    def __init__(self) -> None:
        """Begin with none."""
        self.levels: dict[str, int] = {}
        self._style = ""

    def begin(self, name: str, attributes: Mapping[str, str]) -> None:
        """Note a style, its name, and the level of its paragraphs in the outline."""
        value = attributes.get("val", "")
        if name == "style":
            self._style = attributes.get("styleId", "")
        elif name == "name" and self._style:
            found = _HEADING.fullmatch(value)
            if found or value.lower() == "title":
                self.levels[self._style] = int(found[1]) if found else 1
        elif name == "outlineLvl" and self._style and value in tuple("012345678"):
            self.levels.setdefault(self._style, int(value) + 1)

    def end(self, name: str) -> None:
        """Note the end of a style."""
        if name == "style":
            self._style = ""

    def words(self, text: str) -> None:
        """Styles say nothing."""


@dataclass(slots=True)
class _Paragraph:
    level: int = 0
    depth: int = -1
    parts: list[str] = field(default_factory=list)


class WordBody:
    """The text of one part of a document."""

    def __init__(self, styles: Styles) -> None:
        """Begin an empty one."""
        self._styles = styles
        self._page = MarkdownPage()
        self._paragraphs: list[_Paragraph] = []
        self._rows: list[int] = []
        self._unseen = 0
        self._settings = 0
        self._hidden = self._saying = self._after_item = False
        self._note = ""

    def begin(self, name: str, attributes: Mapping[str, str]) -> None:
        """Follow an element that begins."""
        if self._unseen or name in _UNSEEN:
            self._unseen += 1
        elif name in ("pPr", "rPr"):
            self._settings += 1
        elif self._settings:
            self._set(name, attributes)
        elif name == "p":
            self._paragraphs.append(_Paragraph())
        elif name == "r":
            self._hidden = False
        elif name == "t":
            self._saying = True
        else:
            self._mark(name, attributes)

    def end(self, name: str) -> None:
        """Follow an element that ends."""
        if self._unseen:
            self._unseen -= 1
        elif name in ("pPr", "rPr"):
            self._settings -= 1
        elif name == "t":
            self._saying = False
        elif name == "p" and self._paragraphs:
            self._tell(self._paragraphs.pop())
        elif name == "tr" and self._rows:
            self._rows.pop()
            self._page.row()
        elif name == "tbl":
            self._page.paragraph()

    def words(self, text: str) -> None:
        """Take in words."""
        if self._saying and not self._unseen and not self._hidden and self._paragraphs:
            self._paragraphs[-1].parts.append(text)

    def text(self) -> str:
        """Give what was said."""
        return self._page.text()

    def _set(self, name: str, attributes: Mapping[str, str]) -> None:
        """Note how a paragraph or a run is set."""
        value = attributes.get("val", "")
        if name == "vanish":
            self._hidden = value not in _OFF
        if not self._paragraphs:
            return
        paragraph = self._paragraphs[-1]
        if name == "pStyle":
            paragraph.level = self._styles.levels.get(value, 0)
        elif name == "outlineLvl" and value in tuple("012345678"):
            paragraph.level = int(value) + 1
        elif name == "numPr":
            paragraph.depth = 0
        elif name == "ilvl" and value.isdecimal():
            paragraph.depth = min(int(value[:2]), 8)

    def _mark(self, name: str, attributes: Mapping[str, str]) -> None:
        """Follow what is neither words nor settings: signs, tables, notes."""
        if name in _SIGNS and self._paragraphs:
            self._paragraphs[-1].parts.append(" " if self._rows else _SIGNS[name])
        elif name == "tbl":
            self._page.table()
        elif name == "tr":
            self._rows.append(0)
            self._page.row()
        elif name == "tc" and self._rows:
            self._page.cell(first=not self._rows[-1])
            self._rows[-1] += 1
        elif name in ("footnoteReference", "endnoteReference") and self._paragraphs:
            self._paragraphs[-1].parts.append(f"[^{attributes.get('id', '')[:10]}]")
        elif name in ("footnote", "endnote"):
            self._note = f"[^{attributes.get('id', '')[:10]}]: "

    def _tell(self, paragraph: _Paragraph) -> None:
        said = "".join(paragraph.parts).strip()
        if not said:
            return
        said, self._note = self._note + said, ""
        is_item = paragraph.depth >= 0 and not paragraph.level
        if self._rows:
            self._page.write(f" {said} ")
        elif paragraph.level:
            self._page.heading(paragraph.level)
            self._page.write(said)
        elif is_item:
            (self._page.line if self._after_item else self._page.paragraph)()
            self._page.item(paragraph.depth)
            self._page.write(said)
        else:
            self._page.paragraph()
            self._page.write_verbatim(said)
        self._after_item = is_item


class _Budget:
    """How many bytes of XML may still be unpacked, over all parts of one document."""

    def __init__(self, most_bytes: int) -> None:
        """Begin with all of it."""
        self._most = most_bytes
        self._left = most_bytes

    def spend(self, count: int) -> None:
        """Take some of it. Raises Refused when there is not so much left."""
        self._left -= count
        if self._left < 0:
            raise DocumentRefused(
                f"Its text unpacks to more than {self._most >> 20:,} MiB, which no document of words needs: "
                "it looks like a zip bomb."
            )


class _WordArchive:
    """The parts of a DOCX."""

    def __init__(self, data: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
            raise DocumentRefused(f"It is a damaged DOCX: {error}.") from error
        self.names = self._zip.namelist()
        if len(self.names) > _MOST_ENTRIES:
            raise DocumentRefused(
                f"Its archive has {len(self.names):,} entries; a DOCX with more than {_MOST_ENTRIES:,} is none."
            )
        self._budget = _Budget(_MOST_UNPACKED_BYTES)
        self.cut = False

    def read(self, name: str, begin: Begin, end: End, words: Words) -> None:
        """Read one part, if it is there. Raises Refused when it is damaged, encrypted or a bomb."""
        if name not in self.names:
            return
        info = self._zip.getinfo(name)
        self._budget.spend(info.file_size)  # no more than it declares is ever unpacked
        if info.flag_bits & _ENCRYPTED:
            raise DocumentRefused("It is encrypted. Save it without a password, then add it again.")
        try:
            with self._zip.open(name) as part:
                self.cut |= not stream(part, begin, end, words)
        except (zipfile.BadZipFile, NotImplementedError, zlib.error, EOFError, ValueError) as error:
            raise DocumentRefused(f"It is a damaged DOCX: {name} cannot be unpacked ({error}).") from error


def read_docx(data: bytes) -> ExtractedText:
    """Read a DOCX. Raises Refused."""
    archive = _WordArchive(data)
    main = _body_name(archive)
    if main not in archive.names:
        raise DocumentRefused(
            f"It is a zip archive without {_USUAL_BODY}; a DOCX has one. Open it and save it again as DOCX."
        )
    styles = Styles()
    archive.read("word/styles.xml", styles.begin, styles.end, styles.words)
    parts, notes = shortened(_texts(archive, main, styles))
    text = "\n\n".join(part for part in parts if part)
    properties = known_values(_properties(archive).items())
    return ExtractedText((text,), properties, (TEXT_WAS_CUT,) if archive.cut else notes)


def _texts(archive: _WordArchive, main: str, styles: Styles) -> Iterator[str]:
    """Give the text of the body, of its notes, and of what stands on every page, each once."""
    for name in (main, *_NOTES):
        body = WordBody(styles)
        archive.read(name, body.begin, body.end, body.words)
        yield body.text()
    seen = set()
    for name in sorted(filter(_EDGES.fullmatch, archive.names)):
        body = WordBody(styles)
        archive.read(name, body.begin, body.end, body.words)
        if body.text() not in seen:
            seen.add(body.text())
            yield body.text()


def _body_name(archive: _WordArchive) -> str:
    """Give the name of the part that is the document, as the archive's relations tell."""
    found: list[str] = []

    def begin(name: str, attributes: Mapping[str, str]) -> None:
        if name == "Relationship" and attributes.get("Type", "").endswith("/officeDocument"):
            found.append(attributes.get("Target", "").lstrip("/"))

    archive.read("_rels/.rels", begin, lambda _name: None, lambda _words: None)
    return found[0] if found else _USUAL_BODY


def _properties(archive: _WordArchive) -> dict[str, str]:
    values: dict[str, str] = {}
    inside: list[str] = []

    def words(text: str) -> None:
        if inside and inside[-1] in _CORE:
            key = _CORE[inside[-1]]
            values[key] = values.get(key, "") + text

    archive.read(
        "docProps/core.xml", lambda name, _attributes: inside.append(name), lambda _name: inside.clear(), words
    )
    return values
