"""Phrases that mean one thing only: "my name is", an e-mail address, "remember that"; and the patterns a user adds.

The invariant: what is found here is true by its form, in the four languages of the tables, with and without a reader. A
pattern that was accepted takes linear time on every text, because RE2 runs it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple, TypeAlias

import re2

from recollect.errors import InvalidInput
from recollect.model.calibration import CERTAIN
from recollect.model.literals import MEMORY_TYPES, MemoryType, StatementType
from recollect.model.readings import Captured, Statement, TextSpan
from recollect.text.capture.own_words import OwnWords
from recollect.text.capture.words import exact_phrases, function_words, negations, openings, remember_phrases
from recollect.text.capture.words import folded as folded_words
from recollect.text.clean import fold_spelling
from recollect.text.regex import LazyRegex, Regex, RegexMatch, compile_regex
from recollect.text.secrets import REDACTION_MARK
from recollect.text.tables import read_words

THING = "thing"
_TASTES = frozenset({"like", "dislike", "favourite", "prefer"})
_NAMED = frozenset({"name", "nickname", "home", "employer"})
_AFTER_COLON = LazyRegex(r":\s")  # what follows may be a text that is handed over
_ADDRESSES = frozenset({"home", "address", "origin"})
_SEPARATORS = frozenset({"the", "as"})  # call the office lamp the reading lamp
_FEWEST_LETTERS = 2
_FEWEST_WORDS = 2
_MOST_WORDS = 4  # of a thing, or of its name
_SOMETHING_ELSE = 10  # characters
_LIKELY = 0.6
_REFERS_BACK = frozenset({"this", "it", "das", "to", "это"})  # remember this: what was said before is meant

_LONGEST = 1_000
_IMPORTANCE = 0.9
_SLOTS = ("subject", "key", "value", "context")


class ExactFindings(NamedTuple):
    """Statements that are true by their form, and the parts of a message that the user asks to remember."""

    statements: tuple[Statement, ...]
    asked: tuple[TextSpan, ...]
    things: tuple[tuple[TextSpan, str, str], ...]  # where, which thing, what it is called


def find_exact(layout: OwnWords, folded: str) -> ExactFindings:
    """Look for exact phrases in the user's own sentences; nothing after a cue that other people's text follows."""
    colon = _AFTER_COLON.search(folded.replace(REDACTION_MARK, "*" * len(REDACTION_MARK)))
    clear_until = colon.span()[0] if colon else len(folded)
    announced = layout.cues[0].start if layout.cues else len(folded)
    statements: list[Statement] = []
    asked: list[TextSpan] = []
    things: list[tuple[TextSpan, str, str]] = []
    for sentence in layout.sentences():
        asked += _asked(layout, folded, sentence)
        if sentence.start < announced and not layout.text[: sentence.end].endswith("?"):
            found = _phrases(layout.text, folded, sentence, clear_until)
            statements += [phrase for phrase in found if phrase.span.start < announced]
            things += _things(layout.text, folded, sentence)
    return ExactFindings(tuple(statements), tuple(asked), tuple(things))


def merge_statements(text: str, read: Sequence[Statement], exact: Sequence[Statement]) -> list[Statement]:
    """Let exact phrases give key and value to the statements that a reader found there, and add the others.

    A phrase that is not certain needs a reader that found the same.
    """
    merged = list(read)
    for phrase in exact:
        touched = [found for found in merged if _overlap(found.span, phrase.span)]
        if phrase.confidence < CERTAIN and not any(_agree(found.key, phrase.key) for found in touched):
            continue
        start, end = phrase.span
        who: TextSpan | None = None
        for found in touched:
            merged.remove(found)
            if phrase.span.start - found.span.start >= _SOMETHING_ELSE:  # it says more, before the phrase
                merged.append(_cut(found, phrase.span.start))
            elif rest := _after(text, found, phrase):
                merged.append(rest)
            else:
                start, end, who = min(start, found.span.start), max(end, found.span.end), found.who
        sure = max((phrase.confidence, *(found.confidence for found in touched)))
        merged.append(replace(phrase, span=TextSpan(start, end), confidence=sure, who=who))
    return sorted(merged, key=lambda found: found.span)


def _cut(statement: Statement, end: int) -> Statement:
    """Give the part of a statement before a place; its value goes if it is not in that part."""
    value = statement.value if statement.value and statement.value.end <= end else None
    return replace(statement, span=TextSpan(statement.span.start, end), value=value, key=statement.key if value else "")


def _after(text: str, statement: Statement, phrase: Statement) -> Statement | None:
    """Give the part of a statement after a phrase, if "and" joins it with something else: "… and I prefer tea"."""
    start, end = phrase.span.end, statement.span.end
    first, _, rest = text[start:end].strip(" ,").partition(" ")
    words = fold_spelling(rest).split()
    if fold_spelling(first) not in _joining() or len(words) < _FEWEST_WORDS or words[0] in negations():
        return None
    span = TextSpan(text.rindex(rest, start, end), end)
    value = statement.value if statement.value and statement.value.start >= span.start else None
    key = "" if statement.key == phrase.key else statement.key
    kind: StatementType = "preference" if key in _TASTES else statement.type
    sure = (statement.confidence + CERTAIN) / 2  # what was read as one: half of it is certain
    return replace(statement, type=kind, span=span, confidence=sure, key=key, value=value)


@cache
def _joining() -> frozenset[str]:
    return frozenset(map(fold_spelling, read_words("query", "joining")))


def _agree(one: str, other: str) -> bool:
    return one == other or {one, other} <= _ADDRESSES


def _overlap(one: TextSpan, other: TextSpan) -> bool:
    return one.start < other.end and other.start < one.end


def _asked(layout: OwnWords, folded: str, sentence: TextSpan) -> Iterator[TextSpan]:
    for phrase in remember_phrases():
        if found := phrase.search(folded[sentence.start : sentence.end]):
            start, end = (sentence.start + place for place in found.span(phrase.groupindex["value"]))
            handed_over = layout.is_announced(start) or (bool(layout.cues) and layout.cues[-1].start >= end)
            if not handed_over and _is_wish(
                folded[sentence.start : sentence.start + found.span()[0]], folded[start:end]
            ):
                yield TextSpan(start, end)
            return


def _is_wish(before: str, said: str) -> bool:
    """Tell whether a request to remember is meant: not denied, and no question."""
    words = said.split()
    denied = not negations().isdisjoint((*before.split()[-1:], *words[-1:])) or before.endswith("n't")
    return len(words) >= _FEWEST_WORDS and words[0] not in _REFERS_BACK and not denied and "?" not in said[:-1]


def _phrases(text: str, folded: str, sentence: TextSpan, clear_until: int) -> Iterator[Statement]:
    for key, regex in exact_phrases():
        if key == THING or not (found := regex.search(folded[sentence.start : sentence.end])):
            continue
        start, end = (sentence.start + place for place in found.span(regex.groupindex["value"]))
        begin = sentence.start + found.span()[0]
        begin += not folded[begin].isalnum()
        value = _named(text, start, end) if key in _NAMED else _plain(text, start, end, key)
        if value:
            clear = begin <= clear_until and (key not in _NAMED or text[value.start].isupper())
            yield Statement("fact", TextSpan(begin, value.end), CERTAIN if clear else _LIKELY, key, value)


def _named(text: str, start: int, end: int) -> TextSpan | None:
    """Cut a name to its words with a capital; of a text without capitals, to its first word."""
    last = start
    place = start
    for word in text[start:end].split(" "):
        stop = place + len(word)
        if word[:1].isupper():
            last = stop
        elif last == start or fold_spelling(word) not in folded_words("inside names"):
            break
        place = stop + 1
    if last == start and text == text.lower():
        word = text[start:end].split(" ", maxsplit=1)[0]
        last = start if fold_spelling(word) in function_words() or len(word) < _FEWEST_LETTERS else start + len(word)
    return _plain(text, start, last, "")


def _plain(text: str, start: int, end: int, key: str) -> TextSpan | None:
    while end > start and not text[end - 1].isalnum():
        end -= 1
    dated = key != "birthday" or any(map(str.isdigit, text[start:end]))
    return TextSpan(start, end) if end > start and dated else None


def _things(text: str, folded: str, sentence: TextSpan) -> Iterator[tuple[TextSpan, str, str]]:
    """Give what a thing at home shall be called: its name has a capital, or follows "the" or "as"."""
    for key, regex in exact_phrases():
        found = regex.search(folded[sentence.start : sentence.end]) if key == THING else None
        if found is None:
            continue
        start, end = (sentence.start + place for place in found.span(regex.groupindex["value"]))
        words = text[start:end].rstrip(" .!").split()
        cut = next((place for place in range(1, len(words) - 1) if words[place] in _SEPARATORS), None)
        name = words[cut + 1 :] if cut else []
        while cut is None and len(words) > len(name) + 1 and words[-len(name) - 1][:1].isupper():
            name = words[-len(name) - 1 :]
        thing = words[: cut or len(words) - len(name)]
        named = name and max(len(name), len(thing)) <= _MOST_WORDS and openings("en").isdisjoint(thing)
        if named and not function_words().issuperset(map(fold_spelling, thing)):
            yield sentence, " ".join(thing), " ".join(name)
            return


class CapturePattern(NamedTuple):
    """A pattern in RE2 syntax, found without regard to case. Groups named subject, key, value or context fill these."""

    pattern: str
    type: MemoryType


CompiledPatterns: TypeAlias = tuple[tuple[CapturePattern, Regex], ...]

NONE: CompiledPatterns = ()


def compile_patterns(patterns: Sequence[CapturePattern]) -> CompiledPatterns:
    """Compile a user's patterns. Raises InvalidInput for the first that cannot be used."""
    return tuple((pattern, _compiled(pattern)) for pattern in patterns)


