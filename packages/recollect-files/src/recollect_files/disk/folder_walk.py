"""Looks through a folder without ever leaving it: each folder is opened beneath the one before it, no link is followed.

The invariant: nothing but folders and ignore files is opened, and what is left out is counted once, by its reason.
Folders nest at most `MOST_DEPTH` deep, so that as many descriptors are open at the same time.
"""

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import repeat
from typing import Final, NamedTuple, cast

from recollect.model.files import NamedRoot, SkippedFile
from recollect_files.disk import skip_reasons
from recollect_files.disk.patterns import IGNORE_FILES, MOST_IGNORE_BYTES, NEVER, IgnoreScope, RuleFilter
from recollect_files.disk.safe_open import FileRefused, Identities, open_folder, open_root, stored_inode, take
from recollect_files.ports import FolderWalk, SeenFile, SyncRules

MOST_DEPTH: Final = 100
MOST_PATH_BYTES: Final = 1_000  # of a folder beneath its root; a path must fit into an index
MOST_EXAMPLES: Final = 100

_REGULAR: Final = 0o10  # the type of a regular file, as it stands above the twelve bits of permissions
_PERMISSIONS: Final = 12
# A tuple becomes a named one without a detour through its signature.
_NEW: Final = cast("Callable[[type[SeenFile], tuple[str, int, int, int, int]], SeenFile]", tuple.__new__)
_NO_FILE: Final = ("/",)  # a pattern that fits nothing
_GONE: Final = (FileNotFoundError, NotADirectoryError)


class WalkedFolders(NamedTuple):
    """A root, which of its folders are meant, and which files of it are none of its notes."""

    root: NamedRoot
    rules: SyncRules
    own: Identities


class _FolderEntry(NamedTuple):
    """An open folder. `inside` says that all in it is included."""

    folder: int
    prefix: str
    depth: int
    inside: bool
    ignoring: IgnoreScope | None


def walk(root: NamedRoot, rules: SyncRules, own: Identities) -> FolderWalk:
    """Look through a folder. `own` are the device and inode of files that must not even be opened."""
    return _looked_through(root, rules, own).found()


def folders(root: NamedRoot, rules: SyncRules, own: Identities) -> list[str]:
    """Give the absolute paths of the folders beneath a root that a walk would look through."""
    looked = _looked_through(root, replace(rules, include=_NO_FILE), own)
    return [f"{root}/{prefix[:-1]}" for prefix in looked.entered if prefix]


def _looked_through(root: NamedRoot, rules: SyncRules, own: Identities) -> "_WalkState":
    looking = _WalkState(rules, own)
    try:
        folder = open_root(root)
    except (*_GONE, FileRefused):
        looking.exists = looking.complete = False
        return looking
    except OSError:
        looking.fail("", skip_reasons.UNREADABLE_FOLDER)
        return looking
    try:
        looking.look(_FolderEntry(folder, "", 0, looking.sieve.everything, None))
    finally:
        os.close(folder)
    return looking


