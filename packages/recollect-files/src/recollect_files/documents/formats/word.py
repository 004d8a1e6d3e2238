"""Reads DOCX: paragraphs, headings, lists, tables, notes, headers and footers, and what the file says about itself.

The invariant: parts are unpacked as they are read, and none of them when all together would exceed a bound.
"""

import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping

from recollect_files.documents.extracted import TEXT_WAS_CUT, DocumentRefused, ExtractedText, known_values, shortened
from recollect_files.documents.formats.body import Styles, WordBody
from recollect_files.documents.formats.xml import Begin, End, Words, stream

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
