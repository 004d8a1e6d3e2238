"""Which time the words of a search query speak of, in English, Russian, Czech and German.

The invariant: plain functions of the query and of `now`, in linear time, without the machine's clock. Words that may
mean something else mean no time; a date that does not exist is no time either. A query may mix the languages. Of
findings that overlap the longest counts, of equals that which means nothing, then that of the first language and of its
upper line. The tree of phrases is of bounded depth, and a phrase holds others at most twice over.

    grammar   the query in tokens; the words and phrases of a language, from its tables
    meanings  what a phrase stands for, as the user's wall clock has it; the README of the tables lists the choices
              that were left to us
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import NamedTuple

from recollect.errors import InvalidInput
from recollect.text.tables import LANGUAGES
from recollect.text.time_expressions.grammar import PhraseNode, QueryToken, TimeGrammar, tokenize
from recollect.text.time_expressions.meanings import NOTHING, OPEN, Stretch, TimeExpression, Today, evaluate, is_yearly

# Every phrase of a language holds a digit or a letter of its script, so most queries need not load all of them.
_LATIN, _CYRILLIC = re.compile("[0-9a-z]"), re.compile("[0-9\u0400-\u04ff]")
_NEEDED = {"ru": _CYRILLIC}
_DEEPEST = 2
_CLAUSE_ENDS = frozenset('.,;:!?)]"…')
_QUOTES = frozenset("\"'")

__all__ = ["TimeSpan", "find_time_spans"]


class _PhraseMatch(NamedTuple):
    """A phrase in the tokens from `context` to `end`, its time from `start` on, and its lines in the tables."""

    context: int
    start: int
    end: int
    expression: TimeExpression
    lines: tuple[int, ...]


class _SearchPath(NamedTuple):
    """How far the tree of phrases has been followed: where in it, to which token, and the slots filled on the way."""

    node: PhraseNode
    at: int
    slots: tuple[tuple[str, str], ...] = ()
    points: tuple[TimeExpression, ...] = ()
    lines: tuple[int, ...] = ()


_grammar = cache(TimeGrammar)


def find(tokens: Sequence[QueryToken], now: datetime) -> list[tuple[int, int, Stretch, bool]]:
    """Give the times in the tokens with their places in the text, in order, and whether each comes every year."""
    matches: list[_PhraseMatch] = []
    text = " ".join(token.folded for token in tokens)
    for language in LANGUAGES:
        if _NEEDED.get(language, _LATIN).search(text):
            search = _PhraseSearch(_grammar(language), tokens)
            matches += sorted(search.matches(), key=lambda match: match.lines)
    if not matches:
        return []
    today = Today.of(now)
    matches.sort(
        key=lambda match: (
            tokens[match.context].start - tokens[match.end - 1].end,  # the longest first
            match.expression.meaning != NOTHING,
        )
    )
    taken = [False] * len(tokens)
    times: list[tuple[int, int, Stretch, bool]] = []
    for match in matches:
        if any(taken[match.start : match.end]):
            continue
        taken[match.start : match.end] = [True] * (match.end - match.start)
        if not _is_title(tokens, match) and (stretch := evaluate(match.expression, today)):
            place = tokens[match.start].start, _end(tokens, match.end)
            times.append((*place, stretch, is_yearly(match.expression)))
    return sorted(times)


def _end(tokens: Sequence[QueryToken], end: int) -> int:
    """Say where the words end, with the 's that belongs to them."""
    if end < len(tokens) and tokens[end].folded == "'s":
        end += 1
    return tokens[end - 1].end


def _is_title(tokens: Sequence[QueryToken], match: _PhraseMatch) -> bool:
    """Tell whether the words stand in quotes with nothing else: the name of something."""
    around = (*tokens[max(match.start - 1, 0) : match.start], *tokens[match.end : match.end + 1])
    return len(around) == len("''") and all(token.folded in _QUOTES for token in around)


class _PhraseSearch:
    """The search for the phrases of one language."""

    def __init__(self, grammar: TimeGrammar, tokens: Sequence[QueryToken]) -> None:
        self._grammar = grammar
        self._tokens = tokens
        self._known: dict[tuple[int, int], list[_PhraseMatch]] = {}

    def matches(self) -> Iterator[_PhraseMatch]:
        for at, token in enumerate(self._tokens):
            if self._grammar.may_begin(token):
                yield from (match for match, bare in self._beginning(at, 0) if not bare)

    def _points(self, at: int, depth: int) -> list[_PhraseMatch]:
        """Give the phrases that may stand inside another, at one place."""
        if at >= len(self._tokens) or depth > _DEEPEST or not self._grammar.may_begin(self._tokens[at]):
            return []
        if (at, depth) not in self._known:
            matches = (match for match, _ in self._beginning(at, depth) if match.context == match.start)
            self._known[at, depth] = [match for match in matches if match.expression.meaning not in OPEN]
        return self._known[at, depth]

    def _beginning(self, at: int, depth: int) -> Iterator[tuple[_PhraseMatch, bool]]:
        """Follow all phrases from one token on, in every way; say of each found whether it is a bare one."""
        ways = [_SearchPath(self._grammar.root, at)]
        while ways:
            way = ways.pop()
            for phrase in way.node.phrases:
                arguments = {**phrase.arguments, **dict(way.slots)}
                expression = TimeExpression(phrase.meaning, arguments, way.points)
                lines = (phrase.line, *way.lines)
                yield _PhraseMatch(at, at + phrase.begins, way.at, expression, lines), phrase.bare
            if way.node.edges:
                ways.extend(self._steps(way, depth))

    def _steps(self, way: _SearchPath, depth: int) -> Iterator[_SearchPath]:
        """Take one more token, or phrase, as each of the things it may be."""
        node, at, slots, points, lines = way
        if at < len(self._tokens):
            token = self._tokens[at]
            for further in (*node.by_word.get(token.folded, ()), *node.after_anything):
                yield _SearchPath(further, at + 1, slots, points, lines)
            if node.by_class:
                for name, value in self._grammar.classes(token).items():
                    for slot, further in node.by_class.get(name, ()):
                        yield _SearchPath(further, at + 1, (*slots, (slot, value)), points, lines)
        for further in node.after_point:
            for match in self._points(at, depth + 1):
                yield _SearchPath(further, match.end, slots, (*points, match.expression), (*lines, *match.lines))
        if node.at_ending and (at >= len(self._tokens) or self._tokens[at].folded in _CLAUSE_ENDS):
            for further in node.at_ending:
                yield _SearchPath(further, at, slots, points, lines)


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A time from `since` up to but not including `until`, both in UTC, which query[start:end] speaks of.

    A `yearly` one, such as "in March", may be meant of an earlier year, too.
    """

    since: datetime
    until: datetime
    start: int
    end: int
    yearly: bool = False


def find_time_spans(query: str, now: datetime) -> tuple[TimeSpan, ...]:
    """Give the times a query speaks of, in order of place. `now` carries the time zone its days are counted in."""
    if now.tzinfo is None:
        raise InvalidInput(f"now is {now.isoformat()}, a time without a zone; pass one with the user's time zone")
    found = find(tokenize(query), now)
    return tuple(TimeSpan(since, until, start, end, yearly) for start, end, (since, until), yearly in found)
