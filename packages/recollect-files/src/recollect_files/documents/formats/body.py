"""Follows the text of a word processor through its XML, element by element.

The invariant: it keeps what is open, never what is over.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from recollect_files.documents.formats.page import MarkdownPage

_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_OFF = ("0", "false", "off", "none")
# What is gone, what is said a second time for old programs, and what computes instead of saying.
_UNSEEN = frozenset({"del", "moveFrom", "Fallback", "instrText", "delText", "pPrChange", "rPrChange"})
_SIGNS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}


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
