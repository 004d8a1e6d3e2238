"""One-way sync of a folder into the store.

A file with the same size, times and inode is not even opened, unless all are to be read again. A file changes in one
transaction, several small ones in the same: a search sees it as it was or as it is, and a process that is killed has
changed nothing of it. Files are removed only when the whole folder was seen, or when they are no texts any more; a
folder that is missing, or suddenly empty, may be an unmounted disk.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from recollect.engine import stored_files
from recollect.engine.base.context import Engine, SyncListener
from recollect.engine.drafts import tombstones
from recollect.engine.drafts.tombstones import FolderForgotten
from recollect.model.files import (
    NO_TEXT,
    FileMark,
    FileRecord,
    Folder,
    KnownFile,
    NamedRoot,
    SkippedFile,
    SyncProgress,
    SyncReport,
    SyncState,
)
from recollect.model.literals import FileSource
from recollect.model.memories import Scope
from recollect.storage.base import PendingWrite, StoreReader, StoreWriter, TouchedFile
from recollect_files import writing
from recollect_files.ports import Disk, FolderWalk, ReadFile, ReadRequest, SeenFile, SyncRules
from recollect_files.writing import FileIdentity, WrittenFile

_BATCH_CHARACTERS = 4_000_000  # of one transaction
_BATCH_FILES = 500
_MAX_SKIPPED = 50
_SCAN_NOTED_EVERY = timedelta(hours=1)  # when nothing has changed

# What a batch of files adds to the counts of a sync.
_COUNTED = ("added", "changed", "renamed", "touched", "forgotten", "written", "kept", "unchanged")


@dataclass(frozen=True, slots=True)
class SyncOrder:
    """A folder to sync, and its rules. `even_if_empty` accepts that a folder has lost all its files. `full` reads all
    of them, whether they seem to have changed or not.

    `forgotten` says when it was last forgotten before this began; a folder that was forgotten since is not begun anew.
    """

    root: NamedRoot
    source: FileSource
    rules: SyncRules
    dry_run: bool = False
    even_if_empty: bool = False
    full: bool = False
    forgotten: FolderForgotten | None = None


@dataclass(slots=True)
class _SyncCounts:
    """What a sync has done so far."""

    added: int = 0
    changed: int = 0
    renamed: int = 0
    removed: int = 0
    touched: int = 0
    forgotten: int = 0
    written: int = 0
    kept: int = 0
    unchanged: int = 0
    bytes_read: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    trouble: list[SkippedFile] = field(default_factory=list)

    def skip(self, trouble: SkippedFile) -> None:
        """Count a file that could not be read."""
        self.skipped[trouble.reason] += 1
        if len(self.trouble) < _MAX_SKIPPED:
            self.trouble.append(trouble)


@dataclass(frozen=True, slots=True)
class _FolderDifference:
    """The folder compared with the store: files to read, and files that are gone, by their paths."""

    fresh: Sequence[SeenFile]
    known: Mapping[str, KnownFile]
    gone: Mapping[str, KnownFile]
    unchanged: int
    forgotten: int = 0


def sync(engine: Engine, disk: Disk, scope: Scope, order: SyncOrder, *, tell: SyncListener | None = None) -> SyncReport:
    """Sync a folder."""
    if order.forgotten is None:
        order = replace(order, forgotten=last_forgotten(engine, scope, order.root))
    walk, difference = _compare_folder(engine, disk, scope, order.root, order.rules, full=order.full)
    state = _state(walk, difference, even_if_empty=order.even_if_empty)
    if not disk.is_named(order.root):
        state = "unnamed"
    gone = difference.gone if state == "synced" else {}
    trouble = list(walk.trouble[:_MAX_SKIPPED])
    counts = _SyncCounts(
        unchanged=difference.unchanged,
        forgotten=difference.forgotten,
        skipped=Counter(walk.skipped),
        trouble=trouble,
    )
    if order.dry_run:
        _foresee(counts, difference, gone)
    elif walk.exists:
        _begin(engine, disk, scope, order)
        reading = _Sync(engine, disk, scope, order, difference.known, dict(gone), counts)
        reading.run(difference.fresh, tell)
        _remove(engine, scope, order.root, reading.gone, counts)
        _record_scan(engine, scope, order, state, counts)
    return SyncReport(
        order.root,
        state,
        seen=len(walk.seen),
        bytes_read=counts.bytes_read,
        removed=counts.removed,
        skipped=dict(counts.skipped),
        trouble=tuple(counts.trouble),
        dry_run=order.dry_run,
        **{name: getattr(counts, name) for name in _COUNTED},
    )


def last_forgotten(engine: Engine, scope: Scope, root: str) -> FolderForgotten:
    """Say when a folder was last forgotten."""
    return engine.store.read(scope, lambda reader: tombstones.folder_forgotten(reader, root))


def drift(engine: Engine, disk: Disk, scope: Scope, folder: Folder) -> int | None:
    """Count the files of a folder that differ from the store; None when the folder is missing."""
    walk, difference = _compare_folder(engine, disk, scope, folder.root, rules_of(engine, folder))
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
    fields: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in changes.items()
    }
    return replace(rules, **fields)


def own_files(engine: Engine) -> frozenset[tuple[int, int]]:
    """Give the device and inode of the store's own files, which must not be synced or even opened."""
    return engine.store.own_files() | engine.originals.own()


