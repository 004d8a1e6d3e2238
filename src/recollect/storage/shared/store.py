"""The parts of a store that are about the store as a whole: figures, places, API keys and logs."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from secrets import randbits

from recollect.authorization import Key
from recollect.model.media import original_folder, original_name
from recollect.model.memories import Scope
from recollect.model.messages import Usage
from recollect.model.scopes import Membership
from recollect.model.stats import StoreShares, StoreStats, UnreadMessages
from recollect.ports import CachedPlace, GeocodeJob, ReachedUsers, ReadJob, SearchNote, UnnamedPlace
from recollect.storage.codec import cached_place_values
from recollect.storage.rows import ANALYSER, FORGETTING, IDENTITY, IDENTITY_BITS, LOCATED, PASSAGES, UNREAD
from recollect.storage.session import ResultRow, StoreSession, Values
from recollect.storage.shared.jobs import geocode_jobs, ids_by_user, read_jobs
from recollect.storage.spaces import list_spaces


class StoreBase(ABC):
    """Lends sessions."""

    @abstractmethod
    def _reading(self, scope: Scope | None = None) -> AbstractContextManager[StoreSession]:
        """Lend a session for questions of one user, or of the store as a whole."""

    @abstractmethod
    def _writing(self, scope: Scope | None = None, *, patient: bool = True) -> AbstractContextManager[StoreSession]:
        """Lend a session for changes in a transaction of its own.

        One that is not patient raises StoreUnavailable rather than wait for another writer, where one must wait.
        """

    @abstractmethod
    def _exclusive(self) -> AbstractContextManager[StoreSession]:
        """Lend a session for changes during which no other process writes, or makes or changes spaces."""

    def _ask(self, name: str, values: Values | None = None) -> list[ResultRow]:
        """Run one query about the store as a whole."""
        with self._reading() as session:
            return session.rows(name, values)

    def _tell(self, name: str, values: Values) -> None:
        """Run one change of the store as a whole."""
        with self._writing() as session:
            session.execute(name, values)

    def _postpone(self, items: Iterable[tuple[Scope, str]], values: Values) -> None:
        """Postpone the jobs of items, each user's in that user's name."""
        with self._writing() as session:
            for user, ids in ids_by_user(items).items():
                session.act_for(Scope(user))
                session.execute("postpone_jobs", {**values, "user_id": user, "ids": ids})


class StoreFigures(StoreBase):
    """Users, marks and figures of the whole store."""

    @abstractmethod
    def _size_bytes(self, session: StoreSession) -> int:
        """Give the size of the store's files."""

    def users(self) -> Iterable[Scope]:
        """Name the users who have anything."""
        return self.reached_users().scopes

    def reached_users(self) -> ReachedUsers:
        """Name the users who have anything, and say whether these are all."""
        with self._reading() as session:
            scopes = [Scope(row[0]) for row in session.rows("users_with_rows")]
            return ReachedUsers(scopes, session.reached() is None)

    def away(self) -> Sequence[str]:
        """Name no server: there is one, and it answers."""
        return ()

    def identity(self) -> int:
        """Give the store's own number; the first process that asks chooses it."""
        mark = {"name": IDENTITY}
        rows = self._ask("get_mark", mark)
        if not rows:
            with self._writing() as session:
                session.execute("make_mark", {**mark, "value": randbits(IDENTITY_BITS)})
                rows = session.rows("get_mark", mark)
        return int(rows[0][0])

    def known_originals(self, names: Sequence[str]) -> frozenset[str]:
        digests = [name.rpartition("/")[2] for name in names]
        with self._reading() as session:
            of_files = {row[0] for row in session.rows("originals", {"names": list(names)})}
            of_media = {original_name(*row) for row in session.rows("originals_of_media", {"digests": digests})}
            reached = session.reached()
        folders = None if reached is None else {original_folder(user) for user in reached}
        unknown = () if folders is None else (name for name in names if name.partition("/")[0] not in folders)
        return frozenset(names) & {*of_files, *of_media, *unknown}

    def users_with_expired(self, now: datetime) -> Iterable[Scope]:
        return [Scope(row[0]) for row in self._ask("expired_users", {"now": now})]

    def idle_conversations(self, before: datetime) -> Iterable[tuple[Scope, str]]:
        return [(Scope(user_id), name) for user_id, name in self._ask("idle_conversations", {"before": before})]

    def analyser(self) -> int:
        return int(self._ask("get_mark", {"name": ANALYSER})[0][0])

    def set_analyser(self, version: int) -> None:
        self._tell("set_mark", {"name": ANALYSER, "value": version})

    def unfinished_forgetting(self) -> Sequence[str]:
        return [name.removeprefix(FORGETTING) for (name,) in self._ask("forgettings", {})]

    def passages(self) -> int:
        return int(self._ask("get_mark", {"name": PASSAGES})[0][0])

    def set_passages(self, version: int) -> None:
        self._tell("set_mark", {"name": PASSAGES, "value": version})

    def spent(self, day: str) -> Usage:
        return Usage(*map(int, self._ask("spent_by_all", {"day": day})[0]))

    def embedded(self, day: str) -> Mapping[str, int]:
        """Say how many tokens each model embedded."""
        return {model: int(tokens) for model, tokens in self._ask("embedded_by_all", {"day": day})}

    def stats(self) -> StoreStats:
        """Count rows of the whole store."""
        with self._reading() as session:
            counts = session.row("store_counts")
            active = [row.number for row in list_spaces(session) if row.state == "active"]
            vectors = sum(session.row("count_all_vectors", space=number)[0] for number in active)
            size = self._size_bytes(session)
        users, memories, messages, chunks, files, pending, parked = map(int, counts)
        counted = (users, memories, messages, vectors, pending, parked)
        return StoreStats(*counted, size_bytes=size, files=files, chunks=chunks)

    def shares(self, now: datetime) -> StoreShares:
        with self._reading() as session:
            counts = (*session.row("shares_of_memories", {"now": now}), *session.row("shares_of_messages"))
        return StoreShares(*map(int, counts))