class _WalkState:
    """One walk, and what it has come by so far."""

    def __init__(self, rules: SyncRules, own: Identities) -> None:
        self.sieve = RuleFilter(rules)
        self.exists = self.complete = True
        self.entered: list[str] = []
        self._rules = rules
        self._own = own
        self._own_inodes = frozenset(inode for _, inode in own)
        self._seen: list[SeenFile] = []
        self._too_large: list[str] = []
        self._skipped: Counter[str] = Counter()
        self._examples: list[SkippedFile] = []

    def found(self) -> FolderWalk:
        """Give what was found."""
        skipped, large = dict(+self._skipped), frozenset(self._too_large)
        return FolderWalk(self._seen, self.exists, self.complete, skipped, tuple(self._examples), large)

    def leave_out(self, path: str, reason: str) -> None:
        """Note what is left out, and why."""
        self._skipped[reason] += 1
        if len(self._examples) < MOST_EXAMPLES:
            self._examples.append(SkippedFile(path, reason))

    def look(self, place: _FolderEntry) -> None:
        """Look through an open folder."""
        self.entered.append(place.prefix)
        try:
            with os.scandir(place.folder) as listing:
                entries = list(listing)
        except OSError:
            self.fail(place.prefix[:-1], skip_reasons.UNREADABLE_FOLDER)
            return
        if self._rules.gitignore:
            place = self._heeding(place, entries)
        names = [entry.name for entry in entries]
        suffixes = self.sieve.suffixes
        picked = entries
        if not (place.inside or self.sieve.all_end(names)):
            picked = [entry for entry in entries if entry.name.endswith(suffixes)]
            names = [entry.name for entry in picked]
        plain = self._plain(picked, names, place.prefix)
        if len(plain) != len(picked):
            self._judge_all(entries, place)
            return
        if plain and (place.ignoring or self.sieve.selective):
            passed = [seen for seen in plain if self._passes(seen.path, place, folder=False)]
            self._skipped[skip_reasons.IGNORED] += len(plain) - len(passed)
            plain = passed
        self._seen += plain
        if len(picked) != len(entries):
            self._judge_all([entry for entry in entries if not entry.name.endswith(suffixes)], place)

    def _plain(self, entries: list["os.DirEntry[str]"], names: list[str], prefix: str) -> list[SeenFile]:
        """Give entries as files, if there is nothing odd about any of them; otherwise nothing.

        Nearly all folders are like that. So this is done for all files at once, without a decision about each.
        """
        joined = "/" + "/".join(names)
        try:
            joined.encode()
            found = [entry.stat(follow_symlinks=False) for entry in entries]
        except (UnicodeEncodeError, OSError):
            return []
        sizes = [status.st_size for status in found]
        if (
            "/." in joined
            or any(mode >> _PERMISSIONS != _REGULAR for mode in {status.st_mode for status in found})
            or max(sizes, default=0) > self._rules.most_bytes
            or not self._own_inodes.isdisjoint([status.st_ino for status in found])
        ):
            return []
        paths = [prefix + name for name in names]
        times = [status.st_mtime_ns for status in found]
        changed = [status.st_ctime_ns for status in found]
        inodes = [stored_inode(status) for status in found]
        return list(map(_NEW, repeat(SeenFile), zip(paths, sizes, times, changed, inodes, strict=True)))

    def _judge_all(self, entries: list["os.DirEntry[str]"], place: _FolderEntry) -> None:
        """Decide about entries one by one."""
        for entry in entries:
            try:
                self._judge(entry, place)
            except FileNotFoundError:
                continue
            except OSError:
                self.fail(place.prefix + entry.name, skip_reasons.UNREADABLE)

    def _heeding(self, place: _FolderEntry, entries: list["os.DirEntry[str]"]) -> _FolderEntry:
        """Give the place with what its ignore files say."""
        lines: list[str] = []
        for name in sorted(entry.name for entry in entries if entry.name in IGNORE_FILES):
            try:
                data = take(place.folder, name, MOST_IGNORE_BYTES, self._own).data
            except OSError as error:
                self.leave_out(place.prefix + name, skip_reasons.reason_for(error))
                continue
            lines += data.decode("utf-8", "replace").removeprefix("\ufeff").split("\n")
        return place._replace(ignoring=IgnoreScope(place.ignoring, place.prefix, lines)) if lines else place

    def _judge(self, entry: "os.DirEntry[str]", place: _FolderEntry) -> None:
        """Decide about an entry that is no plain wanted file."""
        name = entry.name
        path = place.prefix + name
        if entry.inode() in self._own_inodes and self._is_own(entry.stat(follow_symlinks=False)):
            self.leave_out(path, skip_reasons.OWN)
        elif name in NEVER:
            self._skipped[skip_reasons.IGNORED] += 1
        elif name[0] == "." and not self._rules.hidden:
            self._skipped[skip_reasons.HIDDEN] += 1
        elif self._speakable(path):
            folder = entry.is_dir(follow_symlinks=False)
            if not self._passes(path, place, folder=folder):
                self._skipped[skip_reasons.IGNORED] += 1
            elif folder:
                self._enter(name, path, place)
            else:
                self._judge_file(entry, path, place)

    def _judge_file(self, entry: "os.DirEntry[str]", path: str, place: _FolderEntry) -> None:
        """Decide about something that is no folder."""
        if entry.is_file(follow_symlinks=False) and not self._includes(path, place):
            self._skipped[skip_reasons.IGNORED] += 1
            return
        status = entry.stat(follow_symlinks=False)
        if status.st_mode >> _PERMISSIONS != _REGULAR:
            self.leave_out(path, skip_reasons.reason_of(status.st_mode))
        elif self._is_own(status):
            self.leave_out(path, skip_reasons.OWN)
        elif status.st_size > self._rules.most_bytes:
            self.leave_out(path, skip_reasons.TOO_LARGE)
            self._too_large.append(path)
        else:
            times = (status.st_mtime_ns, status.st_ctime_ns)
            self._seen.append(SeenFile(path, status.st_size, *times, stored_inode(status)))

    def _enter(self, name: str, path: str, place: _FolderEntry) -> None:
        """Look through a folder in another."""
        if place.depth >= MOST_DEPTH or len(path.encode()) > MOST_PATH_BYTES:
            self.leave_out(path, skip_reasons.TOO_DEEP)
            return
        try:
            folder = open_folder(name, place.folder)
        except _GONE:
            return
        except FileRefused as error:
            self.leave_out(path, error.reason)
            return
        except OSError:
            self.fail(path, skip_reasons.UNREADABLE_FOLDER)
            return
        inside = place.inside or self.sieve.includes(path, folder=True)
        try:
            self.look(_FolderEntry(folder, f"{path}/", place.depth + 1, inside, place.ignoring))
        finally:
            os.close(folder)

    def fail(self, path: str, reason: str) -> None:
        """Note what could not be looked into."""
        self.complete = False
        self.leave_out(path, reason)

    def _passes(self, path: str, place: _FolderEntry, *, folder: bool) -> bool:
        """Say whether neither the rules nor an ignore file leave an entry out."""
        if self.sieve.excludes(path, folder=folder):
            return False
        return not (place.ignoring and place.ignoring.ignores(path, folder=folder))

    def _includes(self, path: str, place: _FolderEntry) -> bool:
        """Say whether a file is meant, by its ending or by where it lies."""
        return place.inside or path.endswith(self.sieve.suffixes) or self.sieve.includes(path, folder=False)

    def _is_own(self, status: os.stat_result) -> bool:
        return (status.st_dev, status.st_ino) in self._own

    def _speakable(self, path: str) -> bool:
        """Say whether a path is UTF-8; if not, note it in a spelling that is."""
        try:
            path.encode()
        except UnicodeEncodeError:
            self.leave_out(path.encode("utf-8", "backslashreplace").decode(), skip_reasons.NAME)
            return False
        return True
