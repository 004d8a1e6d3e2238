"""Layout of a text before it is cut: which lines may begin a piece, and how willingly.

The invariant: what is said of a line depends on lines near it and on the block it stands in, never on other pieces.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Final, NamedTuple

# How willingly a text is cut at a place, the least willingly first. A place inside a line exists only in long lines.
# SECTION is a heading of the third level or below.
(CHARACTER, WORD, SENTENCE, FENCED, ROW, LINE, SUBITEM, ITEM, BLOCK, PAGE, SECTION, CHAPTER, TITLE) = range(13)
NEVER: Final = 255  # blank lines, and what must stay with the line before it

HEADINGS: Final = {1: TITLE, 2: CHAPTER}


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
