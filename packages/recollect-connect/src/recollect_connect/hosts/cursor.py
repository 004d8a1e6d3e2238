"""Cursor: a file of hooks with flat entries, and a file of servers."""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from recollect_connect.hosts import json_text
from recollect_connect.hosts.entries import shell_line
from recollect_connect.hosts.host import InstallRequest, InstallScope, Machine
from recollect_connect.hosts.json_host import TURN_TIMEOUT_S, JsonHost

_EVENTS = ("sessionStart", "beforeSubmitPrompt", "afterAgentResponse", "sessionEnd")


class Cursor(JsonHost):
    """The editor, and its agent for the terminal."""

    name = "cursor"
    title = "Cursor"
    program = "cursor"
    nothing: ClassVar[tuple[object, ...]] = ({}, {"version": 1})

    def folder(self, machine: Machine) -> Path:
        """Give `~/.cursor`."""
        return machine.home / ".cursor"

    def hooks_file(self, machine: Machine, scope: InstallScope) -> Path:
        """Give `hooks.json` of the user or the project."""
        return self._folder_of(machine, scope) / "hooks.json"

    def servers_file(self, machine: Machine, scope: InstallScope) -> Path:
        """Give `mcp.json` of the user or the project."""
        return self._folder_of(machine, scope) / "mcp.json"

    def hooks(self, request: InstallRequest) -> Mapping[str, object]:
        """Give an entry for each event."""
        entry = {"command": shell_line(request.hook_command(self.name)), "timeout": TURN_TIMEOUT_S}
        return dict.fromkeys(_EVENTS, entry)

    def prepared(self, text: str) -> str:
        """Add the version that the file needs."""
        return text if json_text.find(text, ("version",)) else json_text.put(text, ("version",), 1)

    def notes(self, request: InstallRequest) -> tuple[str, ...]:
        """Say what older versions leave out."""
        return (*super().notes(request), "Versions of Cursor that ignore context of a prompt show memory at its start.")

    def _folder_of(self, machine: Machine, scope: InstallScope) -> Path:
        return self.folder(machine) if scope == "user" else machine.project / ".cursor"
