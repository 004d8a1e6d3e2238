"""Where a text is cut (content-defined chunking), and the pieces that this makes: what each repeats, and its headings.

The invariant: whether a place is a boundary depends on what lies within reach of it, so that an edit moves no boundary
far away. Between two neighbouring places lies no more than fits into a piece, blank lines not counted. The content of a
piece is what stands in the text at its place, to the character, and every character that is not blank is in a piece.
"""

import math
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple
from zlib import crc32

import numpy as np

from recollect.model.files import TextPiece
from recollect_files.chunks.layout import (
    CHARACTER,
    FENCED,
    NEVER,
    SECTION,
    SENTENCE,
    WORD,
    Sizes,
    SourceLines,
    TextLayout,
)

_BEFORE_ORDER: Final = 8  # parts longer than so many pieces have no places that stand out; they are cut in order
_TELLING: Final = 4  # so many places after two that look alike tell them apart
_SENTENCE_END: Final = re.compile(r"[.!?…]['\"’”»)\]]{0,3}\s{1,3}|[。！？｡؟۔।][」』”’)）]?\s?")  # noqa: RUF001
_WORD_END: Final = re.compile(r"\s(?=\S)")
_BEGINNING: Final = 8  # bytes
_SEEN: Final = 16  # how many characters decide whether a text without blanks may be cut before them
_STEPS: Final = 16  # as many places in such a text lie within reach of one, about
_MULTIPLIERS: Final = tuple(0x9E3779B1 * (2 * place + 1) & 0xFFFFFFFF for place in range(_SEEN))

_LONGEST_HEADING: Final = 300
_LONGEST_PART: Final = 120
_MARKUP: Final = frozenset("*_`[]<~\\#")
_LINK: Final = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_TAG: Final = re.compile(r"</?[A-Za-z][^<>]*>")
_EMPHASIS: Final = re.compile(r"\*+|`+|~~|(?<!\w)_{1,3}|_{1,3}(?!\w)")
_NOT_REPEATED: Final = frozenset({CHARACTER, WORD, FENCED})


class CutPlaces(NamedTuple):
    """The places at which a text may be cut, in order: where they are, and how they look.

    `offsets` and `at` count characters and bytes; both have the end of the text as a last value. `keys` are ranks
    above hashes of what follows.
    """

    offsets: Sequence[int]
    at: Sequence[int]
    ranks: list[int]
    keys: list[int]


def places_of(text: SourceLines, ranks: bytearray, sizes: Sizes) -> CutPlaces:
    """Give the places of a text, each with its rank and a hash of what follows it."""
    numbers = [number for number, rank in enumerate(ranks) if rank != NEVER]
    offsets = [text.offsets[number] for number in numbers]
    at = [text.places[number] for number in numbers]
    kinds = [ranks[number] for number in numbers]
    coded = [text.coded[number] for number in numbers]
    if max(map(len, text.coded)) > sizes.most:
        offsets, at, kinds, coded = _with_inner(text, numbers, kinds, sizes)
    # Places are compared by how they begin, and only where that is the same, by all of it: so most edits inside a line
    # leave what is decided by it as it was.
    keys = [
        rank << 56 | (crc32(part[:_BEGINNING]) & 0xFFFFFF) << 32 | crc32(part)
        for rank, part in zip(kinds, coded, strict=True)
    ]
    offsets.append(text.offsets[-1] - 1)
    at.append(text.places[-1] - 1)
    return CutPlaces(offsets, at, kinds, keys)


def _with_inner(
    text: SourceLines, numbers: list[int], ranks: list[int], sizes: Sizes
) -> tuple[list[int], list[int], list[int], list[bytes]]:
    """Give the places of a text some of whose lines are too long: offsets, bytes, ranks, and what follows each."""
    offsets: list[int] = []
    at: list[int] = []
    kinds: list[int] = []
    coded: list[bytes] = []
    for number, own in zip(numbers, ranks, strict=True):
        offset, place = text.offsets[number], text.places[number]
        parts = [(text.lines[number], own)]
        if len(text.coded[number]) > sizes.most:
            parts = list(_parts(text.lines[number], own, sizes.reach))
        for part, rank in parts:
            offsets.append(offset)
            at.append(place)
            kinds.append(rank)
            coded.append(part.encode("utf-8", "surrogatepass"))
            offset += len(part)
            place += len(coded[-1])
    return offsets, at, kinds, coded


