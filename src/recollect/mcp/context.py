"""What a handler of a tool gets, and how it reads times."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple, TypeAlias

from recollect.api.memory import Memory, UserMemory
from recollect.errors import InvalidInput
from recollect.mcp.render import ToolAnswer
from recollect.settings import Settings
from recollect.settings.kinds import zone_named

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


def parse_time(context: ToolContext, arguments: Mapping[str, Any], name: str) -> datetime | None:
    """Parse a time; without an offset it is in the user's time zone. Raises InvalidInput."""
    if name not in arguments:
        return None
    try:
        moment = datetime.fromisoformat(arguments[name].strip())
        return moment if moment.tzinfo else moment.replace(tzinfo=zone_named(context.settings.timezone))
    except (ValueError, OverflowError, OSError):
        raise InvalidInput(
            f"{name} is {arguments[name]!r}; it must be a date or time such as 2026-12-03 or 2026-12-03T12:00:00+01:00."
        ) from None
