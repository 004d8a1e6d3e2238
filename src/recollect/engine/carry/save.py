"""Writes an export to a file that is there whole or not at all, and stays when the power goes."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import BinaryIO, cast

from recollect import encryption
from recollect.engine.base.context import Engine
from recollect.engine.carry.archive_writer import ExportCounts
from recollect.engine.carry.export import ExportOptions, export
from recollect.errors import InvalidDocument, InvalidInput, StoreError


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
    lock = _lock(options)
    try:
        descriptor, unfinished = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)  # only its owner reads it
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            with encryption.encrypting(file, lock) as target:
                for piece in export(engine, options, counts):
                    target.write(piece)
                    engine.priority.give_way()
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


def _lock(options: ExportOptions) -> encryption.FileLock | None:
    if options.encrypt_to and options.passphrase:
        raise InvalidInput("Encrypt to public keys or with a passphrase, not both.")
    if options.encrypt_to:
        return encryption.lock_to(options.encrypt_to)
    return encryption.lock_with(options.passphrase) if options.passphrase else None


@contextmanager
def plain_archive(path: Path, key: encryption.FileKey) -> Iterator[BinaryIO]:
    """Open a file; one that is encrypted is decrypted into a file without a name. Raises InvalidDocument."""
    with ExitStack() as stack:
        try:
            source = stack.enter_context(path.open("rb"))
            plain: BinaryIO = source
            if encryption.is_encrypted(source):
                plain = cast("BinaryIO", stack.enter_context(tempfile.TemporaryFile()))
                encryption.decrypt(source, plain, key)
        except OSError as error:
            raise InvalidDocument(f"{path} cannot be read: {error.strerror or error}.") from error
        yield plain


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
