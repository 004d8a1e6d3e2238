# ruff: noqa: RUF001  # letters of other alphabets are the point here
"""Capturing from what users write: no pattern may hold up a turn, whatever it is shown."""

import statistics
from collections.abc import Iterator
from functools import partial

from recollect.text.capture.grammar import Regex
from recollect.text.capture.prose import MAX_MESSAGE_CHARACTERS

from benchmarks.figures import Figure, seconds
from recollect.text.capture import capture
from recollect.text.capture.gate import SENTENCE_CHARACTERS
from recollect.text.capture.judging import LANGUAGES, grammar_of
from recollect.text.capture.spelling import fold_spelling

MEGABYTE = 1_000_000
BAR_S = 0.050
MESSAGE_BAR_S = 0.250
BAR_LINES_PER_S = 300

HOSTILE = (
    "a",
    "i ",
    "my my my name ",
    "i really really really like ",
    "ich möchte immer gern ",
    "mám rád, když bydlím ",
    "мне нравится, когда я живу ",
    "a@a.a.a.",
    "+1 (2) 3-4",
    '"a b ',
)
LIFELIKE = (
    "I moved to Leeds last month and I prefer tea in the morning.",
    "turn on the light in the hallway, please",
    "Wir haben uns für Postgres als Datenbank entschieden.",
    "kannst du mir sagen, wo ich arbeite?",
    "Rozhodli jsme se použít Postgres pro fakturaci.",
    "dneska jsem strašně unavený",
    "Мой любимый писатель — Булгаков, а живу я в Казани.",
    "напомни мне завтра в пять позвонить врачу",
)


def measure() -> Iterator[Figure]:
    """The slowest pattern on a megabyte of hostile sentences, a paste, the worst message, and lifelike lines."""
    slowest, name = max((took, name) for name, took in _patterns())
    detail = f"{slowest * 1e3:.1f} ms for '{name}', in sentences of {SENTENCE_CHARACTERS[-1]} characters"
    yield Figure("slowest capture pattern on 1 MB against 50 ms", slowest / BAR_S, 1.0, "at most", detail)
    paste = max(seconds(partial(capture, piece * (MEGABYTE // len(piece)))) for piece in HOSTILE)
    detail = f"{paste * 1e3:.3f} ms"
    yield Figure("capture from a paste of 1 MB against 50 ms", paste / BAR_S, 1.0, "at most", detail)
    worst = max(map(_hostile_message, HOSTILE))
    detail = f"{worst * 1e3:.0f} ms for {MAX_MESSAGE_CHARACTERS:,} characters"
    yield Figure("capture from the worst message against 250 ms", worst / MESSAGE_BAR_S, 1.0, "at most", detail)
    lines = len(LIFELIKE) / statistics.median(seconds(_all_lines) for _ in range(20))
    detail = f"{lines:,.0f} lines a second against {BAR_LINES_PER_S}"
    yield Figure("lines captured a second", lines / BAR_LINES_PER_S, 1.0, "at least", detail)


def _patterns() -> Iterator[tuple[str, float]]:
    """Time every pattern on the worst of the hostile texts, each a megabyte in the sentences it would come in."""
    length = SENTENCE_CHARACTERS[-1]
    texts = [fold_spelling(piece * length)[:length] for piece in HOSTILE]
    for language in LANGUAGES:
        for name, regex in grammar_of(language).regexes():
            yield f"{language} {name}", max(_megabyte(regex, text) for text in texts)


def _megabyte(regex: Regex, sentence: str, sample: int = 10) -> float:
    """Estimate from a sample what a megabyte of such sentences takes, so that a thousand patterns can be timed."""
    regex.search(sentence)
    took = min(seconds(lambda: [regex.search(sentence) for _ in range(sample)]) for _ in range(5))
    return took / sample * (MEGABYTE / len(sentence.encode()))


def _all_lines() -> None:
    for line in LIFELIKE:
        capture(line)


def _hostile_message(piece: str) -> float:
    """Time a message at the bound, made of hostile sentences at theirs."""
    length = SENTENCE_CHARACTERS[-1]
    sentence = (piece * length)[: length - len(". ")] + ". "
    return seconds(lambda: capture(sentence * (MAX_MESSAGE_CHARACTERS // length)))
