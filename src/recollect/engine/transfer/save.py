"""Writes an export to a file that is there whole or not at all, and stays when the power goes."""

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

from recollect.engine.base.context import Engine
from recollect.engine.transfer.export import ExportCounts, ExportOptions, export
from recollect.errors import InvalidInput, StoreError


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What an export holds: how many of what, of whom, in how many bytes.

    `missing_originals` are the digests of documents whose copies were gone; their text is there all the same.
    """

    path: str
    users: tuple[str, ...]
    rows: Mapping[str, int] = field(default_factory=dict)
    bytes: int = 0
    missing_originals: tuple[str, ...] = ()


def save_export(
    engine: Engine, given: str | PathLike[str], options: ExportOptions, *, overwrite: bool = False
) -> ExportReport:
    """Write an archive of one user, or of all."""
    path, counts = Path(given).expanduser(), ExportCounts()
    insist_not_own(engine, path)
    if path.is_dir() or (path.exists() and not overwrite):
        raise InvalidInput(f"{path} exists already. Choose another name, or say that it is to be overwritten.")
    try:
        descriptor, unfinished = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)  # only its owner reads it
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            for piece in export(engine, options, counts):
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
            size = file.tell()
        Path(unfinished).replace(path)
        _settle(path.parent)
    except OSError as error:
        raise StoreError(f"{path} could not be written: {error.strerror or error}.") from error
    finally:
        Path(unfinished).unlink(missing_ok=True)
    return ExportReport(
        str(path), tuple(sorted(counts.users)), dict(counts.rows), size, tuple(counts.missing_originals)
    )


def insist_not_own(engine: Engine, path: Path) -> None:
    """Refuse a file of the open store: opening it would drop SQLite's locks. Raises InvalidInput."""
    try:
        found = path.stat()
    except OSError:
        return
    if (found.st_dev, found.st_ino) in engine.store.own_files():
        raise InvalidInput(f"{path} is the store itself. Choose another file.")


def _settle(folder: Path) -> None:
    """Make the name of the file durable, where folders can be opened."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
