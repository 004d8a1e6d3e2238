"""Text relevance, computed here and not in a database, so that every store ranks alike.

The invariant: scores depend on which rows and words are given, never on their order; and a word counts once, however
many of its forms a row holds.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log

from recollect.ports import TextCandidate, TextCandidates

# Words that together are this many times rarer (in logarithms) than one row among all do not meet by chance.
_ENOUGH = 2.0


@dataclass(frozen=True, slots=True)
class TextScores:
    """What text search found: a BM25 score per row, and how far the best of them may be believed.

    `best_coverage` is the largest share of the question's words that one row holds, each word weighing as much as it is
    rare. `certainty` is that share too, unless less is enough: a long question is well answered by a row that holds
    half of it, while one word out of two may be there by chance. Both are in [0, 1].
    """

    scores: Mapping[str, float]
    best_coverage: float
    certainty: float


def score(
    candidates: TextCandidates, words: Sequence[str | tuple[str, ...]], *, k1: float = 0.9, b: float = 0.3
) -> TextScores:
    """Score the rows for the words of a question. A word given as several forms is held by a row that holds any."""
    asked = sorted({(word,) if isinstance(word, str) else word for word in words})
    rarity = dict(zip(asked, _rarities(asked, candidates), strict=True))
    owner = {form: word for word in reversed(asked) for form in word}
    weights = {form: rarity[word] for form, word in owner.items()}
    shared_with = frozenset(weights).intersection
    several = len(owner) > len(asked)
    floor, slope = _length_norm(candidates.rows, k1, b)
    scores: dict[str, float] = {}
    coverages = [0.0]
    for row in candidates.rows:
        terms = row.terms
        held: Collection[str] = shared_with(terms)
        if len(held) > 1:
            held = sorted(held)  # floats add up the same in one order only
            if several:
                held = _one_per_word(held, owner, terms)
        norm = floor + slope * len(terms)
        total = covered = 0.0
        for form in held:
            weight = weights[form]
            count = terms.count(form)
            covered += weight
            total += weight * count / (count + norm)
        scores[row.id] = total * (k1 + 1)
        coverages.append(covered)
    return TextScores(scores, *_shares(max(coverages), sum(rarity.values()), candidates.total))


def _shares(covered: float, asked_for: float, rows: int) -> tuple[float, float]:
    """Give the coverage and the certainty of the row that covers most."""
    if not covered:
        return 0.0, 0.0
    enough = min(asked_for, _ENOUGH * log(rows + 1))
    return min(1.0, covered / asked_for), min(1.0, covered / enough)


def _length_norm(rows: Sequence[TextCandidate], k1: float, b: float) -> tuple[float, float]:
    """Give what BM25 adds to a count: a constant, and so much for each term of the row."""
    average = sum([len(row.terms) for row in rows]) / len(rows) if rows else 0.0
    return k1 * (1 - b), k1 * b / (average or 1.0)


def _rarities(words: Sequence[tuple[str, ...]], candidates: TextCandidates) -> Iterator[float]:
    """Give the inverse document frequency of each word, counting its most frequent form."""
    frequencies = candidates.frequencies
    for word in words:
        frequency = max([frequencies.get(form, 0) for form in word])
        total = max(candidates.total, frequency)
        yield log(1 + (total - frequency + 0.5) / (frequency + 0.5))


def _one_per_word(held: Iterable[str], owner: Mapping[str, tuple[str, ...]], terms: Sequence[str]) -> Collection[str]:
    """Keep one form of each word: the one that occurs most often."""
    kept: dict[tuple[str, ...], str] = {}
    for form in held:
        rival = kept.setdefault(owner[form], form)
        if rival is not form and terms.count(form) > terms.count(rival):
            kept[owner[form]] = form
    return kept.values()