class SharedPlaceStore(StoreBase):
    """Items that wait for an address, and the cached answers of geocoders."""

    def owe_addresses(self, now: datetime) -> int:
        owed = 0
        for kind in LOCATED:
            with self._writing() as session:
                owed += session.changed("owe_geocoding", {"item_kind": kind, "now": now}, kind=kind)
        return owed

    def unnamed_places(self, limit: int) -> Sequence[UnnamedPlace]:
        with self._reading() as session:
            return [
                UnnamedPlace(Scope(user), kind, *row)
                for kind in LOCATED
                for user, *row in session.rows("unnamed_places", {"limit": limit}, kind=kind)
            ]

    def geocoding_counts(self) -> tuple[int, int]:
        waiting, parked = self._ask("geocoding_counts")[0]
        return waiting, parked

    def claim_geocoding(
        self, limit: int, *, now: datetime, lease_until: datetime, scope: Scope | None = None
    ) -> Sequence[GeocodeJob]:
        values = {"now": now, "lease_until": lease_until, "only_user": scope.user_id if scope else "", "bulk": ""}
        with self._writing(scope) as session:
            return geocode_jobs(session, session.claim("jobs", {**values, "space": 0, "limit": limit}))

    def postpone_geocoding(
        self, jobs: Sequence[GeocodeJob], reason: str, due: datetime | None, *, to_blame: bool
    ) -> None:
        values = {"reason": reason, "due_at": due, "failures": int(to_blame), "space": 0}
        self._postpone(((job.scope, job.item.id) for job in jobs), values)

    def keep_geocoded(
        self, scope: Scope, geocoder: str, places: Sequence[CachedPlace], *, now: datetime, most: int, resets: int
    ) -> None:
        user = {"user_id": scope.user_id}
        with self._writing(scope) as session:
            if sum(row[0] for row in session.rows("lock_resets", user)) != resets:
                return
            shared = {**user, "geocoder": geocoder, "now": now}
            session.execute_many("keep_geocoded", [{**shared, **cached_place_values(place)} for place in places])
            session.execute("trim_geocoded", {**user, "most": most})

    def touch_geocoded(self, scope: Scope, geocoder: str, cell: str, now: datetime) -> None:
        with self._writing(scope) as session:
            values = {"user_id": scope.user_id, "geocoder": geocoder, "cell": cell, "now": now}
            session.execute("touch_geocoded", values)


