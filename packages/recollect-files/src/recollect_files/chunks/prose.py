"""Looks at Markdown, and at plain text as people write it: headings, paragraphs, lists, tables, fenced code.

The invariant: a line inside a fence is never a heading, and a fence or table that fits into a piece is never cut.
"""

from typing import Final

from recollect_files.chunks.layout import (
    BLOCK,
    FENCED,
    HEADINGS,
    ITEM,
    LINE,
    NEVER,
    PAGE,
    ROW,
    SECTION,
    SUBITEM,
    Heading,
    SourceLines,
    TextLayout,
)  # fmt: skip

_SPECIAL: Final = frozenset("#`~|>-+*=_:\t \f\v\r\x1c\x1d\x1e\x1f\x85\xa0\u2028\u2029\u3000") | frozenset("0123456789")
_BULLETS: Final = ("- ", "* ", "+ ", "-\t", "*\t", "+\t")
_FENCES: Final = ("```", "~~~")
_LONGEST_TITLE: Final = 500
_DEEPEST: Final = 6
_INDENTED: Final = 2  # blanks before a line that continues the item above it
_CODE: Final = 4  # blanks before a line that is code
_LONGEST_NUMBER: Final = 9


class _Scan:
    """One pass over the lines. What it has found so far is all it knows."""

    def __init__(self, text: SourceLines, most: int) -> None:
        self.lines = text.lines
        self.places = text.places
        self.most = most
        self.ranks = bytearray([NEVER]) * len(text.lines)
        self.headings: list[Heading] = []

    def run(self, first: int) -> TextLayout:
        """Look at every line from `first` on. `fresh` says that a new block may begin here."""
        lines, ranks, special = self.lines, self.ranks, _SPECIAL
        number, count = first, len(lines)
        fresh = True
        while number < count:
            line = lines[number]
            if not line:
                fresh = True
                number += 1
                continue
            if line[0] not in special:
                ranks[number] = BLOCK if fresh else LINE
                fresh = False
                number += 1
                continue
            number, fresh = self._special(number, line, fresh=fresh)
        self._lead()
        return TextLayout(ranks, self.headings, first)

    def _lead(self) -> None:
        """Keep the first block of a section with its heading."""
        for heading in self.headings:
            follows = heading.last + 1
            while follows < len(self.lines) and not self.lines[follows].strip():
                follows += 1
            if follows < len(self.lines) and self.ranks[follows] == BLOCK:
                self.ranks[follows] = LINE

    def _special(self, number: int, line: str, *, fresh: bool) -> tuple[int, bool]:
        """Look at a line that may be more than words. Gives the next line to look at, and whether a block may begin."""
        core = line.strip()
        if not core:
            return number + 1, True
        sign = core[0]
        indent = len(line) - len(line.lstrip())
        if (
            indent < _CODE
            and sign in "#=-"
            and (self._atx(number, core) if sign == "#" else self._setext(number, core))
        ):
            return number + 1, False
        if core.startswith(_FENCES) and not (sign == "`" and "`" in core[3:].lstrip("`")):
            return self._block(number, self._fence_end(number, core), FENCED), True
        if sign == "|":
            return self._block(number, self._table_end(number), ROW), True
        if "|" in core and sign in "-:" and not core.strip("-:| \t") and self._is_open_row(number - 1):
            return self._block(number - 1, self._table_end(number), ROW), True
        self.ranks[number] = self._rank(core, line, indent, fresh=fresh)
        return number + 1, False

    def _rank(self, core: str, line: str, indent: int, *, fresh: bool) -> int:
        if line[0] == "\f":
            return PAGE
        if _is_item(core):
            return SUBITEM if indent >= _INDENTED else BLOCK if fresh else ITEM
        if not fresh:
            return LINE
        return SUBITEM if indent >= _INDENTED else BLOCK

    def _atx(self, number: int, core: str) -> bool:
        title = core.lstrip("#")
        depth = len(core) - len(title)
        if depth > _DEEPEST or (title and not title[0].isspace()):
            return False
        self._head(number, number, depth, title)
        return True

    def _setext(self, number: int, core: str) -> bool:
        """Take the line above for a heading if it is a paragraph of its own, and this one underlines it."""
        if core.strip(core[0]) or not number or self.ranks[number - 1] != BLOCK:
            return False
        title = self.lines[number - 1].strip()
        if (
            not title
            or title[0] in ">|"
            or _is_item(title)
            or self.places[number + 1] - self.places[number - 1] > self.most
        ):
            return False
        self._head(number - 1, number, 1 if core[0] == "=" else 2, title)
        return True

    def _head(self, first: int, last: int, depth: int, title: str) -> None:
        self.ranks[first] = HEADINGS.get(depth, SECTION)
        self.headings.append(Heading(first, last, depth, title[:_LONGEST_TITLE]))

    def _is_open_row(self, number: int) -> bool:
        return number >= 0 and self.ranks[number] == BLOCK and "|" in self.lines[number]

    def _fence_end(self, number: int, core: str) -> int:
        """Give the line after a fence: it ends with a fence as long as the one it began with, or with the text."""
        sign = core[0]
        mark = sign * (len(core) - len(core.lstrip(sign)))
        lines = self.lines
        for end in range(number + 1, len(lines)):
            line = lines[end]
            if sign in line:
                candidate = line.strip()
                if candidate.startswith(mark) and not candidate.strip(sign):
                    return end + 1
        return len(lines)

    def _table_end(self, number: int) -> int:
        end = number + 1
        while end < len(self.lines) and "|" in self.lines[end]:
            end += 1
        return end

    def _block(self, start: int, end: int, inner: int) -> int:
        """Mark a block that stays whole if it fits into a piece."""
        self.ranks[start] = BLOCK
        if self.places[end] - self.places[start] > self.most:
            for number in range(start + 1, end):
                self.ranks[number] = inner if self.lines[number].strip() else NEVER
        else:
            self.ranks[start + 1 : end] = bytes([NEVER]) * (end - start - 1)
        return end


def _is_item(core: str) -> bool:
    """Say whether a line without its indentation is an item of a list."""
    if core.startswith(_BULLETS):
        return True
    if not core[0].isdigit():
        return False
    rest = core[: _LONGEST_NUMBER + 2].lstrip("0123456789")
    return rest[:2] in (". ", ") ")


def look_at_prose(text: SourceLines, most: int, first: int = 0) -> TextLayout:
    """Give the layout of a text in Markdown whose lines before `first` are its front matter."""
    scan = _Scan(text, most)
    if first:
        scan.ranks[0] = BLOCK
        if text.places[first] > most:
            scan.ranks[1:first] = bytes(LINE if line.strip() else NEVER for line in text.lines[1:first])
    return scan.run(first)
