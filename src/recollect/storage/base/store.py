"""The store as the engine sees it, and what its two backends have in common.

The invariant: whatever runs inside `write` happens wholly or not at all, and the writes of one user come one after the
other. So a decision taken inside `write` from what it has read there still holds when it commits.
"""

import hmac
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from itertools import chain
from secrets import randbits
from typing import TypeVar

from recollect.authorization import Key
from recollect.errors import InvalidInput, RecollectError
from recollect.model.backups import DatabaseFacts, Repaired
from recollect.model.media import original_folder, original_name
from recollect.model.memories import Scope
from recollect.model.messages import Usage
from recollect.model.scopes import Membership
from recollect.model.stats import Erasure, Problem, Purged, ReplicaStatus, StoreShares, StoreStats
from recollect.storage.base.forgotten import TombstoneSecrets, add_foreign, secret_name, stored_rows, tombstone_secrets
from recollect.storage.base.queues import QueueStore
from recollect.storage.base.reader import StoreReader, TransferReader
from recollect.storage.base.session import StoreSession
from recollect.storage.base.spaces import list_spaces
from recollect.storage.base.tables import ANALYSER, FORGETTING, IDENTITY, IDENTITY_BITS, PASSAGES
from recollect.storage.base.values import (
    ChangeNotifier,
    PendingWrite,
    RawBlock,
    ReachedUsers,
    ReceiptKeys,
    SearchNote,
    StepListener,
    StoredRow,
)
from recollect.storage.base.writer import StoreWriter

T = TypeVar("T")