def judge_by_patterns(said: str, patterns: CompiledPatterns) -> Captured | None:
    """Give the sentence as the first pattern found in it wants it kept."""
    for pattern, regex in patterns:
        if found := regex.search(said):
            subject, key, value, context = (_slot(said, found, regex.groupindex.get(name)) for name in _SLOTS)
            return Captured(
                said, pattern.type, subject, key, value, context, _IMPORTANCE, rule=f"own {pattern.pattern}"
            )
    return None


def _slot(said: str, found: RegexMatch, group: int | None) -> str:
    start, end = (-1, -1) if group is None else found.span(group)
    return said[start:end] if start >= 0 else ""


def _compiled(pattern: CapturePattern) -> Regex:
    if pattern.type not in MEMORY_TYPES:
        raise InvalidInput(
            f"The pattern {pattern.pattern!r} has the type {pattern.type!r}. Choose one of {', '.join(MEMORY_TYPES)}."
        )
    if not pattern.pattern or len(pattern.pattern) > _LONGEST:
        raise InvalidInput(
            f"The pattern {pattern.pattern[:40]!r} has {len(pattern.pattern):,} characters; 1 to {_LONGEST:,} are "
            "possible. Write it shorter, or as several patterns."
        )
    try:
        regex = compile_regex(pattern.pattern, case_sensitive=False)
    except re2.error as error:
        reason = error.args[0].decode(errors="replace") if isinstance(error.args[0], bytes) else str(error)
        raise InvalidInput(
            f"The pattern {pattern.pattern!r} is no RE2 expression: {reason}. RE2 knows neither look-around nor "
            "back-references; see https://github.com/google/re2/wiki/Syntax."
        ) from error
    if regex.search(""):
        raise InvalidInput(f"The pattern {pattern.pattern!r} is found in every text. Make it require some words.")
    return regex
