"""What FTS5 is asked to match, and the search for the best rows of a large user by words.

FTS5's own ranking reads all rows of every word twice, so that a common word costs as much as its user has rows. Here a
row's rank is the sum of the rarities of the words that it holds, as PostgreSQL ranks them. Words with few rows are
listed whole. Of a common word only the newest rows are listed, and then the rows that hold it beside others: in what a
user says a word alone that stands everywhere tells nothing.

Every term is quoted, so that nothing in it is syntax.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, combinations
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.model.literals import ItemKind
from recollect.storage.base.session import StoreSession, Values
from recollect.storage.sqlite.caches import Seqs
from recollect.storage.sqlite.session import seq_array

MANY_ROWS = 5_000  # from here on it pays to count terms before searching for them
MOST_LISTED = 5_000  # rows of one term
_MOST_COMMON = 3  # common terms that are looked for together, the rarest of them
_TOGETHER = 4  # of so many rows that are wanted, one that holds all of these is enough
_SAMPLES = 16
_SAMPLED = 1_000  # numbers in a row, in which the rows with a term are counted
_WORTH_SAMPLING = 4


class UserWords:
    """The index of one user's words in one kind of rows."""

    def __init__(self, session: StoreSession, user_id: str, kind: ItemKind) -> None:
        self._session = session
        self._user: Values = {"user_id": user_id}
        self._kind = kind

    def newest(self, expression: str, limit: int) -> Seqs:
        """Give the numbers of the newest rows that match."""
        ((listed,),) = self._session.rows(
            "newest_matching", {**self._user, "terms": expression, "limit": limit}, kind=self._kind
        )
        return np.fromstring(listed or "", np.int64, sep=",")

    def frequency(self, term: str) -> int:
        """Say how many rows hold a term; of a large user from samples, because counting reads every one of them."""
        values: dict[str, Any] = {**self._user, "terms": _quoted(term)}
        first, last = self._span
        if last - first < _SAMPLES * _SAMPLED * _WORTH_SAMPLING:
            return int(self._session.rows("term_frequency", values, kind=self._kind)[0][0])
        starts = np.linspace(first, last - _SAMPLED, _SAMPLES).astype(np.int64)
        values |= {"starts": seq_array(starts), "length": _SAMPLED}
        sampled = int(self._session.rows("sampled_frequency", values, kind=self._kind)[0][0])
        return max(MOST_LISTED, sampled * (last - first + 1) // (_SAMPLES * _SAMPLED))

    @cached_property
    def _span(self) -> tuple[int, int]:
        first, last = self._session.rows("span_of_words", self._user, kind=self._kind)[0]
        return first or 0, last or 0


@dataclass(frozen=True, slots=True)
class RankedRows:
    """The numbers of rows, the best first, and how many rows hold each term; `whole` when no other row holds one."""

    seqs: Seqs
    frequencies: Mapping[str, int]
    whole: bool


def any_of(terms: Sequence[str]) -> str:
    """Match rows that hold any of the terms."""
    return " OR ".join(map(_quoted, terms))


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'


def ranked_rows(index: UserWords, terms: Sequence[str], total: int, wanted: int) -> RankedRows:
    """Rank the rows that hold any of the terms, without looking at more of them than `wanted` ones need."""
    listed = {term: index.newest(_quoted(term), MOST_LISTED) for term in terms}
    common_terms = [term for term, seqs in listed.items() if len(seqs) == MOST_LISTED]
    frequencies = {term: len(seqs) for term, seqs in listed.items()}
    frequencies |= {term: index.frequency(term) for term in common_terms}
    rows = _WordHolders({term: log(1 + total / (1 + frequency)) for term, frequency in frequencies.items()})
    for term, seqs in listed.items():
        rows.add([term], seqs)
    common = sorted(common_terms, key=lambda term: (frequencies[term], term))[:_MOST_COMMON]
    # The rarest terms that rows hold, as many as have no more rows than one list.
    known = (term for term in listed if term not in common_terms and frequencies[term])
    by_rows = sorted(known, key=lambda term: (frequencies[term], term))
    totals = accumulate(frequencies[term] for term in by_rows)
    rare = [term for term, so_far in zip(by_rows, totals, strict=True) if so_far <= MOST_LISTED]
    if sum(frequencies[term] for term in rare) > wanted:  # otherwise all of their rows are taken
        for term in common:
            rows.add([term], index.newest(f"({any_of(rare)}) AND {_quoted(term)}", MOST_LISTED))
    for size in range(len(common), 1, -1):
        if rows.have(wanted // _TOGETHER, of_weight_of=common[:size]):
            break
        for together in combinations(common, size):
            rows.add(together, index.newest(" AND ".join(map(_quoted, together)), wanted))
    return RankedRows(rows.best_first(), frequencies, whole=not common_terms)


class _WordHolders:
    """Which rows are known to hold which terms."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        self._weights = weights
        self._lists: dict[str, list[Seqs]] = {term: [] for term in weights}

    def add(self, terms: Sequence[str], seqs: Seqs) -> None:
        for term in terms:
            self._lists[term].append(seqs)

    def have(self, wanted: int, *, of_weight_of: Sequence[str]) -> bool:
        """Say whether there are enough rows that rank no lower than one that holds just these terms."""
        _, scores = self._scored()
        weight = sum(self._weights[term] for term in of_weight_of)
        return int(np.count_nonzero(scores >= weight)) >= wanted

    def best_first(self) -> Seqs:
        """Give the rows by rank, and the newest first where that is equal."""
        seqs, scores = self._scored()
        return seqs[np.lexsort((seqs, scores))[::-1]]

    def _scored(self) -> tuple[Seqs, NDArray[np.float64]]:
        seqs = np.sort(np.concatenate([each for lists in self._lists.values() for each in lists]))
        seqs = seqs[np.append(True, seqs[1:] != seqs[:-1])] if len(seqs) else seqs
        scores = np.zeros(len(seqs))
        for term, lists in self._lists.items():
            holds = np.zeros(len(seqs), np.bool_)
            for each in lists:
                holds[np.searchsorted(seqs, each)] = True
            scores += self._weights[term] * holds
        return seqs, scores
