"""Twice the text is at most about twice the work. Work is counted, not timed: steps, and characters shown to RE2."""

import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import pytest

from recollect.model.readings import Reading, Statement, TextSpan
from recollect.text.capture import CapturePattern, CaptureRules, capture, compile_patterns
from recollect.text.capture.own_words import MAX_MESSAGE_CHARACTERS
from recollect.text.regex import LazyRegex, RegexMatch
from tests.rows import every
from tests.sizes import sized

HOSTILE = {
    "one letter": "a",
    "one word": "I ",
    "a phrase": "my name is Anna and ",
    "phrases": "my name is I live in remember that I work at ",
    "sentences": "I live in Brno. ",
    "questions": "do you remember? ",
    "full stops": ".",
    "short forms": "st. ",
    "blanks": " " * 9 + "\n",
    "lines": "\n",
    "quotations": '"I like tea" ',
    "open quotations": '"a b ',
    "quoted lines": ">\n",
    "code": "a=>\n",
    "speakers": "Ab: c\n",
    "brackets": "((((",
    "commas": ", ",
    "recalled blocks": "<relevant-context id=1>x</relevant-context> ",
    "open blocks": "<relevant-context ",
    "fences": "``` ",
    "mail": "On Monday x wrote ",
    "other people's text": "translate this: ",
    "dates": "on 14 March ",
    "addresses": "a@a.a.a.",
    "numbers": "+1 (2) 3-4",
    "marks": "e\u0301\u0302",
    "Cyrillic": "мне нравится, когда я живу в ",
    "German": "ich möchte immer gern ",
    "Czech": "mám rád, když bydlím v ",
}
SPAN = 20
LENGTHS = (sized(250, 400), sized(500, 800), sized(1_000, 1_600))


class Work:
    """Counts the lines that the interpreter runs, and the characters that patterns are looked for in."""

    def __init__(self) -> None:
        self.steps = 0
        self.characters = 0

    def of(self, action: Callable[[], object]) -> tuple[int, int]:
        """Give both for one action."""
        self.steps = self.characters = 0
        before = sys.gettrace()
        sys.settrace(self._stepped)
        try:
            action()
        finally:
            sys.settrace(before)
        return self.steps, self.characters

    def _stepped(self, _frame: object, _event: str, _argument: object) -> Callable[..., Any]:
        self.steps += 1
        return self._stepped


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Work:
    counted = Work()
    search, finditer = LazyRegex.search, LazyRegex.finditer

    def searched(self: LazyRegex, text: str) -> RegexMatch | None:
        counted.characters += len(text)
        return search(self, text)

    def iterated(self: LazyRegex, text: str) -> Iterator[RegexMatch]:
        counted.characters += len(text)
        return finditer(self, text)

    monkeypatch.setattr(LazyRegex, "search", searched)
    monkeypatch.setattr(LazyRegex, "finditer", iterated)
    return counted


def all_events(text: str) -> Reading:
    """Give a reading in which everything is an event, the statement that is most work."""
    spans = (TextSpan(start, start + SPAN) for start in range(0, len(text) - SPAN, SPAN))
    return Reading(tuple(Statement("event", span, 0.9, "home", TextSpan(span.start, span.start + 4)) for span in spans))


@every("name", HOSTILE)
def test_twice_the_text_is_at_most_about_twice_the_work(name: str, work: Work) -> None:
    piece = HOSTILE[name]
    capture(piece * 100, all_events(piece * 100))  # what is compiled at first use is no work of a message
    counts: list[tuple[int, int]] = []
    for length in LENGTHS:
        text = (piece * length)[:length]
        counts.append(work.of(partial(capture, text, all_events(text))))
    for (steps, characters), (more_steps, more_characters) in pairwise(counts):
        assert more_steps <= 2.3 * steps + 300
        assert more_characters <= 2.3 * characters + 300


@every("reading", [None, Reading((Statement("fact", TextSpan(0, 10), 0.99, "like"),))])
def test_a_paste_is_not_looked_at(reading: Reading | None, work: Work) -> None:
    rules = CaptureRules(patterns=compile_patterns([CapturePattern("tea", "fact")]))
    text = "I like tea. " * MAX_MESSAGE_CHARACTERS
    found: list[Any] = []
    steps, characters = work.of(lambda: found.extend(capture(text, reading, rules)))
    assert (found, characters) == ([], 0)
    assert steps < 60


def test_what_is_at_the_bound_is_looked_at() -> None:
    text = "My name is Anna. ".ljust(MAX_MESSAGE_CHARACTERS)
    assert [found.value for found in capture(text, None)] == ["Anna"]
    assert capture(text + " ", None) == ()
