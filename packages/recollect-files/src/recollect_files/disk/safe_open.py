"""Opens files beneath a root, folder by folder, so that no link leads out of it, and reads them whole and unchanged.

A root is opened only on the machine on which its owner named it: a path that came with an archive or from another
machine is a text, whatever it says.

The invariant: what is given was the content of a regular file at one moment, with the size and time it had then; and
none of `own` was opened, because what a name stands for is looked at before.
"""

import errno
import os
import platform
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Self

from recollect.model.files import NamedRoot
from recollect_files.disk import skip_reasons
from recollect_files.disk.skip_reasons import FileRefused

__all__ = [
    "BeneathRoot",
    "FileBytes",
    "FileRefused",
    "Identities",
    "is_named",
    "named",
    "open_folder",
    "open_root",
    "read_bytes",
    "take",
    "youth_s",
]

Identities = frozenset[tuple[int, int]]

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK, a pipe that takes a file's place would hold us up for ever.
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_ATTEMPTS: Final = 4
_PAUSE_S: Final = 0.02
_KEPT_S: Final = 0.5  # a folder that is open may be moved out of the root

# Within so long after a change, another one may leave the very same time behind.
_GRANULE_NS: Final = 20_000_000
_COARSE_GRANULE_NS: Final = 2_000_000_000
_SECOND_NS: Final = 1_000_000_000
_MOST_INODE: Final = 2**63 - 1
_MACHINE_IDS: Final = ("/var/lib/dbus/machine-id", "/etc/machine-id")  # the latter counts, where there are both


class FileBytes(NamedTuple):
    """The bytes of a file, and what it was when they were read."""

    data: bytes
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


def stored_inode(status: os.stat_result) -> int:
    """Give the inode as a store can hold it: some file systems use all 64 bits."""
    return status.st_ino & _MOST_INODE


def youth_s(mtime_ns: int, now_ns: int) -> float:
    """Say for how long a file's next change might not show in its time, because the last one was so lately."""
    granule_ns = _GRANULE_NS if mtime_ns % _SECOND_NS else _COARSE_GRANULE_NS
    age_ns = now_ns - mtime_ns
    return (granule_ns - age_ns) / _SECOND_NS if -granule_ns < age_ns < granule_ns else 0.0


@cache
def machine() -> str:
    """Name this machine and the user it runs this process for, so that neither can be read from the name."""
    number = platform.node()
    for path in _MACHINE_IDS:
        with suppress(OSError, ValueError):
            number = Path(path).read_text(encoding="ascii").strip() or number
    user = os.getuid() if hasattr(os, "getuid") else ""
    return blake2b(
        f"{number}\0{user}".encode("utf-8", "surrogatepass"), digest_size=16, person=b"recollect"
    ).hexdigest()


def named(path: str) -> NamedRoot:
    """Take a path as one that the owner of this machine has named."""
    return NamedRoot(path, machine())


def is_named(root: NamedRoot) -> bool:
    """Say whether a root was named on this machine."""
    return getattr(root, "machine", "") == machine()  # a plain text was named nowhere


def open_root(root: NamedRoot) -> int:
    """Open a root, which must be a folder and no link, and have been named on this machine. Raises OSError."""
    if not is_named(root):
        raise FileRefused(skip_reasons.UNNAMED)
    return _opened_folder(root, None)


def open_folder(name: str, folder: int) -> int:
    """Open a folder in an open one. Raises OSError; Refused when it is a link."""
    return _opened_folder(name, folder)


def read_bytes(root: NamedRoot, path: str, most_bytes: int, own: Identities = frozenset()) -> FileBytes:
    """Read one file beneath a root. Raises OSError."""
    with BeneathRoot(root, own) as beneath:
        return beneath.read(path, most_bytes)


