"""What concerns a whole store: shared scopes, embedding models, and what servers ask besides the verbs of a user."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from threading import Event

from recollect import embedding
from recollect.api import backups
from recollect.authorization import LOCAL
from recollect.encryption import read_passphrase
from recollect.engine.base import audit, scopes
from recollect.engine.base.audit import AuditedAction, AuditedWrite, IdempotentRequest, note
from recollect.engine.base.context import Engine
from recollect.engine.base.scopes import owner_of, scope_name, scope_of
from recollect.engine.base.threads import WorkPriority
from recollect.engine.carry import backup
from recollect.engine.forgetting import request as forgetting
from recollect.engine.forgetting.receipt import insist_genuine, settled
from recollect.engine.forgetting.request import ForgetRequest
from recollect.engine.maintenance import store_status
from recollect.engine.search import live
from recollect.engine.search.live import LiveMatches, LiveQuery
from recollect.engine.vectors import batch_embedding, model_change
from recollect.errors import InvalidInput, NotFound
from recollect.model.backups import Backup
from recollect.model.literals import USUAL_SOURCES, MemoryType, Source
from recollect.model.memories import Scope, Space
from recollect.model.receipts import Receipt
from recollect.model.scopes import SCOPE_ROLES, Membership, ScopeRole, SharedScope, shared_name, shared_scope
from recollect.model.search import Forgotten
from recollect.model.stats import (
    AuditLine,
    Estimate,
    Model,
    Problem,
    Purged,
    Reembedding,
    SearchFigures,
    Status,
    UserLimits,
    WorkReport,
)
from recollect.ports import Embedder, Observer
from recollect.storage.base import STORE, ChangeNotifier, StoreWriter
from recollect.verbs import Verbs

MAX_CHANGES = 200


class _OfStore(Verbs):
    def __init__(self, engine: Engine) -> None:
        self._engine = engine


class Scopes(_OfStore):
    """The shared scopes of a store. A scope is there as soon as it has a member."""

    def add(self, name: str, user: str, *, role: ScopeRole = "reader", actor: str = LOCAL.id) -> Membership:
        """Let a user be a member of a scope, or give a member another role. `actor` is for the audit log.

        A `reader` searches the scope, a `writer` also stores, changes and forgets in it.
        """
        if role not in SCOPE_ROLES:
            raise InvalidInput(f"Unknown role {role!r}. Roles are: {', '.join(SCOPE_ROLES)}.")
        now, scope = self._engine.clock.now(), shared_scope(scope_name(name))
        membership = Membership(name, scope_of(user).user_id, role, now, actor)

        def work(writer: StoreWriter) -> None:
            writer.set_member(membership)
            note(writer, scope, AuditedAction(actor, "scopes.add"), [user], now)

        self._engine.store.write(scope, work)
        return membership

    def remove(self, name: str, user: str, *, actor: str = LOCAL.id) -> None:
        """Remove a member, who has no access from that moment on; what they stored in the scope stays.

        Raises NotFound.
        """
        now, scope = self._engine.clock.now(), shared_scope(scope_name(name))

        def work(writer: StoreWriter) -> None:
            if not writer.remove_member(scope_of(user).user_id):
                raise NotFound(f"{user!r} is no member of the shared scope {name!r}. `members` lists who is.")
            note(writer, scope, AuditedAction(actor, "scopes.remove"), [user], now)

        self._engine.store.write(scope, work)

    def list(self) -> tuple[SharedScope, ...]:
        """List all scopes with their members, by name."""
        members = self._engine.store.members()
        filled = {shared_name(owner.user_id) for owner in self._engine.store.reached_users().scopes} - {""}
        names = sorted(filled | {membership.scope for membership in members})
        return tuple(SharedScope(name, tuple(one for one in members if one.scope == name)) for name in names)

    def members(self, name: str) -> tuple[Membership, ...]:
        """List the members of a scope, by name. Raises NotFound."""
        known = {scope.name: scope for scope in self.list()}
        if name not in known:
            raise NotFound(f"There is no shared scope {name!r}. `scopes.list` says which there are.")
        return known[name].members

    def delete(self, name: str, *, purge: bool = False, receipt: bool = False, actor: str = LOCAL.id) -> Forgotten:
        """Forget a scope for good, with all that is in it and all memberships. Raises NotFound.

        `purge` and `receipt` are those of `UserMemory.forget`.
        """
        self.members(name)
        engine = replace(self._engine, audit=AuditedWrite(actor, "scopes.delete"))
        request = ForgetRequest(everything=True, purge=purge, receipt=receipt)
        return replace(forgetting.run(engine, shared_scope(name), request), action="deleted")  # it may have been empty


class StoreModels(_OfStore):
    """The embedding models of a store."""

    def list(self, *, ask: bool = True) -> tuple[Model, ...]:
        """List the models that have vectors here, and the one in the settings; each is tried unless `ask` is False."""
        return store_status.models(self._engine, ask=ask)

    def reembed(
        self,
        provider: str | None = None,
        model: str | None = None,
        *,
        dimensions: int | None = None,
        embedder: Embedder | None = None,
        wait: bool = True,
        bulk: bool | None = None,
        without_parked: bool = False,
        stop: Event | None = None,
        tell: Callable[[WorkReport], None] | None = None,
    ) -> Reembedding:
        """Migrate to another model while the store is in use, or resume a migration that was interrupted.

        Without arguments it resumes, or migrates to the model that the settings name. Searches use the old vectors
        until every item has a new one; then one transaction switches over. The old vectors are kept until `drop`. With
        `wait=False` it only begins, and leaves the work to the workers. `bulk` says whether to use the provider's batch
        API, which is cheaper and takes up to a day; by default the settings decide. Items that cannot be embedded keep
        it from finishing, unless `without_parked`.
        """
        target = self._target(provider, model, dimensions, embedder)
        if target is not None:
            if target is not self._engine.models.configured:
                self._engine.models.offer(target, owned=target is not embedder)
            model_change.begin(self._engine, target)
        if wait:
            return model_change.advance(self._engine, in_bulk=bulk, stop=stop, tell=tell, without_parked=without_parked)
        self._engine.background.wake()
        return model_change.progress(self._engine)

    def estimate(
        self, provider: str | None = None, model: str | None = None, *, dimensions: int | None = None
    ) -> Estimate:
        """Estimate the tokens and the price of embedding everything with a model, without asking its provider."""
        target = self._target(provider, model, dimensions, None)
        space = model_change.building(self._engine.store.spaces())
        embedder = target or (self._engine.models.embedder(space) if space else None)
        return batch_embedding.estimate(self._engine, embedder) if embedder else Estimate(0, 0)

    def cancel_reembed(self) -> Space:
        """Cancel a migration that is under way; returns the space that was being built, which is kept."""
        return model_change.cancel(self._engine)

    def drop(self, name: str) -> Space:
        """Delete the vectors of a model that is no longer searched: `provider/model` or `provider/model@length`."""
        return model_change.drop(self._engine, name)

    def _target(
        self, provider: str | None, model: str | None, dimensions: int | None, embedder: Embedder | None
    ) -> Embedder | None:
        """Choose the model to migrate to; None means to resume the migration that is under way."""
        engine = self._engine
        if embedder is not None:
            return embedder
        if provider is None and model is None and dimensions is None:
            if model_change.building(engine.store.spaces()) is not None:
                return None
            if engine.models.configured is None:
                raise InvalidInput("Name a provider: the settings have vectors switched off.")
            return engine.models.configured
        created = embedding.create_embedding_provider(
            engine.settings.embedding, provider=provider, model=model, dimensions=dimensions
        )
        if created is None:
            raise InvalidInput("The provider `none` makes no vectors. To switch them off, set embedding.provider.")
        return created


class StoreOperations(_OfStore):
    """Health checks, idempotent requests, the change feed and the audit log of a store."""

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
