"""Folders of backups on disk: written aside, made durable, given their names whole, and removed."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import file_digest
from pathlib import Path
from typing import IO, Final

from recollect.errors import InvalidInput, StoreError
from recollect.private_folders import make_private, settle

if sys.platform != "win32":
    import fcntl

UNFINISHED: Final = ".recollect-unfinished-"


@contextmanager
def workspace(parent: Path) -> Iterator[Path]:
    """Lend a folder that is gone afterwards, unless it was renamed; what killed processes left goes first."""
    for left in parent.glob(f"{UNFINISHED}*"):
        descriptor = _lock(left)
        if descriptor is not None:  # otherwise a process is at work in it
            shutil.rmtree(left, ignore_errors=True)
            os.close(descriptor)
    folder, descriptor = _made_and_locked(parent)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if descriptor is not None:
            os.close(descriptor)


def _made_and_locked(parent: Path) -> tuple[Path, int | None]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=parent))
        descriptor = _lock(folder)
        if folder.is_dir():  # otherwise another process has just taken it for abandoned
            return folder, descriptor
        if descriptor is not None:
            os.close(descriptor)


def _lock(folder: Path) -> int | None:
    """Hold a folder for as long as the descriptor is open; None when another process does."""
    if sys.platform == "win32":
        return None
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def settle_tree(folder: Path) -> None:
    """Make the entries of a folder and of all folders in it durable."""
    for path, _, _ in os.walk(folder, topdown=False):
        settle(Path(path))


@contextmanager
def new_file(path: Path) -> Iterator[IO[bytes]]:
    """Write a new file for its owner only; it is durable at the end."""
    make_private(path.parent)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def link_or_copy(source: Path, target: Path) -> None:
    """Let a file be in a second place too, without room where the disk can do so. Raises OSError."""
    make_private(target.parent)
    try:
        os.link(source, target, follow_symlinks=False)
    except FileNotFoundError:
        raise
    except OSError:
        copy_file(source, target)


def copy_file(source: Path, target: Path) -> None:
    """Copy a file, durably."""
    with source.open("rb") as reading, new_file(target) as writing:
        shutil.copyfileobj(reading, writing, 2**20)


def sha256_of(path: Path) -> str:
    """Hash a file as it lies on the disk."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def publish(folder: Path, parent: Path, name: str) -> Path:
    """Give a whole folder its name; one that is taken gets a number."""
    number = 1
    while True:
        target = parent / (name if number == 1 else f"{name}-{number}")
        number += 1
        if os.path.lexists(target):
            continue
        folder.rename(target)
        settle(parent)
        return target


def remove(folder: Path) -> None:
    """Remove a backup; from its first step on it no longer looks like one."""
    doomed = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=folder.parent)) / folder.name
    folder.rename(doomed)
    settle(folder.parent)
    shutil.rmtree(doomed.parent)
    settle(folder.parent)


@contextmanager
def explained(doing: str) -> Iterator[None]:
    """Translate what the disk says."""
    try:
        yield
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        raise StoreError(f"{doing} failed ({error.strerror or error}{where}). Nothing was left half done.") from error


def folder_named(path: str | os.PathLike[str]) -> Path:
    """Give a folder's absolute path, or say that it is none."""
    folder = Path(path).expanduser().absolute()
    if folder.exists() and not folder.is_dir():
        raise InvalidInput(f"{folder} is not a folder.")
    return folder
