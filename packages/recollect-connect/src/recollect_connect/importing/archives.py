"""Opens an export: one file, an archive, or the folder it was unpacked into.

The invariant: nothing is ever unpacked onto the disk or written beside the export, links are not followed, an archive
that would become absurdly large is refused before it is read, and a file of the open store is never opened: closing it
again would drop SQLite's locks.
"""

import gzip
import os
import stat
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final, Literal, cast

from recollect.errors import InvalidDocument
from recollect_connect.importing.deliver import THE_STORE

_MOST_MEMBERS: Final = 200_000
_MOST_BYTES: Final = 8 * 2**30
_MOST_FROM_ONE_BYTE: Final = 200  # deflate makes up to 1,032 of one; conversations compress to a tenth
_SMALL: Final = 16 * 2**20
_ENCRYPTED: Final = 1

Own = frozenset[tuple[int, int]]  # device and number of the files that may not be opened


@dataclass(frozen=True, slots=True)
class Member:
    """A file of an export. `name` has slashes, whatever the system."""

    name: str
    size: int
    open: Callable[[], BinaryIO]

    @property
    def base(self) -> str:
        """Its name without the folders, in lower case."""
        return PurePosixPath(self.name).name.lower()

    @property
    def folder(self) -> str:
        """The name of the folder it lies in, in lower case."""
        return PurePosixPath(self.name).parent.name.lower()


@dataclass(frozen=True, slots=True)
class ExportArchive:
    """An export that is open. `refused` names what in it is not looked at, and why."""

    path: Path
    kind: Literal["zip", "folder", "file"]
    members: tuple[Member, ...]
    refused: tuple[tuple[str, str], ...] = ()


@contextmanager
def opened(given: str | PathLike[str], own: Own = frozenset()) -> Iterator[ExportArchive]:
    """Open an export. Raises InvalidDocument, also for one that is among `own`."""
    path = Path(given).expanduser()
    try:
        seen = path.stat()
    except (OSError, ValueError) as error:
        raise InvalidDocument(f"{path} cannot be read: {_why(error)}.") from error
    if (seen.st_dev, seen.st_ino) in own:
        raise InvalidDocument(f"{path} is {THE_STORE}. Pass an export of another system.")
    if stat.S_ISDIR(seen.st_mode):
        yield _folder(path, own)
    elif not stat.S_ISREG(seen.st_mode):
        raise InvalidDocument(f"{path} is neither a file nor a folder. Pass the export itself.")
    elif zipfile.is_zipfile(path):
        with _zip(path) as archive:
            yield archive
    else:
        yield ExportArchive(path, "file", (Member(path.name, seen.st_size, partial(_open_file, path)),))


def _folder(path: Path, own: Own) -> ExportArchive:
    members, refused = [], []
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            place = Path(folder, name)
            shown = place.relative_to(path).as_posix()
            try:
                found = place.lstat()
            except OSError as error:
                refused.append((shown, _why(error)))
                continue
            if (found.st_dev, found.st_ino) in own:
                refused.append((shown, THE_STORE))
            elif stat.S_ISREG(found.st_mode):
                members.append(Member(shown, found.st_size, partial(_open_file, place)))
            else:
                refused.append((shown, "a link, or nothing that could be read"))
            if len(members) + len(refused) > _MOST_MEMBERS:
                raise InvalidDocument(f"{path} holds more than {_MOST_MEMBERS:,} files. Pass the folder of the export.")
    return ExportArchive(path, "folder", tuple(members), tuple(refused))


def _open_file(path: Path) -> BinaryIO:
    """Open a file for reading, unless it has become a link or a pipe since it was checked."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        raise InvalidDocument(f"{path} cannot be read: {_why(error)}.") from error
    stream = os.fdopen(handle, "rb")
    return _unzipped(stream) if path.suffix.lower() == ".gz" else stream


class _Unzipped(gzip.GzipFile):
    """Reads what is compressed in another stream, and closes that too."""

    def __init__(self, beneath: BinaryIO) -> None:
        super().__init__(fileobj=beneath)
        self._beneath = beneath

    def close(self) -> None:
        """Close both."""
        super().close()
        self._beneath.close()


def _unzipped(stream: BinaryIO) -> BinaryIO:
    return cast("BinaryIO", _Unzipped(stream))


@contextmanager
def _zip(path: Path) -> Iterator[ExportArchive]:
    try:
        bundle = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise InvalidDocument(f"{path} is a damaged archive: {error}. Download it again.") from error
    with bundle:
        yield _contents(path, bundle)


def _contents(path: Path, bundle: zipfile.ZipFile) -> ExportArchive:
    inside = [one for one in bundle.infolist() if not one.is_dir()]
    if len(inside) > _MOST_MEMBERS:
        raise InvalidDocument(f"{path} holds {len(inside):,} files; an export has at most {_MOST_MEMBERS:,}.")
    members, refused = [], []
    for one in inside:
        reason = _refusal(one)
        if reason:
            refused.append((one.filename, reason))
        else:
            members.append(Member(one.filename, one.file_size, partial(_open_member, path, bundle, one)))
    return ExportArchive(path, "zip", tuple(members), tuple(refused))


def _refusal(member: zipfile.ZipInfo) -> str:
    """Say why a file of an archive is not looked at; empty when it is."""
    parts = PurePosixPath(member.filename.replace("\\", "/")).parts
    if ".." in parts or (parts and (parts[0] == "/" or parts[0].endswith(":"))):
        return "its name leads out of the archive"
    return "a leftover of another system" if "__MACOSX" in parts else ""


def _open_member(path: Path, bundle: zipfile.ZipFile, member: zipfile.ZipInfo) -> BinaryIO:
    if member.flag_bits & _ENCRYPTED:
        raise InvalidDocument(f"{member.filename} in {path} is encrypted. Unpack it, and pass the folder.")
    swollen = member.file_size > _SMALL and member.file_size > _MOST_FROM_ONE_BYTE * max(1, member.compress_size)
    if swollen or member.file_size > _MOST_BYTES:
        raise InvalidDocument(
            f"{member.filename} in {path} would become {member.file_size:,} bytes out of {member.compress_size:,}; no "
            "export does. It was not opened."
        )
    try:
        stream = cast("BinaryIO", bundle.open(member))
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError) as error:
        raise InvalidDocument(f"{member.filename} in {path} cannot be read: {error}.") from error
    return _unzipped(stream) if member.filename.lower().endswith(".gz") else stream


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
