"""Authorizes a call and runs its handler. Nothing else here hands out a user's memories.

It is imported after the protocol has begun to speak: databases and NumPy are slow to import, and a host that only lists
the tools need not wait for them.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from recollect.api.memory import AuditedWrite, Memory
from recollect.authorization import authorize
from recollect.errors import NotFound
from recollect.mcp import handlers, prompts, resources
from recollect.mcp.arguments import read_arguments
from recollect.mcp.context import ToolContext
from recollect.mcp.handlers import RESOURCE_READERS, TOOL_HANDLERS
from recollect.mcp.permissions import ARGUMENT_PERMISSIONS, REQUIRED_PERMISSIONS, Caller
from recollect.mcp.render import ToolAnswer
from recollect.mcp.resources import Resource
from recollect.mcp.tools import PROMPT_ARGUMENTS, TOOLS
from recollect.model.literals import Permission
from recollect.settings.kinds import zone_named

_SCOPE: Final = "scope"


class Dispatcher:
    """Runs tools, resources and the prompt for callers that may use them. `memory` gives the open store."""

    def __init__(self, memory: Callable[[], Memory]) -> None:
        self._memory = memory

    def tool(self, caller: Caller, name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Run a tool. Raises NotPermitted, before anything else is looked at, and InvalidInput."""
        also = [
            permission
            for (tool, argument), permission in ARGUMENT_PERMISSIONS.items()
            if tool == name and arguments.get(argument) is not None
        ]
        context = self._authorized(caller, name, *also)
        taken = read_arguments(name, TOOLS[name].takes, arguments, zone_named(context.me.zone))
        scope = taken.pop(_SCOPE, None)
        return TOOL_HANDLERS[name](context if scope is None else context.in_scope(scope), taken)

    def resource(self, caller: Caller, uri: str) -> tuple[Resource, str]:
        """Read a resource by its address. Raises NotPermitted and NotFound."""
        resource, parameter = resources.find(uri)
        return resource, RESOURCE_READERS[resource.uri](self._authorized(caller, resource.uri), parameter)

    def prompt(self, caller: Caller, name: str, arguments: Mapping[str, Any]) -> str:
        """Give the text of a prompt. Raises NotPermitted, NotFound and InvalidInput."""
        if name != prompts.NAME:
            raise NotFound(f"There is no prompt {name[:60]!r}. There is: {prompts.NAME}.")
        context = self._authorized(caller, name)
        return handlers.explain_memory(context, read_arguments(f"The prompt {name}", PROMPT_ARGUMENTS, arguments))

    def _authorized(self, caller: Caller, name: str, *also: Permission) -> ToolContext:
        """Authorize one call; its writes are audited under the caller's id and the name. Raises NotPermitted.

        `also` are the permissions that its arguments need.
        """
        memory = self._memory()
        needed = (REQUIRED_PERMISSIONS[name], *also)
        user, *_ = (
            authorize(caller.principal, permission, user=caller.user, default=memory.settings.user)
            for permission in needed
        )
        audit = None if {*needed} == {"read"} else AuditedWrite(actor=caller.principal.id, action=name)
        return ToolContext(memory.user(user, audit=audit, agent="mcp", zone=caller.zone), memory.settings, memory)
