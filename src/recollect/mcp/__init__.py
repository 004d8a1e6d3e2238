"""The door for agents: the Model Context Protocol, over standard input and output and over HTTP.

    needs      which permission each tool, resource and prompt needs: the one table
    tools, resources, prompts
               what is on offer, as a model sees it
    schemas    what the tools take and give, as JSON Schema; arguments reads what a model passed against one
    callers    who is asking
    server     the server of the official SDK: it knows what is on offer, and turns errors into answers
    desk       asks `authorize`, and has the work done; doing is the work, wording what is said about it
    stdio      the server on standard input and output, for `recollect mcp`
    http       the server as an ASGI application, for the service to mount

The invariants: no argument names the user, nothing is done before `authorize` was asked, and whatever a memory says
reaches a model only in a form that cannot pose as anything but data. Here `mcp` always means the SDK; it takes its
time to import, so only `server`, `stdio` and `http` do.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recollect.mcp.http import Mcp, create_mcp

__all__ = ["Mcp", "create_mcp"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
    """Find a public name at first use; `recollect mcp` needs neither of them."""
    if name not in __all__:
        raise AttributeError(f"module 'recollect.mcp' has no attribute {name!r}")
    return getattr(import_module("recollect.mcp.http"), name)
