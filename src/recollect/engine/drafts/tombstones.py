"""What is left of something forgotten: fingerprints by which an import, a sync or a redelivery recognises it.

What a user says or stores anew is accepted, and lifts the tombstones of its words.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from hashlib import blake2b
from itertools import chain
from typing import Final, NamedTuple, TypeVar

from recollect.dialogue.exchanges import fingerprints
from recollect.engine.base.context import Engine, WriteWrapper
from recollect.engine.drafts import memory_drafts
from recollect.errors import AlreadyProcessed, StaleVersion
from recollect.model.files import FileRecord
from recollect.model.memories import Draft, MemoryRecord, Scope
from recollect.model.messages import Message
from recollect.storage.base import StoreWriter, UserRows
from recollect.text.clean import fingerprint_text

T = TypeVar("T")

EVERYTHING = "everything"  # its moment is that at which a user last forgot everything
ANY_SENTENCE = "sentence:any"  # says that there are tombstones of sentences
OLDER = "everything:older"  # the same, unless it was for a fresh start: nothing from before is to come back


def of_memory(record: MemoryRecord) -> tuple[str, ...]:
    """Identify a memory: by its words, and by its value if it is that of something. Each event is one of its own."""
    text = fingerprint_text(record.content)
    if record.type in memory_drafts.HAPPENINGS:
        return (_mark("event", text, record.occurred_at.isoformat() if record.occurred_at else ""),)
    said = _mark("memory", text)
    if not record.key or not record.value:
        return (said,)
    return said, _mark("value", record.subject, record.key, fingerprint_text(record.value))


def of_file(root: str, path: str, digest: str) -> tuple[str, str]:
    """Identify a file: by its path, and by its bytes."""
    place = blake2b(f"{root}\0{path}".encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()
    return f"file-place:{place}", f"file-bytes:{digest}"


def _mark(kind: str, *parts: str) -> str:
    text = "\x1f".join(parts)
    return f"{kind}:{blake2b(text.encode('utf-8', 'surrogatepass'), digest_size=16).hexdigest()}"


of_folder: Final = partial(_mark, "folder")  # that is synced
of_item: Final = partial(_mark, "item")  # a row, and by it what was made from that row
of_session: Final = partial(_mark, "session")  # what is said later under the same name is another conversation
of_place: Final = partial(_mark, "place")  # by its folded name


class TombstoneMarks:
    """Gives all the tombstones that a forgotten row may have left: by its id, by what it says, and by where it was."""

    everything = EVERYTHING

    def of_memory(self, record: MemoryRecord) -> tuple[str, ...]:
        return of_item(record.id), *of_memory(record)

    def of_message(self, message: Message) -> tuple[str, ...]:
        """Give those of a message and of its conversation; what a summary says has none."""
        said = () if message.role == "summary" else fingerprints(message)
        return of_item(message.id), of_session(message.conversation), *said

    def of_file(self, record: FileRecord) -> tuple[str, ...]:
        folder = (of_folder(record.root),) if record.root else ()
        return of_item(record.id), *of_file(record.root, record.path, record.digest), *folder


def forgotten_at(rows: UserRows, marks: Mapping[str, Sequence[str]]) -> dict[str, list[datetime]]:
    """Give when items were forgotten, by the tombstones that each would have; those that were not are left out."""
    buried = rows.buried(list(dict.fromkeys(chain.from_iterable(marks.values())))) if marks else {}
    moments = {item_id: [buried[mark] for mark in several if mark in buried] for item_id, several in marks.items()}
    return {item_id: found for item_id, found in moments.items() if found}


def find_forgotten(writer: StoreWriter, drafts: Sequence[Draft]) -> Mapping[str, datetime]:
    """Give the ids of drafts that were forgotten and are not known again, and when that was."""
    marks = {draft.record.id: of_memory(draft.record) for draft in drafts} if writer.has_tombstones() else {}
    found = forgotten_at(writer, marks)
    forgotten = (draft for draft in drafts if draft.record.id in found) if found else ()
    return {
        draft.record.id: max(found[draft.record.id])
        for draft in forgotten
        if writer.same(memory_drafts.fingerprint(draft)) is None
    }


def emptied_at(rows: UserRows) -> datetime | None:
    """Say when everything was last forgotten."""
    return rows.buried([EVERYTHING]).get(EVERYTHING)


def insist_newer(writer: StoreWriter, given_at: datetime) -> None:
    """Raise AlreadyProcessed if everything was forgotten after a request was given that has waited since."""
    if writer.buried([OLDER]).get(OLDER, given_at) > given_at:
        raise AlreadyProcessed(None)


class FolderForgotten(NamedTuple):
    """When a folder was last forgotten, and when everything was, whether the folder was known then or not.

    It may be synced again, but not by a sync or a watch that began before.
    """

    folder: datetime | None
    everything: datetime | None


def folder_forgotten(rows: UserRows, root: str) -> FolderForgotten:
    """Say when a folder was forgotten."""
    folder = of_folder(root)
    buried = rows.buried([folder, EVERYTHING])
    return FolderForgotten(buried.get(folder), buried.get(EVERYTHING))


@dataclass(frozen=True, slots=True)
class _Insisting:
    """A wrapper that lets no write through when a check raises."""

    insist: Callable[[StoreWriter], None]
    inner: WriteWrapper | None

    def wrap(self, scope: Scope, work: Callable[[StoreWriter], T], now: datetime) -> Callable[[StoreWriter], T]:
        inner = work if self.inner is None else self.inner.wrap(scope, work, now)

        def checked(writer: StoreWriter) -> T:
            self.insist(writer)
            return inner(writer)

        return checked


def unless_emptied(engine: Engine, scope: Scope) -> Engine:
    """Give an engine that writes nothing more once everything is forgotten, for work that began before."""
    before = engine.store.read(scope, emptied_at)

    def insist(writer: StoreWriter) -> None:
        if emptied_at(writer) != before:
            raise StaleVersion("Everything was forgotten meanwhile, so this stopped, and brought nothing more.")

    return replace(engine, audit=_Insisting(insist, engine.audit))


def unless_older(engine: Engine, given_at: datetime) -> Engine:
    """Give an engine for a write that has waited since it was given."""
    return replace(engine, audit=_Insisting(partial(insist_newer, given_at=given_at), engine.audit))
