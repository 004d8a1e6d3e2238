"""The façade: what a program types first. `Memory` is an open store; `Memory.user` gives one user's part of it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import cache
from os import PathLike, fspath
from threading import Event
from types import TracebackType
from typing import Any, Self

from recollect import encryption
from recollect.api import backups
from recollect.api.composition import assemble
from recollect.api.keys import Keys
from recollect.api.operations import Scopes, StoreModels, StoreOperations
from recollect.api.scoped import as_offered
from recollect.api.user import UserMemory
from recollect.clock import SystemClock
from recollect.engine.base.audit import AuditedWrite, IdempotentRequest
from recollect.engine.base.context import Engine
from recollect.engine.base.scopes import scope_of
from recollect.engine.carry import backup as backing
from recollect.engine.carry.export import ExportOptions, ExportReport, save_export
from recollect.engine.carry.import_archive import (
    ArchiveReport,
    ImportOptions,
    ImportProgressListener,
    import_archive,
)
from recollect.engine.conversations import turns
from recollect.engine.drafts.tombstones import TombstoneMarks
from recollect.engine.forgetting import request as forgetting
from recollect.engine.forgetting import verify
from recollect.engine.maintenance import maintain, store_status
from recollect.engine.memories import remember
from recollect.engine.search.times import checked_zone
from recollect.errors import InvalidInput, StoreFull, StoreReadOnly, StoreUnavailable
from recollect.model.backups import Backup, Repaired, Restored
from recollect.model.memories import Loaded, NewMemory
from recollect.model.receipts import ErasureCheck, Receipt
from recollect.model.stats import Distribution, Maintenance, Problem, Purged, Status, StoreStats, WorkReport
from recollect.ports import Clock, Embedder, Summarizer
from recollect.settings import Settings, load_settings
from recollect.storage import distribute_store, repair_store
from recollect.storage.base import StepListener
from recollect.text.clean import clean
from recollect.verbs import Verbs

__all__ = ["AuditedWrite", "IdempotentRequest", "Memory", "UserMemory"]

_MAX_AGENT = 200  # characters


def chosen_settings(database: str | PathLike[str] | None, settings: Settings | None) -> Settings:
    """Give the settings that were passed, or those of a database, or else the user's own."""
    if settings is None:
        return load_settings(overrides={} if database is None else {"database": fspath(database)})
    if database is not None:
        raise InvalidInput("Pass either database or settings, not both: settings.database says the same.")
    return settings


