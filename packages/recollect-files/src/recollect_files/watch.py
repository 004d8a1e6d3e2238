"""Continuous sync of folders: on file-system events, and at intervals all the same."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from threading import Event

from recollect.engine.base.context import Engine, WatchListener
from recollect.engine.drafts import tombstones
from recollect.errors import RecollectError
from recollect.model.memories import Scope
from recollect.storage.base import StoreReader
from recollect_files import sync, writing
from recollect_files.ports import Disk
from recollect_files.sync import SyncOrder

_POLL_S = 0.5  # how soon a stop is noticed


def keep(
    engine: Engine, disk: Disk, scope: Scope, orders: Sequence[SyncOrder], *, stop: Event, tell: WatchListener
) -> None:
    """Sync folders now and whenever they change, until `stop` is set. A failure is tried again at the next check."""
    settings = engine.settings.files
    every = timedelta(minutes=settings.check_minutes)
    orders = [replace(order, forgotten=sync.last_forgotten(engine, scope, order.root)) for order in orders]
    with disk.watch([order.root for order in orders], settings.debounce_s) as watching:
        checked = engine.clock.now()
        _sync(engine, disk, scope, orders, tell)
        while not stop.is_set():
            changed = watching.wait(_POLL_S)
            due = engine.clock.now() - checked >= every
            if due:
                checked = engine.clock.now()
            _sync(engine, disk, scope, [order for order in orders if due or order.root in changed], tell)


def _sync(engine: Engine, disk: Disk, scope: Scope, orders: Sequence[SyncOrder], tell: WatchListener) -> None:
    """Sync folders, except those that a user has forgotten meanwhile."""
    for order in orders:
        try:
            begun = engine.store.read(scope, partial(_begin, order))
            if begun is None:
                continue
            report = sync.sync(engine, disk, scope, begun)
            writing.embed(engine, scope, wait=False)
        except RecollectError as error:
            tell(error)
        else:
            tell(report)


def _begin(order: SyncOrder, reader: StoreReader) -> SyncOrder | None:
    """Give an order as it is when its sync begins; None when its folder was forgotten since the watch began."""
    now = tombstones.folder_forgotten(reader, order.root)
    as_before = order.forgotten is not None and now.folder == order.forgotten.folder
    return replace(order, forgotten=now) if as_before or sync.is_known(reader, order.root) else None
