"""What can become a point of a summary, how it is written, and what it is worth.

The invariant: a point's worth can be told from its text, so that points of an earlier summary, which have nothing but
their text, are weighed on the same scales as new ones.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from recollect.text.summary.headings import Section
from recollect.text.summary.reading import Sentence, read_sentence
from recollect.text.summary.shortening import LONGEST_POINT, shortened

Kind: TypeAlias = Literal[
    "decision", "preference", "identity", "wish", "fact", "task", "question", "promise", "reply", "answer", "done",
    "pasted", "said", "prose", "call",
]  # fmt: skip

_WORTH: Mapping[Kind, float] = {
    "decision": 2.8,
    "preference": 2.6,
    "identity": 2.8,
    "wish": 1.9,
    "fact": 1.5,
    "task": 2.2,
    "question": 1.9,
    "promise": 1.9,
    "reply": 2.2,
    "answer": 1.2,
    "done": 1.6,
    "pasted": 1.2,
    "said": 0.8,
    "prose": 0.2,
    "call": 1.4,
}
LASTING: frozenset[Kind] = frozenset(("decision", "preference", "identity"))
_OLD_FACTOR = 0.9  # an old point is worth less than a new one of its kind, unless it is of a kind that lasts
_FADING = 0.03  # for every point that came after it

_LABELS: tuple[tuple[str, Kind], ...] = (
    ("Decision: ", "decision"),
    ("User preference: ", "preference"),
    ("User asked: ", "answer"),
    ("User pasted: ", "pasted"),
    ("User: ", "fact"),
    ("Assistant: ", "answer"),
    ("User agreed: ", "reply"),
    ("User answered: ", "reply"),
    ("Called ", "call"),
)

_ABOUT = re.compile(r"^User \(on “.{1,80}”\): ")
_BEFORE = -1_000_000_000  # old points come before all new ones
_PLENTY = 3


@dataclass(frozen=True, slots=True)
class Statement:
    """A point that may get into a summary. `order` is its place in time; old points come before all others."""

    section: Section
    kind: Kind
    point: str
    sentence: Sentence
    worth: float
    order: int
    old: bool = False


def worth_of(kind: Kind, sentence: Sentence) -> float:
    """Weigh a sentence by its kind, its numbers and names, and whether it is long enough to mean something."""
    worth = _WORTH[kind]
    if kind == "call":
        return worth  # consists of names, which therefore say nothing
    worth += 0.2 * min(len(sentence.numbers), 2) + 0.2 * bool(sentence.numbers) + 0.2 * min(sentence.names, _PLENTY)
    if kind in {"said", "fact"} and sentence.numbers:
        worth += 0.3  # a date or a price that the user names is more than one in an answer
    if len(sentence.words) < _PLENTY and not sentence.numbers:
        worth -= 0.4
    if len(sentence.words) >= 2 * _PLENTY:
        worth += 0.15
    if sentence.text.endswith(":"):
        worth -= 0.8  # announces something that is not there any more
    if len(sentence.text) > LONGEST_POINT:
        worth -= 0.3
    return worth


def statement(section: Section, kind: Kind, label: str, sentence: Sentence, order: int) -> Statement:
    """Make a point of a sentence."""
    point = shortened(f"{label}{sentence.text}", LONGEST_POINT)
    return Statement(section, kind, point, sentence, worth_of(kind, sentence), order)


def old_statement(section: Section, point: str, place: int, later: int, *, names_are_capital: bool) -> Statement:
    """Weigh a point of an earlier summary, which stood in this place with `later` points after it."""
    label, kind = next(((label, kind) for label, kind in _LABELS if point.startswith(label)), ("", None))
    sentence = read_sentence(_ABOUT.sub("", point, count=1).removeprefix(label), names_are_capital=names_are_capital)
    if section == "actions":
        kind = "call" if kind == "call" else "done"
    elif section == "open_items":
        kind = "question" if sentence.asks else "task"
    else:
        kind = _kind_of_old(kind, sentence)
    worth = worth_of(kind, sentence)
    if kind not in LASTING:
        worth = worth * _OLD_FACTOR - _FADING * later
    return Statement(section, kind, shortened(point, LONGEST_POINT), sentence, worth, place + _BEFORE, old=True)


def _kind_of_old(labelled: Kind | None, sentence: Sentence) -> Kind:
    if labelled not in (None, "fact"):
        return labelled
    lasting: tuple[Kind, ...] = ("identity", "decision", "preference")
    for kind in lasting:
        if kind in sentence.signs:
            return kind
    return "wish" if "wish" in sentence.signs else "fact"
