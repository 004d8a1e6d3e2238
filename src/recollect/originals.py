"""Keeps the originals of documents and media under the hash of their bytes, one folder per user.

They are here, and not with those who read documents: to forget one for good must need nothing that may be missing.
The invariant: under a name stand the bytes that the name is the hash of, or nothing; a crash leaves at most a file
that `sweep` removes.
"""

import errno
import hashlib
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from recollect.errors import InvalidInput, NotFound, StoreFull, StoreUnavailable
from recollect.model.media import DIGEST, original_name
from recollect.private_folders import locked, make_private, settle

_NAME = re.compile(r"([0-9a-f]{16})/([0-9a-f]{2})/(\2[0-9a-f]{62})")
_UNFINISHED = ".unfinished-"
_JUST_NOW_S = 3_600  # what is younger is let be, also because some disks have no locks
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})


class LocalOriginals:
    """The port `Originals`: a folder, or None, and then none are kept."""

    def __init__(self, folder: Path | None) -> None:
        """Take a folder, which is made when the first original is kept."""
        self._folder = folder

    def keep(self, owner: str, digest: str, data: bytes) -> str:
        if self._folder is None:
            return ""
        if not DIGEST.fullmatch(digest):
            raise InvalidInput(f"Expected the SHA-256 of the document as 64 hex digits, found {digest[:80]!r}.")
        name = original_name(owner, digest)
        target = self._folder / name
        try:
            make_private(self._folder)
            with locked(self._folder, exclusive=False):
                make_private(target.parent)
                if _holds(target, data):
                    os.utime(target)  # so that a sweep does not take it for abandoned
                else:
                    _write(target, data)
        except OSError as error:
            if error.errno in _NO_ROOM:
                full = f"The disk is full: the document was not kept in {self._folder}. Make room and try again."
                raise StoreFull(full) from error
            raise StoreUnavailable(
                f"The document cannot be kept in {self._folder} ({error.strerror}). Check that you may write there, or "
                "set files.originals to another folder, or to off."
            ) from error
        return name

    def own(self) -> frozenset[tuple[int, int]]:
        try:
            found = self._folder.stat() if self._folder else None
        except OSError:
            found = None
        return frozenset({(found.st_dev, found.st_ino)} if found else ())

    def original(self, name: str) -> bytes:
        found = _NAME.fullmatch(name)
        if self._folder is None or not found:
            raise NotFound(f"There is no original called {name[:120]!r}.")
        try:
            data = _read(self._folder / name)
        except OSError as error:
            raise NotFound(f"The original {name!r} is not there any more ({error.strerror}).") from error
        if hashlib.sha256(data).hexdigest() != found[3]:
            raise NotFound(f"The original {name!r} is damaged: its bytes are not those that were kept.")
        return data

    def discard(self, names: Sequence[str]) -> None:
        if self._folder is None or not self._folder.is_dir():
            return
        with locked(self._folder, exclusive=True):
            for name in names:
                if _NAME.fullmatch(name):
                    _remove(self._folder / name, self._folder)

    def names(self) -> Iterator[str]:
        folder = self._folder
        if folder is None:
            return
        for path in _files(folder):
            yield path.relative_to(folder).as_posix()

    def sweep(self, known: Callable[[str], bool]) -> int:
        """Remove originals without a file record, and unfinished writes, unless they are recent; says how many."""
        if self._folder is None or not self._folder.is_dir():
            return 0
        # The disk is asked for the time, since its times are what this is compared with.
        with tempfile.NamedTemporaryFile(prefix=_UNFINISHED, dir=self._folder) as probe:
            before_ns = os.fstat(probe.fileno()).st_mtime_ns - _JUST_NOW_S * 10**9
        swept = 0
        for path in list(_files(self._folder)):
            name = path.relative_to(self._folder).as_posix()
            is_unfinished = path.name.startswith(_UNFINISHED)
            if not is_unfinished and (not _NAME.fullmatch(name) or known(name)):
                continue
            # Storing the same bytes again renews their time under the same lock.
            with locked(self._folder, exclusive=True):
                try:
                    is_old = path.lstat().st_mtime_ns <= before_ns
                except OSError:
                    continue
                if is_old:
                    _remove(path, self._folder)
                    swept += 1
        return swept


def _holds(path: Path, data: bytes) -> bool:
    try:
        return _read(path) == data
    except OSError:
        return False


def _read(path: Path) -> bytes:
    """Read a file that is no link."""
    with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as file:
        return file.read()


def _write(target: Path, data: bytes) -> None:
    """Write a file that is there whole or not at all, and stays when the power goes."""
    descriptor, unfinished = tempfile.mkstemp(prefix=_UNFINISHED, dir=target.parent)
    with ExitStack() as undo:
        undo.callback(Path(unfinished).unlink, missing_ok=True)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(unfinished).replace(target)
        undo.pop_all()
    settle(target.parent)


def _remove(path: Path, root: Path) -> None:
    """Remove a file, and the folders beneath the root that are empty then."""
    with suppress(FileNotFoundError):
        path.unlink()
        settle(path.parent)
    for folder in path.parents:
        if folder == root:
            return
        try:
            folder.rmdir()
        except OSError:  # others are in it
            return
        settle(folder.parent)


def _files(folder: Path) -> Iterator[Path]:
    """Give what lies where originals lie, and what was left unfinished above them. Links are not followed."""
    yield from (Path(entry.path) for entry in _entries(folder) if entry.name.startswith(_UNFINISHED))
    for owner in _folders(folder):
        for directory in _folders(owner):
            yield from (Path(entry.path) for entry in _entries(directory) if entry.is_file(follow_symlinks=False))


def _folders(folder: Path) -> Iterator[Path]:
    return (Path(entry.path) for entry in _entries(folder) if entry.is_dir(follow_symlinks=False))


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []
