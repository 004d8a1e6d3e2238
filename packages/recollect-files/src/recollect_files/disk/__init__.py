"""The disk that synced files lie on: walked and read beneath a root, never written, never left through a link."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recollect_files.disk.local import LocalDisk

__all__ = ["LocalDisk"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 -- whatever the name stands for
    """Find the name at first use, so that a process that only reads does not pay for watching."""
    if name != "LocalDisk":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("recollect_files.disk.local"), name)
