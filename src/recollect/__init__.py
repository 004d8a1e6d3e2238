"""Long-term memory for AI agents: remembered for years, found in milliseconds, forgotten for good.

from recollect import Memory

with Memory.open() as memory:
    me = memory.user("me")
    me.remember("Prefers dark mode in all applications", type="preference")
    for hit in me.recall("which theme do I like?").hits:
        print(hit.score, hit.content)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from recollect._version import __version__

if TYPE_CHECKING:
    from recollect.aio import AsyncMemory, AsyncUserMemory
    from recollect.errors import (
        EmbeddingError,
        InvalidInput,
        InvalidMemory,
        InvalidVector,
        ModelDamaged,
        NotFound,
        RecollectError,
        SettingsError,
        StoreDamaged,
        StoreError,
        StoreTooNew,
        StoreTooOld,
        StoreUnavailable,
    )
    from recollect.memory import Memory, UserMemory
    from recollect.settings import Settings, load_settings
    from recollect.types import (
        ChannelPart,
        Forgotten,
        Hit,
        Maintenance,
        MemoryRecord,
        NewMemory,
        Page,
        Parts,
        Place,
        Problem,
        Recall,
        Remembered,
        Space,
        Stats,
        Status,
        StoreStats,
    )
    from recollect.vocabulary import MEMORY_TYPES, Trust

# Names are looked up when they are used, so that `recollect --help` does not pay for NumPy and two databases.
_HOMES = {
    "recollect.aio": ("AsyncMemory", "AsyncUserMemory"),
    "recollect.errors": (
        "EmbeddingError", "InvalidInput", "InvalidMemory", "InvalidVector", "ModelDamaged", "NotFound",
        "RecollectError", "SettingsError", "StoreDamaged", "StoreError", "StoreTooNew", "StoreTooOld",
        "StoreUnavailable",
    ),
    "recollect.memory": ("Memory", "UserMemory"),
    "recollect.settings": ("Settings", "load_settings"),
    "recollect.types": (
        "ChannelPart", "Forgotten", "Hit", "Maintenance", "MemoryRecord", "NewMemory", "Page", "Parts", "Place",
        "Problem", "Recall", "Remembered", "Space", "Stats", "Status", "StoreStats",
    ),
    "recollect.vocabulary": ("MEMORY_TYPES", "Trust"),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "MEMORY_TYPES",
    "AsyncMemory",
    "AsyncUserMemory",
    "ChannelPart",
    "EmbeddingError",
    "Forgotten",
    "Hit",
    "InvalidInput",
    "InvalidMemory",
    "InvalidVector",
    "Maintenance",
    "Memory",
    "MemoryRecord",
    "ModelDamaged",
    "NewMemory",
    "NotFound",
    "Page",
    "Parts",
    "Place",
    "Problem",
    "Recall",
    "RecollectError",
    "Remembered",
    "Settings",
    "SettingsError",
    "Space",
    "Stats",
    "Status",
    "StoreDamaged",
    "StoreError",
    "StoreStats",
    "StoreTooNew",
    "StoreTooOld",
    "StoreUnavailable",
    "Trust",
    "UserMemory",
    "__version__",
    "load_settings",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
    """Find a public name in its module at first use."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'recollect' has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
