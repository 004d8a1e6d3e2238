"""Continuous sync of folders: on file-system events, and at intervals all the same."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from threading import Event

from recollect.engine.base.context import Engine
from recollect.engine.files import file_chunks, sync
from recollect.engine.files.sync import SyncOrder
from recollect.errors import RecollectError
from recollect.model.files import SyncReport
from recollect.model.memories import Scope

_POLL_S = 0.5  # how soon a stop is noticed

WatchListener = Callable[[SyncReport | RecollectError], None]


def keep(engine: Engine, scope: Scope, orders: Sequence[SyncOrder], *, stop: Event, tell: WatchListener) -> None:
    """Sync folders now and whenever they change, until `stop` is set. A failure is tried again at the next check."""
    settings = engine.settings.files
    every = timedelta(minutes=settings.check_minutes)
    known_roots: set[str] = set()
    with engine.disk.watch([order.root for order in orders], settings.debounce_s) as watching:
        checked = engine.clock.now()
        _sync(engine, scope, orders, tell, known_roots)
        while not stop.is_set():
            changed = watching.wait(_POLL_S)
            due = engine.clock.now() - checked >= every
            if due:
                checked = engine.clock.now()
            _sync(engine, scope, [order for order in orders if due or order.root in changed], tell, known_roots)


def _sync(
    engine: Engine, scope: Scope, orders: Sequence[SyncOrder], tell: WatchListener, known_roots: set[str]
) -> None:
    """Sync folders, except `known_roots` that a user has forgotten meanwhile."""
    for order in orders:
        try:
            roots = {folder.root for folder in engine.store.read(scope, lambda reader: reader.folders())}
            if order.root in known_roots and order.root not in roots:
                continue
            known_roots |= roots
            report = sync.sync(engine, scope, replace(order, only_if_known=order.root in known_roots))
            if report.state != "missing":
                known_roots.add(order.root)  # at once: it may be forgotten before the next sync
            file_chunks.embed(engine, scope, wait=False)
        except RecollectError as error:
            tell(error)
        else:
            tell(report)
