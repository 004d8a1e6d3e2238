"""Looks at a text before it is cut: which lines may begin a piece, and how willingly; which are headings.

The invariant: what is said of a line depends on lines near it and on the block it stands in, never on other pieces. In
Markdown and plain text, a line inside a fence is never a heading, and a fence or table that fits into a piece is never
cut. In a program, a definition begins with the comments and decorators that stand right above it. In a table of values,
a row whose quoted values hold line feeds stays whole, unless its quote never ends.
"""

import csv
import re
from collections.abc import Sequence
from itertools import accumulate
from typing import Final, NamedTuple

# How willingly a text is cut at a place, the least willingly first. A place inside a line exists only in long lines.
# SECTION is a heading of the third level or below.
(CHARACTER, WORD, SENTENCE, FENCED, ROW, LINE, SUBITEM, ITEM, BLOCK, PAGE, SECTION, CHAPTER, TITLE) = range(13)
NEVER: Final = 255  # blank lines, and what must stay with the line before it

HEADINGS: Final = {1: TITLE, 2: CHAPTER}

_SPECIAL: Final = frozenset("#`~|>-+*=_:\t \f\v\r\x1c\x1d\x1e\x1f\x85\xa0\u2028\u2029\u3000") | frozenset("0123456789")
_BULLETS: Final = ("- ", "* ", "+ ", "-\t", "*\t", "+\t")
_FENCES: Final = ("```", "~~~")
_LONGEST_TITLE: Final = 500
_DEEPEST: Final = 6
_INDENTED: Final = 2  # blanks before a line that continues the item above it
_CODE: Final = 4  # blanks before a line that is code
_LONGEST_NUMBER: Final = 9

_MODIFIERS: Final = (
    r"(?:(?:pub(?:\([a-z]{1,10}\))?|public|private|protected|internal|static|final|abstract|sealed|open|override"
    r"|export|default|async|declare|unsafe|extern|const|inline|virtual|data|partial|local)[ \t]{1,4}){0,5}"
)
_KEYWORDS: Final = (
    r"(?:def|class|function\*?|func|fn|fun|impl|struct|interface|trait|enum|union|module|namespace|mod|macro_rules!|sub"
    r"|procedure|protocol|extension|object|record|defmodule|defp?|package|type|actor)"
)
_DEFINITION: Final = re.compile(
    rf"({_MODIFIERS})({_KEYWORDS})[ \t]{{1,4}}((?:\([^()]{{0,80}}\)[ \t])?[\w.$:<>?!*&'-]{{1,80}})"
)
_ARROW: Final = re.compile(
    r"(?:export[ \t])?(?:const|let|var)[ \t]([\w$]{1,80})[ \t]?=[ \t]?(?:async[ \t]?)?(?:\(|function)"
)
_ROUTINE: Final = re.compile(
    r"(?:[\w<>\[\],:*&~]{1,60}[ \t]{1,4}){1,5}[*&]?([\w:~]{1,80})[ \t]?\([^;]{0,300}\{[ \t]{0,4}$"
)
_SQL: Final = re.compile(r"(?:create|alter)[ \t](?:or[ \t]replace[ \t])?\w{1,20}[ \t][\w.\"]{1,80}", re.IGNORECASE)
_NO_DEFINITION: Final = ("return", "else", "if", "for", "while", "switch", "new", "throw", "await", "case", "do", "try")
_ATTACHED: Final = ("@", "#", "//", "/*", "*", "--", ";;", '"""', "%")
_LONGEST_LINE: Final = 400
_TAB: Final = 4

_LONGEST_HEADER: Final = 2_000
_LONGEST_HEADING: Final = 300
_SEPARATORS: Final = ",;\t|"


class Sizes(NamedTuple):
    """How long pieces are, in bytes of UTF-8: as wanted, at most, at least where there is a choice, and repeated."""

    wanted: int
    most: int
    least: int
    overlap: int

    @property
    def reach(self) -> int:
        """How far around itself a place looks before it becomes a boundary."""
        return self.wanted // 2


class SourceLines(NamedTuple):
    """A text in lines: as text and as bytes, and where each begins in either, with the end as a last place."""

    text: str
    lines: Sequence[str]
    coded: Sequence[bytes]
    offsets: Sequence[int]
    places: Sequence[int]


