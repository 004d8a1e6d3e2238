"""What a handler of a tool gets."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from recollect.api.memory import Memory, UserMemory
from recollect.mcp.render import ToolAnswer
from recollect.settings import Settings

AGENT: Final = "agent"  # the source of what a model stores


class ToolContext(NamedTuple):
    """The user that a call is for, the settings of the store, and the store, for what asks other services."""

    me: UserMemory
    settings: Settings
    memory: Memory

    def in_scope(self, name: str) -> "ToolContext":
        """Give the same for a shared scope that the user is a member of. Raises NotFound."""
        return self._replace(me=self.me.scope(name))


ToolHandler: TypeAlias = Callable[[ToolContext, Mapping[str, Any]], ToolAnswer]
ResourceReader: TypeAlias = Callable[[ToolContext, str], str]
