"""Which permission each tool, resource and prompt needs. There is no other place that says so.

What is not in the table is not served: the server refuses to start.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from recollect.authorization import Principal
from recollect.model.literals import Permission


class Caller(NamedTuple):
    """The principal of a call, and the user and the time zone it names, if it names any."""

    principal: Principal
    user: str = ""
    zone: str = ""


REQUIRED_PERMISSIONS: Final[Mapping[str, Permission]] = MappingProxyType(
    {
        "memory_store": "write",
        "memory_recall": "read",
        "memory_forget": "forget",
        "search_context": "read",
        "memory_about": "read",
        "memory_places": "read",
        "memory_rate": "write",
        "memory_get": "read",
        "memory_list": "read",
        "memory_update": "write",
        "memory_facts": "read",
        "memory_similar": "read",
        "memory_clusters": "read",
        "search_federated": "read",
        "memory://about/{topic}": "read",
        "memory://memories/{id}": "read",
        "memory://files/{id}": "read",
        "memory://recent": "read",
        "memory://preferences": "read",
        "memory://facts": "read",
        "memory://stats": "read",
        "memory://files": "read",
        "memory": "read",
    }
)

# Arguments that make a tool show or do more than it does without them.
ARGUMENT_PERMISSIONS: Final[Mapping[tuple[str, str], Permission]] = MappingProxyType(
    {
        ("memory_forget", "query"): "read",
        ("memory_facts", "value"): "write",
        ("memory_facts", "content"): "write",
    }
)


def check_permissions(offered: Iterable[str]) -> None:
    """Raise LookupError unless everything on offer has a permission, and every permission is for something."""
    names, known = set(offered), REQUIRED_PERMISSIONS.keys()
    if names != known:
        raise LookupError(
            f"Without a permission: {sorted(names - known)}; permissions for nothing: "
            f"{sorted(known - names)}. The table is in recollect.mcp.permissions."
        )
