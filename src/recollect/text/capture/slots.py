"""What a sentence says about whom: the words in a rule's slots, cut to what belongs to them.

The invariant: a slot holds words of the sentence as they were said, or an English name from the tables, or nothing. A
key without a short value is no key, because the next value of a key replaces the last.
"""

from collections.abc import Mapping
from typing import NamedTuple

from recollect.text.capture.grammar import Grammar, LazyRegex
from recollect.text.capture.tables import Rule

_LONGEST_VALUE = 120
_WORDS_OF_A_SINGLE_VALUE = 6
_CLAUSE_END = LazyRegex(r"[,;!?()\[\]]|:(?:\s|$)| - |\.\.|\.$")
_AROUND = " \t\"'`.,;:!?()[]-\u2013\u2014\u201e\u201c\u201d\u00ab\u00bb\u2026"


class Slots(NamedTuple):
    """Who or what, which property, its value, and when or where that holds."""

    subject: str = ""
    key: str = ""
    value: str = ""
    context: str = ""


def fill(rule: Rule, spans: Mapping[str, tuple[int, int]], said: str, folded: str, grammar: Grammar) -> Slots:
    """Fill the slots of a rule from the places where its phrase was found."""
    start, end = spans.get("value", (0, 0))
    if end > start:
        end = min(end, start + _end(folded[start:end], grammar))
    middle = _context(folded[start:end], grammar)
    value = said[start : start + middle].strip(_AROUND)
    context = said[start + middle : end].strip(_AROUND)
    if len(value) > _LONGEST_VALUE:
        value = context = ""
    subject = _noun(spans.get("subject"), said, folded, grammar) or rule.subject
    key = rule.key.replace("{key}", _noun(spans.get("key"), said, folded, grammar).lower()).strip()
    if not value or len(value.split()) > _WORDS_OF_A_SINGLE_VALUE:
        key = ""
    return Slots(subject, key, value, context)


def _end(value: str, grammar: Grammar) -> int:
    ends = (pattern.search(value) for pattern in (_CLAUSE_END, grammar.ends.any))
    return min((found.span()[0] for found in ends if found and found.span()[0] > 0), default=len(value))


def _context(value: str, grammar: Grammar) -> int:
    found = grammar.context.any.search(value)
    return found.span()[0] if found and found.span()[0] > 0 else len(value)


def _noun(span: tuple[int, int] | None, said: str, folded: str, grammar: Grammar) -> str:
    """Give the English name of a noun, or the noun as it was said."""
    if span is None:
        return ""
    return grammar.english(folded[slice(*span)].strip(_AROUND)) or said[slice(*span)].strip(_AROUND)
