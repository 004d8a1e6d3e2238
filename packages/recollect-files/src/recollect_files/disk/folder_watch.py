"""Watches folders: says in which of them something has changed, soon after quiet and now and then in a storm.

The invariant: what changes after watching began is told at least once, unless the system loses it without a word.

A change in a root that was quiet is told after at most `SOON_S`. Within `debounce_s` after that, more changes are told
when it has been quiet for `debounce_s`, or after `STORM` times as long.

Each folder is watched by itself and without what it links to: a watch of a whole tree would follow links out of it.
What the ignore files say of folders holds here as well. Where the system has no watches left, the tree is looked
through again and again; `trouble` says so.
"""

import os
import stat
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

# The part of watchfiles under its generators, documented as such: they cannot say when watching has begun.
from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

from recollect.model.files import NamedRoot
from recollect_files.disk.folder_walk import WalkedFolders, folders, walk
from recollect_files.disk.patterns import IGNORE_FILES, NEVER
from recollect_files.disk.safe_open import is_named

SOON_S: Final = 0.3
STORM: Final = 5

_STEP_MS: Final = 50
_GATHERED_MS: Final = 200
_ROUND_MS: Final = 1_000
_POLL_S: Final = 1.0
_RESTS: Final = 20  # looking through a tree takes at most one part in so many of the time
_BESIDE: Final = ("-wal", "-shm", "-journal", "-reserve")
_RETRY_S: Final = 300.0

DirectoryIdentity = tuple[int, int]


@dataclass(slots=True)
class ChangeDebounce:
    """The changes of a root that were not told yet, and when some were told last; in seconds of one clock."""

    first_s: float | None = None
    last_s: float = 0.0
    told_s: float = float("-inf")

    def note(self, now_s: float) -> None:
        """Note a change."""
        self.first_s = now_s if self.first_s is None else self.first_s
        self.last_s = now_s

    def due_s(self, debounce_s: float) -> float:
        """Say when the changes are to be told: never, if there are none."""
        if self.first_s is None:
            return float("inf")
        if self.first_s - self.told_s >= debounce_s:
            return self.first_s + min(SOON_S, debounce_s)
        return min(self.last_s + debounce_s, self.first_s + STORM * debounce_s)

    def tell(self, now_s: float) -> None:
        """Note that the changes are told."""
        self.first_s = None
        self.told_s = now_s


class LocalFolderWatch:
    """Folders that are being watched, by one thread each."""

    def __init__(
        self, roots: Sequence[NamedRoot], debounce_s: float, about: Callable[[NamedRoot], WalkedFolders]
    ) -> None:
        self._debounce_s = debounce_s
        self._unrest: dict[str, ChangeDebounce] = {root: ChangeDebounce() for root in roots}
        self._changed = threading.Condition()
        self._stopped = threading.Event()
        self._trouble: dict[str, str] = {}
        self._lookouts = [_RootWatcher(root, self, about) for root in dict.fromkeys(roots)]

    @property
    def trouble(self) -> dict[str, str]:
        """Say by root why its changes are seen late."""
        return dict(self._trouble)

    @property
    def stopped(self) -> threading.Event:
        """The event that ends all of it."""
        return self._stopped

    def start(self) -> None:
        """Begin; what changes from now on is told."""
        for lookout in self._lookouts:
            lookout.start()
        for lookout in self._lookouts:
            lookout.ready.wait()

    def wait(self, timeout_s: float) -> frozenset[str]:
        """Wait until changes are to be told, or for so long; says in which roots."""
        end_s = time.monotonic() + timeout_s
        with self._changed:
            while not self._stopped.is_set():
                now_s = time.monotonic()
                due = {root: unrest.due_s(self._debounce_s) for root, unrest in self._unrest.items()}
                ripe = frozenset(root for root, at_s in due.items() if at_s <= now_s)
                for root in ripe:
                    self._unrest[root].tell(now_s)
                if ripe or now_s >= end_s:
                    return ripe
                self._changed.wait(min(end_s, *due.values()) - now_s)
        return frozenset()

    def stop(self) -> None:
        """Wake the waiting thread, from any thread."""
        self._stopped.set()
        with self._changed:
            self._changed.notify_all()

    def join(self) -> None:
        """Wait until nothing is watched any more."""
        for lookout in self._lookouts:
            lookout.join()

    def note(self, root: str) -> None:
        """Note that something has changed in a root."""
        with self._changed:
            self._unrest[root].note(time.monotonic())
            self._changed.notify_all()

    def complain(self, root: str, reason: str) -> None:
        """Note why the changes of a root are seen late, or with '' that they no longer are."""
        if reason:
            self._trouble[root] = reason
        else:
            self._trouble.pop(root, None)


