"""Twice the text is at most about twice the work. Work is counted, not timed: the characters that RE2 is shown."""

import time
from itertools import pairwise

import pytest

from recollect.text.capture import CapturePattern, capture, compile_patterns
from recollect.text.capture.grammar import Phrases
from recollect.text.capture.prose import MAX_MESSAGE_CHARACTERS

HOSTILE = {
    "one letter": "a",
    "one word": "I ",
    "a trigger": "I like ",
    "triggers": "my name is my favourite colour is remember that we decided to ",
    "sentences": "I prefer tea to it. ",
    "questions": "do you remember? ",
    "full stops": ".",
    "short forms": "st. ",
    "blanks": " " * 9 + "\n",
    "quotations": '"I like tea" ',
    "open quotations": '"a b ',
    "brackets": "((((",
    "recalled blocks": "<relevant-context id=1>x</relevant-context> ",
    "open blocks": "<relevant-context ",
    "fences": "``` ",
    "mail": "On Monday x wrote ",
    "marks": "e\u0301\u0302",
    "Cyrillic": "мне нравится, когда я живу в ",
    "German": "ich möchte immer gern ",
    "Czech": "mám rád, když bydlím v ",
}


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Collect the lengths of the texts that phrases are looked for in."""
    lengths: list[int] = []
    match = Phrases.match

    def counted(self: Phrases, text: str) -> bool:
        lengths.append(len(text))
        return match(self, text)

    monkeypatch.setattr(Phrases, "match", counted)
    return lengths


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE.keys())
def test_twice_the_text_is_at_most_about_twice_the_work(piece: str, shown: list[int]) -> None:
    work = []
    for length in (4_000, 8_000, 16_000):
        shown.clear()
        start = time.perf_counter()
        capture((piece * length)[:length])
        took_ms = (time.perf_counter() - start) * 1e3
        print(f"{length:6} characters: {took_ms:8.2f} ms, {sum(shown):9} shown")  # noqa: T201 - timing is for reading
        work.append(sum(shown))
    for once, twice in pairwise(work):
        assert twice <= 2.5 * once + 50_000


def test_a_paste_is_not_looked_at(shown: list[int]) -> None:
    text = "I like tea. " * (MAX_MESSAGE_CHARACTERS // 10)
    assert capture(text, patterns=compile_patterns([CapturePattern("tea", "fact")])) == ()
    assert not shown
