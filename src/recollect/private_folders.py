"""Folders that only their owner may enter, and whose entries outlast a power failure."""

import os
import sys
from contextlib import suppress
from pathlib import Path


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


def settle(folder: Path) -> None:
    """Make the entries of a folder durable."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
