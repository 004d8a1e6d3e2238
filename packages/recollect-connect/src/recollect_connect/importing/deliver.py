"""Hands over what was read: the one place of imports that writes, and that asks a user's memory for anything.

The invariant: a conversation is brought whole or not at all, and so is a batch of memories; what is there already is
counted, not copied. Whatever was found is counted once, as brought or as skipped with a reason; nothing is silently
dropped.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final

from recollect.api.conversation import Conversation
from recollect.api.user import UserMemory
from recollect.engine.drafts import tombstones
from recollect.errors import InvalidInput
from recollect.model.backups import ImportListener, ImportProgress, ImportReport, Skipped
from recollect.model.files import SyncProgress, TextPiece
from recollect.model.literals import FileSource, Trust
from recollect.model.memories import NewMemory, Remembered, Space, VectorLike
from recollect_connect.importing.chat_sessions import EMPTY, ChatSession
from recollect_connect.importing.parse_values import metadata_of

ALREADY_THERE: Final = "already there"
THE_STORE: Final = "the store itself"
_MOST_EXAMPLES: Final = 20
_LONGEST_EXAMPLE: Final = 200

CANNOT_BE_KEPT: Final = "it cannot be kept"
PRIVATE: Final = "nothing of it may be kept"
FORGOTTEN: Final = "it was forgotten here, and does not come back"
OUTRANKED: Final = "something more trusted is known"
NOT_SEEN_WHOLE: Final = "it could not be looked through to its end"
_BATCH: Final = 1_000
_NOT_MEANT: Final = "ignored"  # what a sync says of files that its patterns leave out


class ImportCounts:
    """A report that is being made."""

    def __init__(self) -> None:
        self._brought: Counter[str] = Counter()
        self._skipped: Counter[tuple[str, str]] = Counter()
        self._examples: list[str] = []

    def bring(self, what: str, amount: int = 1) -> None:
        """Count what was brought."""
        if amount:
            self._brought[what] += amount

    def skip(self, what: str, reason: str, amount: int = 1, *, example: str = "") -> None:
        """Count what was left out; `example` names it."""
        if not amount:
            return
        self._skipped[what, reason] += amount
        if example and len(self._examples) < _MOST_EXAMPLES:
            self._examples.append(f"{shown(example)}: {reason}")

    def report(self, format: str, path: str, *, dry_run: bool) -> ImportReport:
        """Give what was counted."""
        skipped = tuple(Skipped(what, reason, amount) for (what, reason), amount in sorted(self._skipped.items()))
        return ImportReport(format, path, dict(self._brought), skipped, tuple(self._examples), dry_run)


def shown(name: str) -> str:
    """Give a name that others chose so that it fits on one line of a terminal."""
    plain = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in name[:_LONGEST_EXAMPLE])
    return plain if len(name) <= _LONGEST_EXAMPLE else f"{plain}…"


@dataclass(frozen=True, slots=True)
class TextCutter:
    """A document that another system has cut, with what vectors it had; these are of `space`, if that is known."""

    name: str
    source: FileSource
    pieces: Sequence[TextPiece]
    vectors: Sequence[VectorLike | None]
    space: Space | None
    about: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ImportRun:
    """An import under way: whose memory it goes to, and what has come of it so far."""

    me: UserMemory
    tally: ImportCounts
    dry_run: bool = False
    tell: ImportListener | None = None
    trust: int = Trust.EXTERNAL
    documents: set[str] = field(default_factory=set)  # the names of those that were handed over

    def progress(self, what: str, done: int, total: int) -> None:
        """Report progress to the listener, if there is one."""
        if self.tell is not None:
            self.tell(ImportProgress(what, done, total))

    def talk(self, talk: ChatSession, format: str) -> None:
        """Bring a conversation."""
        for (what, reason), amount in talk.skipped.items():
            self.tally.skip(what, reason, amount, example=f"{what} of {talk.id}")
        if not talk.messages:
            if all(what != "conversations" for what, _ in talk.skipped):
                self.tally.skip("conversations", EMPTY, example=talk.id)
        elif self.dry_run:
            self.tally.bring("conversations")
            self.tally.bring("messages", len(talk.messages))
        else:
            self._extend(talk, format)

    def _extend(self, talk: ChatSession, format: str) -> None:
        conversation = self.me.conversation(talk.id)
        known = _known_ids(conversation)
        fresh = [message for message in talk.messages if message.id not in known]
        self.tally.skip("messages", ALREADY_THERE, len(talk.messages) - len(fresh))
        try:
            actions = [one.action for one in conversation.import_messages(fresh, trust=self.trust)] if fresh else []
        except InvalidInput as error:
            self.tally.skip("conversations", CANNOT_BE_KEPT, example=f"{talk.id} ({error})")
            return
        created = actions.count("created")
        self.tally.skip("messages", ALREADY_THERE, actions.count("duplicate"))
        forgotten = actions.count("forgotten")
        self.tally.skip("messages", PRIVATE, actions.count("skipped"))
        self.tally.skip("messages", FORGOTTEN, forgotten)
        if not created:
            self.tally.skip("conversations", FORGOTTEN if forgotten and not known else ALREADY_THERE)
            return
        self.tally.bring("conversations")
        self.tally.bring("messages", created)
        began = talk.began_at.isoformat() if talk.began_at else None
        conversation.describe(
            metadata_of({"imported_from": format, "title": talk.title, "began_at": began, **talk.about})
        )

    def memories(self, found: Iterable[NewMemory]) -> None:
        """Bring memories, a batch at a time."""
        coming = iter(found)
        while batch := list(islice(coming, _BATCH)):
            if self.dry_run:
                self.tally.bring("memories", len(batch))
                continue
            try:
                kept = self.me.import_memories(batch)
            except InvalidInput:  # one of them is to blame; the others shall not suffer for it
                kept = tuple(one for memory in batch if (one := self._alone(memory)) is not None)
            self._count(kept)

    def _alone(self, memory: NewMemory) -> Remembered | None:
        try:
            return self.me.import_memories([memory])[0]
        except InvalidInput as error:
            self.tally.skip("memories", CANNOT_BE_KEPT, example=f"{memory.content[:60]!r} ({error})")
            return None

    def _count(self, kept: Iterable[Remembered]) -> None:
        for one in kept:
            if one.action == "duplicate":
                self.tally.skip("memories", ALREADY_THERE)
            elif one.action == "forgotten":
                self.tally.skip("memories", FORGOTTEN)
            elif one.action == "outranked":
                self.tally.skip("memories", OUTRANKED)
            else:
                self.tally.bring("memories")

    def folder(
        self, root: Path, source: FileSource, include: Sequence[str], exclude: Sequence[str] | None = None
    ) -> int:
        """Bring the files of a folder, which stays known as synced; says how many the patterns leave out.

        What git ignores is memory all the same.
        """

        def told(progress: SyncProgress) -> None:
            self.progress("files", progress.done, progress.total)

        tell = None if self.tell is None else told
        left_out = 0
        for report in self.me.files.sync(
            root,
            source=source,
            include=include,
            exclude=exclude,
            gitignore=False,
            dry_run=self.dry_run,
            tell=tell,
        ):
            self.tally.bring("files", report.added + report.changed + report.renamed)
            self.tally.bring("chunks", report.written)
            self.tally.skip("files", ALREADY_THERE, report.unchanged + report.touched)
            self.tally.skip("files", FORGOTTEN, report.forgotten)
            named = {reason: f"{report.root}/{path}" for path, reason in reversed(report.trouble)}
            for reason, amount in report.skipped.items():
                if reason == _NOT_MEANT:
                    left_out += amount
                else:
                    self.tally.skip("files", reason, amount, example=named.get(reason, ""))
            if report.state != "synced":
                self.tally.skip("folders", NOT_SEEN_WHOLE, example=f"{report.root} ({report.state})")
        return left_out

    def cutting(self, cut: TextCutter) -> None:
        """Bring a document that another system has cut."""
        if not cut.pieces:
            return
        self.documents.add(cut.name)
        reused = sum(vector is not None for vector in cut.vectors) if cut.space is not None else 0
        if not self.dry_run:
            try:
                added = self.me.files.add_pieces(
                    cut.name, cut.pieces, vectors=cut.vectors if reused else None, space=cut.space if reused else None,
                    source=cut.source, metadata=metadata_of(cut.about),
                )  # fmt: skip
            except InvalidInput as error:
                self.tally.skip("documents", CANNOT_BE_KEPT, example=f"{cut.name} ({error})")
                return
            if added is None:
                self.tally.skip("documents", FORGOTTEN, example=cut.name)
                return
            if added.action == "duplicate":
                self.tally.skip("documents", ALREADY_THERE)
                self.tally.skip("chunks", ALREADY_THERE, len(cut.pieces))
                return
        self.tally.bring("documents")
        self.tally.bring("chunks", len(cut.pieces))
        self.tally.bring("vectors", reused)


def _known_ids(conversation: Conversation) -> set[str]:
    """Give the ids of the messages that are there: looking them up is much cheaper than preparing them again."""
    known: set[str] = set()
    before: int | None = None
    while page := conversation.messages(limit=_BATCH, before=before):
        known.update(message.external_id for message in page)
        before = page[0].sequence
    return known


def importing(me: UserMemory) -> UserMemory:
    """Give a user's memory that an import writes to: nothing more once the user has forgotten everything meanwhile."""
    engine, scope = me._engine, me._scope  # noqa: SLF001 - no verb of a user wraps all the others
    return UserMemory(tombstones.unless_emptied(engine, scope), scope)


def searched_space(me: UserMemory) -> Space | None:
    """Give the space that is searched, as `memory.status().space` does; None when there are no vectors.

    This is all that an import wants to know beyond a user's verbs: whether a vector that another system has paid for
    can be used here.
    """
    return me._engine.models.space  # noqa: SLF001 - what the status of a store says is not a user's to ask
