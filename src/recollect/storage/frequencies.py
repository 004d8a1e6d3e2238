"""Counts terms over candidates, when the candidates are all the rows there are."""

from collections.abc import Sequence

from recollect.ports import TextCandidate


def among(rows: Sequence[TextCandidate], terms: Sequence[str]) -> dict[str, int]:
    """Say how many rows hold each term."""
    words = [row.terms for row in rows]
    return {term: sum(term in held for held in words) for term in terms}
