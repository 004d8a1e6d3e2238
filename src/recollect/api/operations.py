"""`memory.operations`: what servers and the command line ask of a store besides the verbs of a user."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from recollect.api import backups
from recollect.encryption import read_passphrase
from recollect.engine.base import audit, scopes
from recollect.engine.base.audit import IdempotentRequest
from recollect.engine.base.context import Engine
from recollect.engine.base.scopes import owner_of, scope_of
from recollect.engine.base.threads import WorkPriority
from recollect.engine.carry import backup
from recollect.engine.forgetting.receipt import insist_genuine, settled
from recollect.engine.maintenance import store_status
from recollect.engine.search import live
from recollect.engine.search.live import LiveMatches, LiveQuery
from recollect.model.backups import Backup
from recollect.model.literals import USUAL_SOURCES, MemoryType, Source
from recollect.model.memories import Scope
from recollect.model.receipts import Receipt
from recollect.model.stats import AuditLine, Problem, Purged, SearchFigures, Status, UserLimits
from recollect.ports import Observer
from recollect.storage.base import STORE, ChangeNotifier
from recollect.verbs import Verbs

MAX_CHANGES = 200


class StoreOperations(Verbs):
    """Health checks, idempotent requests, the change feed and the audit log of a store."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def now(self) -> datetime:
        """Return the time by the store's clock."""
        return self._engine.clock.now()

    @property
    def priority(self) -> WorkPriority:
        """What lets work that can wait give way to urgent calls of this process."""
        return self._engine.priority

    def limits_of(self, user_id: str) -> UserLimits:
        """Return what the settings allow a user to have, and to add in a minute."""
        return self._engine.quotas.of(user_id)

    def observe(self, observer: Observer | None) -> None:
        """Set the observer that gets the duration and the degradation of each search; None removes it."""
        self._engine.search.metrics.observer = observer

    def check_reachable(self) -> None:
        """Ping the store. Raises StoreError if it does not answer."""
        self._engine.store.schema_version()

    def embedder_problem(self) -> str:
        """Try the active embedding model; returns what is wrong, or an empty text. It may take long."""
        return store_status.model_trouble(self._engine)

    def embeds_remotely(self) -> bool:
        """Tell whether the active embedding model is behind a network."""
        return store_status.uses_remote_model(self._engine)

    def quick_status(self) -> Status:
        """Report as `Memory.status` does, but count rows only: replaced and expired memories are among the memories."""
        return store_status.status(self._engine, quick=True)

    def pending_jobs(self) -> int:
        """Count the items that wait for a vector."""
        return self._engine.store.stats().pending_jobs

    def address_counts(self) -> tuple[int, int]:
        """Count the items that wait for an address, and those that were given up on."""
        return self._engine.store.geocoding_counts()

    def check_first_use(self, user_id: str, request: IdempotentRequest) -> None:
        """Raise AlreadyProcessed if an idempotent request was processed before.

        This only saves work: the check inside the transaction decides.
        """
        now = self._engine.clock.now()
        self._engine.store.read(owner_of(user_id), lambda reader: request.insist_new(reader, now))

    def receipt_after_purge(self, receipt: Receipt, purged: Purged) -> Receipt:
        """Sign a receipt of forgetting again, after the purge that followed."""
        insist_genuine(self._engine, receipt)
        return settled(self._engine, receipt, " ".join(purged.failed), purged=True)

    def save_reply(self, user_id: str, request: IdempotentRequest, reply: str) -> None:
        """Store the reply to an idempotent request, unless the same one was stored when it was processed."""
        if request.answered == reply:
            return
        now = self._engine.clock.now()
        self._engine.store.write(owner_of(user_id), lambda writer: request.complete(writer, reply, now))
        request.answered = reply

    def live_query(
        self,
        user_id: str,
        query: str = "",
        *,
        min_score: float = live.MIN_SCORE,
        sources: Sequence[Source] = USUAL_SOURCES,
        types: Sequence[MemoryType] = (),
        shared: str = "",
    ) -> LiveQuery:
        """Prepare a query to match against new items; an empty one matches all of them.

        `shared` names a shared scope of the user, here and below. Raises NotFound if the user is no member of it.
        """
        watched = self._watched(user_id, shared)
        return live.watch(*watched, query, min_score=min_score, sources=sources, types=types)

    def change_position(self, user_id: str, *, shared: str = "") -> int:
        """Return the position of a user's newest change in the change feed."""
        return live.position(*self._watched(user_id, shared))

    def changes(
        self, user_id: str, query: LiveQuery, after: int, *, limit: int = MAX_CHANGES, shared: str = ""
    ) -> LiveMatches:
        """Return what matches a live query among a user's changes after a position, in order."""
        return live.news(*self._watched(user_id, shared), query, after, limit)

    def _watched(self, user_id: str, shared: str) -> tuple[Engine, Scope]:
        scope = scope_of(user_id)
        return scopes.join(self._engine, scope, shared) if shared else (self._engine, scope)

    def backup_due_in(self) -> timedelta:
        """Say how long it is until the settings want the next backup; nothing when it is due."""
        return backup.due_in(self._engine)

    def scheduled_backup(self) -> Backup:
        """Write a backup as the settings want it."""
        wanted = self._engine.settings.backup
        return backups.back_up(
            self._engine,
            wanted.folder,
            keep=wanted.keep,
            encrypt_to=wanted.encrypt_to,
            passphrase=read_passphrase(wanted.passphrase_file) if wanted.passphrase_file else "",
            tell=None,
        )

    def change_notifier(self) -> ChangeNotifier:
        """Return a notifier that waits for the next write to the store, in this process or in another."""
        return self._engine.store.change_notifier()

    def audit_log(self, user_id: str = "", *, last: int = 0) -> tuple[AuditLine, ...]:
        """Return the audit log of a user, or of the keys; all of it, or the `last` lines."""
        lines = tuple(audit.lines(self._engine, owner_of(user_id) if user_id else STORE))
        return lines[-last:] if last else lines

    def audit_problems(self) -> tuple[Problem, ...]:
        """Verify the hash chains of all audit logs; an empty answer means that none was tampered with."""
        return tuple(store_status.audit_flaws(self._engine))

    def search_stats(self, user_id: str, *, days: int = 7) -> tuple[SearchFigures, ...]:
        """Return statistics of a user's recent searches, if `serve.search_log` is on."""
        self._engine.search.notes.flush()
        since = self._engine.clock.now() - timedelta(days=days)
        return tuple(self._engine.store.read(scope_of(user_id), lambda reader: reader.search_figures(since)))
