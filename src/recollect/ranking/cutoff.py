"""Where an answer ends: the memories that answer a question, without the rest of their family.

Similar memories have high scores together: the same property of many, many properties of one. What says of another
subject what the question asks of one that it names is no answer. Where the scores of a store fall off, what is far
below the best is none either, and nothing is when even the best hardly answers. Where many memories are nearly as good
as the best, as in a large store, none is left out for its score.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from statistics import median
from typing import NamedTuple

from recollect.model.calibration import LEAST_ANSWERABLE, LEAST_OF_FAMILY

DEPTH = 25  # in which place a memory is measured against the best, to tell whether the scores fall off
_FLAT = 0.1  # of the best score: from there on they do not
_ALIKE = 0.4  # share of common words from which two memories say the same of different subjects
_FAMILY = 3  # others that hold a word of the question that the best holds, such as its subject
_FIRST = 5  # memories, of which one has to hold a word of the question, or its words say nothing
_SHARE = 0.6  # of the best score: what has less is no answer
_RISE = 0.3  # the same, above the usual score of the family


class RatedMemory(NamedTuple):
    """A memory, by its score and the terms that it is found by."""

    id: str
    score: float
    terms: AbstractSet[str]


def kept(
    words: Sequence[AbstractSet[str]], rows: Sequence[RatedMemory], answerable: float, background: float
) -> tuple[RatedMemory, ...]:
    """Give the rows that answer a question with these words, each given in its forms; rows come best first.

    `answerable` is how likely one of them does, and `background` the score in the place `DEPTH`, 0 without so many.
    """
    if not rows:
        return ()
    others = of_others(words, rows)
    if rows[0].id in others:
        return ()
    left = tuple(row for row in rows if row.id not in others)
    best = rows[0].score
    if background > _FLAT * best:
        return left
    held = {row.id: _held(words, row.terms) for row in rows}
    family = [row.score for row in rows[1:] if not held[row.id].isdisjoint(held[rows[0].id])]
    has_family = len(family) >= _FAMILY
    is_whole = 0 < len(words) <= len(held[rows[0].id])
    if not is_whole and answerable < (LEAST_OF_FAMILY if has_family else LEAST_ANSWERABLE):
        return ()
    if not any(held[row.id] for row in rows[:_FIRST]):
        return left
    usual = median(family) if has_family else 0.0
    least = max(_SHARE * best, usual + _RISE * (best - usual))
    return tuple(row for row in left if row.score >= least or _continues(row, rows[0], held))


def _continues(row: RatedMemory, best: RatedMemory, held: Mapping[str, AbstractSet[int]]) -> bool:
    """Tell whether a row says the same as the best but for its value, as one of several does."""
    return held[row.id] >= held[best.id] and _overlap(row.terms, best.terms) >= _ALIKE


def of_others(words: Sequence[AbstractSet[str]], rows: Sequence[RatedMemory]) -> frozenset[str]:
    """Name the rows that say of another subject what a question asks of one that it names, known or not.

    A row is alike others but for some words. If one of those words stands in rows about other things, too, it names
    the subject of the row; if the question has none of them, and a word that the row lacks, it names another one.
    """
    return frozenset(row.id for row in rows if _is_of_other(words, row, rows))


def _is_of_other(words: Sequence[AbstractSet[str]], row: RatedMemory, rows: Sequence[RatedMemory]) -> bool:
    if len(_held(words, row.terms)) == len(words):
        return False
    alike = [other for other in rows if other is not row and _overlap(row.terms, other.terms) >= _ALIKE]
    own = row.terms - frozenset.intersection(*(frozenset(other.terms) for other in alike)) if alike else frozenset()
    if any(not own.isdisjoint(forms) for forms in words):
        return False
    like = {row.id, *(other.id for other in alike)}
    return any(not own.isdisjoint(other.terms) for other in rows if other.id not in like)


def _held(words: Sequence[AbstractSet[str]], terms: AbstractSet[str]) -> frozenset[int]:
    return frozenset(number for number, forms in enumerate(words) if not terms.isdisjoint(forms))


def _overlap(terms: AbstractSet[str], others: AbstractSet[str]) -> float:
    together = len(terms | others)
    return len(terms & others) / together if together else 0.0