class Store(QueueStore):
    """A database that keeps memories."""

    backend: str  # `sqlite` or `postgresql`, for people
    repaired: Repaired | None = None  # what was done when it was found damaged while this process opened it
    _secrets: TombstoneSecrets

    @abstractmethod
    def read(self, scope: Scope, work: Callable[[StoreReader], T], *, replica: bool = False) -> T:
        """Run questions against one snapshot.

        With `replica` that may be the snapshot of a read replica: one with everything that this process has written or
        read before for the user, and, of what others wrote, all but the last seconds. Then the work may run twice.
        """

    @abstractmethod
    def write(self, scope: Scope, work: Callable[[StoreWriter], T]) -> T:
        """Run changes in one transaction, all or nothing; it is durable when this returns.

        The work must not wait for anything. Another thread may run it, and it is run again if the store lost the
        transaction by no fault of this work.
        """

    @abstractmethod
    def write_many(
        self, works: Sequence[tuple[Scope, Callable[[StoreWriter], T]]]
    ) -> PendingWrite[Sequence[T | RecollectError]]:
        """Run changes of several users, who come in the order of their ids, in one transaction.

        Each user's are whole or undone: gives the result of each, or what it failed with. May finish in the background,
        as `write_behind` does.
        """

    @abstractmethod
    def write_behind(self, scope: Scope, work: Callable[[StoreWriter], T]) -> PendingWrite[T]:
        """Like `write`, but may finish the commit in the background while the caller prepares the next batch."""

    @abstractmethod
    def change_notifier(self) -> ChangeNotifier:
        """Give something that waits for writes, of this process or another."""

    def replicas(self) -> Sequence[ReplicaStatus]:
        """Look at the read replicas."""
        return ()

    @abstractmethod
    def scrub(self) -> Erasure:
        """Erase what deleting left behind in the database's files, as far as the store can; says what is left."""

    @abstractmethod
    def erasure(self) -> Erasure:
        """Say what is left of deleted text in the database's files."""

    def released_reserve(self) -> AbstractContextManager[bool]:
        """Give back, for a while, the room that is kept for deleting on a full disk; says whether there was any.

        What the log holds is given back, too, as far as no reader needs it.
        """
        return nullcontext(enter_result=False)

    @abstractmethod
    def restock_reserve(self) -> None:
        """Keep that room again, if the disk has it."""

    @abstractmethod
    def purge(self, tell: StepListener) -> Purged:
        """Remove what deleted rows left in tables, indexes and statistics, whatever that takes. Safe to interrupt."""

    def raw_blocks(self) -> Iterator[RawBlock]:
        """Give the bytes of the database's files, overlapping where they are cut; nothing where a server has them."""
        return iter(())

    def unseen(self) -> Sequence[str]:
        """Say what of deleted rows may be where this store cannot look."""
        return ()

    @abstractmethod
    def copy_database(self, target: str, tell: StepListener) -> DatabaseFacts:
        """Write a copy of the whole database, as it is at one moment, to a new file, and verify it.

        Other processes go on writing meanwhile. Raises StoreDamaged when the copy is not sound.
        """

    def own_files(self) -> frozenset[tuple[int, int]]:
        """Give the device and inode of every file that this store works with; nothing else may open them."""
        return frozenset()

    @abstractmethod
    def version(self) -> str:
        """The version of the database software."""

    @abstractmethod
    def location(self) -> str:
        """Where the data is, without any password."""

    @abstractmethod
    def schema_version(self) -> int:
        """The number of the newest migration that was applied."""

    @abstractmethod
    def check(self) -> Sequence[Problem]:
        """Look for contradictions; an empty answer means that none was found."""

    @abstractmethod
    def tune(self) -> Sequence[str]:
        """Build what makes large users fast and refresh statistics; says in words what was done."""

    @abstractmethod
    def advice(self) -> Sequence[str]:
        """Say what an operator should do, if anything."""

    @abstractmethod
    def close(self) -> None:
        """Give back connections. Calling it twice is fine."""

    @abstractmethod
    def _size_bytes(self, session: StoreSession) -> int:
        """Give the size of the store's files."""

    def reached_users(self) -> ReachedUsers:
        """Name the users who have memories or messages, and say whether all servers could be asked."""
        with self._reading() as session:
            scopes = [Scope(row[0]) for row in session.rows("users_with_rows")]
            return ReachedUsers(scopes, session.reached() is None)

    def away(self) -> Sequence[str]:
        """Name the servers that do not answer: what is done to the store as a whole leaves out the users there."""
        return ()

    def identity(self) -> int:
        """Give the number that tells this store from all others, wherever it is moved; the first process chooses it."""
        mark = {"name": IDENTITY}
        rows = self._ask("get_mark", mark)
        if not rows:
            with self._writing() as session:
                session.execute("make_mark", {**mark, "value": randbits(IDENTITY_BITS)})
                rows = session.rows("get_mark", mark)
        return int(rows[0][0])

    def known_originals(self, names: Sequence[str]) -> frozenset[str]:
        """Say which originals belong to a file, a memory or a message of any user."""
        digests = [name.rpartition("/")[2] for name in names]
        with self._reading() as session:
            of_files = {row[0] for row in session.rows("originals", {"names": list(names)})}
            of_media = {original_name(*row) for row in session.rows("originals_of_media", {"digests": digests})}
            reached = session.reached()
        folders = None if reached is None else {original_folder(user) for user in reached}
        unknown = () if folders is None else (name for name in names if name.partition("/")[0] not in folders)
        return frozenset(names) & {*of_files, *of_media, *unknown}

    def users_with_expired(self, now: datetime) -> Iterable[Scope]:
        """Name the users who have memories past their expiry."""
        return [Scope(row[0]) for row in self._ask("expired_users", {"now": now})]

    def idle_conversations(self, before: datetime) -> Iterable[tuple[Scope, str]]:
        """Name the conversations with active messages in which nothing was said since then, oldest first."""
        return [(Scope(user_id), name) for user_id, name in self._ask("idle_conversations", {"before": before})]

    def analyser(self) -> int:
        """Say which version of the analyser made the terms. A store is born with the one it was opened with."""
        return int(self._ask("get_mark", {"name": ANALYSER})[0][0])

    def set_analyser(self, version: int) -> None:
        """Note that all terms are those of this version."""
        self._tell("set_mark", {"name": ANALYSER, "value": version})

    def unfinished_forgetting(self) -> Sequence[str]:
        """Give the notes of what is being forgotten in parts."""
        return [name.removeprefix(FORGETTING) for (name,) in self._ask("forgettings", {})]

    def passages(self) -> int:
        """Say which version of the passages all texts have vectors of, or jobs; 0 where they were stored without."""
        return int(self._ask("get_mark", {"name": PASSAGES})[0][0])

    def set_passages(self, version: int) -> None:
        """Note that all texts have vectors of the passages of this version, or a job."""
        self._tell("set_mark", {"name": PASSAGES, "value": version})

    def spent(self, day: str) -> Usage:
        """Say what all users together spent on language models on a day."""
        return Usage(*map(int, self._ask("spent_by_all", {"day": day})[0]))

    def embedded(self, day: str) -> Mapping[str, int]:
        """Say how many tokens of all users together each model embedded on a day."""
        return {model: int(tokens) for model, tokens in self._ask("embedded_by_all", {"day": day})}

    def stats(self) -> StoreStats:
        """Count rows of the whole store, in no time: memories that were replaced or are over among them."""
        with self._reading() as session:
            counts = session.row("store_counts")
            active = [row.number for row in list_spaces(session) if row.state == "active"]
            vectors = sum(session.row("count_all_vectors", space=number)[0] for number in active)
            size = self._size_bytes(session)
        users, memories, messages, chunks, files, pending, parked = map(int, counts)
        counted = (users, memories, messages, vectors, pending, parked)
        return StoreStats(*counted, size_bytes=size, files=files, chunks=chunks)

    def shares(self, now: datetime) -> StoreShares:
        """Count what of the memories and messages is what, in a time that grows with the store."""
        with self._reading() as session:
            counts = (*session.row("shares_of_memories", {"now": now}), *session.row("shares_of_messages"))
        return StoreShares(*map(int, counts))

    def members(self, scope: Scope | None = None) -> Sequence[Membership]:
        """Give the members of a scope, or of all of them, by scope and name."""
        rows = self._ask("list_members", {"scope_id": scope.user_id if scope else ""})
        return [self.codec.membership(row) for row in rows]

    def key(self, key_id: str) -> tuple[Key, str] | None:
        """Give a key with the hash of its secret."""
        return next(((self.codec.key(row), row[8]) for row in self._ask("find_key", {"id": key_id})), None)

    def keys(self) -> Sequence[Key]:
        """Give all keys, oldest first."""
        return [self.codec.key(row) for row in self._ask("list_keys")]

    def touch_key(self, key_id: str, now: datetime) -> None:
        """Note when a key was last used, and close expired ones. Raises StoreUnavailable rather than wait to write."""
        with self._writing(patient=False) as session:
            session.execute("touch_key", {"id": key_id, "now": now})
            session.execute("close_expired_keys", {"now": now})

    def close_expired_keys(self, now: datetime) -> None:
        """Revoke the keys whose time is over, so that none opens anything when the clock goes back."""
        if any(key.is_over(now) for key in self.keys()):
            self._tell("close_expired_keys", {"now": now})

    def audited(self) -> Sequence[Scope]:
        """Name those about whom there are lines in the log, the store itself among them."""
        return [Scope(row[0]) for row in self._ask("audited_users")]

    def note_searches(self, scope: Scope, notes: Sequence[SearchNote], keep: int) -> None:
        """Keep figures about searches, of which `keep` stay. It is no write of the user: what was read stays true."""
        with self._writing(scope) as session:
            forgotten = session.codec.time_or_none(session.row("last_forgotten", {"user_id": scope.user_id})[0])
            kept = [  # what was forgotten since may be what one asked for
                note._replace(query="", found="") if forgotten and forgotten > note.asked_at else note for note in notes
            ]
            session.execute_many("log_search", [{"user_id": scope.user_id, **note._asdict()} for note in kept])
            session.execute("trim_searches", {"user_id": scope.user_id, "keep": keep - 1})

    def forget_old_logs(self, *, answers: datetime, changes: datetime, searches: datetime, sessions: datetime) -> None:
        """Forget what is older than these; sessions and one-time links are as old as their end."""
        ages = {"answers": answers, "changes": changes, "searches": searches, "sessions": sessions}
        with self._writing() as session:
            for name, before in ages.items():
                session.execute(f"delete_old_{name}", {"before": before})

    def _long_reading(self, scope: Scope | None) -> AbstractContextManager[StoreSession]:
        """Lend a session with one snapshot for all its questions."""
        return self._reading(scope)

    @contextmanager
    def snapshot(self, scope: Scope | None) -> Iterator[TransferReader]:
        """Lend a snapshot of one user's rows, or of the whole store."""
        with self._long_reading(scope) as session:
            yield TransferReader(session, self._secrets)

    def add_secrets(self, secrets: Mapping[str, bytes]) -> None:
        """Keep what the tombstones of another store are keyed with."""
        if any(name != secret_name(secret) for name, secret in secrets.items()):
            raise InvalidInput("A secret of tombstones is not the one that its name says. Nothing was brought.")
        new = {name: secret for name, secret in secrets.items() if name not in self._secrets.by_name()}
        if not new:
            return
        with self._writing() as session:
            for name, secret in new.items():
                add_foreign(session, name, secret)
            found = tombstone_secrets(session)
        self._secrets = found

    def statistics(self) -> Sequence[StoredRow] | None:
        """Give what a server has sampled for its planner; None where the login may not look.

        Nothing where the statistics are tables among the others.
        """
        return ()

    def receipt_keys(self) -> ReceiptKeys:
        """Give the keys of receipts."""
        signing, marking = (
            hmac.digest(self._secrets.own, purpose, "sha256")
            for purpose in (b"signatures of receipts", b"marks of receipts")
        )
        return ReceiptKeys(secret_name(self._secrets.own), signing, marking)

    @contextmanager
    def whole_rows(self) -> Iterator[Iterator[StoredRow]]:
        """Give the rows of all tables of the store, from one snapshot, and those that its statistics make."""
        with self._long_reading(None) as session:
            yield chain(stored_rows(session, None), self.statistics() or ())
