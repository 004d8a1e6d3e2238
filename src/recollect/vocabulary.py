"""The words of the field that people type. Imports nothing heavy, because the command line shows them in its help."""

from enum import IntEnum
from typing import Literal, get_args

MemoryType = Literal[
    "preference", "decision", "fact", "entity", "experience", "event", "lesson", "session_summary", "other"
]
MEMORY_TYPES: tuple[MemoryType, ...] = get_args(MemoryType)

Source = Literal["memory", "request", "response", "reasoning", "file"]


class Trust(IntEnum):
    """Where a memory comes from, as a tier that nothing ever raises by rewording."""

    EXTERNAL = 0  # a tool, the web, mail, an import, another node
    FILE = 1  # the user's own files
    INFERRED = 2  # concluded from what the user did
    STATED = 3  # the user said so
