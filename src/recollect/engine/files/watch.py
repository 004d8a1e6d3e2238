"""Keeping folders in step while somebody changes them: watched, and looked through now and then all the same."""

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

_LOOK_S = 0.5  # how soon a stop is noticed

WatchListener = Callable[[SyncReport | RecollectError], None]


def keep(engine: Engine, scope: Scope, orders: Sequence[SyncOrder], *, stop: Event, tell: WatchListener) -> None:
    """Sync folders now and whenever they change, until told to stop. What fails is tried again at the next check."""
    settings = engine.settings.files
    every = timedelta(minutes=settings.check_minutes)
    kept: set[str] = set()
    with engine.disk.watch([order.root for order in orders], settings.debounce_s) as watching:
        checked = engine.clock.now()
        _sync(engine, scope, orders, tell, kept)
        while not stop.is_set():
            changed = watching.wait(_LOOK_S)
            due = engine.clock.now() - checked >= every
            if due:
                checked = engine.clock.now()
            _sync(engine, scope, [order for order in orders if due or order.root in changed], tell, kept)


def _sync(engine: Engine, scope: Scope, orders: Sequence[SyncOrder], tell: WatchListener, kept: set[str]) -> None:
    """Sync folders, but for those that were `kept` and are forgotten: they stay so until somebody names them again."""
    for order in orders:
        try:
            roots = {folder.root for folder in engine.store.read(scope, lambda reader: reader.folders())}
            if order.root in kept and order.root not in roots:
                continue
            kept |= roots
            report = sync.sync(engine, scope, replace(order, only_if_known=order.root in kept))
            if report.state != "missing":
                kept.add(order.root)  # at once: it may be forgotten before the next look
            file_chunks.embed(engine, scope, wait=False)
        except RecollectError as error:
            tell(error)
        else:
            tell(report)
