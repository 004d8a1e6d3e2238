"""Authors: what a member writes into a shared scope says who wrote it. What a user writes for themselves does not."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from recollect.engine.base.context import Engine
from recollect.model.memories import NewMemory, OfferedMemory
from recollect.model.scopes import AUTHOR


def authored_memories(engine: Engine, memories: Sequence[OfferedMemory]) -> Sequence[OfferedMemory]:
    """Give memories with their author."""
    if not engine.author:
        return memories
    return [authored(engine, NewMemory(memory) if isinstance(memory, str) else memory) for memory in memories]


def authored(engine: Engine, memory: NewMemory) -> NewMemory:
    """Give a memory with its author; usually the very same one."""
    if not engine.author or not isinstance(memory.metadata, Mapping):  # which is refused when it is checked
        return memory
    return replace(memory, metadata=authored_metadata(engine, memory.metadata))


def authored_metadata(engine: Engine, metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give metadata with the author; they cannot name another."""
    return {**metadata, AUTHOR: engine.author} if engine.author else metadata
