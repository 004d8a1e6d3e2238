"""Makes pieces of a text that has been looked at: the parts between boundaries, what each repeats, and its headings.

The invariant: the content of a piece is what stands in the text at its place, to the character, and every character
that is not blank is in a piece.
"""

import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from recollect.model.files import TextPiece
from recollect_files.chunks.boundaries import CutPlaces, boundaries, places_of
from recollect_files.chunks.layout import CHARACTER, FENCED, SECTION, WORD, Sizes, SourceLines, TextLayout

_LONGEST_HEADING: Final = 300
_LONGEST_PART: Final = 120
_MARKUP: Final = frozenset("*_`[]<~\\#")
_LINK: Final = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_TAG: Final = re.compile(r"</?[A-Za-z][^<>]*>")
_EMPHASIS: Final = re.compile(r"\*+|`+|~~|(?<!\w)_{1,3}|_{1,3}(?!\w)")
_NOT_REPEATED: Final = frozenset({CHARACTER, WORD, FENCED})


def assemble(text: SourceLines, layout: TextLayout, sizes: Sizes, *, by_indent: bool = False) -> tuple[TextPiece, ...]:
    """Cut a text. `by_indent` says that a heading reaches as far as lines stand deeper than it, as in programs."""
    places = places_of(text, layout.ranks, sizes)
    cuts = boundaries(places, sizes)
    trail = _Trail(text.lines, layout, by_indent=by_indent)
    return tuple(_pieces(text, places, cuts, sizes.overlap, trail))


def _pieces(
    text: SourceLines, places: CutPlaces, cuts: Sequence[int], overlap: int, trail: "_Trail"
) -> Iterator[TextPiece]:
    offsets = text.offsets
    before = 0
    for cut, after in pairwise((*cuts, len(places.keys))):
        own, end = places.offsets[cut], places.offsets[after]
        start = places.offsets[_repeated(places, before, cut, overlap)]
        first = bisect_right(offsets, start) - 1
        own_first = first if own == start else bisect_right(offsets, own, first) - 1
        last, end = _trimmed(text, own_first, end)
        heading = trail.at(own_first, last)
        before = cut
        content = text.text[start:end]
        if not content.isspace():
            yield TextPiece(content, heading, first + 1, last + 1, start - offsets[first])


def _trimmed(text: SourceLines, first: int, end: int) -> tuple[int, int]:
    """Give the last line of a piece that ends before `end`, without the blank lines there, and its end in it."""
    last = min(bisect_right(text.offsets, end, first), len(text.lines)) - 1
    if text.lines[last][: end - text.offsets[last]].strip():
        return last, end
    while last > first:
        last -= 1
        if text.lines[last].strip():
            break
    return last, min(end, text.offsets[last + 1] - 1)


def _repeated(places: CutPlaces, before: int, cut: int, overlap: int) -> int:
    """Give the place from which a piece repeats the end of the one before: none across a heading or out of a fence."""
    ranks, at = places.ranks, places.at
    if ranks[cut] >= SECTION or ranks[cut] == FENCED:
        return cut
    least = at[cut] - overlap
    place = cut
    while place > before and at[place - 1] >= least:
        if ranks[place - 1] >= SECTION or ranks[place - 1] in _NOT_REPEATED:
            break
        place -= 1
    return place


class _Trail:
    """The headings in force, while the pieces of a text are made in their order."""

    def __init__(self, lines: Sequence[str], layout: TextLayout, *, by_indent: bool) -> None:
        self._lines = lines
        self._headings = layout.headings
        self._body = layout.body
        self._by_indent = by_indent
        self._next = 0
        self._open: list[tuple[int, str]] = []
        self._path = ""

    def at(self, first: int, last: int) -> str:
        """Give the way of headings to a piece: those above its first line, and those it begins with."""
        if not self._headings:
            return ""
        changed = self._pass(first)
        first = max(first, self._body)
        start = self._next
        while self._next < len(self._headings) and (start == self._next or not self._by_indent):
            while first < last and not self._lines[first].strip():
                first += 1
            if self._headings[self._next].first != first or first > last:
                break
            first = self._headings[self._next].last + 1
            changed |= self._pass(first)
        if self._by_indent:
            return self._enclosing(None if self._next > start else self._lines[first])
        if changed:
            self._path = _joined([plain_title(title) for _, title in self._open])
        return self._path

    def _pass(self, line: int) -> bool:
        """Go past the headings before a line."""
        start = self._next
        while self._next < len(self._headings) and self._headings[self._next].first < line:
            heading = self._headings[self._next]
            while self._open and self._open[-1][0] >= heading.depth:
                self._open.pop()
            self._open.append((heading.depth, heading.title))
            self._next += 1
        return self._next > start

    def _enclosing(self, line: str | None) -> str:
        """Name the definitions that reach to a line: those that it stands deeper than. Without a line, all of them."""
        depth = math.inf if line is None else len(line) - len(line.lstrip()) + 1
        return _joined([title for own, title in self._open if own < depth])


def _joined(titles: Sequence[str]) -> str:
    path = " > ".join(filter(None, titles))
    return path if len(path) <= _LONGEST_HEADING else path[: _LONGEST_HEADING - 1] + "…"


def plain_title(title: str) -> str:
    """Give the words of a heading without its marks."""
    title = title.strip()
    if not _MARKUP.isdisjoint(title):
        bare = title.rstrip("#")
        title = bare if not bare or bare[-1:].isspace() else title
        title = _EMPHASIS.sub("", _TAG.sub("", _LINK.sub(r"\1", title))).replace("\\", "")
    return " ".join(title.split())[:_LONGEST_PART]
