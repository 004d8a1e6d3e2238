"""How sure it is that a statement should be kept, given the words around it, and what is never kept.

The weights are in `model/calibration`.
"""

from math import log
from typing import Final

from recollect.model.calibration import STATEMENT_WEIGHTS, logit, probability
from recollect.model.readings import Statement, TextSpan
from recollect.text.capture.own_words import OwnWords
from recollect.text.capture.persons import names_first_person
from recollect.text.capture.words import phrases_of
from recollect.text.regex import LazyRegex

_WORD = LazyRegex(r"\pL{3,}")
_MOST_LINES: Final = 3
_QUOTATION_MARKS: Final = '"\u201e\u201c\u00ab'


def statement_features(layout: OwnWords, statement: Statement, content: TextSpan) -> dict[str, float]:
    """Give what the words around a statement say about it, as the numbers that are weighed."""
    start = statement.span.start
    return {
        "certainty": logit(statement.confidence),
        "words": log(max(1, sum(1 for _ in _WORD.finditer(content.of(layout.text))))),
        "announced": float(layout.is_announced(start)),
        "lines": float(min(_MOST_LINES, layout.text.strip().count("\n"))),
        "quotation": float(any(mark in layout.text[:start] for mark in _QUOTATION_MARKS)),
        "first person": float(names_first_person(content.of(layout.text))),
        "asks": float(layout.sentence(content).of(layout.text).rstrip().endswith("?")),
    }


def confidence_of(features: dict[str, float]) -> float:
    """Give the probability that a statement should be kept."""
    return probability(STATEMENT_WEIGHTS, features)


def is_injection(folded: str) -> bool:
    """Tell whether a text tries to instruct a model; that is no rule of the user's."""
    return phrases_of("injections").search(folded) is not None
