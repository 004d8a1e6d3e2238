"""The value of a statement, cleaned, and which properties have one value at a time.

It has no preposition, article or bracket at its ends; dates, numbers and addresses are whole. A memory with a key takes
the place of the one before it, unless its key has many values. So a key is given only where a person has one such thing
at a time, the value is clear, and the statement is sure, or where many values stand beside each other; everything else
has no key.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final
from unicodedata import combining

from recollect.model.calibration import CERTAIN, REPLACE
from recollect.model.readings import MANY_VALUED, SINGLE_VALUED, Statement, TextSpan
from recollect.text.capture.contents import ANY_DAY
from recollect.text.capture.words import folded, function_words, negations, phrases_of
from recollect.text.clean import fold_spelling
from recollect.text.regex import LazyRegex
from recollect.text.time_expressions import find_time_spans

_LONGEST = 120
_LONGEST_WORD = 60
_MARKS = " \t\n\"'`,;:!?()[]{}\u2013\u2014\u201e\u201c\u201d\u00ab\u00bb\u2026*_>|"
_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"))
_YEAR = LazyRegex(r"(?:^|\D)(?:19|20)\d\d(?:\D|$)")
_MONTH = 31
_TIMES = frozenset({"schedule", "birthday"})
_ADDRESS = LazyRegex(r"(?i)[\pL0-9._%+-]{1,64}@[a-z0-9-]{1,64}(?:\.[a-z0-9-]{1,64})+")
_PHONE = LazyRegex(r"\+?\(?\d(?:[ ()/.-]{0,2}\d){6,14}")


def clean_value(text: str, statement: Statement, within: TextSpan) -> str:
    """Give the value of a statement; empty when it has none."""
    said = within.of(text)
    if statement.key == "email" and (found := _ADDRESS.search(said)):
        return said[slice(*found.span())]
    if statement.key == "phone" and (found := _PHONE.search(said)):
        return said[slice(*found.span())].strip()
    value = statement.value
    if statement.type == "event" and (when := _time(said, value, within)):
        return when
    if value is None:
        return ""
    start, end = _with_unit(text, *_whole_words(text, *value, within), within)
    cleaned = _cleaned(text[start:end], statement)
    while not cleaned and end < within.end:  # a preposition alone: what follows it is meant
        start, end = _next_word(text, end, within.end)
        cleaned = _cleaned(text[start:end], statement)
    is_when = statement.type != "event" and statement.key not in _TIMES and is_time(cleaned)
    counts = statement.key in SINGLE_VALUED and _is_unit(text[end : within.end])  # the second year is no home
    return "" if len(cleaned) > _LONGEST or is_when or counts else cleaned


def _with_unit(text: str, start: int, end: int, within: TextSpan) -> tuple[int, int]:
    counted = text[start:end][-1:].isdigit() and _is_unit(text[end : within.end])
    return start, _next_word(text, end, within.end)[1] if counted else end


def _is_unit(following: str) -> bool:
    return fold_spelling(following.strip().partition(" ")[0].strip(_MARKS)) in folded("units")


def statement_of_words(text: str, statement: Statement) -> Statement:
    """Widen the parts of a statement that begin or end inside a word."""
    value = statement.value and _of_words(text, statement.value)
    who = statement.who and _of_words(text, statement.who)
    return replace(statement, span=_of_words(text, statement.span), value=value, who=who)


def _of_words(text: str, span: TextSpan) -> TextSpan:
    start, end = span
    first, last = max(1, start - _LONGEST_WORD), min(len(text), end + _LONGEST_WORD)
    while first <= start < len(text) and is_inside_word(text, start):
        start -= 1
    while 0 < end < last and is_inside_word(text, end):
        end += 1
    return TextSpan(start, end)


def is_inside_word(text: str, place: int) -> bool:
    """Tell whether a cut at a place would go through a word."""
    before, after = text[place - 1], text[place]
    return combining(after) != 0 or (after.isalnum() and (before.isalnum() or combining(before) != 0))


def event_time(text: str, now: datetime) -> datetime | None:
    """Give when an event is, if its words say so: a date with its year, or a time counted from `now`.

    "on 14 March" or "on Friday" may be the last one or the next: that is no answer.
    """
    for place, time in enumerate(find_time_spans(text, now)):
        words = text[time.start : time.end]
        moved = [find_time_spans(text, now + timedelta(days=days))[place : place + 1] for days in (1, 2, _MONTH)]
        steps = [(after[0].since - time.since).days if after else 0 for after in moved]
        counted_in_days = time.until - time.since <= timedelta(days=1) and steps[:2] == [1, 2]
        counted_in_weeks = time.until - time.since >= timedelta(days=7) and 28 <= steps[2] <= _MONTH + 4  # noqa: PLR2004
        if _YEAR.search(words) or counted_in_days or counted_in_weeks:
            return time.since
    return None


def _cleaned(value: str, statement: Statement) -> str:
    """Leave out small words at both ends; the preposition of a time belongs to it: "until Friday"."""
    bare = _without_small_words(value)
    is_time = statement.type == "event" or statement.key in _TIMES
    return _without_half_brackets(" ".join(value.strip(_MARKS).split()) if bare and is_time else bare)


def _time(said: str, value: TextSpan | None, within: TextSpan) -> str:
    """Give the words of time in an event where the reader saw none of them."""
    times = find_time_spans(said, ANY_DAY)
    seen = value is not None and any(
        time.start + within.start < value.end and value.start < time.end + within.start for time in times
    )
    numbered = value is not None and any(map(str.isdigit, said[value.start - within.start : value.end - within.start]))
    if not times or seen or numbered:
        return ""
    return said[times[0].start : times[0].end]


def is_time(value: str) -> bool:
    """Tell whether a value is a time and nothing else."""
    times = find_time_spans(value, ANY_DAY)
    rest = value[: times[0].start] + value[times[-1].end :] if times else value
    return not _without_small_words(rest)


def _whole_words(text: str, start: int, end: int, within: TextSpan) -> tuple[int, int]:
    """Widen a part to what stands between blanks, without marks around it."""
    while start > within.start and not text[start - 1].isspace():
        start -= 1
    while end < within.end and not text[end].isspace():
        end += 1
    while start < end and text[start] in _MARKS:
        start += 1
    while end > start and (text[end - 1] in _MARKS or (text[end - 1] == "." and not text[end - 2 : end - 1].isdigit())):
        end -= 1
    return start, end


def _next_word(text: str, start: int, limit: int) -> tuple[int, int]:
    while start < limit and text[start].isspace():
        start += 1
    end = start
    while end < limit and not text[end].isspace():
        end += 1
    return start, max(end, start + 1)


def _without_small_words(value: str) -> str:
    """Leave out articles, prepositions and the like at both ends."""
    words = value.strip(_MARKS).split()
    small = function_words()
    while words and _is_small(words[0], small):
        words = words[1:]
    while words and _is_small(words[-1], small):
        words = words[:-1]
    return " ".join(words).strip(_MARKS)


def _without_half_brackets(value: str) -> str:
    """Leave out brackets of which only one is in the value."""
    for opening, closing in _BRACKETS:
        if value.count(opening) != value.count(closing):
            value = value.replace(opening, "").replace(closing, "")
    return value


def _is_small(word: str, small: frozenset[str]) -> bool:
    bare = fold_spelling(word.strip(_MARKS))
    return not bare or (bare in small and bare not in negations())


# Where a thing is; what a reader may take for one of these is a thing.
LOCATION: Final = "location"
THINGS: Final = frozenset({"", "device", "possession", "tool", "car"})
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