class SharedReadingStore(StoreBase):
    """Messages that wait to be read."""

    def unread(self) -> UnreadMessages:
        with self._reading() as session:
            waiting, parked, oldest, reason = session.row("unread_messages")
            return UnreadMessages(waiting, parked, session.codec.time_or_none(oldest), reason)

    def claim_readings(
        self, limit: int, *, now: datetime, lease_until: datetime, scope: Scope | None = None
    ) -> Sequence[ReadJob]:
        values = {"now": now, "lease_until": lease_until, "only_user": scope.user_id if scope else "", "bulk": ""}
        with self._writing(scope) as session:
            return read_jobs(session, session.claim("readings", {**values, "space": UNREAD, "limit": limit}))

    def postpone_readings(self, jobs: Sequence[ReadJob], reason: str, due: datetime | None, *, to_blame: bool) -> None:
        values = {"reason": reason, "due_at": due, "failures": int(to_blame), "space": UNREAD}
        self._postpone(((job.scope, job.message.id) for job in jobs), values)


class SharedScopeStore(StoreBase):
    """Members of shared scopes."""

    def members(self, scope: Scope | None = None) -> Sequence[Membership]:
        with self._reading() as session:
            rows = session.rows("list_members", {"scope_id": scope.user_id if scope else ""})
            return [session.codec.membership(row) for row in rows]


class SharedAccessLogStore(StoreBase):
    """API keys, the audit log and the search log."""

    def key(self, key_id: str) -> tuple[Key, str] | None:
        with self._reading() as session:
            rows = session.rows("find_key", {"id": key_id})
            return next(((session.codec.key(row), row[8]) for row in rows), None)

    def keys(self) -> Sequence[Key]:
        with self._reading() as session:
            return [session.codec.key(row) for row in session.rows("list_keys")]

    def touch_key(self, key_id: str, now: datetime) -> None:
        with self._writing(patient=False) as session:
            session.execute("touch_key", {"id": key_id, "now": now})
            session.execute("close_expired_keys", {"now": now})

    def close_expired_keys(self, now: datetime) -> None:
        if any(key.is_over(now) for key in self.keys()):
            self._tell("close_expired_keys", {"now": now})

    def audited(self) -> Sequence[Scope]:
        return [Scope(row[0]) for row in self._ask("audited_users")]

    def note_searches(self, scope: Scope, notes: Sequence[SearchNote], keep: int) -> None:
        """Keep figures about searches, a moment after them: what was forgotten meanwhile may be what one asked for."""
        with self._writing(scope) as session:
            forgotten = session.codec.time_or_none(session.row("last_forgotten", {"user_id": scope.user_id})[0])
            kept = [
                note._replace(query="", found="") if forgotten and forgotten > note.asked_at else note for note in notes
            ]
            session.execute_many("log_search", [{"user_id": scope.user_id, **note._asdict()} for note in kept])
            session.execute("trim_searches", {"user_id": scope.user_id, "keep": keep - 1})

    def forget_old_logs(self, *, answers: datetime, changes: datetime, searches: datetime, sessions: datetime) -> None:
        ages = {"answers": answers, "changes": changes, "searches": searches, "sessions": sessions}
        with self._writing() as session:
            for name, before in ages.items():
                session.execute(f"delete_old_{name}", {"before": before})
