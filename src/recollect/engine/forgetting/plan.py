"""What a forgetting will do, decided before anything is deleted."""

from typing import NamedTuple

from recollect.engine.forgetting.mentions import RewrittenChunk, RewrittenMessage
from recollect.engine.forgetting.rewriting import DroppedSummary
from recollect.model.files import FileRecord
from recollect.model.search import ForgottenItem
from recollect.ports import StoreReader, StoreWriter


class ForgetPlan(NamedTuple):
    """What to delete, the chosen items first, and which of it are messages and files.

    `partial`: other items of the user stay. `folders` are synced folders that go with all their files. What is `buried`
    leaves tombstones, so that no import, sync or redelivery brings it back. `rewritten` messages and chunks lose
    sentences; a message of which nothing is left is among `messages`. `remade` are the summaries to make again,
    `sources` messages that still say what goes. `replayed`: another copy of this store has forgotten it, and has the
    tombstones.
    """

    ids: tuple[str, ...]
    messages: frozenset[str]
    partial: bool = True
    files: tuple[FileRecord, ...] = ()
    folders: tuple[str, ...] = ()
    buried: bool = True
    replayed: bool = False
    rewritten: tuple[RewrittenMessage, ...] = ()
    chunks: tuple[RewrittenChunk, ...] = ()
    remade: tuple[DroppedSummary, ...] = ()
    sources: tuple[str, ...] = ()
    items: tuple[ForgottenItem, ...] = ()

    def with_rest(self, rest: "ForgetPlan") -> "ForgetPlan":
        """Add what came after this plan was made, and was forgotten with it."""
        return self._replace(ids=tuple(dict.fromkeys((*self.ids, *rest.ids))), messages=self.messages | rest.messages)

    @property
    def memories(self) -> list[str]:
        """The ids of memories."""
        others = self.messages | {file.id for file in self.files}
        return [item_id for item_id in self.ids if item_id not in others]

    def own_originals(self, rows: StoreReader | StoreWriter) -> list[str]:
        """Give the digests of originals that only what goes has."""
        left = {change.message.id: change.left.media for change in self.rewritten if change.left is not None}
        kept = {media.original for several in left.values() for media in several}
        return [digest for digest in rows.own_originals([*self.ids, *left]) if digest not in kept]

    @property
    def empty(self) -> bool:
        """Whether nothing is to be done."""
        return not (self.ids or self.folders or self.rewritten or self.chunks)
