"""Gemini CLI: hooks and the server of tools in one settings file; times are in milliseconds."""

from collections.abc import Mapping
from pathlib import Path

from recollect_connect.hosts.host import InstallRequest, InstallScope, Machine
from recollect_connect.hosts.json_host import TURN_TIMEOUT_S, JsonHost, grouped_hooks

_EVENTS = {"SessionStart": "", "BeforeAgent": "", "AfterAgent": "", "SessionEnd": ""}


class GeminiCli(JsonHost):
    """Google's agent for the terminal."""

    name = "gemini"
    title = "Gemini CLI"
    program = "gemini"

    def folder(self, machine: Machine) -> Path:
        """Give `~/.gemini`."""
        return machine.home / ".gemini"

    def hooks_file(self, machine: Machine, scope: InstallScope) -> Path:
        """Give the settings of the user or the project."""
        folder = self.folder(machine) if scope == "user" else machine.project / ".gemini"
        return folder / "settings.json"

    def servers_file(self, machine: Machine, scope: InstallScope) -> Path:
        """Give the same settings."""
        return self.hooks_file(machine, scope)

    def hooks(self, request: InstallRequest) -> Mapping[str, object]:
        """Give a group for each event. The turn tells all that compression could lose, so there is none for that."""
        return grouped_hooks(self.name, request, _EVENTS, TURN_TIMEOUT_S * 1_000)
