"""Why a file or folder is left out, in the words that reports show.

The invariant: every reason is one of these constants, so that counting by reason adds up over walks and readings.
"""

import errno
import stat
from typing import Final

from recollect.model import files

SYMLINK: Final = "symlink"
FIFO: Final = "fifo"
SOCKET: Final = "socket"
DEVICE: Final = "device"
TOO_LARGE: Final = "too large"
TOO_DEEP: Final = "too deep"
OWN: Final = "own database"
NAME: Final = "name is not UTF-8"
UNREADABLE: Final = "unreadable"
UNREADABLE_FOLDER: Final = "unreadable folder"
VANISHED: Final = "vanished"
CHANGING: Final = "changes while it is read"
NO_TEXT: Final = files.NO_TEXT
DAMAGED: Final = "unreadable document"
OUTSIDE: Final = "outside of the folder"
UNNAMED: Final = "not named on this machine"
NO_FILE: Final = "not a file"

# What the rules leave out on purpose: counted, but no trouble. A folder that is not entered counts once.
IGNORED: Final = "ignored"
HIDDEN: Final = "hidden"

_BY_TYPE: Final = {
    stat.S_IFLNK: SYMLINK,
    stat.S_IFIFO: FIFO,
    stat.S_IFSOCK: SOCKET,
    stat.S_IFBLK: DEVICE,
    stat.S_IFCHR: DEVICE,
}


def reason_of(mode: int) -> str:
    """Say why something of this mode is not read as a file."""
    return _BY_TYPE.get(stat.S_IFMT(mode), NO_FILE)


class FileRefused(OSError):
    """Something is not opened or not believed, for one of these reasons."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def reason_for(error: OSError) -> str:
    """Say why something could not be read."""
    if isinstance(error, FileRefused):
        return error.reason
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return VANISHED
    return SYMLINK if error.errno == errno.ELOOP else UNREADABLE
