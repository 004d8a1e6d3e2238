"""What the engine asks of a store about API keys, answers for idempotency, the order of changes, and the logs."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Literal, NamedTuple, Protocol

from recollect.authorization import Key
from recollect.model.literals import ItemKind
from recollect.model.memories import Scope
from recollect.model.stats import AuditLine, SearchFigures

# The scope of rows without a user: keys, and their lines in the audit log. No user can have this name.
STORE = Scope("")

# How long the order of changes is kept: no listener is away for longer.
CHANGES_KEPT = timedelta(days=7)

# `words` could be found by its words only, because its vector follows; `embedded` says that it came.
ChangeKind = Literal["stored", "words", "embedded"]


class StoreChange(NamedTuple):
    """Something new, with its place in the order in which one user's items were written."""

    number: int
    what: ChangeKind
    kind: ItemKind
    id: str
    changed_at: datetime


class StoredResponse(NamedTuple):
    """What a request was answered; `body` is None when it held what was forgotten since."""

    request_hash: str
    body: str | None
    private: bool = False


class SearchNote(NamedTuple):
    """Figures about one search. `query` is empty unless the settings keep it.

    `degraded` names the parts that were missing, `found` the ids of the first hits, both separated by spaces.
    """

    id: str
    asked_at: datetime
    verb: str
    hits: int
    took_ms: float
    answerable: float
    degraded: str
    query: str
    user_agent: str = ""
    found: str = ""


class AccessLogRows(Protocol):
    """What reading and writing have in common."""

    def answer(self, key: str, since: datetime) -> StoredResponse | None:
        """Give what a request was answered since a moment."""

    def resets(self) -> int:
        """Give a number that grows whenever something of this user is forgotten."""


class AccessLogReader(AccessLogRows, Protocol):
    """The part of a reader that is about answers, changes and logs."""

    def last_change(self) -> int:
        """Give the number of the newest change; 0 before the first."""

    def first_change(self) -> int | None:
        """Give the number of the oldest change that is still known."""

    def changes(self, after: int, limit: int) -> Sequence[StoreChange]:
        """Give what is new since a change, in order."""

    def audit(self, after: int, limit: int) -> Sequence[AuditLine]:
        """Give what was done for this user, in order."""

    def search_figures(self, since: datetime) -> Sequence[SearchFigures]:
        """Say what this user's searches were like."""

    def searches(self, since: datetime, limit: int) -> Sequence[SearchNote]:
        """Give this user's searches, the newest first."""


class AccessLogWriter(AccessLogRows, Protocol):
    """The part of a writer that is about keys, answers, changes and logs."""

    def keep_answer(self, key: str, answer: StoredResponse, now: datetime) -> None:
        """Keep what a request is answered."""

    def note_embedded(self, items: Iterable[tuple[ItemKind, str]], now: datetime) -> None:
        """Let what was stored without its vector be looked at once more."""

    def last_audit(self) -> AuditLine | None:
        """Give the newest line of the log."""

    def add_audit(self, line: AuditLine) -> None:
        """Add a line to the log."""

    def forget_traces(self, ids: Collection[str] | None) -> None:
        """Take out of answers and logs what was said, asked or found of some items.

        None stands for all: then the order of changes goes, too.
        """

    def note_forgetting(self, request: str) -> None:
        """Note what is being forgotten in parts, for the whole store."""

    def drop_forgetting(self, request: str) -> None:
        """Remove that note."""

    def add_key(self, key: Key, secret_hash: str) -> None:
        """Keep a new key."""

    def revoke_key(self, key_id: str, now: datetime) -> bool:
        """Let a key open nothing any more; tells whether it did until now."""


class ChangeNotifier(Protocol):
    """Wakes a waiter when something may have changed; a wake-up may be idle or lost. It is for one thread."""

    def wait(self, timeout_s: float) -> bool:
        """Wait for a change, or for so long; says whether there may be one."""

    def close(self) -> None:
        """Close connections."""


class AccessLogStore(Protocol):
    """The part of a store that is about keys, answers, changes and logs."""

    def key(self, key_id: str) -> tuple[Key, str] | None:
        """Give a key with the hash of its secret."""

    def keys(self) -> Sequence[Key]:
        """Give all keys, oldest first."""

    def touch_key(self, key_id: str, now: datetime) -> None:
        """Note when a key was last used, and close expired ones. Raises StoreUnavailable rather than wait to write."""

    def close_expired_keys(self, now: datetime) -> None:
        """Revoke the keys whose time is over, so that none opens anything when the clock goes back."""

    def change_notifier(self) -> ChangeNotifier:
        """Give something that waits for writes, of this process or another."""

    def audited(self) -> Sequence[Scope]:
        """Name those about whom there are lines in the log, the store itself among them."""

    def note_searches(self, scope: Scope, notes: Sequence[SearchNote], keep: int) -> None:
        """Keep figures about searches, of which `keep` stay. It is no write of the user: what was read stays true."""

    def forget_old_logs(self, *, answers: datetime, changes: datetime, searches: datetime, sessions: datetime) -> None:
        """Forget what is older than these; sessions and one-time links are as old as their end."""
