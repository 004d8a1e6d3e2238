"""What the commands do: each takes what was asked, uses the store, and gives a value. Nothing is printed here."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recollect.cli import (
    verbs_access,
    verbs_conversations,
    verbs_embedding,
    verbs_files,
    verbs_import,
    verbs_knowledge,
    verbs_places,
    verbs_turns,
    verbs_worker,
)
from recollect.cli.edge import FAILED
from recollect.cli.errand import Answer, Errand, VerbFunction, given_text
from recollect.cli.values import Asked, filters, memory_fields, past_moment
from recollect.cli.verbs_forget import forget
from recollect.cli.verbs_nodes import search_nodes
from recollect.cli.verbs_places import asks_a_server, find_addresses, here, place_fields
from recollect.errors import InvalidInput
from recollect.model.files import FolderStatus
from recollect.model.memories import MemoryRecord, Recall, Remembered
from recollect.model.messages import Message
from recollect.model.places import Located
from recollect.model.stats import Problem, Stats, Status
from recollect.settings import SettingRow


@dataclass(frozen=True, slots=True)
class Stored:
    """What became of a memory, and if it still waits for its vector, how many items do.

    `record` is there if it has a place; `unlocated` says that its address is still to be asked for.
    """

    remembered: Remembered
    waiting: int = 0
    record: MemoryRecord | None = None
    unlocated: bool = False

    @property
    def id(self) -> str:
        """The id of the memory."""
        return self.remembered.id


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
    """The status of the store, every setting with where it comes from, and the user's folders."""

    user: str
    status: Status
    settings: tuple[SettingRow, ...]
    folders: tuple[FolderStatus, ...] = ()


@dataclass(frozen=True, slots=True)
class Searched:
    """What a search found, and for each message what was said around it, if that was asked for.

    `near` is what was taken for the name of where somebody is.
    """

    answer: Recall
    around: Mapping[str, tuple[Message, ...]] | None = None
    near: Located | None = None


def store(errand: Errand) -> Answer:
    """Remember a text."""
    asked, memory = errand.asked, errand.memory
    located = place_fields(errand, asked["at"])
    fields = memory_fields(asked, errand.now) | located
    before = memory.stats().pending_jobs
    kept = errand.me.remember(given_text(asked["text"]), wait=asked["wait"], **fields)
    new = kept.action != "duplicate"
    if new:
        find_addresses(errand, located)
    waiting = memory.stats().pending_jobs
    follows = waiting > before and errand.settings.embedding.provider != "none"
    record = errand.me.get(kept.id) if located and new else None
    unlocated = record is not None and record.lat is not None and not record.address and asks_a_server(errand)
    return Answer(Stored(kept, waiting if follows else 0, record, unlocated))


def recall(errand: Errand) -> Answer:
    """Find memories."""
    asked, where = errand.asked, here(errand)
    wanted = {**filters(asked, errand.now), **_wishes(asked), **where.wishes, "files": asked["files"]}
    found = errand.me.recall(asked["query"], limit=asked["limit"], min_score=asked["min_score"], **wanted)
    return Answer(Searched(found, near=where.taken))


def search(errand: Errand) -> Answer:
    """Find memories and what was said; in other nodes too, if they are named."""
    asked, now = errand.asked, errand.now
    if asked["nodes"] != "none":
        return Answer(search_nodes(errand, asked["nodes"]))
    where = here(errand)
    wanted = {**_wishes(asked), **where.wishes}
    wanted |= {name: past_moment(asked[name], name, now) for name in ("since", "until") if asked[name] is not None}
    if asked["source"]:
        wanted["sources"] = asked["source"]
    if asked["min_score"] is not None:
        wanted["min_score"] = asked["min_score"]
    names = {name: asked[name] for name in ("limit", "session", "current")}
    found = errand.me.search_context(asked["query"], **names, **wanted)
    reach = asked["around"]
    said = [hit.id for hit in found.hits if isinstance(hit.record, Message)] if reach else []
    around = {one: errand.me.surroundings(one, before=reach, after=reach) for one in said}
    return Answer(Searched(found, around if reach else None, where.taken))


def _wishes(asked: Asked) -> dict[str, Any]:
    return {"prefer": tuple(asked["prefer"] or ()), "diverse": asked["diverse"]}


def get(errand: Errand) -> Answer:
    """Find one memory."""
    return Answer(errand.me.get(errand.asked["id"]))


def update(errand: Errand) -> Answer:
    """Change one memory."""
    located = place_fields(errand, errand.asked["at"])
    changes = memory_fields(errand.asked, errand.now) | located
    if not changes:
        raise InvalidInput("Nothing to change: name at least one option, such as --content or --importance.")
    record = errand.me.update(errand.asked["id"], **changes)
    find_addresses(errand, located)
    return Answer(errand.me.get(record.id) if located else record)


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
    me = errand.me
    return Answer(FullStatus(me.user_id, errand.memory.status(), errand.settings.describe(), me.folders()))


def doctor(errand: Errand) -> Answer:
    """Look for problems."""
    problems = errand.memory.doctor()
    return Answer(Diagnosis(problems), FAILED if problems else 0)


def maintain(errand: Errand) -> Answer:
    """Tidy up."""
    return Answer(errand.memory.maintain())


VERBS: Mapping[str, VerbFunction] = {
    "store": store,
    "recall": recall,
    "search": search,
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
    **verbs_files.VERBS,
    **verbs_import.VERBS,
    **verbs_knowledge.VERBS,
    **verbs_places.VERBS,
    **verbs_conversations.VERBS,
    **verbs_turns.VERBS,
    **verbs_embedding.VERBS,
    "worker": verbs_worker.worker,
    **verbs_access.VERBS,
}
