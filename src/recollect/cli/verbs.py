"""What the commands do: each takes what was asked, uses the store, and gives a value. Nothing is printed here."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from recollect.cli.edge import FAILED, NOT_FOUND
from recollect.cli.values import Asked, filters, memory_fields
from recollect.errors import InvalidInput, RecollectError
from recollect.memory import Memory, UserMemory
from recollect.settings import SettingRow
from recollect.types import Forgotten, MemoryRecord, Problem, Stats, Status


@dataclass(frozen=True, slots=True)
class Errand:
    """What a verb works with: the open store, its user, what was asked and when.

    `confirm` shows what would be forgotten and asks; it is None when nobody is there to answer.
    """

    memory: Memory
    me: UserMemory
    asked: Asked
    now: datetime
    confirm: Callable[[Forgotten, MemoryRecord | None], bool] | None


class Declined(RecollectError):
    """The person at the terminal said no."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a verb found, and the exit code that says so."""

    value: object
    exit_code: int = 0


@dataclass(frozen=True, slots=True)
class History:
    """All versions of a memory, oldest first."""

    versions: tuple[MemoryRecord, ...]


@dataclass(frozen=True, slots=True)
class Count:
    """How many."""

    count: int


@dataclass(frozen=True, slots=True)
class UserStats:
    """Figures about one user."""

    user: str
    stats: Stats


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What `doctor` found."""

    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class FullStatus:
    """The status of the store, and every setting with where it comes from."""

    user: str
    status: Status
    settings: tuple[SettingRow, ...]


def store(errand: Errand) -> Answer:
    """Remember a text."""
    text = errand.asked["text"]
    fields = memory_fields(errand.asked, errand.now)
    return Answer(errand.me.remember(_standard_input() if text == "-" else text, **fields))


def recall(errand: Errand) -> Answer:
    """Find memories."""
    asked = errand.asked
    wanted = filters(asked, errand.now)
    return Answer(errand.me.recall(asked["query"], limit=asked["limit"], min_score=asked["min_score"], **wanted))


def get(errand: Errand) -> Answer:
    """Find one memory."""
    return Answer(errand.me.get(errand.asked["id"]))


def update(errand: Errand) -> Answer:
    """Change one memory."""
    changes = memory_fields(errand.asked, errand.now)
    if not changes:
        raise InvalidInput("Nothing to change: name at least one option, such as --content or --importance.")
    return Answer(errand.me.update(errand.asked["id"], **changes))


def list_memories(errand: Errand) -> Answer:
    """List memories."""
    asked = errand.asked
    wanted = filters(asked, errand.now)
    return Answer(errand.me.list(limit=asked["limit"], cursor=asked["cursor"], **wanted))


def history(errand: Errand) -> Answer:
    """List the versions of a memory."""
    return Answer(History(errand.me.history(errand.asked["id"])))


def count(errand: Errand) -> Answer:
    """Count memories."""
    return Answer(Count(errand.me.count(**filters(errand.asked, errand.now))))


def stats(errand: Errand) -> Answer:
    """Count what the user has."""
    return Answer(UserStats(errand.me.user_id, errand.me.stats()))


def status(errand: Errand) -> Answer:
    """Describe the installation."""
    rows = errand.memory.settings.describe()
    return Answer(FullStatus(errand.me.user_id, errand.memory.status(), rows))


def doctor(errand: Errand) -> Answer:
    """Look for problems."""
    problems = errand.memory.doctor()
    return Answer(Diagnosis(problems), FAILED if problems else 0)


def maintain(errand: Errand) -> Answer:
    """Tidy up."""
    return Answer(errand.memory.maintain())


def forget(errand: Errand) -> Answer:
    """Delete what was asked for, after the person at the terminal has agreed."""
    asked, me = errand.asked, errand.me
    wanted = {name: asked[name] for name in ("id", "query", "everything")}
    if asked["everything"] and not (asked["yes"] or asked["dry_run"] or errand.confirm):
        raise InvalidInput("Forgetting everything needs --yes when there is no terminal to ask on.")
    if asked["yes"] or asked["dry_run"] or not errand.confirm:
        return _forgotten(asked, me.forget(**wanted, dry_run=asked["dry_run"]))
    plan = me.forget(**wanted, dry_run=True)
    if plan.id is None:
        return _forgotten(asked, plan)
    if not errand.confirm(plan, None if asked["everything"] else me.get(plan.id)):
        raise Declined("Nothing was forgotten.")
    return _forgotten(asked, me.forget(everything=True) if asked["everything"] else me.forget(plan.id))


def _forgotten(asked: Asked, receipt: Forgotten) -> Answer:
    """Nothing to forget is what `--everything` wants; several candidates mean that the work is not done."""
    if receipt.action == "not_found":
        return Answer(receipt, 0 if asked["everything"] else NOT_FOUND)
    return Answer(receipt, FAILED if receipt.action == "candidates" and not asked["dry_run"] else 0)


def _standard_input() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"Standard input is not UTF-8: byte {error.start} cannot be read.") from None


VerbFunction: TypeAlias = Callable[[Errand], Answer]

VERBS: Mapping[str, VerbFunction] = {
    "store": store,
    "recall": recall,
    "get": get,
    "update": update,
    "list": list_memories,
    "history": history,
    "count": count,
    "stats": stats,
    "status": status,
    "doctor": doctor,
    "maintain": maintain,
    "forget": forget,
}