class _RootWatcher(threading.Thread):
    """Watches one root: waits for it while it is not there, and begins anew when its folders are others."""

    def __init__(
        self, root: NamedRoot, watching: LocalFolderWatch, about: Callable[[NamedRoot], WalkedFolders]
    ) -> None:
        super().__init__(name="recollect-watching", daemon=True)
        self.ready = threading.Event()
        self._root = root
        self._watching = watching
        self._about = about

    def run(self) -> None:
        """Watch until it is stopped."""
        stopped = self._watching.stopped
        try:
            while not stopped.is_set():
                identity = _identity(self._root)
                if identity:
                    self._watch(identity)
                else:
                    self.ready.set()
                    stopped.wait(_POLL_S)
                if _identity(self._root) != identity:
                    self._watching.note(self._root)
        finally:
            self.ready.set()

    def _watch(self, identity: DirectoryIdentity) -> None:
        """Watch a root while it is the same and has the same folders."""
        root, rules, own = about = self._about(self._root)
        watched = frozenset((root, *folders(root, rules, own)))
        try:
            notify = RustNotify(list(watched), False, False, 0, False, False)  # noqa: FBT003 -- it takes no names
        except FileNotFoundError:
            return
        except (OSError, WatchfilesRustInternalError) as error:
            self._watching.complain(root, f"The system cannot watch all folders, so they are polled: {error}")
            self._poll(identity, about)
            return
        self._watching.complain(root, "")
        self._begun()
        with notify:
            while self._listen(notify, watched, about) and _identity(root) == identity:
                continue

    def _begun(self) -> None:
        """Say that changes are seen now; those before it, since it was last said, are taken for granted."""
        if self.ready.is_set():
            self._watching.note(self._root)
        self.ready.set()

    def _listen(self, notify: RustNotify, watched: frozenset[str], about: WalkedFolders) -> bool:
        """Wait for changes once; says whether the same folders are to be watched still."""
        found = notify.watch(_GATHERED_MS, _STEP_MS, _ROUND_MS, self._watching.stopped)
        if isinstance(found, str):
            return found != "stop"
        paths = {path for _, path in found if _counts(path, about)}
        if paths:
            self._watching.note(self._root)
        return not any(path in watched or _shapes(path) for path in paths)

    def _poll(self, identity: DirectoryIdentity, about: WalkedFolders) -> None:
        """Look through a root again and again, for a while: then watches may be free again."""
        root, rules, own = about
        retry_s = time.monotonic() + _RETRY_S
        seen = frozenset(walk(root, rules, own).seen)
        self._begun()
        while _identity(root) == identity and time.monotonic() < retry_s:
            began_s = time.monotonic()
            now = frozenset(walk(root, rules, own).seen)
            if now != seen:
                self._watching.note(self._root)
            seen = now
            if self._watching.stopped.wait(max(_POLL_S, _RESTS * (time.monotonic() - began_s))):
                return


@contextmanager
def watching(
    roots: Sequence[NamedRoot], debounce_s: float, about: Callable[[NamedRoot], WalkedFolders]
) -> Iterator[LocalFolderWatch]:
    """Watch those roots that were named on this machine, until the end of the block."""
    watched = LocalFolderWatch([root for root in roots if is_named(root)], debounce_s, about)
    watched.start()
    try:
        yield watched
    finally:
        watched.stop()
        watched.join()


def _identity(root: str) -> DirectoryIdentity | None:
    """Give what tells whether a root is the same folder still; None when it is none."""
    try:
        status = os.lstat(root)
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISDIR(status.st_mode) else None


def _shapes(path: str) -> bool:
    """Say whether a change at a path may change which folders are meant: a new folder, or an ignore file."""
    return path.rpartition("/")[2] in IGNORE_FILES or _identity(path) is not None


def _counts(path: str, about: WalkedFolders) -> bool:
    """Say whether a change may be one of a note: not in git's folder, not hidden, not our own database's."""
    names = path[len(about.root) :].split("/")
    if not NEVER.isdisjoint(names):
        return False
    if not about.rules.hidden and any(name.startswith(".") for name in names) and names[-1] not in IGNORE_FILES:
        return False
    for ending in _BESIDE:
        path = path.removesuffix(ending)
    try:
        status = os.lstat(path)
    except (OSError, ValueError):
        return True
    return (status.st_dev, status.st_ino) not in about.own
