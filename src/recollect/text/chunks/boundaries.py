"""Where a text is cut: at places that are the best in their neighbourhood.

The invariant: whether a place is a boundary depends on what lies within reach of it, so that an edit moves no boundary
far away, and no part between two boundaries is longer than the most that is allowed, if it can be cut at all.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from recollect.text.chunks.layout import Sizes

_BEFORE_ORDER: Final = 8  # parts longer than so many pieces have no places that stand out; they are cut in order
_TELLING: Final = 4  # as many places after two that look alike tell them apart


class CutPlaces(NamedTuple):
    """The places at which a text may be cut, in order: where they are, and how they look.

    `offsets` and `at` count characters and bytes; both have the end of the text as a last value. `keys` are ranks
    above hashes of what follows.
    """

    offsets: Sequence[int]
    at: Sequence[int]
    ranks: list[int]
    keys: list[int]


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
    """Give the places that no other within reach surpasses, the first one among them, in one pass.

    A place waits on the stack until a better one comes: then it is known how far it was the best.
    """
    at, keys = places.at, places.keys
    origin, end = at[0], at[len(keys)]
    found: list[int] = [0]
    waiting: list[int] = []  # those not yet surpassed
    leading: list[bool] = []  # whether each of them was the best within reach before it
    for place in range(1, len(keys)):
        key, here = keys[place], at[place]
        while waiting:
            other = waiting[-1]
            if keys[other] > key or (keys[other] == key and not _is_less(keys, other, place)):
                break
            del waiting[-1]
            if leading.pop() and here - at[other] >= reach:
                found.append(other)
        leading.append(here - (at[waiting[-1]] if waiting else origin) >= reach)
        waiting.append(place)
    found += (place for place, leads in zip(waiting, leading, strict=True) if leads and end - at[place] >= reach)
    found.sort()
    return found


def _is_less(keys: list[int], one: int, other: int) -> bool:
    """Tell two places apart that look alike: by what comes after them."""
    return keys[one + 1 : one + _TELLING] < keys[other + 1 : other + _TELLING]


def _divided(places: CutPlaces, start: int, end: int, sizes: Sizes) -> list[int]:
    """Cut a part that is too long, at its best place that leaves something on both sides, until all is short enough.

    Hashes have no say in it: where both ends are settled, lengths move less when a line is edited.
    """
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
        start = max(range(last - 1, first - 1, -1), key=keys.__getitem__) if first < last else _next(start, first)
        if start >= end:
            break
        cuts.append(start)
    return cuts


def _next(start: int, first: int) -> int:
    """Give the last place within reach, or the next one."""
    return first - 1 if first - 1 > start else first
