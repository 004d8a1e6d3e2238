"""Shows, applies and undoes changes of other programs' files.

The invariant: a file is replaced whole or not at all, what it held before an installation is kept in a backup beside
it, and a file that changed since it was read is left alone.
"""

import difflib
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

from recollect.errors import InvalidInput
from recollect_connect.hosts.host import FileChange, read_file

_BACKUP = ".recollect-backup"


def backup_of(path: Path) -> Path:
    """Give the path of a file's backup."""
    return path.with_name(path.name + _BACKUP)


def install(changes: Iterable[FileChange], installed: Iterable[Path]) -> tuple[Path, ...]:
    """Write changes, after a backup of each file, and give what was written.

    Files in `installed` hold something of Recollect already: their backup is from before that, and stays.
    """
    wanted = _checked(changes)
    known = set(installed)
    for change in wanted:
        if change.path not in known:
            _back_up(change)
    return _write_all(wanted)


def uninstall(changes: Iterable[FileChange]) -> tuple[Path, ...]:
    """Write changes, and give what was written. A backup goes when the file says again what the backup says."""
    wanted = _checked(changes)
    written = _write_all(wanted)
    for change in wanted:
        backup = backup_of(change.path)
        if read_file(backup) == change.after:
            backup.unlink(missing_ok=True)
        if change.after is None:
            _remove_empty_folder(change.path.parent)
    return written


def diff_lines(change: FileChange) -> Iterator[str]:
    """Show a change as a unified diff, without line ends."""
    before, after = ((content or b"").decode("utf-8", "replace") for content in (change.before, change.after))
    names = (f"{change.path}", f"{change.path}" if change.after is not None else "(deleted)")
    yield from difflib.unified_diff(before.splitlines(), after.splitlines(), *names, lineterm="")


def _checked(changes: Iterable[FileChange]) -> list[FileChange]:
    """Give the changes that have an effect; raises InvalidInput if a file is not as it was when it was read."""
    wanted = [change for change in changes if change.has_effect]
    for change in wanted:
        if read_file(change.path) != change.before:
            raise InvalidInput(f"{change.path} was changed meanwhile, so nothing was written. Try again.")
    return wanted


def _write_all(changes: Iterable[FileChange]) -> tuple[Path, ...]:
    written = []
    for change in changes:
        if change.after is None:
            change.path.unlink(missing_ok=True)
        else:
            _replace(change.path, change.after, private=change.private)
        written.append(change.path)
    return tuple(written)


def _back_up(change: FileChange) -> None:
    backup = backup_of(change.path)
    if change.before is None:
        backup.unlink(missing_ok=True)  # of an installation long ago; the file has since been removed
    else:
        _replace(backup, change.before, like=change.path, private=change.private)


def _replace(path: Path, content: bytes, *, like: Path | None = None, private: bool = False) -> None:
    """Put a file in place at once, with the permissions of the one before it, or of `like`."""
    target = path.resolve()  # a link to a folder of dotfiles stays a link
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    with ExitStack() as undo:
        undo.callback(Path(name).unlink, missing_ok=True)
        with os.fdopen(handle, "wb") as opened:
            opened.write(content)
            opened.flush()
            os.fsync(opened.fileno())
        Path(name).chmod(_mode(like or target, private=private))
        Path(name).replace(target)
        undo.pop_all()


def _mode(path: Path, *, private: bool) -> int:
    if private:
        return 0o600
    try:
        return path.stat().st_mode & 0o777
    except FileNotFoundError:
        return 0o644


def _remove_empty_folder(folder: Path) -> None:
    with suppress(OSError):  # it holds something else
        folder.rmdir()
