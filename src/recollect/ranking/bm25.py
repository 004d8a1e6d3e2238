"""Text relevance, computed here and not in a database, so that every store ranks alike.

The invariant: scores depend on which rows and words are given, never on their order; and a word counts once, however
many of its forms a row holds.

A row's score is BM25, plus the words that stand close together somewhere in it, times a power of how much of the
question it holds. The second finds the paragraph that answers, the third the turn that is about all of the question.
"""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import compress
from math import log

from recollect.model.memories import TextCandidates

# Length matters less than textbooks say: short turns of a chat are what is mostly searched.
_K1 = 0.9
_B = 0.3

_NEAR = 8  # words this far apart belong to one statement
_SHORT = 40  # terms, on average; longer texts say several things, so holding more of the question proves less
_COVERAGE_OF_SHORT = 0.5
_COVERAGE_OF_LONG = 0.15

# Words that together are this many times rarer (in logarithms) than one row among all are enough of a long question.
_ENOUGH = 2.0

_SHORTEST_CODE = 5  # "10am" and "3rd" name nothing
_ROWS_WITH_CODE = 3

_WordForms = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TextScores:
    """A BM25 score per row, and how much of the question the rows hold, in [0, 1].

    `shares` is the share of the question's words in each row, weighted by rarity; `coverage` the largest of these, less
    being enough of a long question; `fullest` the largest of these as it is. `has_code` says that the best row holds
    a code of the question. `rarest` is about what a word counts that one of all rows holds.
    """

    scores: dict[str, float] = field(default_factory=dict)
    coverage: float = 0.0
    fullest: float = 0.0
    shares: dict[str, float] = field(default_factory=dict)
    has_code: bool = False
    rarest: float = 1.0


def score(
    candidates: TextCandidates, words: Sequence[str | _WordForms], extra: AbstractSet[_WordForms] = frozenset()
) -> TextScores:
    """Score the rows for the words of a question. A word given as several forms is held by a row that holds any.

    Words that are `extra` speak for a row that holds them, and not against one that does not.
    """
    question_words = sorted({(word,) if isinstance(word, str) else word for word in words})
    if not candidates.rows or not question_words:
        return TextScores()
    scorer = _Scorer(candidates, question_words, extra if len(extra) < len(question_words) else frozenset())
    scores: dict[str, float] = {}
    shares: dict[str, float] = {}
    for row in candidates.rows:
        scores[row.id], shares[row.id] = scorer.score(row.terms)
    codes = _codes(question_words, candidates)
    has_code = bool(codes) and not codes.isdisjoint(max(candidates.rows, key=lambda row: scores[row.id]).terms)
    return TextScores(
        scores, scorer.coverage(), max(shares.values()), shares, has_code, log(candidates.total + 1) or 1.0
    )


class _Scorer:
    """The weights of a question's words among these rows, and the most that a row has held of them so far."""

    def __init__(
        self, candidates: TextCandidates, question_words: Sequence[_WordForms], extra: AbstractSet[_WordForms]
    ) -> None:
        self._word_of = {form: number for number, word in reversed(list(enumerate(question_words))) for form in word}
        self._rarity = list(_rarities(question_words, candidates))
        self._near = _NEAR * max(len(word) for word in question_words)  # a text stands under as many forms of each word
        average = sum([len(row.terms) for row in candidates.rows]) / len(candidates.rows)
        self._floor, self._slope = _K1 * (1 - _B), _K1 * _B / (average or 1.0)  # what BM25 adds to a count
        self._power = _COVERAGE_OF_SHORT if average <= _SHORT else _COVERAGE_OF_LONG
        self._counts = [word not in extra for word in question_words]
        self._asked = sum(compress(self._rarity, self._counts)) or 1.0
        self._enough = min(self._asked, _ENOUGH * log(candidates.total + 1)) or 1.0
        self._most_covered = 0.0

    def score(self, terms: Sequence[str]) -> tuple[float, float]:
        """Score a row by its terms, and say which share of the question it holds."""
        word_of, rarity = self._word_of, self._rarity
        places = [(place, term) for place, term in enumerate(terms) if term in word_of]
        if not places:
            return 0.0, 0.0
        norm = self._floor + self._slope * len(terms)
        total = covered = near = 0.0
        for word, count in self._count(places).items():
            weight = rarity[word]
            total += weight * count / (count + norm)
            near += weight
            if self._counts[word]:
                covered += weight
        if places[-1][0] - places[0][0] >= self._near:  # otherwise all of them stand close together
            near = self._closest(places)
        self._most_covered = max(self._most_covered, covered)
        share = min(1.0, covered / self._asked)
        return (total * (_K1 + 1) + near) * float(share**self._power), share

    def _count(self, places: Sequence[tuple[int, str]]) -> dict[int, int]:
        """Say how often each word stands in a row; of a word in several forms the commonest counts."""
        word_of = self._word_of
        if len(places) == 1:
            return {word_of[places[0][1]]: 1}
        by_form: dict[str, int] = {}
        counts: dict[int, int] = {}
        for _, form in places:
            word = word_of[form]
            count = by_form[form] = by_form.get(form, 0) + 1
            if count > counts.get(word, 0):
                counts[word] = count
        return counts

    def _closest(self, places: Sequence[tuple[int, str]]) -> float:
        """Weigh the most words of a row that stand close together."""
        word_of = self._word_of
        window: dict[int, int] = {}
        near = best = 0.0
        first = 0
        for place, form in places:
            word = word_of[form]
            inside = window.get(word, 0)
            if not inside:
                near += self._rarity[word]
            window[word] = inside + 1
            while place - places[first][0] >= self._near:
                gone = word_of[places[first][1]]
                window[gone] -= 1
                if not window[gone]:
                    near -= self._rarity[gone]
                first += 1
            best = max(best, near)
        return best

    def coverage(self) -> float:
        """Say how much of the question the row that covers most of it holds, or of what is enough of it."""
        return min(1.0, self._most_covered / self._enough)


def _codes(question_words: Sequence[_WordForms], candidates: TextCandidates) -> frozenset[str]:
    """Give the words that name one thing: letters and digits in one (`seal17of2x`, `vtx-4471-c`), in hardly any row."""
    return frozenset(
        form
        for word in question_words
        for form in word
        if len(form) >= _SHORTEST_CODE
        and any(map(str.isdigit, form))
        and any(map(str.isalpha, form))
        and candidates.frequencies.get(form, 0) <= _ROWS_WITH_CODE
    )


def _rarities(question_words: Sequence[_WordForms], candidates: TextCandidates) -> Iterator[float]:
    for word in question_words:
        frequency = max([candidates.frequencies.get(form, 0) for form in word])
        total = max(candidates.total, frequency)
        yield log(1 + (total - frequency + 0.5) / (frequency + 0.5))