def _compare_folder(
    engine: Engine, disk: Disk, scope: Scope, root: NamedRoot, rules: SyncRules, *, full: bool = False
) -> tuple[FolderWalk, _FolderDifference]:
    """Walk a folder and compare it with the store, which is read first: what others add meanwhile is not gone."""
    marks = engine.store.read(scope, lambda reader: reader.file_marks(root))
    walk = disk.walk(root, rules, own_files(engine))
    recipe = writing.recipe_number(engine)
    seen = {(*file, recipe) for file in walk.seen}
    if not full and seen.issuperset(marks) and len(seen) == len(marks):
        return walk, _FolderDifference((), {}, {}, len(marks))
    known = engine.store.read(scope, lambda reader: reader.known_files(root))
    return walk, _without_forgotten(engine, scope, root, _compare(walk, marks, known, None if full else recipe))


def _compare(
    walk: FolderWalk, marks: Sequence[FileMark], known: Sequence[KnownFile], recipe: int | None
) -> _FolderDifference:
    """Find what differs; without a recipe everything does.

    `known` is read after `marks`: what was written in between is not gone.
    """
    same = {mark[:-1] for mark in marks if mark[-1] == recipe}
    fresh = [seen for seen in walk.seen if seen not in same]
    unchanged = set(marks)
    as_before = (file for file in known if _mark(file) in unchanged)
    present = {seen.path for seen in walk.seen} | walk.too_large
    gone = {file.path: file for file in as_before if file.path not in present}
    return _FolderDifference(fresh, {file.path: file for file in known}, gone, len(walk.seen) - len(fresh))


def _mark(file: FileRecord | KnownFile) -> FileMark:
    return (file.path, file.size, file.mtime_ns, file.ctime_ns, file.inode, file.recipe)


def _without_forgotten(engine: Engine, scope: Scope, root: str, difference: _FolderDifference) -> _FolderDifference:
    """Leave out files with a tombstone: they are still in the folder, but the user has forgotten them."""
    unknown = [seen.path for seen in difference.fresh if seen.path not in difference.known]
    new = {tombstones.of_file(root, path, "")[0]: path for path in unknown}
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


def _foresee(counts: _SyncCounts, difference: _FolderDifference, gone: Mapping[str, KnownFile]) -> None:
    """Count what a sync would do. Without reading, a new file cannot be told from one that was renamed."""
    counts.changed = sum(seen.path in difference.known for seen in difference.fresh)
    counts.added = len(difference.fresh) - counts.changed
    counts.removed = len(gone)


class _PendingFiles(NamedTuple):
    """Files that are being committed, and what they add to the counts."""

    pending: PendingWrite[list[FileRecord]]
    counts: _SyncCounts