class Heading(NamedTuple):
    """A heading: the lines it takes, how deep it stands (less is higher), and what it says."""

    first: int
    last: int
    depth: int
    title: str


class TextLayout(NamedTuple):
    """What is known of a text before it is cut: a rank for every line, its headings, and where its own words begin."""

    ranks: bytearray
    headings: Sequence[Heading]
    body: int = 0


def sizes(tokens: int, overlap: int) -> Sizes:
    """Turn tokens into bytes, four of which are taken for a token. No more than half of a piece is repeated."""
    wanted = max(8, tokens) * 4
    return Sizes(wanted, wanted * 5 // 4, wanted // 4, min(max(0, overlap) * 4, wanted // 2))


def lines_of(text: str) -> SourceLines:
    """Split a text at its line feeds, and at nothing else."""
    coded = text.encode("utf-8", "surrogatepass").split(b"\n")
    places = _starts(map(len, coded))
    lines = text.split("\n")
    return SourceLines(text, lines, coded, places if text.isascii() else _starts(map(len, lines)), places)


def _starts(lengths: "map[int]") -> list[int]:
    return [place + feeds for feeds, place in enumerate(accumulate(lengths, initial=0))]


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


def look_at_program(text: SourceLines) -> TextLayout:
    """Give the layout of a program: definitions as headings, the deeper the further they are indented."""
    ranks = bytearray([NEVER]) * len(text.lines)
    headings: list[Heading] = []
    fresh, attached = True, -1
    for number, line in enumerate(text.lines):
        core = line.lstrip()
        if not core:
            fresh, attached = True, -1
            continue
        indent = len(line) - len(core)
        ranks[number] = (BLOCK if not indent else ITEM) if fresh else LINE
        fresh = False
        title = _definition(core)
        if title:
            first = number if attached < 0 else attached
            ranks[number] = LINE
            ranks[first] = HEADINGS.get(1 + (indent if line[0] == "\t" else (indent + 1) // _TAB), SECTION)
            headings.append(Heading(first, number, indent + 1, title))
            attached = -1
        elif core.startswith(_ATTACHED):
            attached = number if attached < 0 else attached
        else:
            attached = -1
    return TextLayout(ranks, headings)


def _definition(core: str) -> str:
    if len(core) > _LONGEST_LINE or not (core[0].isalpha() or core[0] == "_") or core.startswith(_NO_DEFINITION):
        return ""
    if match := _DEFINITION.match(core):
        return f"{match[2]} {match[3].rstrip(':<')}"
    if match := _ARROW.match(core):
        return match[1]
    if core.rstrip()[-1] == "{" and (match := _ROUTINE.match(core)):
        return match[1]
    match = _SQL.match(core)
    return match[0] if match else ""


def look_at_table(text: SourceLines, most: int) -> TextLayout:
    """Give the layout of a table: every row may begin a piece."""
    ranks = bytearray([LINE]) * len(text.lines)
    number, quoted = 0, True
    while number < len(text.lines):
        line = text.lines[number]
        if not line.strip():
            ranks[number] = NEVER
        elif quoted and line.count('"') % 2:
            end = _row_end(text, number, most)
            quoted = end > 0
            ranks[number + 1 : end] = bytes([NEVER]) * max(0, end - number - 1)
            number = max(number, end - 1)
        number += 1
    return TextLayout(ranks, ())


def _row_end(text: SourceLines, start: int, most: int) -> int:
    """Give the line after a row whose first line ends inside a quote; 0 if the quote does not end in time."""
    for number in range(start + 1, len(text.lines)):
        if text.places[number] - text.places[start] > most:
            return 0
        if text.lines[number].count('"') % 2:
            return number + 1 if text.places[number + 1] - text.places[start] <= most else 0
    return 0


def columns(text: SourceLines) -> str:
    """Give the names of the columns, as a heading for every row."""
    header = next((line for line in text.lines if line.strip()), "")[:_LONGEST_HEADER].strip("\ufeff\r ")
    separator = max(_SEPARATORS, key=header.count)
    try:
        names = next(csv.reader([header], delimiter=separator), [])
    except csv.Error:
        names = header.split(separator)
    heading = ", ".join(" ".join(name.split()) for name in names if name.strip())
    return heading if len(heading) <= _LONGEST_HEADING else heading[: _LONGEST_HEADING - 1] + "…"