class BeneathRoot:
    """A root that files are read from. The folder of the last one stays open, since the next is often in it too."""

    def __init__(self, root: NamedRoot, own: Identities) -> None:
        self._root = root
        self._own = own
        self._path = ""
        self._folder = -1
        self._opened_s = 0.0

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let go of the folder."""
        self.leave()

    def leave(self) -> None:
        """Let go of the folder that is open, if one is."""
        folder, self._folder = self._folder, -1
        if folder >= 0:
            os.close(folder)

    def read(self, path: str, most_bytes: int) -> FileBytes:
        """Read a file. Raises OSError."""
        return take(self._enter(path), path.rpartition("/")[2], most_bytes, self._own)

    def status(self, path: str) -> os.stat_result | None:
        """Look at a file without opening it; None when it is not there, or no file. Raises OSError."""
        os.close(open_root(self._root))  # a folder that is away says nothing of its files
        try:
            found = os.stat(path.rpartition("/")[2], dir_fd=self._enter(path), follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            return None
        return found if stat.S_ISREG(found.st_mode) else None

    def _enter(self, path: str) -> int:
        """Open the folder of a file, or stay in it. Raises OSError."""
        *folders, name = path.split("/")
        if "\0" in path or not {"", ".", ".."}.isdisjoint((*folders, name)):
            raise FileRefused(skip_reasons.OUTSIDE)
        where = "/".join(folders)
        now_s = time.monotonic()
        if self._folder < 0 or self._path != where or now_s - self._opened_s > _KEPT_S:
            self.leave()
            self._folder, self._path, self._opened_s = self._descend(folders), where, now_s
        return self._folder

    def _descend(self, folders: list[str]) -> int:
        folder = open_root(self._root)
        for name in folders:
            above = folder
            try:
                folder = open_folder(name, above)
            finally:
                os.close(above)
        return folder


def take(folder: int, name: str, most_bytes: int, own: Identities) -> FileBytes:
    """Read a file in an open folder, again if it changes meanwhile. Raises OSError."""
    for attempt in range(_ATTEMPTS):
        if attempt:
            time.sleep(_PAUSE_S * attempt)
        taken = _take_once(folder, name, most_bytes, own)
        if taken:
            return taken
    raise FileRefused(skip_reasons.CHANGING)


def _take_once(folder: int, name: str, most_bytes: int, own: Identities) -> FileBytes | None:
    """Read a file; None if it changed meanwhile."""
    _check(os.stat(name, dir_fd=folder, follow_symlinks=False), most_bytes, own)
    with _opened(name, folder) as file:
        before = os.fstat(file)
        _check(before, most_bytes, own)
        data = _all_of(file, before.st_size, most_bytes)
        after = os.fstat(file)
    now = (after.st_size, after.st_mtime_ns, after.st_ctime_ns)
    if now != (before.st_size, before.st_mtime_ns, before.st_ctime_ns) or len(data) != after.st_size:
        return None
    return FileBytes(data, *now, stored_inode(after))


def _check(status: os.stat_result, most_bytes: int, own: Identities) -> None:
    """Raise Refused for whatever is not a regular file of a bearable size that is not ours."""
    if not stat.S_ISREG(status.st_mode):
        raise FileRefused(skip_reasons.reason_of(status.st_mode))
    if (status.st_dev, status.st_ino) in own:
        raise FileRefused(skip_reasons.OWN)
    if status.st_size > most_bytes:
        raise FileRefused(skip_reasons.TOO_LARGE)


def _all_of(file: int, expected_bytes: int, most_bytes: int) -> bytes:
    """Read to the end, or one byte more than there may be."""
    data = os.read(file, expected_bytes + 1)
    if len(data) == expected_bytes:
        return data
    parts = [data]
    left = most_bytes + 1 - len(data)
    while left > 0 and (part := os.read(file, min(left, 1 << 20))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


@contextmanager
def _opened(name: str, folder: int) -> Iterator[int]:
    try:
        file = os.open(name, _FILE, dir_fd=folder)
    except OSError as error:
        raise _told(error) from error
    try:
        yield file
    finally:
        os.close(file)


def _opened_folder(name: str, folder: int | None) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=folder)
    except NotADirectoryError as error:
        raise _told_of_folder(error, name, folder) from error
    except OSError as error:
        raise _told(error) from error


def _told_of_folder(error: OSError, name: str, folder: int | None) -> OSError:
    """Tell a link from a file: Linux says of both that they are no folder."""
    try:
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except OSError:
        return error
    return FileRefused(skip_reasons.SYMLINK) if stat.S_ISLNK(mode) else error


def _told(error: OSError) -> OSError:
    return FileRefused(skip_reasons.SYMLINK) if error.errno == errno.ELOOP else error
