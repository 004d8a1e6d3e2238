"""What FTS5 is asked to match. Every term is quoted, so that nothing in it is syntax."""

from collections.abc import Mapping, Sequence
from itertools import combinations

MANY_ROWS = 5_000  # from here on it pays to count terms before searching for them
EVERYTHING = 2**62  # more rows than any user has
_ENOUGH = 5  # rows to rank for each one that is wanted
_MOST_COMMON = 8


def any_of(terms: Sequence[str]) -> str:
    """Match rows that hold any of the terms."""
    return " OR ".join(map(_quoted, terms))


def promising(terms: Sequence[str], frequencies: Mapping[str, int], wanted: int) -> str:
    """Match the rows that may be among the best: those with a rare term, and those with two of the common ones.

    FTS5 ranks every row that it matches, and a row that holds nothing but one common word is among the best only when
    there are hardly any others.
    """
    known_terms = sorted((term for term in terms if frequencies[term]), key=lambda term: (frequencies[term], term))
    rare, rows = 0, 0
    while rare < len(known_terms) and rows < wanted * _ENOUGH:
        rows += frequencies[known_terms[rare]]
        rare += 1
    common = known_terms[rare : rare + _MOST_COMMON]
    pairs = (f"({_quoted(first)} AND {_quoted(second)})" for first, second in combinations(common, 2))
    return " OR ".join((any_of(known_terms[:rare] or terms), *pairs))


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'
