"""Which permission each tool, resource and prompt needs. There is no other place that says so.

What has no line here is not served: the server refuses to start.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from recollect.model.literals import Permission

NEEDS: Final[Mapping[str, Permission]] = MappingProxyType(
    {
        "memory_store": "write",
        "memory_recall": "read",
        "memory_forget": "forget",
        "search_context": "read",
        "memory_about": "read",
        "memory_places": "read",
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

# Arguments that make a tool show more than it does without them.
NEEDS_WITH: Final[Mapping[tuple[str, str], Permission]] = MappingProxyType({("memory_forget", "query"): "read"})


def insist_on_needs(offered: Iterable[str], needs: Mapping[str, Permission] = NEEDS) -> None:
    """Raise LookupError unless everything on offer has a permission, and every permission something to open."""
    names = set(offered)
    if names != needs.keys():
        raise LookupError(
            f"Without a permission: {sorted(names - needs.keys())}; permissions for nothing: "
            f"{sorted(needs.keys() - names)}. The table is in recollect.mcp.needs."
        )
