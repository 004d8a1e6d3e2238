"""Forgets again in a restored store what was forgotten in the store of before after the backup.

The tombstones of the store of before decide, not what it lacks: a store that is damaged has forgotten nothing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import islice
from operator import methodcaller
from typing import NamedTuple, TypeAlias

from recollect.engine.base.context import Engine
from recollect.engine.drafts import tombstones
from recollect.engine.drafts.items import batched
from recollect.engine.drafts.tombstones import TombstoneMarks
from recollect.engine.forgetting import forget, plan
from recollect.engine.forgetting.rewriting import RewrittenChunk, RewrittenMessage
from recollect.model.files import Chunk
from recollect.model.memories import Scope
from recollect.model.messages import Message
from recollect.model.places import folded
from recollect.storage.base import Store, StoreReader, StoreWriter
from recollect.storage.base.tables import TOMBSTONES, IncomingRow
from recollect.text.repetition import sentence_marks, without

_BATCH = 500
_MARKS = TombstoneMarks()

Marks: TypeAlias = Mapping[str, tuple[str, ...]]  # the tombstones that an item would have, by its id


def replay(engine: Engine, before: Store, since: datetime) -> int:
    """Forget what was forgotten since then, and bring its tombstones; says how many items were deleted or rewritten."""
    amount = sum(_Replay(engine, before, scope, since).run() for scope in engine.store.reached_users().scopes)
    _bring_tombstones(engine, before, since)
    return amount


class _StoppedClock(NamedTuple):
    """A clock at which it is always the same moment."""

    moment: datetime

    def now(self) -> datetime:
        """Give the moment."""
        return self.moment


@dataclass(frozen=True, slots=True)
class _Replay:
    """The items of one user."""

    engine: Engine
    before: Store
    scope: Scope
    since: datetime

    def run(self) -> int:
        """Forget them."""
        emptied = self.before.read(self.scope, tombstones.emptied_at)
        if emptied is not None and emptied > self.since:
            done = forget.forget(self._then(emptied), self.scope, plan.plan_everything, conversations=None)
            if not self._buried([tombstones.OLDER]):  # it was a fresh start
                self.engine.write(self.scope, lambda writer: writer.exhume([tombstones.OLDER]))
            return len(done.ids)
        amount = 0
        for root, moment in self._folders().items():
            amount += len(forget.forget(self._then(moment), self.scope, partial(plan.plan_folder, root=root)).ids)
        for name, moment in self._sessions().items():
            choose = partial(plan.plan_session, session=name)
            amount += len(forget.forget(self._then(moment), self.scope, choose, conversations=[name]).ids)
        self._forget_places()
        messages = self._messages()
        item_ids = (*self._doomed(_memories), *(message_id for message_id, left in messages if left is None))
        rewritten, chunks = [left for _, left in messages if left is not None], [*self._chunks()]
        again = partial(
            plan.plan_again, item_ids=item_ids, file_ids=self._doomed(_files), rewritten=rewritten, chunks=chunks
        )
        done = forget.forget(self.engine, self.scope, again)
        return amount + len(done.ids) + len(rewritten) + len(chunks)

    def _then(self, moment: datetime) -> Engine:
        """Give an engine that forgets as of then: what came after the forgetting is new."""
        return replace(self.engine, clock=_StoppedClock(moment))

    def _buried(self, marks: Sequence[str]) -> dict[str, datetime]:
        """Say which of these were forgotten in the store of before, after the backup."""
        found = self.before.read(self.scope, lambda rows: rows.buried(marks)) if marks else {}
        return {mark: moment for mark, moment in found.items() if moment > self.since}

    def _marked(self, kind: "Callable[[StoreReader], Iterator[Marks]]") -> list[str]:
        """Give the items with a new tombstone."""
        found: list[str] = []
        for marks in self.engine.store.read(self.scope, lambda rows: list(kind(rows))):
            moments = self.before.read(self.scope, partial(tombstones.forgotten_at, marks=marks))
            found += [item_id for item_id, several in moments.items() if max(several) > self.since]
        return found

    def _doomed(self, kind: "Callable[[StoreReader], Iterator[Marks]]") -> tuple[str, ...]:
        """Give the items with a new tombstone that the store of before has no longer."""
        found = self._marked(kind)
        kept = self.before.read(self.scope, lambda rows: _existing(rows, found))
        return tuple(item_id for item_id in found if item_id not in kept)

    def _messages(self) -> list[tuple[str, RewrittenMessage | None]]:
        """Give the messages with a new tombstone: those that are gone, and those that have lost a sentence."""
        found = self._marked(_messages)
        here = self.engine.store.read(self.scope, lambda rows: {one.id: one for one in rows.get_messages(found)})
        there = self.before.read(self.scope, lambda rows: {one.id: one for one in rows.get_messages(found)})
        return [
            (item_id, RewrittenMessage(here[item_id], there[item_id], ()) if item_id in there else None)
            for item_id in found
            if item_id not in there or _said(there[item_id]) != _said(here[item_id])
        ]

    def _folders(self) -> dict[str, datetime]:
        """Give the folders that were forgotten, and when; of one that is synced again the older files go."""
        roots = self.engine.store.read(self.scope, lambda rows: [folder.root for folder in rows.folders()])
        kept = self.before.read(self.scope, lambda rows: {folder.root for folder in rows.folders()})
        return self._moments({root: tombstones.of_folder(root) for root in roots if root not in kept})

    def _sessions(self) -> dict[str, datetime]:
        """Give the conversations that were forgotten, and when; what there is of them is older than that."""
        names = self.engine.store.read(self.scope, lambda rows: rows.conversation_ids())
        return self._moments({name: tombstones.of_session(name) for name in names})

    def _moments(self, marks: Mapping[str, str]) -> dict[str, datetime]:
        buried = self._buried([*marks.values()])
        return {name: buried[mark] for name, mark in marks.items() if mark in buried}

    def _forget_places(self) -> None:
        """Forget the names of places."""
        named = self.engine.store.read(self.scope, lambda rows: rows.named_places())
        gone = self._moments({place.name: tombstones.of_place(folded(place.name)) for place in named})
        if gone:
            self.engine.write_deletion(self.scope, lambda writer: [writer.delete_named_place(name) for name in gone])

    def _chunks(self) -> Iterator[RewrittenChunk]:
        """Give the chunks of files that have lost a sentence."""
        if not self._buried([tombstones.ANY_SENTENCE]):
            return
        for file_id in self.engine.store.read(self.scope, lambda rows: list(rows.file_ids())):
            chunks: Sequence[Chunk] = self.engine.store.read(self.scope, methodcaller("chunks_of", file_id))
            for chunk in chunks:
                marks, titles = sentence_marks(chunk.content), sentence_marks(chunk.heading)
                buried = self._buried([*marks, *titles])
                spans = [marks[mark] for mark in buried.keys() & marks.keys()]
                heading = without(chunk.heading, [titles[mark] for mark in buried.keys() & titles.keys()])
                if spans or heading != chunk.heading:
                    removed = tuple(span.of(chunk.content) for span in spans)
                    yield RewrittenChunk(chunk, without(chunk.content, spans), heading, removed)


def _said(message: Message) -> tuple[object, ...]:
    return message.content, message.media


def _memories(rows: StoreReader) -> Iterator[Marks]:
    for some in batched(rows.everything(), _BATCH):
        yield {record.id: _MARKS.of_memory(record) for record in rows.get(some)}


def _messages(rows: StoreReader) -> Iterator[Marks]:
    for conversation in rows.conversation_ids():
        for some in batched(rows.message_ids(conversation), _BATCH):
            yield {one.id: _MARKS.of_message(one) for one in rows.get_messages(some)}


def _files(rows: StoreReader) -> Iterator[Marks]:
    for some in batched(rows.file_ids(), _BATCH):
        yield {file.id: _MARKS.of_file(file) for file in plan.files_of(rows, some)}


def _existing(rows: StoreReader, item_ids: Sequence[str]) -> set[str]:
    memories = {record.id for record in rows.get(item_ids)}
    return memories | {item_id for item_id in item_ids if item_id not in memories and rows.file(item_id) is not None}


def _bring_tombstones(engine: Engine, before: Store, since: datetime) -> None:
    """Bring the tombstones of what the restored store never had, so that no import brings it either."""
    with before.snapshot(None) as snapshot:
        engine.store.add_secrets(snapshot.secrets())
        for scope in snapshot.users():
            newer = (row for row in snapshot.rows(scope, TOMBSTONES) if row[1] > since)
            while some := [*islice(newer, _BATCH)]:
                engine.store.write(scope, partial(_insert, engine=engine, rows=some))


def _insert(writer: StoreWriter, engine: Engine, rows: Sequence[tuple[object, ...]]) -> None:
    known = writer.known_rows(TOMBSTONES, rows)
    new = [IncomingRow(row) for row in rows if TOMBSTONES.key_of(row) not in known]
    writer.insert_rows(TOMBSTONES, new, None, engine.clock.now())
