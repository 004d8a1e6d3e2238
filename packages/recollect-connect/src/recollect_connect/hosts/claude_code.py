"""Claude Code: hooks in its settings, the server of tools where `claude mcp list` looks for it."""

from collections.abc import Mapping
from pathlib import Path

from recollect_connect.hosts.host import InstallRequest, InstallScope, Machine
from recollect_connect.hosts.json_host import TURN_TIMEOUT_S, JsonHost, grouped_hooks

_FOLDER = "CLAUDE_CONFIG_DIR"
_EVENTS = {"SessionStart": "", "UserPromptSubmit": "", "Stop": "", "PreCompact": "", "SessionEnd": ""}


class ClaudeCode(JsonHost):
    """Anthropic's agent for the terminal."""

    name = "claude-code"
    title = "Claude Code"
    program = "claude"

    def folder(self, machine: Machine) -> Path:
        """Give `~/.claude`."""
        return machine.folder(_FOLDER, ".claude")

    def hooks_file(self, machine: Machine, scope: InstallScope) -> Path:
        """Give the user's settings, or those of the project that are shared with others."""
        folder = self.folder(machine) if scope == "user" else machine.project / ".claude"
        return folder / "settings.json"

    def servers_file(self, machine: Machine, scope: InstallScope) -> Path:
        """Give `~/.claude.json`, or the project's `.mcp.json`."""
        if scope == "project":
            return machine.project / ".mcp.json"
        return (machine.folder(_FOLDER) if _FOLDER in machine.environ else machine.home) / ".claude.json"

    def server(self, request: InstallRequest) -> object:
        """Give the entry as `claude mcp add` writes it."""
        command, *arguments = request.mcp_command
        return {"type": "stdio", "command": command, "args": arguments, "env": {}}

    def hooks(self, request: InstallRequest) -> Mapping[str, object]:
        """Give a group for each event."""
        return grouped_hooks(self.name, request, _EVENTS, TURN_TIMEOUT_S)

    def notes(self, request: InstallRequest) -> tuple[str, ...]:
        """Say how a running session sees it, and what a project's file asks of others."""
        shared = "Claude Code asks each user once whether to trust the servers of .mcp.json."
        begin = "Sessions that are open see it after a restart. In Claude Code, /hooks and /mcp show what is installed."
        return (begin, shared) if request.scope == "project" else (begin,)
