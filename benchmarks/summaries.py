"""What the local summariser keeps of a conversation, and how much of the summary is filler.

A summary has at most 1,200 tokens, and half of the conversation, as in a compaction. The conversations and their labels
are in `data/summaries`.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from benchmarks.figures import Figure
from recollect.embedding.local import LocalTokenizer
from recollect.model.messages import Message, SummaryPoints, SummaryTask, ToolCall
from recollect.text.summary.extractive import ExtractiveSummarizer

_FOLDER = Path(__file__).parent / "data" / "summaries"
_MAX_TOKENS = 1_200
_FEWEST_SURVIVING = 0.9
_MOST_FILLER = 0.15
_START = datetime(2026, 1, 1, 9, tzinfo=UTC)
_FILLER = re.compile(r"~([^~]*)~")
_CALL = re.compile(r"(\S+) (\{.*?\}) -> (.*)")
_WORD = re.compile(r"\w+")
_LABELS = frozenset({"user", "assistant", "decision", "preference", "asked", "agreed", "answered", "called", "on"})


class Thing(NamedTuple):
    """What must survive: a word of each group, in one line."""

    label: str
    groups: tuple[tuple[str, ...], ...]

    def is_in(self, line: str) -> bool:
        """Tell whether a line has it. Words may go on after their label, numbers may not."""
        text = line.casefold()
        return all(any(_has(text, word) for word in group) for group in self.groups)


@dataclass(frozen=True, slots=True)
class LabelledTalk:
    """A conversation, what must survive, and which of its passages are filler."""

    language: str
    name: str
    part: str
    turns: Sequence[Message]
    things: Sequence[Thing]
    filler: Sequence[frozenset[str]]
    said: Sequence[frozenset[str]]

    def is_filler(self, line: str) -> bool:
        """Tell whether a line of a summary is rather one of the filler than anything else that was said."""
        words = _words(line) - _LABELS
        best = max((len(words & passage) for passage in self.filler), default=0)
        return best > max((len(words & passage) for passage in self.said), default=0)


@dataclass(frozen=True, slots=True)
class Summed:
    """The summary of a conversation, measured."""

    talk: LabelledTalk
    lines: Sequence[str]
    tokens: int

    @property
    def lost(self) -> list[Thing]:
        """What did not survive."""
        return [thing for thing in self.talk.things if not any(map(thing.is_in, self.lines))]

    @property
    def filler(self) -> list[str]:
        """The lines that are filler."""
        return [line for line in self.lines if self.talk.is_filler(line)]


def measure() -> Iterator[Figure]:
    """Give the figures of both parts."""
    for part in ("tune", "held-back"):
        yield from figures(summarize(part), part)


def figures(summed: Sequence[Summed], part: str) -> Iterator[Figure]:
    """Compare the summaries of a part with the bars."""
    things = sum(len(summary.talk.things) for summary in summed)
    kept = things - sum(len(summary.lost) for summary in summed)
    lines = sum(len(summary.lines) for summary in summed)
    filler = sum(len(summary.filler) for summary in summed)
    tokens = sum(summary.tokens for summary in summed) // len(summed)
    told = f"{kept} of {things} in {len(summed)} conversations, {tokens} tokens on average"
    yield Figure(f"things that survive a summary, {part}", kept / things, _FEWEST_SURVIVING, "at least", told)
    told = f"{filler} of {lines} lines"
    yield Figure(f"lines of a summary that are filler, {part}", filler / lines, _MOST_FILLER, "at most", told)


def summarize(part: str) -> list[Summed]:
    """Summarise the conversations of a part as a compaction without a language model would."""
    count = LocalTokenizer().count
    summarizer = ExtractiveSummarizer(count)
    summed = []
    for talk in talks(part):
        turns = [turn._replace(tokens=count(turn.content) + 4) for turn in talk.turns]
        max_tokens = min(_MAX_TOKENS, sum(turn.tokens for turn in turns) // 2)
        points = summarizer.summarize(SummaryTask(turns, SummaryPoints(), max_tokens)).points
        lines = [*points.key_points, *points.actions, *points.open_items]
        summed.append(Summed(talk, lines, sum(count(line) for line in lines)))
    return summed


def talks(part: str = "") -> list[LabelledTalk]:
    """Read the conversations of one part, of both if none is named."""
    read = [
        _talk(path.stem, block)
        for path in sorted(_FOLDER.glob("*.txt"))
        for block in path.read_text(encoding="utf-8").split("\n== ")
    ]
    return [talk for talk in read if part in ("", talk.part)]


def _talk(language: str, block: str) -> LabelledTalk:
    heading, *lines = block.strip().splitlines()
    name, _, part = heading.removeprefix("== ").partition(" | ")
    said: list[str] = []
    turns: list[Message] = []
    things: list[Thing] = []
    for line in filter(None, lines):
        kind, _, text = line.partition(" ")
        if kind == "!":
            things.append(_thing(text))
            continue
        said.append(text)
        turns += _turns(kind, text, len(turns))
    filler = [_words(passage) for text in said for passage in _FILLER.findall(text)]
    rest = [_words(_FILLER.sub(" ", text)) for text in said]
    return LabelledTalk(language, name, part, turns, things, filler, rest)


def _thing(text: str) -> Thing:
    groups = (tuple(word.strip().casefold() for word in group.split("|")) for group in text.split(" & "))
    return Thing(text, tuple(groups))


def _turns(kind: str, text: str, place: int) -> list[Message]:
    if kind in ("U", "A"):
        return [_message(place, "user" if kind == "U" else "assistant", content=text.replace("~", ""))]
    found = _CALL.fullmatch(text)
    if kind != "C" or found is None:
        raise ValueError(f"no turn of a conversation: {kind} {text}")
    name, arguments, result = found.groups()
    call = ToolCall(f"call {place}", name, json.dumps(json.loads(arguments), ensure_ascii=False))
    return [
        _message(place, "assistant", tool_calls=(call,)),
        _message(place + 1, "tool", content=result, tool_call_id=call.id),
    ]


def _message(place: int, role: str, **fields: object) -> Message:
    said_at = _START + timedelta(minutes=place)
    empty = Message(
        id=f"message {place}", conversation="c", external_id="", sequence=place, role="user", speaker="", content="",
        blocks=(), tool_calls=(), tool_call_id="", tokens=0, status="active", trust=3, model="", input_tokens=None,
        output_tokens=None, thinking_tokens=None, feedback=None, metadata={}, said_at=said_at, created_at=said_at,
    )  # fmt: skip
    return empty._replace(role=role, **fields)  # type: ignore[arg-type]


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _has(text: str, word: str) -> bool:
    end = r"(?!\d)" if word[-1].isdigit() else ""
    return re.search(rf"(?<!\w){re.escape(word)}{end}", text) is not None
