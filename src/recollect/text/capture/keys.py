"""The properties that a reader names, and which of them have one value at a time.

A memory with a key takes the place of the one before it, unless its key has many values. So a key is given only where a
person has one such thing at a time, the value is clear, and the statement is sure, or where many values stand beside
each other; everything else has no key.
"""

from collections.abc import Callable, Mapping
from typing import Final

from recollect.model.calibration import CERTAIN, REPLACE
from recollect.model.readings import MANY_VALUED, SINGLE_VALUED
from recollect.text.capture.words import folded, function_words, negations, phrases_of
from recollect.text.spelling import fold_spelling

CONTACTS: Final = frozenset({"name", "nickname", "email", "phone", "address", "account"})


def _named(most_words: int) -> Callable[[str, str], bool]:
    def clear(value: str, content: str) -> bool:
        words = value.split()
        lower = content == content.lower()
        small = fold_spelling(words[0]) in function_words()
        return len(words) <= most_words and (lower or value[:1].isupper()) and not small and not _has_digit(value)

    return clear


def _has_digit(value: str, _content: str = "") -> bool:
    return any(map(str.isdigit, value))


def _is_number(value: str, _content: str) -> bool:
    return value.split(maxsplit=1)[0].isdigit() and len(value) <= len("123 years")


# How each property that has one value at a time is known to have a clear one.
_HAS_CLEAR_VALUE: Final[Mapping[str, Callable[[str, str], bool]]] = {
    "name": _named(4),
    "home": _named(4),
    "employer": _named(5),
    "birthday": _has_digit,
    "age": _is_number,
    "address": _has_digit,
    "email": lambda value, _: "@" in value,
    "timezone": lambda value, _: len(value.split()) <= len(("Europe/Prague", "(UTC+1)")),
}


def is_current(value: str, content: str) -> bool:
    """Tell whether a statement speaks of the present: neither denied nor past."""
    said = fold_spelling(content[: content.find(value) + len(value)])  # "I live in Graz, not in Linz"
    return negations().isdisjoint(said.split()) and phrases_of("past").search(said) is None


def is_one_of_many(key: str, value: str, content: str) -> bool:
    """Tell whether a statement gives one of several values that a property has."""
    return key in MANY_VALUED and bool(value) and is_current(value, content)


def may_replace(key: str, value: str, content: str, confidence: float, *, about_user: bool) -> bool:
    """Tell whether a statement may send an older value of the same property to the history."""
    if key not in SINGLE_VALUED or not value or confidence < REPLACE or not is_current(value, content):
        return False
    said = fold_spelling(content)
    passing = confidence != CERTAIN and phrases_of("for now").search(said) is not None
    several = not about_user and not folded("other of several").isdisjoint(said.split())
    return not (passing or several) and _HAS_CLEAR_VALUE[key](value, content)