def _parts(line: str, rank: int, most: int) -> Iterator[tuple[str, int]]:
    """Take a line apart at the ends of sentences, long sentences at blanks, long words anywhere."""
    for sentence in _split(line, [end.end() for end in _SENTENCE_END.finditer(line)]):
        inner = SENTENCE
        for word in _words(sentence, most):
            for part in _split(word, _inside_word(word, max(4, most // _STEPS))) if _is_long(word, most) else [word]:
                yield part, rank if rank > SENTENCE else inner
                rank, inner = SENTENCE, CHARACTER
            inner = WORD
        rank = SENTENCE


def _words(sentence: str, most: int) -> list[str]:
    if not _is_long(sentence, most):
        return [sentence]
    return _split(sentence, [blank.end() for blank in _WORD_END.finditer(sentence)])


def _is_long(part: str, most: int) -> bool:
    return len(part) * 4 > most and len(part.encode("utf-8", "surrogatepass")) > most


def _split(text: str, ends: list[int]) -> list[str]:
    parts = [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]
    return [part for part in parts if part]


def _inside_word(word: str, step: int) -> list[int]:
    """Say where a text without blanks may be cut: where the characters that follow say so, not where counting ends.

    Where they never do, as in a row of the same character, every so many characters after the last such place.
    """
    codes = np.frombuffer(word.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    mixed = np.zeros(max(0, len(codes) - _SEEN), dtype=np.uint32)
    for place, multiplier in enumerate(_MULTIPLIERS):
        mixed += codes[place : place + len(mixed)] * np.uint32(multiplier)
    chosen = np.flatnonzero((mixed >> np.uint32(16)) % step == 0).tolist()
    cuts: list[int] = []
    last = 0
    for chosen_place in (*chosen, len(word)):
        for cut in (*range(last + step, chosen_place, step), chosen_place):
            if last < cut < len(word) and (not unicodedata.combining(word[cut]) or cut - last > step * 2):
                cuts.append(cut)
                last = cut
    return cuts


def boundaries(places: CutPlaces, sizes: Sizes) -> list[int]:
    """Give the places at which pieces begin."""
    count = len(places.keys)
    if not count:
        return []
    if places.at[count] - places.at[0] <= sizes.most:
        return [0]
    coarse = [*_best_within_reach(places, sizes.reach), count]
    cuts: list[int] = []
    for start, end in pairwise(coarse):
        cuts.append(start)
        if places.at[end] - places.at[start] > sizes.most:
            cuts += _divided(places, start, end, sizes)
    return cuts


def _best_within_reach(places: CutPlaces, reach: int) -> list[int]:
    """Give the first place and those that no other within reach surpasses, in one pass (a monotonic stack)."""
    at, keys = places.at, places.keys
    origin, end = at[0], at[len(keys)]
    found: list[int] = [0]
    waiting: list[int] = []  # those not yet surpassed
    leading: list[bool] = []  # whether each of them was the best within reach before it
    for place in range(1, len(keys)):
        key, here = keys[place], at[place]
        while waiting:
            other = waiting[-1]
            if keys[other] > key or (
                keys[other] == key and keys[other + 1 : other + _TELLING] >= keys[place + 1 : place + _TELLING]
            ):
                break
            del waiting[-1]
            if leading.pop() and here - at[other] >= reach:
                found.append(other)
        leading.append(here - (at[waiting[-1]] if waiting else origin) >= reach)
        waiting.append(place)
    found += (place for place, leads in zip(waiting, leading, strict=True) if leads and end - at[place] >= reach)
    found.sort()
    return found


def _divided(places: CutPlaces, start: int, end: int, sizes: Sizes) -> list[int]:
    """Cut a part at its best place until all is short enough; lengths move less by an edit than hashes would."""
    if places.at[end] - places.at[start] > sizes.most * _BEFORE_ORDER:
        return _in_order(places, start, end, sizes)
    cuts: list[int] = []
    parts = [(start, end)]
    while parts:
        start, end = parts.pop()
        if places.at[end] - places.at[start] <= sizes.most or end - start == 1:
            continue
        cut = _best_inside(places, start, end, sizes)
        cuts.append(cut)
        parts += ((start, cut), (cut, end))
    cuts.sort()
    return cuts


def _best_inside(places: CutPlaces, start: int, end: int, sizes: Sizes) -> int:
    """Give the place of the highest rank, of several the one that makes for few pieces of much the same length."""
    at, ranks = places.at, places.ranks
    length = at[end] - at[start]
    pieces = -(-length // sizes.most)
    wanted = at[start] + length * (pieces // 2) // pieces
    first = bisect_left(at, at[start] + sizes.least, start + 1, end)
    last = bisect_right(at, at[end] - sizes.least, first, end)
    if first == last:
        first, last = start + 1, end
    highest = max(ranks[first:last])
    return min(
        (place for place in range(first, last) if ranks[place] == highest), key=lambda place: abs(at[place] - wanted)
    )


def _in_order(places: CutPlaces, start: int, end: int, sizes: Sizes) -> list[int]:
    """Cut a very long part in which no place stands out, such as a line repeated a hundred thousand times."""
    at, keys = places.at, places.keys
    cuts: list[int] = []
    while at[end] - at[start] > sizes.most and end - start > 1:
        first = bisect_left(at, at[start] + sizes.reach, start + 1, end)
        last = bisect_right(at, at[start] + sizes.wanted, first, end)
        start = max(range(last - 1, first - 1, -1), key=keys.__getitem__) if first < last else max(first - 1, start + 1)
        if start >= end:
            break
        cuts.append(start)
    return cuts


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
