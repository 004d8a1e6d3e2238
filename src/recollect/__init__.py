"""Long-term memory for AI agents: remembered for years, found in milliseconds, forgotten for good.

from recollect import Memory

with Memory.open() as memory:
    me = memory.user("me")
    me.remember("Prefers dark mode in all applications", type="preference")
    for hit in me.recall("which theme do I like?").hits:
        print(hit.score, hit.content)
"""

import recollect.plugins as _plugins
from recollect._version import __version__

TYPE_CHECKING = False  # type checkers take it for true; importing `typing` would delay each hook by 10 ms

if TYPE_CHECKING:
    from typing import Any

    from recollect.api.aio import AsyncConversation, AsyncMemory, AsyncUserMemory
    from recollect.api.conversation import Conversation
    from recollect.api.memory import Memory
    from recollect.api.user import UserMemory
    from recollect.embedding import create_embedding_provider, vector_dims_for_model
    from recollect.errors import (
        AccessDenied,
        EmbeddingError,
        InvalidInput,
        LlmError,
        NotFound,
        RecollectError,
        SettingsError,
        StoreDamaged,
        StoreError,
    )
    from recollect.model.literals import MEMORY_TYPES, Trust
    from recollect.model.memories import MemoryRecord, NewMemory, Remembered
    from recollect.model.messages import Compaction, Message, NewMessage, ToolCall, Window
    from recollect.model.places import Location
    from recollect.model.search import About, Forgotten, Hit, PromptContext, Recall, TurnOutcome
    from recollect.settings import Settings, load_settings

# Names are imported at first use, so that `recollect --help` does not pay for NumPy and two databases.
_HOMES = {
    "recollect.api.aio": "AsyncConversation AsyncMemory AsyncUserMemory",
    "recollect.api.conversation": "Conversation",
    "recollect.api.memory": "Memory",
    "recollect.api.user": "UserMemory",
    "recollect.embedding": "create_embedding_provider vector_dims_for_model",
    "recollect.errors": (
        "AccessDenied EmbeddingError InvalidInput LlmError NotFound RecollectError SettingsError StoreDamaged "
        "StoreError"
    ),
    "recollect.model.literals": "MEMORY_TYPES Trust",
    "recollect.model.memories": "MemoryRecord NewMemory Remembered",
    "recollect.model.messages": "Compaction Message NewMessage ToolCall Window",
    "recollect.model.places": "Location",
    "recollect.model.search": "About Forgotten Hit PromptContext Recall TurnOutcome",
    "recollect.settings": "Settings load_settings",
}
_plugins.stand_in()
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

# fmt: off
__all__ = [
    "MEMORY_TYPES", "About", "AccessDenied", "AsyncConversation", "AsyncMemory", "AsyncUserMemory", "Compaction",
    "Conversation", "EmbeddingError", "Forgotten", "Hit", "InvalidInput", "LlmError", "Location", "Memory",
    "MemoryRecord", "Message", "NewMemory", "NewMessage", "NotFound", "PromptContext", "Recall", "RecollectError",
    "Remembered", "Settings", "SettingsError", "StoreDamaged", "StoreError", "ToolCall", "Trust", "TurnOutcome",
    "UserMemory", "Window", "__version__", "create_embedding_provider", "load_settings", "vector_dims_for_model",
]
# fmt: on


def __getattr__(name: str) -> "Any":  # noqa: ANN401 - a module has names of all types
    """Import a public name from its module at first use."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'recollect' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - a hook does without

    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
