"""The language tables of capture, folded and compiled once: small words, cues, and the phrases that are exact."""

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from recollect.text.clean import fold_rule, fold_spelling
from recollect.text.regex import LazyRegex
from recollect.text.tables import LANGUAGES, read_lines, read_words

_TABLE = "capture"
_EDGE = r"[^\pL\pN_]"
# Letters of folded text as a few ranges: \pL is a table of all letters, of which every phrase would compile a copy.
_LETTERS = r"a-z\x{c0}-\x{1fff}\x{2c00}-\x{2dff}\x{3040}-\x{d7ff}"
_CLASS = re.compile(r"\[[^\]]*\]|\\pL")
_BLANK = re.compile(r"\[[^\]]*\]| \??")  # one that stands in a class of characters is meant as it stands
_BLANKS = {" ": "[ ,]+", " ?": "[ ,]*"}
_SLOTS = {
    "name": r"(?P<value>[\pL'-]+\.?(?: [\pL'-]+){0,3})",
    "place": r"(?P<value>[\pL'-]+\.?(?: [\pL'-]+){0,4})",
    "email": r"(?P<value>[a-z0-9._%+-]{1,64}@[a-z0-9-]{1,64}(?:\.[a-z0-9-]{1,64})+)",
    "phone": r"(?P<value>\+?\(?\d(?:[ ()/.-]{0,2}\d){6,14})",
    "what": r"(?P<value>[\pL'-]+(?: [\pL'-]+){0,2}?)(?:[ ,]+(?:and|but|so|und|aber|a|i|ale|и|но)[ ,]|[^\pL' -]|$)",
    "date": r"(?P<value>[^,;!?]{2,30})",
    "said": r"(?P<value>.+)$",
    "thing": r"(?P<value>.+)$",
}


class ExactPhrase(NamedTuple):
    """A phrase that means one thing only, and the key of the value that it states."""

    key: str
    regex: LazyRegex


@cache
def folded(section: str, *languages: str) -> frozenset[str]:
    """Give the single words of a section, of all four languages if none is named."""
    lines = read_lines(_TABLE, section, *languages)
    return frozenset(fold_spelling(word) for line in lines for word in line.split())


@cache
def openings(language: str) -> frozenset[str]:
    """Give what a clause may begin with without saying anything; of an unknown language what is so in all of them."""
    if language in LANGUAGES:
        return folded("openings", language)
    return folded("openings") - function_words()


@cache
def phrases_of(section: str) -> LazyRegex:
    """Give a pattern that finds any of a section's phrases, each as whole words."""
    return in_ranges(rf"(?:^|{_EDGE})(?:{alternatives(_phrases(section))})(?:{_EDGE}|$)")


@cache
def cues() -> LazyRegex:
    """Give a pattern that finds what announces the text of another person: beginnings of words, or phrases."""
    stems = "|".join(sorted(folded("handed over")))
    phrases = "|".join(map(fold_rule, _phrases("handed over phrases")))
    return in_ranges(rf"(?:^|{_EDGE})(?:{stems}|(?:{phrases})(?:{_EDGE}|$))")


@cache
def function_words() -> frozenset[str]:
    """Give articles, pronouns, prepositions and the like of all languages, but not what denies."""
    small = read_words("language", "function words") | read_words("language", "fillers")
    return frozenset(map(fold_spelling, small)) - negations()


@cache
def negations() -> frozenset[str]:
    """Give the words that deny."""
    return frozenset(map(fold_spelling, read_words("language", "negations")))


@cache
def exact_phrases() -> tuple[ExactPhrase, ...]:
    """Give the phrases that mean one thing only, in all four languages."""
    lines = (line.partition(": ") for line in read_lines(_TABLE, "exact"))
    return tuple(ExactPhrase(key, _phrase(pattern)) for key, _, pattern in lines)


@cache
def located() -> LazyRegex:
    """Give a pattern that finds what stands between a thing and its place."""
    return in_ranges(rf"[ ](?:{'|'.join(map(fold_rule, read_lines(_TABLE, 'located')))})[ ]")


@cache
def remember_phrases() -> tuple[LazyRegex, ...]:
    """Give the phrases with which a user asks to remember what follows."""
    return tuple(_phrase(line) for line in read_lines(_TABLE, "remember"))


def _phrases(section: str) -> list[str]:
    """Give the phrases of a section; a line may hold several, with commas between them."""
    return [phrase for line in read_lines(_TABLE, section) for phrase in line.split(", ")]


def _phrase(pattern: str) -> LazyRegex:
    bare = _BLANK.sub(lambda found: _BLANKS.get(found[0], found[0]), fold_rule(pattern))
    for name, slot in _SLOTS.items():
        bare = bare.replace(f"{{{name}}}", slot)
    return in_ranges(rf"(?:^|{_EDGE})(?:{bare})")


def alternatives(phrases: Iterable[str]) -> str:
    """Give a pattern of any of these phrases, whose words may have commas between them."""
    return "|".join(fold_rule(phrase).replace(" ", "[ ,]+") for phrase in phrases)


def in_ranges(pattern: str) -> LazyRegex:
    r"""Give a pattern for folded text, with the letters of `\pL` and `\pN` as a few ranges."""

    def ranges(found: re.Match[str]) -> str:
        letters = found[0].replace(r"\pL", _LETTERS).replace(r"\pN", "0-9")
        return letters if found[0].startswith("[") else f"[{letters}]"

    return LazyRegex(_CLASS.sub(ranges, pattern))
