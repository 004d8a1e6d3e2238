"""What a message denies and says instead, "not 40 %, I want 60 %", and what it says is over: "I sold the Skoda".

The invariant: plain functions of the text; which memory is meant, the engine finds by its value.
"""

import re
from collections.abc import Collection, Iterator
from itertools import dropwhile, islice, takewhile
from typing import Final

from recollect.text.capture.own_words import OwnWords
from recollect.text.capture.words import folded, function_words, negations, phrases_of
from recollect.text.clean import fingerprint_text, fold_spelling

_LONGEST: Final = 300  # characters of a message that corrects
_MOST_WORDS: Final = 4  # of a value
_MOST_SKIPPED: Final = 3  # articles and the like before it
_MARKS: Final = " \t\n.,;:!?()\"'\u2026\u2013\u2014"
_NUMBER: Final = re.compile(r"\d[\d.,:]*(?:\s?%|\s?\u20ac|\s[^\W\d_]{1,12})?")


_THINGS: Final = frozenset({"car", "device", "tool", "possession", "pet"})
_DOINGS: Final = frozenset(
    {"job", "employer", "school", "medicine", "hobby", "sport", "habit", "account", "partner", "project"}
)


def ended(said: str) -> frozenset[str]:
    """Give the properties of which a statement may say that one is over: what is sold is a thing, and a job is left."""
    folded_text = fold_spelling(said)
    gone = _THINGS if phrases_of("gone").search(folded_text) else frozenset[str]()
    return gone | _DOINGS if phrases_of("given up").search(folded_text) else gone


def denied_values(text: str) -> tuple[str, ...]:
    """Give what may be denied in a message, in the form in which values are compared."""
    if len(text) > _LONGEST:
        return ()
    return tuple(dict.fromkeys(filter(None, (fingerprint_text(value) for value, _ in _denied(text)))))


def denied_part(value: str, denied: Collection[str]) -> str:
    """Give the part of a value that is denied: all of it, or a number in it with its unit; empty if none is."""
    if value and fingerprint_text(value) in denied:
        return value
    numbers = (found[0].strip(_MARKS) for found in _NUMBER.finditer(value))
    return next((number for number in numbers if fingerprint_text(number) in denied), "")


def said_instead(text: str, value: str) -> str:
    """Give what a message says instead of a value that it denies; empty when that is not clear."""
    ends_at = next((end for denied, end in _denied(text) if fingerprint_text(denied) == fingerprint_text(value)), None)
    if ends_at is None:
        return ""
    rest = text[ends_at:]
    if any(map(str.isdigit, value)):
        unit = _unit(value)
        numbers = [found[0].strip(_MARKS) for found in _NUMBER.finditer(rest)]
        return next((_bare(number, unit) for number in numbers if not unit or unit in fold_spelling(number)), "")
    words = rest.split()
    place = next((at for at, word in enumerate(words) if fold_spelling(word.strip(_MARKS)) in folded("instead")), None)
    clause = " ".join(words[place + 1 :]) if place is not None else ""
    stops = OwnWords.of(clause).pauses
    said = (clause[: stops[0].start] if stops else clause).split()
    named = takewhile(lambda word: not _is_small(word), dropwhile(_is_small, said))
    return " ".join(islice(named, _MOST_WORDS)).strip(_MARKS)


def _denied(text: str) -> Iterator[tuple[str, int]]:
    """Give the words after each denial, from one to four, and where they end."""
    words = [(found[0], found.end()) for found in re.finditer(r"\S+", text)]
    for place, (word, _) in enumerate(words):
        if fold_spelling(word.strip(_MARKS)) not in negations():
            continue
        first = place + 1
        while first < min(len(words), place + 1 + _MOST_SKIPPED) and _is_small(words[first][0]):
            first += 1
        for last in range(first + 1, min(len(words), first + _MOST_WORDS) + 1):
            yield " ".join(one for one, _ in words[first:last]).strip(_MARKS), words[last - 1][1]


def _is_small(word: str) -> bool:
    return fold_spelling(word.strip(_MARKS)) in function_words()


def _unit(value: str) -> str:
    return "".join(letter for letter in fold_spelling(value) if not letter.isdigit() and letter not in " .,:")


def _bare(number: str, unit: str) -> str:
    """Give a number with its unit; of one without a unit, what follows it is none."""
    return number if unit else number.split(maxsplit=1)[0]