@dataclass(slots=True)
class _Sync:
    """A sync that is reading and writing. Renamed files are taken out of `gone`."""

    engine: Engine
    disk: Disk
    scope: Scope
    order: SyncOrder
    known: Mapping[str, KnownFile]
    gone: dict[str, KnownFile]
    counts: _SyncCounts
    _by_digest: dict[str, list[KnownFile]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for file in self.gone.values():
            self._by_digest.setdefault(file.digest, []).append(file)

    def run(self, fresh: Sequence[SeenFile], tell: SyncListener | None) -> None:
        """Read and write all files that are new or changed."""
        done, pending = 0, None
        try:
            for batch in _batches(self._read(fresh)):
                if pending is not None:
                    self._settle(pending)
                pending = self._write(batch)
                done += len(batch)
                if tell is not None:
                    tell(SyncProgress(self.order.root, done, len(fresh), self.counts.written))
        finally:
            if pending is not None:
                self._settle(pending)

    def _read(self, fresh: Sequence[SeenFile]) -> Iterator[ReadFile]:
        requests = [self._request(seen) for seen in fresh]
        if not requests:
            return
        for file in self.disk.read(self.order.root, requests, stored_files.recipe(self.engine)):
            if isinstance(file, SkippedFile):
                self.counts.skip(file)
                if file.reason == NO_TEXT and file.path in self.known:  # it was a text once
                    self.gone[file.path] = self.known[file.path]
            else:
                self.counts.bytes_read += file.size
                yield file

    def _request(self, seen: SeenFile) -> ReadRequest:
        old = self.known.get(seen.path)
        up_to_date = old is not None and old.recipe == writing.recipe_number(self.engine)
        return ReadRequest(seen.path, frozenset({old.digest}) if old and up_to_date else frozenset())

    def _write(self, batch: Sequence[ReadFile]) -> _PendingFiles:
        """Write files; they are indexed and committed while the next ones are being read."""

        def work(writer: StoreWriter) -> list[FileRecord]:
            if not is_known(writer, self.order.root):  # it was forgotten while it was being read
                counts.forgotten += len(batch)
                return []
            saved = [file for content in batch if (file := self._save(writer, content, counts)) is not None]
            stored_files.remove_chunks(writer, [chunk_id for file in saved for chunk_id in file.gone])
            return [file.record for file in saved]

        counts = _SyncCounts()
        return _PendingFiles(self.engine.write_behind(self.scope, work), counts)

    def _settle(self, written: _PendingFiles) -> None:
        """Wait for a commit, and add its counts."""
        written.pending.result()
        for name in _COUNTED:
            setattr(self.counts, name, getattr(self.counts, name) + getattr(written.counts, name))

    def _save(self, writer: StoreWriter, content: ReadFile, counts: _SyncCounts) -> WrittenFile | None:
        """Save one file, compared with the store as it is now: another process may sync the same folder."""
        order = self.order
        old = writer.file_at(order.root, content.path)
        if content.reading is None or (old and _same(self.engine, old, content)):
            if old is not None and old.digest == content.digest:  # or else the next sync will find that they differ
                self._touch(writer, old, content, counts)
            return None
        place, digest = tombstones.of_file(order.root, content.path, content.digest)
        if writer.buried([digest] if old else [place, digest]):
            stored_files.remove(writer, [old.id] if old else [])
            writer.bury([place], self.engine.clock.now())  # so that the next sync need not read it
            counts.forgotten += 1
            return None
        before = old or self._find_renamed(writer, content)
        where = FileIdentity(
            order.root,
            content.path,
            order.source,
            content.size,
            content.mtime_ns,
            content.ctime_ns,
            content.inode,
            content.digest,
        )
        saved = writing.save(writer, self.engine, before, where, content.reading)
        _count(counts, old, before, saved)
        return saved

    def _touch(self, writer: StoreWriter, old: FileRecord, content: ReadFile, counts: _SyncCounts) -> None:
        """Note what of a file has changed besides its bytes, if anything has."""
        now = TouchedFile(old.id, old.path, content.size, content.mtime_ns, content.ctime_ns, content.inode)
        if (old.size, old.mtime_ns, old.ctime_ns, old.inode) == now[2:]:
            counts.unchanged += 1
        else:
            writer.touch_files([now])
            counts.touched += 1

    def _find_renamed(self, writer: StoreWriter, content: ReadFile) -> FileRecord | None:
        """Find the file with the same bytes that is gone from elsewhere in the folder."""
        moved = self._by_digest.get(content.digest)
        if not moved:
            return None
        before = moved.pop(0)
        del self.gone[before.path]
        record = writer.file_at(self.order.root, before.path)
        return record if record and _is_unchanged(record, before) else None


def _same(engine: Engine, old: FileRecord, content: ReadFile) -> bool:
    return old.digest == content.digest and old.recipe == writing.recipe_number(engine)


def _count(counts: _SyncCounts, old: FileRecord | None, before: FileRecord | None, saved: WrittenFile) -> None:
    if old is not None:
        counts.changed += 1
    elif before is not None:
        counts.renamed += 1
    else:
        counts.added += 1
    counts.written += saved.written
    counts.kept += saved.kept


def _batches(contents: Iterable[ReadFile]) -> Iterator[list[ReadFile]]:
    """Group files into transactions."""
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


def _remove(engine: Engine, scope: Scope, root: str, gone: Mapping[str, KnownFile], counts: _SyncCounts) -> None:
    """Remove files that are gone, a batch at a time."""
    paths = [*gone]
    for start in range(0, len(paths), _BATCH_FILES):
        part = paths[start : start + _BATCH_FILES]

        def work(writer: StoreWriter, part: Sequence[str] = part) -> list[FileRecord]:
            stored = [writer.file_at(root, path) for path in part]
            records = [record for record in stored if record and _is_unchanged(record, gone[record.path])]
            stored_files.remove(writer, [record.id for record in records])
            return records

        counts.removed += len(engine.write(scope, work))


def _is_unchanged(record: FileRecord, known: KnownFile) -> bool:
    """Say whether a file was not written since: if it came back, another process may have seen it first."""
    return (record.id, record.mtime_ns, record.digest) == (known.id, known.mtime_ns, known.digest)


def _begin(engine: Engine, disk: Disk, scope: Scope, order: SyncOrder) -> None:
    """Save a folder before its first file, so that its files can be forgotten with it, and that it was named here."""

    def work(writer: StoreWriter) -> None:
        before = stored_files.folder_at(writer, order.root)
        if before is not None:
            if not disk.is_named(before.root):
                writer.save_folder(before._replace(root=order.root))
        elif tombstones.folder_forgotten(writer, order.root) == order.forgotten:
            writer.save_folder(folder)
        else:
            writer.bury([tombstones.of_folder(order.root)], folder.scanned_at)  # a watch leaves it alone from here on

    known = engine.store.read(scope, lambda reader: stored_files.folder_at(reader, order.root))
    if known is None or not disk.is_named(known.root):
        folder = Folder(order.root, order.source, _rules_as_json(order.rules), engine.clock.now(), None, {})
        engine.write(scope, work)


def is_known(rows: StoreReader | StoreWriter, root: str) -> bool:
    """Say whether a folder is synced."""
    return stored_files.folder_at(rows, root) is not None


def _record_scan(engine: Engine, scope: Scope, order: SyncOrder, state: SyncState, counts: _SyncCounts) -> None:
    """Record that the folder was scanned, if that says anything new."""
    now = engine.clock.now()
    before = engine.store.read(scope, lambda reader: stored_files.folder_at(reader, order.root))
    completed_at = now if state == "synced" else None
    scanned = Folder(order.root, order.source, _rules_as_json(order.rules), now, completed_at, dict(counts.skipped))
    if before is None or not _says_more(before, scanned, now, counts):
        return

    def work(writer: StoreWriter) -> None:
        if is_known(writer, order.root):
            writer.save_folder(scanned)

    engine.write(scope, work)


def _says_more(before: Folder, scanned: Folder, now: datetime, counts: _SyncCounts) -> bool:
    done = counts.added + counts.changed + counts.renamed + counts.removed + counts.touched
    as_before = (scanned.source, scanned.rules, scanned.trouble) == (before.source, before.rules, before.trouble)
    first_time = scanned.completed_at is not None and before.completed_at is None
    return bool(done) or not as_before or first_time or now - before.scanned_at >= _SCAN_NOTED_EVERY


def _rules_as_json(rules: SyncRules) -> dict[str, object]:
    patterns = {"include": list(rules.include), "exclude": list(rules.exclude)}
    return {**patterns, "hidden": rules.hidden, "gitignore": rules.gitignore}
