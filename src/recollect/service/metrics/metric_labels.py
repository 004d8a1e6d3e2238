"""Label values of metrics and traces: declared routes and methods, never anything a client sent."""

from typing import Final, Literal, get_args

from starlette.types import Scope

from recollect.model.files import SyncState

OTHER: Final = "other"
FAILED: Final = "failed"
WRITTEN: Final = "written"
BACKUP_STATES: Final = (WRITTEN, FAILED)
SYNC_STATES: Final[tuple[str, ...]] = (*get_args(SyncState), FAILED)

WorkClass = Literal["urgent", "bulk", "document"]
WORK_CLASSES: Final[tuple[WorkClass, ...]] = get_args(WorkClass)
LimitReason = Literal["requests", "texts", "queue", "memories", "storage"]
LIMIT_REASONS: Final[tuple[LimitReason, ...]] = get_args(LimitReason)

_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_MCP: Final = "/mcp"  # an application of its own, with routes that mean nothing outside


def route_name(scope: Scope) -> str:
    """Give the route of a request as it was declared; known only once it was answered."""
    if scope["path"] == _MCP or scope["path"].startswith(f"{_MCP}/"):
        return _MCP
    path = getattr(scope.get("route"), "path", None)
    return path if isinstance(path, str) and path else OTHER


def method_name(scope: Scope) -> str:
    """Give the method of a request, if it is a known one."""
    method: str = scope["method"]
    return method if method in _METHODS else OTHER
