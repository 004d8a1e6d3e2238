"""Folders that only their owner may enter, whose entries outlast a power failure, and that one process may hold."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl


def make_private(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for the owner alone; one that exists stays as it is."""
    missing = []
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for path in reversed(missing):
        with suppress(FileExistsError):
            path.mkdir(mode=0o700)
            path.chmod(0o700)  # whatever the umask
        settle(path.parent)


@contextmanager
def locked(folder: Path, *, exclusive: bool) -> Iterator[bool]:
    """Hold a folder alone, or with others, in whichever process; says whether its disk has locks."""
    if sys.platform == "win32":
        yield False
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        has_locks = False
        with suppress(OSError):  # some network disks have none
            fcntl.flock(descriptor, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
            has_locks = True
        yield has_locks
    finally:
        os.close(descriptor)


def settle(folder: Path) -> None:
    """Make the entries of a folder durable."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
