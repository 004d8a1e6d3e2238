"""A query in tokens: words, numerals and single marks, with what each numeral may stand for.

The invariant: tokens come in the order of the text, do not overlap, and query[start:end] is what was typed. A numeral
that is glued to letters or to another number ("v2", "10/12", "8:30") is not the number it contains.
"""

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

FIRST_YEAR, LAST_YEAR = 1900, 2100
_MONTHS, _DAYS = 12, 31
_DECADES = range(30, 100, 10)
_NOTHING: Mapping[str, str] = {}
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u02bc\u00b4`", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
    }
)


class QueryToken(NamedTuple):
    """A word without case and accents, or a mark; `shapes` says what a numeral may be: a day, a year, a date."""

    folded: str
    start: int
    end: int
    shapes: Mapping[str, str]


@cache
def _tokens() -> re.Pattern[str]:
    word = r"(?:\w[\u0300-\u036f]*)+"
    numeral = "[0-9]+(?:[.,:/\u2013-][0-9]+){0,8}"
    return re.compile(
        rf"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}(?=T[0-9])|(?>{numeral})(?!\w)|{word}(?:['\u2019]{word})*|[^\w\s]"
    )


@cache
def _shapes() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Give the numerals of several numbers: a date either way round, days, months, years."""
    return tuple(
        (name, re.compile(pattern))
        for name, pattern in (
            ("date", r"(?P<day>\d\d?)([./-])(?P<month>\d\d?)\2(?P<year>\d{4})"),
            ("date", r"(?P<year>\d{4})([./-])(?P<month>\d\d?)\2(?P<day>\d\d?)"),
            ("daymonth", r"(?P<day>\d\d?)\.(?P<month>\d\d?)"),
            ("monthyear", r"(?P<month>\d\d?)[./](?P<year>\d{4})"),
            ("monthyear", r"(?P<year>\d{4})-(?P<month>\d\d)"),
            ("years", r"(?P<year>\d{4})-(?P<day>\d{4})"),
            ("dayrange", r"(?P<year>\d\d?)-(?P<day>\d\d?)"),
            ("winter", r"(?P<year>\d{4})/(?P<month>\d\d|\d{4})"),
            ("nth", r"(?P<day>\d\d?)(?:st|nd|rd|th)"),
        )
    )


def fold(word: str) -> str:
    """Give a word in one spelling: without case, accents and typographic quotes."""
    if word.isascii():
        return word.lower()
    apart = unicodedata.normalize("NFD", word.casefold().translate(_PLAIN))
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def tokenize(query: str) -> tuple[QueryToken, ...]:
    """Cut a query into tokens. The 's of a possessive stands alone, so that today's news is today."""
    tokens: list[QueryToken] = []
    for match in _tokens().finditer(query):
        folded, start, end = fold(match[0]), match.start(), match.end()
        if folded.endswith("'s") and len(folded) > 2:  # noqa: PLR2004 - the length of 's
            tokens.append(QueryToken(folded[:-2], start, end - 2, _NOTHING))
            tokens.append(QueryToken("'s", end - 2, end, _NOTHING))
        else:
            tokens.append(QueryToken(folded, start, end, _read(folded)))
    return tuple(tokens)


def _read(folded: str) -> Mapping[str, str]:
    if not "0" <= folded[:1] <= "9":
        return _NOTHING
    if folded.isdecimal():
        return _number(folded)
    for name, pattern in _shapes():
        if match := pattern.fullmatch(folded):
            return {name: "-".join(_date(name, match.groupdict()))}
    return _NOTHING


def _number(digits: str) -> Mapping[str, str]:
    if len(digits) > len("2022"):
        return {"large": digits}
    number = int(digits)
    shapes = {}
    if len(digits) == len("2022"):
        if not FIRST_YEAR <= number <= LAST_YEAR:
            return {"large": digits}
        return {"year": digits, "tens": digits} if number % 10 == 0 else {"year": digits}
    if number:
        shapes["n"] = digits
    if len(digits) <= len("31"):
        if 1 <= number <= _DAYS:
            shapes["day"] = digits
        if 1 <= number <= _MONTHS:
            shapes["mm"] = digits
        if number in _DECADES:
            shapes["tens"] = f"19{digits}"
    return shapes


def _date(name: str, parts: Mapping[str, str]) -> list[str]:
    """Put the numbers of a date in order: year, month, day. The day comes first unless that cannot be."""
    day, month, year = (parts.get(part) for part in ("day", "month", "year"))
    if name == "date" and day and month and int(month) > _MONTHS >= int(day):
        day, month = month, day
    return [part for part in (year, month, day) if part]
