"""Opens the store, asks who is there, lets a verb work, and prints what it found: for a program or for a person."""

import sys
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from recollect.api.memory import AuditedWrite, Memory
from recollect.cli import demo
from recollect.cli.documents import Lines, print_document
from recollect.cli.errand import Answer, Errand, Loss
from recollect.cli.lock import admit
from recollect.cli.needs import needed
from recollect.cli.run import Shared
from recollect.cli.streams import tolerate_any_text
from recollect.cli.values import Asked
from recollect.cli.verbs import VERBS
from recollect.cli.watching import Watch
from recollect.clock import SystemClock
from recollect.model.files import FileRecord
from recollect.model.memories import MemoryRecord
from recollect.settings import Settings, load_settings


class Audience(Protocol):
    """People who read the answer; `show` speaks to them."""

    def busy_with(self, command: str) -> AbstractContextManager[object]:
        """Show that a long command is at work."""
        ...

    def confirm(self, loss: Loss, item: MemoryRecord | FileRecord | None) -> bool:
        """Ask before something is forgotten."""
        ...

    def agree(self, question: str) -> bool:
        """Ask anything else."""
        ...

    def watch(self) -> Watch:
        """Give whom to tell how far long work is."""
        ...

    def show(self, command: str, value: object, asked: Asked, now: datetime) -> None:
        """Print what a command found."""
        ...


def serve(command: str, shared: Shared, asked: Asked, people: Audience | None) -> int:
    """Carry out a command and give its exit code; without people, a program reads the answer."""
    tolerate_any_text()
    clock = SystemClock()
    if people is None:
        answer = _answer(command, shared, asked, clock.now())
        if answer.value is not None:
            print_document(answer.value)
    else:
        with people.busy_with(command):
            answer = _answer(command, shared, asked, clock.now(), people)
        if answer.value is not None:
            people.show(command, answer.value, asked, clock.now())
    sys.stdout.flush()  # here, where a broken pipe is still expected
    return answer.exit_code


def _answer(
    command: str,
    shared: Shared,
    asked: Asked,
    now: datetime,
    people: Audience | None = None,
) -> Answer:
    if command == "demo":
        return Answer(demo.tour(now, keep=asked["keep"]))
    given = {"database": shared.database, "user": shared.user}
    overrides = {name: value for name, value in given.items() if value is not None}
    settings = load_settings(shared.config, overrides=overrides)
    there = people if _somebody_is_there() else None
    with Memory.open(settings=settings if asked.get("watch") else _without_thread(settings)) as memory:
        named = shared.user or ""
        who, user_id = admit(memory, *needed(command, asked), named=named)
        errand = Errand(
            memory,
            memory.user(user_id).acting(AuditedWrite(who.id, command)),
            asked,
            now,
            settings,
            named=named,
            actor=who.id,
            confirm=there.confirm if there else None,
            agree=there.agree if there else None,
            watch=people.watch() if people else Lines(),
        )
        return VERBS[command](errand)


def _without_thread(settings: Settings) -> Settings:
    """Most commands end before a thread of their own could do much; what they leave waiting is there for a worker."""
    return replace(settings, embedding=replace(settings.embedding, worker=False))


def _somebody_is_there() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()
