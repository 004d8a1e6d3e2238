"""Where a call is let in and done. Nothing else here hands out a user's memories.

It is imported after the protocol has begun to speak: databases and NumPy take their time, and a host that only wants
to know which tools there are need not wait for them.
"""

from collections.abc import Callable, Mapping
from typing import Any

from recollect.access import authorize
from recollect.api.memory import AuditedWrite, Memory
from recollect.errors import NotFound
from recollect.mcp import doing, prompts, resources
from recollect.mcp.arguments import read
from recollect.mcp.callers import Caller
from recollect.mcp.doing import READINGS, TOOL_WORK, Admitted
from recollect.mcp.needs import NEEDS, NEEDS_WITH
from recollect.mcp.resources import Resource
from recollect.mcp.tools import TOOLS
from recollect.mcp.wording import Answer


class Desk:
    """Does what is asked for, for whoever may ask for it. `memory` gives the open store."""

    def __init__(self, memory: Callable[[], Memory]) -> None:
        self._memory = memory

    def tool(self, caller: Caller, name: str, given: Mapping[str, Any]) -> Answer:
        """Do what a tool does. Raises NotPermitted, before anything else is looked at, and InvalidInput."""
        admitted = self._admit(caller, name)
        for (tool, argument), permission in NEEDS_WITH.items():
            if tool == name and given.get(argument) is not None:
                authorize(caller.principal, permission, user=caller.user, default=admitted.me.user_id)
        return TOOL_WORK[name](admitted, read(name, TOOLS[name].takes, given))

    def resource(self, caller: Caller, uri: str) -> tuple[Resource, str]:
        """Give what an address stands for, and what is written there. Raises NotPermitted and NotFound."""
        resource, filled_in = resources.find(uri)
        return resource, READINGS[resource.uri](self._admit(caller, resource.uri), filled_in)

    def prompt(self, caller: Caller, name: str, given: Mapping[str, Any]) -> str:
        """Give the text of a prompt. Raises NotPermitted, NotFound and InvalidInput."""
        if name != prompts.NAME:
            raise NotFound(f"There is no prompt {name[:60]!r}. There is: {prompts.NAME}.")
        admitted = self._admit(caller, name)
        return doing.explain(admitted, read(f"The prompt {name}", prompts.TAKES, given))

    def _admit(self, caller: Caller, name: str) -> Admitted:
        """Let somebody in, for one call of what they named. Raises NotPermitted.

        What they write is noted in the log under their id and the name of what they called.
        """
        memory = self._memory()
        needs = NEEDS[name]
        user = authorize(caller.principal, needs, user=caller.user, default=memory.settings.user)
        audit = None if needs == "read" else AuditedWrite(actor=caller.principal.id, action=name)
        return Admitted(memory.user(user, audit=audit), memory.settings)
