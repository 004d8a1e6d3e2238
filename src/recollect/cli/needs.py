"""Which permission each command needs. There is no other place that says so.

A command without a line here is not carried out.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from recollect.model.literals import Permission

NEEDS: Final[Mapping[str, Permission]] = MappingProxyType(
    {
        "recall": "read",
        "search": "read",
        "get": "read",
        "list": "read",
        "history": "read",
        "count": "read",
        "stats": "read",
        "about": "read",
        "facts": "read",
        "preferences": "read",
        "events": "read",
        "lessons": "read",
        "conversation": "read",
        "places": "read",
        "place": "read",
        "where": "read",
        "files": "read",
        "read": "read",
        "store": "write",
        "update": "write",
        "fact": "write",
        "prefer": "write",
        "event": "write",
        "lesson": "write",
        "say": "write",
        "compact": "write",
        "rate": "write",
        "before-prompt": "write",  # it saves what the user says
        "after-turn": "write",
        "end-session": "write",
        "capture": "write",
        "sync": "write",
        "add": "write",
        "import": "write",
        "import-openclaw": "write",
        "forget": "forget",
        "status": "admin",
        "doctor": "admin",
        "maintain": "admin",
        "models": "admin",
        "worker": "admin",
        "reembed": "admin",
        "serve": "admin",
        "keys create": "admin",
        "keys list": "admin",
        "keys revoke": "admin",
        "audit": "admin",
    }
)

# Options that make more of a command than it is without them; '' is the command itself, whose answer shows something.
NEEDS_WITH: Final[Mapping[tuple[str, str], Permission]] = MappingProxyType(
    {
        ("conversation", "private"): "write",
        ("place", "spot"): "write",
        ("place", "near"): "write",
        ("place", "address"): "write",
        ("place", "forget"): "forget",
        ("store", "at"): "read",
        ("say", "from_place"): "read",
        ("forget", "query"): "read",
        ("before-prompt", ""): "read",
        ("update", ""): "read",
        ("compact", ""): "read",
        ("rate", ""): "read",
    }
)

# Commands that need no permission, and why.
FREE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "demo": "It works on a store of its own.",
        "e5-server": "It knows no store.",
        "mcp": "Each of its tools asks for what that tool needs; `recollect.mcp.permissions` is the table.",
    }
)


def needed(command: str, asked: Mapping[str, Any]) -> tuple[Permission, ...]:
    """Give the permissions that a command needs with the options it was given, all of them."""
    more = (
        permission for (name, option), permission in NEEDS_WITH.items() if name == command and _given(asked, option)
    )
    return (NEEDS[command], *more)


def _given(asked: Mapping[str, Any], option: str) -> bool:
    return not option or asked.get(option) is not None
