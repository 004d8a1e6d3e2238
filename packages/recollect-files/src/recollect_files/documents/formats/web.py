"""Reads web pages: what a person would see, with headings, lists and tables as Markdown writes them.

The invariant: linear in the length of the page, whatever is left open or closed twice; nothing is fetched. Tags are
read as browsers do: whatever is wrong with them, the page is read to its end. What is marked as private is gone before
a tag is read: to the reader `<private>` is a tag like any other, of which only the words would be left.
"""

import re
from collections import Counter
from html.parser import HTMLParser
from typing import Final

from recollect_files.documents.decode_text import decode_web
from recollect_files.documents.extracted import TEXT_WAS_CUT, ExtractedText, known_values, shortened
from recollect_files.documents.formats.page import MarkdownPage

_HINT: Final = re.compile("private", re.IGNORECASE)
_MOST_TEARS: Final = 10  # how often what was cut out may have torn another mark apart before nothing is believed

_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
)
_UNSEEN = frozenset(
    {"script", "style", "template", "noscript", "svg", "math", "iframe", "object", "canvas", "datalist", "private"}
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_PARAGRAPHS = frozenset(
    {
        "p",
        "blockquote",
        "pre",
        "table",
        "figure",
        "section",
        "article",
        "header",
        "footer",
        "main",
        "aside",
        "nav",
        "form",
    }
    | {"fieldset", "details", "hr", "address", "dl", *_HEADINGS}
)
_LINES = frozenset(
    {"div", "br", "li", "ul", "ol", "dt", "dd", "figcaption", "caption", "summary", "option", "legend", "body"}
)
_LISTS = frozenset({"ul", "ol", "menu"})
_SELF_ENDING = frozenset({"p", "li", "dt", "dd", "option", "tr", "td", "th"})
_CELLS = frozenset({"td", "th"})
_DESCRIBED = {
    "description": "description",
    "og:description": "description",
    "author": "author",
    "article:published_time": "published",
    "date": "published",
    "keywords": "keywords",
    "og:site_name": "site",
}

Attributes = list[tuple[str, str | None]]


class TagReader(HTMLParser):
    """Python's reader of HTML, made to put up with what it gives up on."""

    def __init__(self) -> None:
        """Begin with nothing read."""
        super().__init__(convert_charrefs=True)

    def read_whole(self, page: str) -> None:
        """Read a page from its beginning to its end, without its private parts."""
        self.feed(_public(page))
        self.close()

    def parse_html_declaration(self, i: int) -> int:
        """Skip declarations; those in square brackets, as word processors write them, are comments to browsers."""
        if self.rawdata.startswith("<![", i):
            return self.parse_bogus_comment(i)
        return super().parse_html_declaration(i)


def _public(page: str) -> str:
    """Cut out private parts, those included that come to light when others are cut out."""
    if not _HINT.search(page):
        return page
    from recollect.text.private import without_private  # noqa: PLC0415 -- most pages need not wait for it to be loaded

    for _ in range(_MOST_TEARS):
        left = without_private(page)
        if left == page:
            return page
        page = left
    return ""


class _HtmlReader(TagReader):
    def __init__(self) -> None:
        super().__init__()
        self.page = MarkdownPage()
        self.metadata: dict[str, str] = {}
        self.title: list[str] = []
        self.has_heading = False
        self._open: list[str] = []
        self._counts: Counter[str] = Counter()
        self._hidden_from = -1
        self._lists: list[int] = []
        self._cells: list[int] = []
        self._fresh_pre = False

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        """Note an element that begins, unless it is inside an invisible one."""
        self._end_what_ends_by_itself(tag)
        hidden = self._hidden_from >= 0
        if tag not in _VOID:
            self._open.append(tag)
            self._counts[tag] += 1
            if not hidden and _is_hidden(tag, attrs):
                self._hidden_from = len(self._open) - 1
                return
        if tag == "meta":
            self._describe(dict(attrs))
        if not hidden:
            self._begin(tag, dict(attrs))

    def handle_startendtag(self, tag: str, attrs: Attributes) -> None:
        """Take `<br/>` for `<br>`; a slash means nothing elsewhere."""
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        """Close an element and everything that was left open in it; an end without a beginning means nothing."""
        if not self._counts[tag]:
            return
        while self._open:
            last = self._open.pop()
            self._counts[last] -= 1
            if self._hidden_from == len(self._open):
                self._hidden_from = -1
            elif self._hidden_from < 0:
                self._end(last)
            if last == tag:
                return

    def handle_data(self, data: str) -> None:
        """Take in words."""
        if self._hidden_from >= 0:
            return
        if self._counts["title"]:
            self.title.append(data)
        elif self._counts["pre"]:
            self.page.write_verbatim(data.removeprefix("\n") if self._fresh_pre else data)
            self._fresh_pre = False
        else:
            self.page.write(data)

    def _end_what_ends_by_itself(self, tag: str) -> None:
        last = self._open[-1] if self._open else ""
        if last == "p" and (tag in _PARAGRAPHS or tag in _LISTS or tag == "div"):
            self.handle_endtag("p")
        elif last == tag and tag in _SELF_ENDING:
            self.handle_endtag(tag)
        elif last in _CELLS and tag in ("td", "th", "tr"):
            self.handle_endtag(last)
            if tag == "tr" and self._open and self._open[-1] == "tr":
                self.handle_endtag("tr")

    def _begin(self, tag: str, attributes: dict[str, str | None]) -> None:
        if tag in _HEADINGS:
            self.has_heading |= tag == "h1"
            self.page.heading(_HEADINGS[tag])
        elif tag in _LISTS:
            self._lists.append(0 if tag == "ol" else -1)
            self.page.line()
        elif tag == "li":
            self._item()
        elif tag == "tr":
            self._cells.append(0)
            self.page.row()
        elif tag in _CELLS:
            self._cell()
        elif tag in ("img", "area", "input"):
            self.page.write(f" {attributes.get('alt') or ''} ")
        elif tag == "table":
            self.page.table()
        else:
            self._fresh_pre = tag == "pre"
            self._break(tag)

    def _end(self, tag: str) -> None:
        if tag in _LISTS and self._lists:
            self._lists.pop()
            self.page.line()
        elif tag == "tr" and self._cells:
            self._cells.pop()
            self.page.row()
        else:
            if tag == "li" or tag in _HEADINGS:
                self.page.end_block()
            self._break(tag)

    def _break(self, tag: str) -> None:
        if tag in _PARAGRAPHS:
            self.page.paragraph()
        elif tag in _LINES:
            self.page.line()

    def _item(self) -> None:
        mark = "-"
        if self._lists and self._lists[-1] >= 0:
            self._lists[-1] += 1
            mark = f"{self._lists[-1]}."
        self.page.item(len(self._lists) - 1, mark)

    def _cell(self) -> None:
        if self._cells:
            self.page.cell(first=not self._cells[-1])
            self._cells[-1] += 1

    def _describe(self, attributes: dict[str, str | None]) -> None:
        key = _DESCRIBED.get((attributes.get("name") or attributes.get("property") or "").lower())
        if key:
            self.metadata.setdefault(key, attributes.get("content") or "")


def read_html(data: bytes) -> ExtractedText:
    """Read a web page."""
    return read_page(decode_web(data))


def read_page(page: str) -> ExtractedText:
    """Read a web page that is text already."""
    reader = _HtmlReader()
    reader.read_whole(page)
    title = " ".join("".join(reader.title).split())
    text = reader.page.text().strip("\n")
    if title and not reader.has_heading:
        text = f"# {title}\n\n{text}"
    parts, notes = shortened((text,))
    if reader.page.full:
        notes = (TEXT_WAS_CUT,)
    return ExtractedText(parts, known_values({"title": title, **reader.metadata}.items()), notes)


def _is_hidden(tag: str, attributes: Attributes) -> bool:
    if tag in _UNSEEN:
        return True
    for key, value in attributes:
        if key == "hidden" or (key == "aria-hidden" and value == "true"):
            return True
        if key == "style" and value and "none" in value:
            return "display:none" in value.replace(" ", "").lower()
    return False
