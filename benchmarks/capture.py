# ruff: noqa: RUF001  # letters of other alphabets are the point here
"""Capturing from what users write: nothing may hold up a turn, whatever it is shown. Reading is measured elsewhere."""

import statistics
from collections.abc import Iterator
from functools import partial

from benchmarks.figures import Figure, seconds
from recollect.model.readings import Reading, Statement, TextSpan
from recollect.models.local import LocalReader
from recollect.text.capture import capture
from recollect.text.capture.own_words import MAX_MESSAGE_CHARACTERS

MEGABYTE = 1_000_000
BAR_S = 0.050
MESSAGE_BAR_S = 0.250
BAR_LINES_PER_S = 300
STATEMENT_CHARACTERS = 50

HOSTILE = (
    "a",
    "i ",
    "my name is my name is ",
    "remember that I live in ",
    "translate this: ",
    "мне нравится, когда я живу в ",
    "a@a.a.a.",
    "+1 (2) 3-4",
    '"a b ',
    "> a\n",
    "Ab: c\n",
    "<relevant-context ",
    "on 14 March, ",
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
    """A paste, the worst message, and lifelike lines; readings are made before."""
    paste = max(seconds(partial(capture, piece * (MEGABYTE // len(piece)), Reading())) for piece in HOSTILE)
    detail = f"{paste * 1e3:.3f} ms"
    yield Figure("capture from a paste of 1 MB against 50 ms", paste / BAR_S, 1.0, "at most", detail)
    worst, piece = max((_hostile_message(piece), piece) for piece in HOSTILE)
    detail = f"{worst * 1e3:.0f} ms for {MAX_MESSAGE_CHARACTERS:,} characters of {piece!r}"
    yield Figure("capture from the worst message against 250 ms", worst / MESSAGE_BAR_S, 1.0, "at most", detail)
    reader = LocalReader()
    read = [(line, reader.read(line)) for line in LIFELIKE]
    lines = len(LIFELIKE) / statistics.median(seconds(lambda: [capture(*one) for one in read]) for _ in range(20))
    detail = f"{lines:,.0f} lines a second against {BAR_LINES_PER_S}"
    yield Figure("lines captured a second, read before", lines / BAR_LINES_PER_S, 1.0, "at least", detail)


def _hostile_message(piece: str) -> float:
    """Time a message at the bound in which a reader sees nothing but events, the costliest statements."""
    text = (piece * MAX_MESSAGE_CHARACTERS)[:MAX_MESSAGE_CHARACTERS]
    spans = (TextSpan(start, start + STATEMENT_CHARACTERS) for start in range(0, len(text), STATEMENT_CHARACTERS))
    reading = Reading(tuple(Statement("event", span, 0.9, "home", span) for span in spans))
    return min(seconds(lambda: capture(text, reading)) for _ in range(3))  # phrases are compiled at first use
