"""The Model Context Protocol for agents, over standard input and output and over HTTP.

    permissions      who calls, and the one table of which permission each tool, resource and prompt needs
    tools            the tools as a model sees them, from tools.json; resources, prompts
    arguments        checks the arguments of a call against the schema of its tool
    server           the server of the official SDK; errors become answers here
    dispatch         authorizes a call and runs its handler; handlers do the work, render says what came of it
    stdio            the server on standard input and output, for `recollect mcp`
    http             the server as an ASGI application, for the service to mount

The invariants: no argument names the user, nothing is done before `authorize`, and what a memory says reaches a model
only in a form that cannot pose as anything but data. Here `mcp` always means the SDK; it is slow to import, so only
`server`, `stdio` and `http` do. It comes with the extra `mcp`, because other programs in the same environment may need
its first major version.
"""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Final

from recollect.errors import SettingsError

if TYPE_CHECKING:
    from recollect.mcp.http import Mcp, create_mcp

__all__ = ["Mcp", "create_mcp", "require_sdk"]

_LEAST_MAJOR: Final = 2


def require_sdk() -> None:
    """Check that the SDK is there, in a version that is supported. Raises SettingsError."""
    try:
        installed = version("mcp")
    except PackageNotFoundError:
        found = "is not installed"
    else:
        if int(installed.partition(".")[0]) >= _LEAST_MAJOR:
            return
        found = f"is installed in version {installed}, because another program here needs that one"
    raise SettingsError(
        f"MCP needs the package mcp, version {_LEAST_MAJOR}.3 or newer, which {found}. Run `pip install "
        "'recollect[mcp]'`, in an environment of its own if another program needs an older one."
    )


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
    """Import a public name at first use; `recollect mcp` needs neither of them."""
    if name not in {"Mcp", "create_mcp"}:
        raise AttributeError(f"module 'recollect.mcp' has no attribute {name!r}")
    return getattr(import_module("recollect.mcp.http"), name)
