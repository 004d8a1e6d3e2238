"""Writes down what SQLite does to files, call by call, and lets a call fail where a test says so."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock
from typing import Literal

import apsw

from recollect.storage.sqlite.connection import load_checksums

Kind = Literal["create", "write", "truncate", "sync", "settle", "delete", "mark"]
Change = Literal["create", "write", "truncate", "sync", "delete"]
Call = Change | Literal["read"]

_NAME = "recollect-recorder"
_BENEATH = "cksmvfs"  # the layer that does the work, and puts a checksum into each page
# SQLite makes the entry of such a file durable when it first syncs it.
_SETTLES = apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_WAL


@dataclass(frozen=True)
class Event:
    """One change: `settle` makes the entries of the folder durable, `mark` is something that the test noted."""

    kind: Kind
    file: str = ""
    offset: int = 0
    data: bytes = b""


@dataclass
class Recording:
    """What happened to the files of a folder, in order; `before` is asked ahead of each call, and may raise."""

    folder: Path
    events: list[Event] = field(default_factory=list)
    before: Callable[[Call, str], None] = lambda _, __: None
    reads: bool = False  # whether `before` is asked ahead of reads as well; they are never written down
    known: set[str] = field(default_factory=set)
    lock: RLock = field(default_factory=RLock)

    def mark(self, what: str) -> None:
        """Note that a verb was acknowledged."""
        with self.lock:
            self.events.append(Event("mark", what))

    def name(self, path: object) -> str | None:
        """Give the name of a file that is recorded; others, as those for sorting, vanish with the process."""
        text = path.filename() if isinstance(path, apsw.URIFilename) else path
        if not isinstance(text, str) or Path(text).parent != self.folder:
            return None
        return Path(text).name

    def seen(self, name: str) -> None:
        """Note a file that was not there before, whether SQLite made it or had it made."""
        if name not in self.known:
            self.known.add(name)
            self.events.append(Event("create", name))


class _File(apsw.VFSFile):
    def __init__(self, name: str | apsw.URIFilename | None, flags: list[int], recording: Recording) -> None:
        super().__init__(_BENEATH, name, flags)
        self._recording = recording
        self._name = recording.name(name)
        self._unsettled = bool(flags[0] & _SETTLES)

    def _call(self, call: Change, do: Callable[[], None], event: Callable[[], Event] | None = None) -> None:
        if self._name is None:
            return do()
        with self._recording.lock:
            self._recording.before(call, self._name)
            do()
            self._recording.events.append(event() if event else Event(call, self._name))
        return None

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - SQLite's name
        def write() -> None:
            super(_File, self).xWrite(data, offset)

        self._call("write", write, lambda: Event("write", self._name or "", offset, self._written(data, offset)))

    def _written(self, data: bytes, offset: int) -> bytes:
        """Give what has reached the file: the layer beneath has put in a checksum."""
        return bytes(super().xRead(len(data), offset))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        def truncate() -> None:
            super(_File, self).xTruncate(newsize)

        self._call("truncate", truncate, lambda: Event("truncate", self._name or "", newsize))

    def xSync(self, flags: int) -> None:  # noqa: N802
        def sync() -> None:
            super(_File, self).xSync(flags)

        self._call("sync", sync)
        if self._unsettled and self._name is not None:
            self._recording.events.append(Event("settle"))
            self._unsettled = False


class _ReadFile(_File):
    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        if self._name is not None:
            self._recording.before("read", self._name)
        return super().xRead(amount, offset)


class _Layer(apsw.VFS):
    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        super().__init__(_NAME, _BENEATH, makedefault=True)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        recorded = self._recording.name(name)
        with self._recording.lock:
            if recorded is not None and recorded not in self._recording.known:
                self._recording.before("create", recorded)
            file = (_ReadFile if self._recording.reads else _File)(name, flags, self._recording)
            if recorded is not None:
                self._recording.seen(recorded)
        return file

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802, FBT001
        name = self._recording.name(filename)
        with self._recording.lock:
            if name is not None:
                self._recording.before("delete", name)
            super().xDelete(filename, syncdir)
            if name is not None:
                self._recording.known.discard(name)
                self._recording.events += [Event("delete", name), *([Event("settle")] if syncdir else [])]


@contextmanager
def recorded(folder: Path, *, reads: bool = False) -> Iterator[Recording]:
    """Record what all connections of this process do beneath a folder; what is there already counts as durable."""
    recording = Recording(folder, known={path.name for path in folder.iterdir()}, reads=reads)
    load_checksums()
    layer = _Layer(recording)
    try:
        yield recording
    finally:
        layer.unregister()


def acknowledged(events: Sequence[Event]) -> list[str]:
    """Give the names of the verbs that were acknowledged."""
    return [event.file for event in events if event.kind == "mark"]
