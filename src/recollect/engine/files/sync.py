"""Keeping a folder in step: what is new is read, what has changed is cut again, what is gone goes.

A file that has its size and its time of change is not even opened. Each file changes in one transaction, several small
ones in the same: whoever searches sees a file as it was or as it is, and whoever is killed has changed nothing of it.
Files are removed only when all of the folder was seen; a folder that is missing, or empty all of a sudden, may be a
disk that is not there.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from recollect.engine.base.context import Engine
from recollect.engine.files import file_chunks
from recollect.engine.files.file_chunks import FileIdentity, WrittenFile
from recollect.model.files import (
    FileMark,
    FileRecord,
    Folder,
    KnownFile,
    SkippedFile,
    SyncProgress,
    SyncReport,
    SyncState,
)
from recollect.model.literals import FileSource
from recollect.model.memories import Scope
from recollect.ports import (
    FolderWalk,
    PendingWrite,
    ReadFile,
    ReadRequest,
    SeenFile,
    StoreReader,
    StoreWriter,
    SyncRules,
    TouchedFile,
)

_BATCH_CHARACTERS = 4_000_000  # of one transaction
_BATCH_FILES = 500
_MOST_TROUBLE = 50
_NOTED_EVERY = timedelta(hours=1)  # when nothing has changed: a look that finds nothing is no reason to write

SyncListener = Callable[[SyncProgress], None]


@dataclass(frozen=True, slots=True)
class SyncOrder:
    """A folder to keep in step, and by which rules. `even_if_empty` believes a folder that has lost all its files.

    `only_if_known` leaves a folder alone that is not kept, so that one that is forgotten meanwhile does not come back.
    """

    root: str
    source: FileSource
    rules: SyncRules
    dry_run: bool = False
    even_if_empty: bool = False
    only_if_known: bool = False


@dataclass(slots=True)
class _SyncCounts:
    """What has been done so far."""

    added: int = 0
    changed: int = 0
    renamed: int = 0
    removed: int = 0
    touched: int = 0
    forgotten: int = 0
    written: int = 0
    kept: int = 0
    bytes_read: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    trouble: list[SkippedFile] = field(default_factory=list)

    def leave_out(self, trouble: SkippedFile) -> None:
        """Count a file that could not be read."""
        self.skipped[trouble.reason] += 1
        if len(self.trouble) < _MOST_TROUBLE:
            self.trouble.append(trouble)


@dataclass(frozen=True, slots=True)
class _FolderDifference:
    """What lies there against what is kept: files to read, and files that are gone by their paths."""

    fresh: Sequence[SeenFile]
    known: Mapping[str, KnownFile]
    gone: Mapping[str, KnownFile]
    unchanged: int
    forgotten: int = 0


def sync(engine: Engine, scope: Scope, order: SyncOrder, *, tell: SyncListener | None = None) -> SyncReport:
    """Bring what is kept of a folder in step with what lies in it."""
    walk, difference = _look(engine, scope, order.root, order.rules)
    state = _state(walk, difference, even_if_empty=order.even_if_empty)
    gone = difference.gone if state == "synced" else {}
    trouble = list(walk.trouble[:_MOST_TROUBLE])
    tally = _SyncCounts(forgotten=difference.forgotten, skipped=Counter(walk.skipped), trouble=trouble)
    if order.dry_run:
        _foresee(tally, difference, gone)
    elif state != "missing":
        _begin(engine, scope, order)
        reading = _Sync(engine, scope, order, difference.known, dict(gone), tally)
        reading.run(difference.fresh, tell)
        _remove(engine, scope, order.root, reading.gone, tally)
        _note(engine, scope, order, state, tally)
    return SyncReport(
        order.root,
        state,
        seen=len(walk.seen),
        unchanged=difference.unchanged,
        added=tally.added,
        changed=tally.changed,
        renamed=tally.renamed,
        removed=tally.removed,
        touched=tally.touched,
        forgotten=tally.forgotten,
        written=tally.written,
        kept=tally.kept,
        bytes_read=tally.bytes_read,
        skipped=dict(tally.skipped),
        trouble=tuple(tally.trouble),
        dry_run=order.dry_run,
    )


def drift(engine: Engine, scope: Scope, folder: Folder) -> int | None:
    """Count the files of a folder that differ from what is kept; None when it cannot be looked into."""
    walk, difference = _look(engine, scope, folder.root, rules_of(engine, folder))
    if not walk.exists:
        return None
    return len(difference.fresh) + len(difference.gone)


def usual_rules(engine: Engine) -> SyncRules:
    """Give the rules of the settings."""
    files = engine.settings.files
    return SyncRules(files.include, files.exclude, files.hidden, files.gitignore, files.most_mb * 2**20)


def rules_of(engine: Engine, folder: Folder) -> SyncRules:
    """Give the rules by which a folder was synced."""
    return changed_rules(usual_rules(engine), folder.rules)


def changed_rules(rules: SyncRules, changes: Mapping[str, Any]) -> SyncRules:
    """Give rules with other patterns or switches, by their names."""
    given: dict[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in changes.items()}
    return replace(rules, **given)


def _look(engine: Engine, scope: Scope, root: str, rules: SyncRules) -> tuple[FolderWalk, _FolderDifference]:
    """Look through a folder, and hold what lies in it against what is kept.

    What is kept is asked first: what others bring meanwhile must not seem to be gone.
    """
    kept = engine.store.read(scope, lambda reader: reader.file_marks(root))
    walk = engine.disk.walk(root, rules, file_chunks.own_files(engine))
    recipe = file_chunks.recipe_number(engine)
    seen = {(*one, recipe) for one in walk.seen}
    if seen.issuperset(kept) and len(seen) == len(kept):
        return walk, _FolderDifference((), {}, {}, len(kept))
    known = engine.store.read(scope, lambda reader: reader.known_files(root))
    return walk, _unburied(engine, scope, root, _compare(walk, recipe, kept, known))


def _compare(walk: FolderWalk, recipe: int, kept: Sequence[FileMark], known: Sequence[KnownFile]) -> _FolderDifference:
    """Say what differs. `known` is what is kept by now: what was written since `kept` was asked for is not gone."""
    same = {mark[:3] for mark in kept if mark[3] == recipe}
    fresh = [seen for seen in walk.seen if seen not in same]
    marks = set(kept)
    as_before = (one for one in known if (one.path, one.size, one.mtime_ns, one.recipe) in marks)
    there = {seen.path for seen in walk.seen} | walk.too_large
    gone = {one.path: one for one in as_before if one.path not in there}
    return _FolderDifference(fresh, {one.path: one for one in known}, gone, len(walk.seen) - len(fresh))


def _unburied(engine: Engine, scope: Scope, root: str, difference: _FolderDifference) -> _FolderDifference:
    """Leave out what was forgotten: it lies there still, but nobody wants it back."""
    unknown = [seen.path for seen in difference.fresh if seen.path not in difference.known]
    new = {file_chunks.tombs(root, path, "")[0]: path for path in unknown}
    buried = engine.store.read(scope, lambda reader: reader.buried([*new])) if new else {}
    forgotten = {new[fingerprint] for fingerprint in buried}
    fresh = [seen for seen in difference.fresh if seen.path not in forgotten]
    return replace(difference, fresh=fresh, forgotten=len(forgotten))


def _state(walk: FolderWalk, difference: _FolderDifference, *, even_if_empty: bool) -> SyncState:
    if not walk.exists:
        return "missing"
    if not walk.seen and difference.known and not even_if_empty:
        return "empty"
    return "synced" if walk.complete else "incomplete"


def _foresee(tally: _SyncCounts, difference: _FolderDifference, gone: Mapping[str, KnownFile]) -> None:
    """Say what a sync would find. Without reading, a new file cannot be told from one that was renamed."""
    tally.changed = sum(seen.path in difference.known for seen in difference.fresh)
    tally.added = len(difference.fresh) - tally.changed
    tally.removed = len(gone)


class _UnderWay(NamedTuple):
    """Files that are being written, and what is to be counted when they are."""

    pending: PendingWrite[list[FileRecord]]
    counted: _SyncCounts


@dataclass(slots=True)
class _Sync:
    """A folder while it is being read. `gone` loses what turns out to be elsewhere."""

    engine: Engine
    scope: Scope
    order: SyncOrder
    known: Mapping[str, KnownFile]
    gone: dict[str, KnownFile]
    tally: _SyncCounts
    _by_digest: dict[str, list[KnownFile]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for one in self.gone.values():
            self._by_digest.setdefault(one.digest, []).append(one)

    def run(self, fresh: Sequence[SeenFile], tell: SyncListener | None) -> None:
        """Read and write all that is fresh."""
        done, under_way = 0, None
        try:
            for batch in _batches(self._contents(fresh)):
                if under_way is not None:
                    self._settle(under_way)
                under_way = self._write(batch)
                done += len(batch)
                if tell is not None:
                    tell(SyncProgress(self.order.root, done, len(fresh), self.tally.written))
        finally:
            if under_way is not None:
                self._settle(under_way)

    def _contents(self, wanted: Sequence[SeenFile]) -> Iterator[ReadFile]:
        wishes = [self._wish(seen) for seen in wanted]
        if not wishes:
            return
        for found in self.engine.disk.read(self.order.root, wishes, file_chunks.recipe(self.engine)):
            if isinstance(found, SkippedFile):
                self.tally.leave_out(found)
            else:
                self.tally.bytes_read += found.size
                yield found

    def _wish(self, seen: SeenFile) -> ReadRequest:
        old = self.known.get(seen.path)
        up_to_date = old is not None and old.recipe == file_chunks.recipe_number(self.engine)
        return ReadRequest(seen.path, frozenset({old.digest}) if old and up_to_date else frozenset())

    def _write(self, batch: Sequence[ReadFile]) -> _UnderWay:
        """Write files; their words are indexed and committed while the next ones are being read."""

        def work(writer: StoreWriter) -> list[FileRecord]:
            if _folder(writer, self.order.root) is None:  # somebody has forgotten it while it was being read
                counted.forgotten += len(batch)
                return []
            kept = [one for content in batch if (one := self._keep(writer, content, counted)) is not None]
            file_chunks.remove_chunks(writer, [chunk_id for one in kept for chunk_id in one.gone])
            return [one.record for one in kept]

        counted = _SyncCounts()
        return _UnderWay(self.engine.write_behind(self.scope, work), counted)

    def _settle(self, written: _UnderWay) -> None:
        """Wait for a commit, and count what it was about."""
        written.pending.result()
        counted = written.counted
        for name in ("added", "changed", "renamed", "touched", "forgotten", "written", "kept"):
            setattr(self.tally, name, getattr(self.tally, name) + getattr(counted, name))

    def _keep(self, writer: StoreWriter, content: ReadFile, counted: _SyncCounts) -> WrittenFile | None:
        """Write one file, as what is kept by now demands: somebody else may sync the same folder."""
        order = self.order
        old = writer.file_at(order.root, content.path)
        if content.reading is None or (old and _same(self.engine, old, content)):
            if old is not None and old.digest == content.digest:  # or else the next sync will find that they differ
                writer.touch_files([TouchedFile(old.id, old.path, content.size, content.mtime_ns)])
                counted.touched += 1
            return None
        place, digest = file_chunks.tombs(order.root, content.path, content.digest)
        if writer.buried([digest] if old else [place, digest]):
            file_chunks.remove(writer, [old.id] if old else [])
            writer.bury([place], self.engine.clock.now())  # so that the next sync need not read it
            counted.forgotten += 1
            return None
        before = old or self._renamed(writer, content)
        where = FileIdentity(order.root, content.path, order.source, content.size, content.mtime_ns, content.digest)
        kept = file_chunks.save(writer, self.engine, before, where, content.reading)
        _count(counted, old, before, kept)
        return kept

    def _renamed(self, writer: StoreWriter, content: ReadFile) -> FileRecord | None:
        """Find the file that these bytes were before, elsewhere in the folder."""
        moved = self._by_digest.get(content.digest)
        if not moved:
            return None
        before = moved.pop(0)
        del self.gone[before.path]
        found = writer.file_at(self.order.root, before.path)
        return found if found and _as_known(found, before) else None


def _same(engine: Engine, old: FileRecord, content: ReadFile) -> bool:
    return old.digest == content.digest and old.recipe == file_chunks.recipe_number(engine)


def _count(counted: _SyncCounts, old: FileRecord | None, before: FileRecord | None, kept: WrittenFile) -> None:
    if old is not None:
        counted.changed += 1
    elif before is not None:
        counted.renamed += 1
    else:
        counted.added += 1
    counted.written += kept.written
    counted.kept += kept.kept


def _batches(contents: Iterable[ReadFile]) -> Iterator[list[ReadFile]]:
    """Take together what one transaction may hold."""
    batch: list[ReadFile] = []
    size = 0
    for content in contents:
        batch.append(content)
        size += content.size
        if size >= _BATCH_CHARACTERS or len(batch) >= _BATCH_FILES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _remove(engine: Engine, scope: Scope, root: str, gone: Mapping[str, KnownFile], tally: _SyncCounts) -> None:
    """Remove files that are gone, as many at a time as are written at a time."""
    paths = [*gone]
    for start in range(0, len(paths), _BATCH_FILES):
        part = paths[start : start + _BATCH_FILES]

        def work(writer: StoreWriter, part: Sequence[str] = part) -> list[FileRecord]:
            found = [writer.file_at(root, path) for path in part]
            records = [record for record in found if record and _as_known(record, gone[record.path])]
            file_chunks.remove(writer, [record.id for record in records])
            return records

        tally.removed += len(engine.write(scope, work))


def _as_known(record: FileRecord, known: KnownFile) -> bool:
    """Say whether nobody has written a file since; if it came back, somebody else may have seen it before us."""
    return (record.id, record.mtime_ns, record.digest) == (known.id, known.mtime_ns, known.digest)


def _begin(engine: Engine, scope: Scope, order: SyncOrder) -> None:
    """Note a folder before its first file is written, so that whatever is kept of it can be forgotten with it."""
    if not order.only_if_known and engine.store.read(scope, lambda reader: _folder(reader, order.root)) is None:
        begun = Folder(order.root, order.source, _noted_rules(order.rules), engine.clock.now(), None, {})
        engine.write(scope, lambda writer: writer.save_folder(begun))


def _note(engine: Engine, scope: Scope, order: SyncOrder, state: SyncState, tally: _SyncCounts) -> None:
    """Note that the folder was looked through, if that tells anything new."""
    now = engine.clock.now()
    before = engine.store.read(scope, lambda reader: _folder(reader, order.root))
    noted = Folder(
        order.root,
        order.source,
        _noted_rules(order.rules),
        now,
        now if state == "synced" else None,
        dict(tally.skipped),
    )
    if before is None or not _tells_more(before, noted, now, tally):
        return

    def work(writer: StoreWriter) -> None:
        if _folder(writer, order.root) is not None:
            writer.save_folder(noted)

    engine.write(scope, work)


def _folder(rows: StoreReader | StoreWriter, root: str) -> Folder | None:
    return next((folder for folder in rows.folders() if folder.root == root), None)


def _tells_more(before: Folder, noted: Folder, now: datetime, tally: _SyncCounts) -> bool:
    done = tally.added + tally.changed + tally.renamed + tally.removed + tally.touched
    as_before = (noted.source, noted.rules, noted.trouble) == (before.source, before.rules, before.trouble)
    first_time = noted.completed_at is not None and before.completed_at is None
    return bool(done) or not as_before or first_time or now - before.scanned_at >= _NOTED_EVERY


def _noted_rules(rules: SyncRules) -> dict[str, object]:
    patterns = {"include": list(rules.include), "exclude": list(rules.exclude)}
    return {**patterns, "hidden": rules.hidden, "gitignore": rules.gitignore}
