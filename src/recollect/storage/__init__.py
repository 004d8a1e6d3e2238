"""Where memories are kept. The two adapters do not know each other; only `open_store` knows both."""

from importlib import import_module
from pathlib import Path

from recollect.errors import InvalidInput, StoreUnavailable
from recollect.model.backups import Repaired
from recollect.model.stats import Distribution
from recollect.ports import Clock
from recollect.settings import Settings
from recollect.storage.base.store import Store
from recollect.storage.base.values import DatabaseRestorer, ItemMarks, StepListener

_SERVER_PREFIXES = ("postgresql://", "postgres://")
_MOST_SHARDS = 64_000  # that Citus takes


def open_store(
    settings: Settings,
    clock: Clock,
    *,
    analyser: int,
    geocodes: bool = False,
    marks: ItemMarks | None = None,
    create: bool = True,
) -> Store:
    """Open the store that the settings name. A driver is imported only when it is the one in use.

    `analyser` is the version that makes the terms of a new store. With `geocodes` an item with coordinates and no
    address is owed one by a job. With `marks`, by which forgotten items are recognised, a damaged file is repaired if
    the settings say so. Unless it may `create`, nothing is made where no store is. Raises NotFound.
    """
    if settings.database.startswith(_SERVER_PREFIXES):
        postgres = import_module("recollect.storage.postgres.store")
        store: Store = postgres.PostgresStore(
            settings.database, settings.postgres, clock, analyser=analyser, geocodes=geocodes, create=create
        )
        return store
    if settings.database == ":memory:":
        raise StoreUnavailable(
            "Recollect keeps memories in a file, so that several processes can share them. Name a path; for a store "
            "that does not last, use one in a temporary folder."
        )
    sqlite = import_module("recollect.storage.sqlite.opening")
    embedded: Store = sqlite.open_file(
        Path(settings.database),
        settings.sqlite,
        clock,
        analyser=analyser,
        geocodes=geocodes,
        marks=marks,
        create=create,
    )
    return embedded


def repair_store(settings: Settings, clock: Clock, marks: ItemMarks) -> Repaired | None:
    """Repair the file that the settings name, if it is damaged; None when it is sound."""
    if settings.database.startswith(_SERVER_PREFIXES):
        raise InvalidInput(
            "A PostgreSQL database is repaired by its server, not by recollect: start with the server's log and "
            "pg_amcheck, and restore a backup with `recollect restore` or your server's own. `recollect repair` is for "
            "SQLite files."
        )
    path = Path(settings.database).expanduser().absolute()
    sqlite = import_module("recollect.storage.sqlite.repair.repair")
    repair = sqlite.FileRepair(path, settings.sqlite.busy_timeout_s, clock, marks)
    repaired: Repaired | None = repair.repair(thorough=True)
    return repaired


def distribute_store(settings: Settings, *, shards: int, dry_run: bool, tell: StepListener) -> Distribution:
    """Let Citus distribute the database that the settings name."""
    if not settings.database.startswith(_SERVER_PREFIXES):
        raise InvalidInput(
            f"{settings.database} is a SQLite file, which is in one place. Only a store on PostgreSQL can be "
            "distributed: move it there with `recollect export` and `recollect import`."
        )
    if isinstance(shards, bool) or not isinstance(shards, int) or not 0 <= shards <= _MOST_SHARDS:
        raise InvalidInput(f"shards is {shards!r}; it must be from 1 to {_MOST_SHARDS}, or 0 for the server's default.")
    cluster = import_module("recollect.storage.postgres.distribute")
    distribution: Distribution = cluster.distribute(
        settings.database, settings.postgres, shards=shards, dry_run=dry_run, tell=tell
    )
    return distribution


def open_restorer(settings: Settings) -> DatabaseRestorer:
    """Give what restores a backup to where the settings want the database."""
    if settings.database.startswith(_SERVER_PREFIXES):
        dump = import_module("recollect.storage.postgres.dump")
        server: DatabaseRestorer = dump.PostgresRestorer(settings.database, settings.postgres)
        return server
    copy = import_module("recollect.storage.sqlite.upkeep")
    embedded: DatabaseRestorer = copy.SqliteRestorer(Path(settings.database))
    return embedded
