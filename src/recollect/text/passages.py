"""Passages of a long text: runs of whole sentences that are short enough to be embedded one by one.

The invariant: passages follow each other without a gap, none is longer than `LONGEST_PASSAGE` words, and a text that is
no longer than that is a passage by itself. What has no room in a passage with the paragraph before it begins a new one,
so that most passages are about one thing. A text without blanks or sentences is cut where the length says so.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import islice, pairwise
from typing import Final

PASSAGES: Final = 3  # the version of the texts that are embedded: what a new one changes is to be embedded anew

LONGEST_PASSAGE: Final = 90  # words
MOST_PASSAGES: Final = 128  # of a text; what stands after them is found by its words alone
_SHORTEST: Final = LONGEST_PASSAGE // 2

# A word, as far as lengths go: two characters of a script without blanks, or a run of up to sixteen others.
_UNSPACED: Final = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD: Final = re.compile(rf"[{_UNSPACED}]{{1,2}}|[^\s{_UNSPACED}]{{1,16}}")
_ENDS_SENTENCE: Final = re.compile(r"[.!?…。！？｡؟۔।][\"'’”»」』)\]）]{0,3}\Z")  # noqa: RUF001


def cut_passages(text: str) -> list[str]:
    """Give the passages of a text in order, at most `MOST_PASSAGES`; of a short one, the text itself."""
    if len(text) <= 2 * LONGEST_PASSAGE:  # a word takes a character and a blank
        return [text]
    words = [word.span() for word in islice(_WORD.finditer(text), LONGEST_PASSAGE * MOST_PASSAGES + 1)]
    if len(words) <= LONGEST_PASSAGE:
        return [text]
    sentences, paragraphs = _boundaries(text, words)
    starts = [start for first, end in pairwise(_joined(paragraphs)) for start in _cut(sentences, first, end)]
    offsets = [words[start][0] if start < len(words) else words[-1][1] for start in (*starts, len(words))]
    return [text[start:end].strip() for start, end in pairwise(offsets[: MOST_PASSAGES + 1])]


def _boundaries(text: str, words: Sequence[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """Give the numbers of the words at which sentences and paragraphs begin; the last of each is how many there are."""
    starts, paragraphs = [0], [0]
    for number, ((_, end), (after, _)) in enumerate(pairwise(words), 1):
        gap = text[end:after]
        if gap.count("\n") > 1:
            paragraphs.append(number)
        cjk = text[end - 1] in "。！？｡"  # noqa: RUF001 - a blank need not follow these
        if "\n" in gap or ((gap or cjk) and _ENDS_SENTENCE.search(text, max(0, end - 5), end)):
            starts.append(number)
    return [*starts, len(words)], [*paragraphs, len(words)]


def _joined(paragraphs: Sequence[int]) -> list[int]:
    """Join paragraphs that fit into one passage; gives where what is left begins, and where the last one ends."""
    joined = [0]
    for start, end in pairwise(paragraphs):
        if end - joined[-1] > LONGEST_PASSAGE and start > joined[-1]:
            joined.append(start)
    return [*joined, paragraphs[-1]]


def _cut(sentences: Sequence[int], first: int, end: int) -> list[int]:
    """Give where the passages of a part of the text begin."""
    inner = sentences[bisect_left(sentences, first) : bisect_left(sentences, end)]
    return _balanced(_packed([*inner, end]))[:-1]


def _packed(starts: Sequence[int]) -> list[list[int]]:
    """Put as many sentences into each passage as fit; gives where the sentences of each begin and the last one ends."""
    packed: list[list[int]] = [[starts[0]]]
    for start in starts[1:]:
        current = packed[-1]
        if start - current[0] > LONGEST_PASSAGE and len(current) > 1:
            packed.append([current[-1]])
            current = packed[-1]
        while start - current[0] > LONGEST_PASSAGE:  # a sentence without an end
            current.append(current[0] + LONGEST_PASSAGE)
            packed.append([current[-1]])
            current = packed[-1]
        current.append(start)
    return packed


def _balanced(packed: list[list[int]]) -> list[int]:
    """Let a short rest share with the passage before it; gives where passages begin and the last one ends."""
    *_, last = packed
    starts, end = [passage[0] for passage in packed], last[-1]
    if len(packed) > 1 and end - last[0] < _SHORTEST:
        before = packed[-2]
        places = [place for place in (*before[1:], *last[1:-1]) if place - before[0] <= LONGEST_PASSAGE]
        starts[-1] = min(places, key=lambda place: (abs((end - place) - (place - before[0])), place))
        if end - starts[-1] > LONGEST_PASSAGE:
            starts[-1] = last[0]
    return [*starts, end]