class Memory(Verbs):
    """An open store. Use it in a `with` statement, or call `close`.

    Any number of threads may share one; any number of processes may open the same store.
    """

    def __init__(self, engine: Engine, *, owns_embedder: bool = False) -> None:
        self._engine = engine
        self._owns_embedder = owns_embedder
        self._keys = Keys(engine)

    @classmethod
    def open(
        cls,
        database: str | PathLike[str] | None = None,
        *,
        settings: Settings | None = None,
        clock: Clock | None = None,
        embedder: Embedder | None = None,
        summarizer: Summarizer | None = None,
        create: bool = True,
    ) -> Self:
        """Open a store and bring its schema up to date.

        `database` is a path, or a URL such as `postgresql://user:password@host/name`; without it the settings decide,
        and by default that is a SQLite file in the user's data folder. `embedder` and `summarizer` replace those in the
        settings; they may be shared, and the caller closes them. Where no store is, one is made; unless it may
        `create`, nothing is, and NotFound is raised.
        """
        settings = chosen_settings(database, settings)
        engine = assemble(settings, clock or SystemClock(), embedder, summarizer, create=create)
        with suppress(StoreFull, StoreReadOnly, StoreUnavailable):  # `maintain` tries it again
            forgetting.finish(engine)
        return cls(engine, owns_embedder=embedder is None)

    @property
    def me(self) -> UserMemory:
        """The part of the settings' user, for whom the command line and the service work unless told otherwise."""
        return self.user(self._engine.settings.user)

    def user(self, user_id: str, *, audit: AuditedWrite | None = None, agent: str = "", zone: str = "") -> UserMemory:
        """Return one user's part of the store; the user need not exist yet.

        With `audit` every write through it is recorded in the audit log, in the transaction that does it. `agent` is
        the program that asks, for the search log. `zone` is the time zone, such as Europe/Prague, that decides what
        "yesterday" means; without it that is the user's in the settings. Raises InvalidInput for one that is none.
        """
        engine = self._engine if audit is None else replace(self._engine, audit=audit)
        zone = zone or self.settings.zone_of(user_id)
        if zone != self.settings.timezone:
            checked_zone(zone)
            engine = replace(engine, zone=zone)
        if agent and self.settings.serve.search_log != "off":
            engine = replace(engine, agent=clean(agent)[:_MAX_AGENT])
        return UserMemory(engine, scope_of(user_id))

    @property
    def keys(self) -> Keys:
        """API keys: `memory.keys.create(...)`, `.list()`, `.revoke(id)`."""
        return self._keys

    @property
    def scopes(self) -> Scopes:
        """Shared scopes: `memory.scopes.add("family", "anna")`, `.remove(...)`, `.list()`, `.delete(name)`."""
        return Scopes(self._engine)

    @property
    def models(self) -> StoreModels:
        """Embedding models: `memory.models.list()`, `.reembed(provider, model)`, `.estimate(...)`, `.drop(name)`."""
        return StoreModels(self._engine)

    @property
    def operations(self) -> StoreOperations:
        """What only servers need: health checks, idempotent requests, the change feed, the audit log."""
        return StoreOperations(self._engine)

    @property
    def settings(self) -> Settings:
        """The settings this store was opened with."""
        return self._engine.settings

    def stats(self) -> StoreStats:
        """Count what the whole store holds."""
        return store_status.store_stats(self._engine)

    def status(self) -> Status:
        """Report versions, models, queues and what should be done about them."""
        return store_status.status(self._engine)

    def doctor(self) -> tuple[Problem, ...]:
        """Check the store for contradictions and try the embedder; an empty answer means that all is well."""
        return store_status.doctor(self._engine)

    def maintain(self) -> Maintenance:
        """Run maintenance: expire memories, compact and archive old conversations, index and embed what waits.

        Safe to interrupt: each step is whole or has not happened.
        """
        return maintain.maintain(self._engine)

    def backup(
        self,
        folder: str | PathLike[str],
        *,
        keep: int | None = None,
        encrypt_to: Sequence[str] = (),
        passphrase: str = "",
        tell: StepListener | None = None,
    ) -> Backup:
        """Write a backup of the database and the originals to a dated folder in `folder`, and verify it.

        The store stays in use meanwhile. It holds all that was written before the call; originals that an earlier
        backup has take no room again. `keep` removes all but the newest backups of this store. With `encrypt_to`,
        public keys of age, or a `passphrase` it is encrypted. `tell` is called with what is being done, and how far.
        """
        return backups.back_up(self._engine, folder, keep=keep, encrypt_to=encrypt_to, passphrase=passphrase, tell=tell)

    @staticmethod
    def restore(
        backup: str | PathLike[str],
        database: str | PathLike[str] | None = None,
        *,
        settings: Settings | None = None,
        identity: str | PathLike[str] | None = None,
        passphrase: str = "",
        forgotten_since: str | PathLike[str] | None = None,
        tell: StepListener | None = None,
    ) -> Restored:
        """Restore a backup, or the newest in a folder of backups, to where no store is yet.

        Every file is compared with its hash before anything is written, and the restored store is checked. `identity`
        is a file with the key of an encrypted backup. `forgotten_since` names the store that the backup is of, if it
        can still be read: what was forgotten there after the backup is forgotten again. Raises BackupDamaged and says
        what differs.
        """
        settings = chosen_settings(database, settings)
        key = encryption.key_for(identity, passphrase)
        return backups.restore(backup, settings, SystemClock(), key=key, forgotten_since=forgotten_since, tell=tell)

    @staticmethod
    def repair(
        database: str | PathLike[str] | None = None, *, settings: Settings | None = None, clock: Clock | None = None
    ) -> Repaired | None:
        """Look at all of a SQLite file and, if it is damaged, save what can be read in a new file that takes its place.

        The damaged file is kept beside it under a dated name. No process may have the store open. Returns None when the
        file is sound. Raises StoreDamaged when no row can be saved; then nothing was changed.
        """
        return repair_store(chosen_settings(database, settings), clock or SystemClock(), TombstoneMarks())

    @staticmethod
    def distribute(
        database: str | PathLike[str] | None = None,
        *,
        settings: Settings | None = None,
        shards: int = 0,
        dry_run: bool = False,
        tell: StepListener | None = None,
    ) -> Distribution:
        """Turn a store on PostgreSQL into one that Citus distributes over several servers, user by user.

        No process may have the store open. `shards` is into how many parts the users are divided; 0 leaves it to the
        server's `citus.shard_count`. With `dry_run` nothing is changed, and the result has the statements. Safe to
        interrupt: the next call goes on. `tell` is as for `purge`.
        """
        chosen = chosen_settings(database, settings)
        return distribute_store(chosen, shards=shards, dry_run=dry_run, tell=tell or (lambda *_: None))

    @property
    def repaired(self) -> Repaired | None:
        """What was done when the file was found damaged while this store was opened; None when it was sound."""
        return self._engine.store.repaired

    def export(
        self,
        path: str | PathLike[str],
        *,
        vectors: bool = False,
        readable: bool = False,
        overwrite: bool = False,
        encrypt_to: Sequence[str] = (),
        passphrase: str = "",
    ) -> ExportReport:
        """Write everything of all users into one archive. See `UserMemory.export`."""
        options = ExportOptions(None, vectors, readable=readable, encrypt_to=encrypt_to, passphrase=passphrase)
        return save_export(self._engine, path, options, overwrite=overwrite)

    def import_archive(
        self,
        path: str | PathLike[str],
        *,
        of_user: str | None = None,
        dry_run: bool = False,
        audit: AuditedWrite | None = None,
        identity: str | PathLike[str] | None = None,
        passphrase: str = "",
        tell: ImportProgressListener | None = None,
    ) -> ArchiveReport:
        """Import what `export` wrote, each user under the name they had, or one of them. See `UserMemory`."""
        engine = self._engine if audit is None else replace(self._engine, audit=audit)
        options = ImportOptions(of_user, dry_run=dry_run, tell=tell, identity=identity, passphrase=passphrase)
        return import_archive(engine, fspath(path), options)

    def load(
        self,
        rows: Iterable[tuple[str, str | NewMemory | Mapping[str, Any]]],
        *,
        audit: AuditedWrite | None = None,
        wait: bool | None = None,
        imported: bool = False,
    ) -> Loaded:
        """Store memories of any users fast, from one stream of pairs: a user, and what `remember_many` takes.

        All that `remember_many` does for one user holds for each: duplicates, superseding, quotas, provenance. Rows are
        stored in transactions of ten thousand, in which each user's part is whole or not there. `imported` rows that
        were forgotten are left out.
        """
        engine = self._engine if audit is None else replace(self._engine, audit=audit)
        known = cache(scope_of)
        offered = ((known(user), as_offered(memory)) for user, memory in rows)
        return remember.load(engine, offered, wait=wait, imported=imported)

    def purge(self, *, tell: StepListener | None = None) -> Purged:
        """Remove what forgotten users and items left in tables, statistics, indexes and originals; say what is left.

        On PostgreSQL it rewrites the tables one after the other; nothing can use a table meanwhile. Safe to interrupt:
        the next purge goes on. `tell` is called with what is being done, how much of it is done, and how much there is.
        """
        return forgetting.purge(self._engine, tell)

    def verify_erasure(
        self, receipt: Receipt | Mapping[str, Any] | str | bytes, *, backups: str | PathLike[str] | None = None
    ) -> ErasureCheck:
        """Check that nothing of what a receipt of `forget` tells of is in this store; the receipt may be JSON.

        Looks into every table and text column, indexes, statistics, originals, and on SQLite into every byte of the
        file and its log. `backups` is a folder of which the backups are named that are older than the forgetting;
        without it, that of the settings. Raises ReceiptRefused if the receipt was changed or is of another store.
        """
        check = verify.verify(self._engine, receipt)
        older = backing.older_than(self._engine, datetime.fromisoformat(check.forgotten_at), backups)
        return replace(check, older_backups=older)

    def embed_waiting(
        self, *, thorough: bool = True, stop: Event | None = None, tell: Callable[[WorkReport], None] | None = None
    ) -> WorkReport:
        """Work off the queues: messages to read, vectors, addresses; and go on with a migration to another model.

        Any number of processes may do so at once. `thorough` also scans all rows for items that were never queued,
        because they were stored while vectors were switched off. `stop` ends it after the current batch; `tell` is
        called with the progress. What a provider could not embed now stays in the queue.
        """
        return maintain.work(self._engine, stop=stop, tell=tell, thorough=thorough)

    def retry_parked(self) -> int:
        """Put everything that could not be embedded, located or read back into the queue; returns how much."""
        revived = self._engine.store.revive_parked(self._engine.clock.now())
        self._engine.background.wake()
        return revived

    def close(self) -> None:
        """Close the store. Calling it twice is fine; in a forked child it does nothing to the store of the parent."""
        if self._engine.is_inherited:
            return
        self._engine.background.close()
        turns.settle(self._engine)
        self._engine.search.notes.close()
        self._engine.store.close()
        self._engine.models.close(configured=self._owns_embedder)
        if self._engine.geocoder is not None:
            self._engine.geocoder.close()
        if self._engine.reranker is not None:
            self._engine.reranker.close()

    def __enter__(self) -> Self:
        """Return the store itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store."""
        self.close()
