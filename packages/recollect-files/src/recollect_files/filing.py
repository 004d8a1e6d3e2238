"""Folders, documents and media as the engine asks for them: which folders a request means, and by which rules.

Folders that are watched are synced on file-system events, and at intervals all the same.
"""

from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

from recollect.api.scoped import check_path
from recollect.engine import stored_files
from recollect.engine.base.context import AnyPath, Engine, PrecutFile, SyncListener, SyncRequest, WatchListener
from recollect.engine.drafts import tombstones
from recollect.errors import InvalidInput, RecollectError
from recollect.model.files import AddedFile, FileRecord, Folder, NamedRoot, SyncReport
from recollect.model.literals import FileSource, FileState
from recollect.model.media import Media
from recollect.model.memories import Scope
from recollect.ports import Documents
from recollect.storage.base import StoreReader
from recollect_files import adding, sync, writing
from recollect_files.disk import LocalDisk
from recollect_files.documents import detect
from recollect_files.ports import Disk, SyncRules
from recollect_files.sync import SyncOrder

_POLL_S = 0.5  # how soon a stop is noticed


class LocalFiling:
    """What the engine knows as `Filing`: it reads files of this machine."""

    def __init__(self, disk: Disk) -> None:
        self.disk = disk

    def sync(
        self, engine: Engine, scope: Scope, asked: SyncRequest, *, wait: bool | None, tell: SyncListener | None
    ) -> tuple[SyncReport, ...]:
        """Sync folders into the store, and embed what is new."""
        orders = self._orders(engine, scope, asked)
        reports = [sync.sync(engine, self.disk, scope, order, tell=tell) for order in orders]
        if asked.dry_run or not reports:
            return tuple(reports)
        embedded = writing.embed(engine, scope, wait=wait)
        return (*reports[:-1], replace(reports[-1], embedded=embedded))

    def watch(self, engine: Engine, scope: Scope, asked: SyncRequest, *, stop: Event, tell: WatchListener) -> None:
        """Sync folders now and on every change, until `stop` is set."""
        keep(engine, self.disk, scope, self._orders(engine, scope, asked), stop=stop, tell=tell)

    def drift(self, engine: Engine, scope: Scope, folder: Folder) -> int | None:
        """Count the files of a folder that differ from the store; None when the folder is missing."""
        return sync.drift(engine, self.disk, scope, folder)

    def text(self, engine: Engine, folder: Folder, file: FileRecord) -> tuple[str, str]:
        """Give the text of a synced file as it lies on the disk, and its digest. Raises OSError, InvalidDocument."""
        return self.disk.text(folder.root, file, stored_files.recipe(engine), sync.own_files(engine))

    def states(self, roots: Sequence[NamedRoot], files: Sequence[FileRecord]) -> Mapping[str, FileState]:
        """Say by their ids which files have changed or gone since a sync read them, as far as it can be seen here."""
        return ChainMap(
            *(dict(self.disk.states(root, [file for file in files if file.root == root])) for root in roots)
        )

    def add(
        self, engine: Engine, scope: Scope, file: AnyPath | bytes, name: str | None, *, replace: bool, wait: bool | None
    ) -> AddedFile:
        """Add a document, and embed it."""
        added = adding.add(engine, scope, file, name, replace=replace)
        if added.action != "duplicate":
            writing.embed(engine, scope, wait=wait)
        return added

    def add_pieces(self, engine: Engine, scope: Scope, file: PrecutFile) -> AddedFile | None:
        """Add a file that was cut elsewhere; None when it was forgotten before."""
        return adding.add_pieces(engine, scope, file)

    def add_medium(self, engine: Engine, scope: Scope, file: AnyPath | bytes) -> Media:
        """Keep a picture, sound or film as an original, and say what it is."""
        return adding.add_medium(engine, scope, file)

    def _orders(self, engine: Engine, scope: Scope, asked: SyncRequest) -> Sequence[SyncOrder]:
        changes = _changes(asked.rules)
        synced = {folder.root: folder for folder in engine.store.read(scope, lambda reader: reader.folders())}
        roots = [self.disk.name(check_path(path)) for path in asked.paths] or [*synced]
        if not roots:
            raise InvalidInput("Name a folder: none has been synced before.")
        for root in filter(self.disk.is_named, roots):
            if Path(root).is_file():
                raise InvalidInput(f"{root} is a file. Name its folder, or add it by itself: `recollect add {root}`.")
        return [_order(engine, root, synced.get(root), asked, changes) for root in dict.fromkeys(roots)]


def _order(
    engine: Engine, root: NamedRoot, synced: Folder | None, asked: SyncRequest, changes: dict[str, Any]
) -> SyncOrder:
    rules = sync.rules_of(engine, synced) if synced else sync.usual_rules(engine)
    rules = sync.changed_rules(rules, changes)
    source = asked.source or (synced.source if synced else _default_source(rules))
    if source not in ("memory", "sessions"):
        raise InvalidInput(f"A folder holds `memory` or `sessions`, not {source!r}.")
    return SyncOrder(root, source, rules, asked.dry_run, asked.even_if_empty, asked.full)


def _default_source(rules: SyncRules) -> FileSource:
    logs = [pattern.endswith(".jsonl") for pattern in rules.include]
    return "sessions" if logs and all(logs) else "memory"


def _changes(rules: Mapping[str, Any]) -> dict[str, Any]:
    """Give the rules that change; a single pattern may be a text. Raises InvalidInput for one that cannot be stored."""
    changes = {name: [given] if isinstance(given, str) else given for name, given in rules.items() if given is not None}
    for pattern in (*changes.get("include", ()), *changes.get("exclude", ())):
        if stored_files.storable(pattern) != pattern:
            raise InvalidInput(f"{pattern!a} is no pattern that can be noted. Write it as text, such as *.md.")
    return changes


def local_filing(documents: Documents) -> LocalFiling:
    """Make what brings files of this machine into the store; `documents` reads those of folders."""
    return LocalFiling(LocalDisk(detect=detect, extract=documents.read))


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
