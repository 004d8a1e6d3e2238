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
_SESSION = "s"
_MOST_NEEDLESS = 0.04
_FEWEST_KEPT = 0.95
NEEDLESS = ("small talk", "general", "command")


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
    labels: frozenset[str]

    @property
    def is_right(self) -> bool:
        """Whether an answer is among the hits."""
        return not self.labels.isdisjoint(self.request.answers)


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

    def search(self, request: Request) -> tuple[Answered, Recall]:
        """Ask as through the doors of the search."""
        recall = self._memory.user(request.user).recall(request.text)
        return self._answered(request, recall), recall

    def _answered(self, request: Request, found: PromptContext | Recall) -> Answered:
        if found.degraded:
            raise RuntimeError(f"{request.text!r} was answered without {', '.join(found.degraded)}.")
        hits = [hit for hit in found.hits if not is_standing(hit)]
        return Answered(request, hits, frozenset(self._labels[hit.id] for hit in hits))


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
    """Read the messages of one part, of both if none is named."""
    read = (
        Request(line["user"], line["part"], line["kind"], line["text"], frozenset(line["answers"]))
        for line in _lines("messages.jsonl")
    )
    return [request for request in read if part in ("", request.part)]


def _lines(name: str) -> Iterator[dict[str, Any]]:
    yield from map(json.loads, (_FOLDER / name).read_text(encoding="utf-8").splitlines())


def measure(part: str = "held-back") -> Iterator[Figure]:
    """Give the figures of a part."""
    asked = requests(part)
    with household(silence=False) as loud:
        before = [loud.ask(request) for request in asked]
    with household(silence=True) as quiet:
        after = [quiet.ask(request) for request in asked]
    needless, were = _shown(after, NEEDLESS), _shown(before, NEEDLESS)
    kinds = ", ".join(f"{kind} {_told(_shown(after, (kind,)))}" for kind in NEEDLESS)
    detail = f"{_told(needless)}, without silence {_told(were)}: {kinds}"
    yield Figure("needless messages that get memories", _share(needless), _MOST_NEEDLESS, "at most", detail)
    found = [answer.is_right for answer in before if answer.request.kind == "memory"]
    kept = [answer.is_right for answer in after if answer.request.kind == "memory"]
    of_found = [now for now, then in zip(kept, found, strict=True) if then]
    unknown = _shown(after, ("unknown",))
    detail = (
        f"{_told(of_found)} of those that recall finds; of all questions {_told(kept)}, without silence "
        f"{_told(found)}; questions without an answer that get something: {_told(unknown)}"
    )
    yield Figure("questions for memory that keep their answer", _share(of_found), _FEWEST_KEPT, "at least", detail)


def _shown(answers: Iterable[Answered], kinds: Sequence[str]) -> list[bool]:
    return [bool(answer.hits) for answer in answers if answer.request.kind in kinds]


def _share(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags)


def _told(flags: Sequence[bool]) -> str:
    return f"{sum(flags)} of {len(flags)}"
