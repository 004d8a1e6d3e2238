"""When memory stays silent: who gets memories before a prompt, and whether questions keep their answers.

Four users with forty memories each (`data/need`), on SQLite with the bundled models.
"""

import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure
from recollect import Memory, PromptContext, Recall, load_settings
from recollect.engine.conversations.silence import is_standing
from recollect.model.readings import STANDING
from recollect.model.search import Hit

_FOLDER = Path(__file__).parent / "data" / "need"
_MESSAGES = ("messages.jsonl", "held-back-2.jsonl")
_SESSION = "s"
_MOST_NEEDLESS = 0.03
_MOST_NEAR = 0.15
_FEWEST_KEPT = 0.95
_FIRST = 3
NEWEST = "held-back-2"
UNRELATED = ("small talk", "general", "command")
NEEDLESS = (*UNRELATED, "near")


@dataclass(frozen=True, slots=True)
class Request:
    """A message of a user's, and the memories that answer it."""

    user: str
    part: str
    kind: str
    text: str
    answers: frozenset[str]

    @property
    def is_needless(self) -> bool:
        """Whether it should get nothing."""
        return self.kind in NEEDLESS


@dataclass(frozen=True, slots=True)
class Answered:
    """A request with what was shown for it, but for standing instructions, and the labels of these memories."""

    request: Request
    hits: Sequence[Hit]
    labels: Sequence[str]

    @property
    def is_right(self) -> bool:
        """Whether an answer is among the first three hits."""
        return not frozenset(self.labels[:_FIRST]).isdisjoint(self.request.answers)


class Household:
    """The users with their memories, in a store that keeps nothing of what is asked."""

    def __init__(self, memory: Memory) -> None:
        """Store the memories."""
        self._memory = memory
        self._labels: dict[str, str] = {}
        for line in _lines("memories.jsonl"):
            rule = line["type"] == "instruction"
            fields: Mapping[str, Any] = {
                "type": "preference" if rule else line["type"],
                "subject": "assistant" if rule else line.get("subject", ""),
                "metadata": {STANDING: True} if rule else {},
            }
            kept = memory.user(line["user"]).remember(line["text"], **fields)
            self._labels[kept.id] = line["id"]
        memory.embed_waiting()
        for user in {request.user for request in requests()}:
            memory.user(user).conversation(_SESSION).set_private()

    def ask(self, request: Request) -> Answered:
        """Ask as an agent's host does before a prompt."""
        context = self._memory.user(request.user).before_prompt(request.text, session=_SESSION)
        return self._answered(request, context)

    def search(self, request: Request, *, only_related: bool) -> tuple[Answered, Recall]:
        """Ask as through the doors of the search."""
        recall = self._memory.user(request.user).recall(request.text, only_related=only_related)
        return self._answered(request, recall), recall

    def _answered(self, request: Request, found: PromptContext | Recall) -> Answered:
        if found.degraded:
            raise RuntimeError(f"{request.text!r} was answered without {', '.join(found.degraded)}.")
        hits = [hit for hit in found.hits if not is_standing(hit)]
        return Answered(request, hits, [self._labels[hit.id] for hit in hits])


@contextmanager
def household(*, silence: bool) -> Iterator[Household]:
    """Open the store, with or without silence."""
    with tempfile.TemporaryDirectory() as folder:
        given = {
            "database": str(Path(folder) / "need.db"), "embedding.worker": False, "hooks.silence": silence,
            "hooks.budget_s": 60, "recall.deadline_s": 60,
        }  # fmt: skip
        with Memory.open(settings=load_settings(os.devnull, environ={}, overrides=given)) as memory:
            yield Household(memory)


def requests(part: str = "") -> list[Request]:
    """Read the messages of one part, of all if none is named."""
    read = (
        Request(line["user"], line["part"], line["kind"], line["text"], frozenset(line["answers"]))
        for name in _MESSAGES
        for line in _lines(name)
    )
    return [request for request in read if part in ("", request.part)]


def _lines(name: str) -> Iterator[dict[str, Any]]:
    yield from map(json.loads, (_FOLDER / name).read_text(encoding="utf-8").splitlines())


def measure(part: str = NEWEST) -> Iterator[Figure]:
    """Give the figures of a part: before a prompt, and at the doors for agents and people."""
    asked = requests(part)
    with household(silence=False) as loud:
        before = [loud.ask(request) for request in asked]
        nearest = [loud.search(request, only_related=False)[0] for request in asked]
        related = [loud.search(request, only_related=True)[0] for request in asked]
    with household(silence=True) as quiet:
        after = [quiet.ask(request) for request in asked]
    yield _silence("before a prompt", before, after)
    yield _answers("before a prompt", before, after, ("memory",))
    yield _silence("at a door", nearest, related)
    yield _near("at a door", related)
    yield _answers("at a door", nearest, related, ("memory", "keywords"))


def _silence(where: str, before: Sequence[Answered], after: Sequence[Answered]) -> Figure:
    shown, were = _shown(after, UNRELATED), _shown(before, UNRELATED)
    each = ", ".join(f"{kind} {_told(_shown(after, (kind,)))}" for kind in (*NEEDLESS, "unknown"))
    detail = f"{_told(shown)}, without silence {_told(were)}: {each}"
    return Figure(f"unrelated messages that get memories {where}", _share(shown), _MOST_NEEDLESS, "at most", detail)


def _near(where: str, after: Sequence[Answered]) -> Figure:
    shown = _shown(after, ("near",))
    name = f"general questions on the topic of a memory that get memories {where}"
    return Figure(name, _share(shown), _MOST_NEAR, "at most", _told(shown))


def _answers(where: str, before: Sequence[Answered], after: Sequence[Answered], kinds: Sequence[str]) -> Figure:
    pairs = [
        (then.is_right, now.is_right) for then, now in zip(before, after, strict=True) if then.request.kind in kinds
    ]
    kept = [now for then, now in pairs if then]
    right = [now for _, now in pairs]
    detail = f"{_told(kept)} of those found among the first three without silence; of all questions {_told(right)}"
    return Figure(f"questions that keep their answer {where}", _share(kept), _FEWEST_KEPT, "at least", detail)


def _shown(answers: Iterable[Answered], kinds: Sequence[str]) -> list[bool]:
    return [bool(answer.hits) for answer in answers if answer.request.kind in kinds]


def _share(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags)


def _told(flags: Sequence[bool]) -> str:
    return f"{sum(flags)} of {len(flags)}"
