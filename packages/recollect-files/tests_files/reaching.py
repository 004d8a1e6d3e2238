"""How tests reach the disk behind `me.files.sync`, and put another in its place."""

from typing import cast

from recollect import UserMemory
from recollect_files.filing import LocalFiling
from recollect_files.ports import Disk


def disk_of(me: UserMemory) -> Disk:
    """Give the disk that a user's folders are read from."""
    disk: Disk = me._engine.filing.disk  # type: ignore[attr-defined]
    return disk


def put(me: UserMemory, disk: object) -> None:
    """Have a user's folders read from what stands for a disk."""
    object.__setattr__(me._engine, "filing", LocalFiling(cast("Disk", disk)))
