"""OpenCode: the server of tools. It runs no programs as hooks; only plugins in JavaScript see its turns."""

from collections.abc import Mapping
from pathlib import Path

from recollect_connect.hosts.host import InstallRequest, InstallScope, Machine
from recollect_connect.hosts.json_host import JsonHost


class OpenCode(JsonHost):
    """An open agent for the terminal."""

    name = "opencode"
    title = "OpenCode"
    program = "opencode"
    servers_key = "mcp"

    def folder(self, machine: Machine) -> Path:
        """Give `~/.config/opencode`."""
        return machine.folder("XDG_CONFIG_HOME", ".config") / "opencode"

    def hooks_file(self, machine: Machine, scope: InstallScope) -> None:  # noqa: ARG002 - there is none
        """Give none."""
        return

    def servers_file(self, machine: Machine, scope: InstallScope) -> Path:
        """Give the configuration of the user or the project, with comments if there is one with comments."""
        folder = self.folder(machine) if scope == "user" else machine.project
        with_comments = folder / "opencode.jsonc"
        return with_comments if with_comments.is_file() else folder / "opencode.json"

    def hooks(self, request: InstallRequest) -> Mapping[str, object]:  # noqa: ARG002 - there are none
        """Give none."""
        return {}

    def server(self, request: InstallRequest) -> object:
        """Give the entry with the command as one list."""
        return {"type": "local", "command": list(request.mcp_command), "enabled": True}

    def notes(self, request: InstallRequest) -> tuple[str, ...]:  # noqa: ARG002 - as above
        """Say what is missing."""
        return ("OpenCode runs no programs around a turn, so it gets tools, and nothing is saved by itself.",)
