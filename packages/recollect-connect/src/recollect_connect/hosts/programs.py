"""The hosts that keep hooks and servers of tools in files: Claude Code, Codex CLI, Cursor, Gemini CLI, OpenCode."""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from recollect_connect.hosts import entries, json_text
from recollect_connect.hosts.entries import shell_line
from recollect_connect.hosts.host import FileChange, HostPlan, InstallRequest, InstallScope, Machine
from recollect_connect.hosts.json_host import (
    SCOPES,
    TURN_TIMEOUT_S,
    JsonHost,
    grouped_hooks,
    parsed,
    plan_edit,
    plan_removal,
)
from recollect_connect.hosts.toml_text import (
    has_block,
    has_table,
    plan_block,
    plan_block_removal,
    toml_array,
    toml_string,
)

_FOLDER = "CLAUDE_CONFIG_DIR"
_TABLE = ("mcp_servers", entries.SERVER)
_CLAUDE_EVENTS = {"SessionStart": "", "UserPromptSubmit": "", "Stop": "", "PreCompact": "", "SessionEnd": ""}
_CURSOR_EVENTS = ("sessionStart", "beforeSubmitPrompt", "afterAgentResponse", "sessionEnd")
_GEMINI_EVENTS = {"SessionStart": "", "BeforeAgent": "", "AfterAgent": "", "SessionEnd": ""}


class ClaudeCode(JsonHost):
    """Anthropic's agent for the terminal."""

    name = "claude-code"
    title = "Claude Code"
    program = "claude"

    def folder(self, machine: Machine) -> Path:
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
        return grouped_hooks(self.name, request, _CLAUDE_EVENTS, TURN_TIMEOUT_S)

    def notes(self, request: InstallRequest) -> tuple[str, ...]:
        """Say how a running session sees it, and what a project's file asks of others."""
        shared = "Claude Code asks each user once whether to trust the servers of .mcp.json."
        begin = "Sessions that are open see it after a restart. In Claude Code, /hooks and /mcp show what is installed."
        return (begin, shared) if request.scope == "project" else (begin,)


class CodexCli:
    """OpenAI's agent for the terminal."""

    name = "codex"
    title = "Codex CLI"
    runs_hooks = True

    def find(self, machine: Machine) -> Path | None:
        """Give the program, or else the folder of the user's configuration."""
        folder = self._folder(machine, "user")
        return machine.program("codex") or (folder if folder.is_dir() else None)

    def installed_in(self, machine: Machine) -> tuple[Path, ...]:
        """List the files with hooks or a server of ours."""
        folders = dict.fromkeys(self._folder(machine, scope) for scope in SCOPES)
        hooks = [file for folder in folders if entries.has_hooks(parsed(file := folder / "hooks.json"))]
        servers = [file for folder in folders if has_block(file := folder / "config.toml")]
        return (*servers, *hooks)

    def plan_install(self, machine: Machine, request: InstallRequest) -> HostPlan:
        """Plan to add hooks and the server. A server of the same name that is there already stays."""
        folder = self._folder(machine, request.scope)
        hooks = self._hooks(request)
        changes: list[FileChange] = []
        if has_block(folder / "config.toml") or not has_table(folder / "config.toml", _TABLE):
            command, *arguments = request.mcp_command
            lines = [f"command = {toml_string(command)}", f"args = {toml_array(arguments)}"]
            changes.append(plan_block(folder / "config.toml", [f"[{'.'.join(_TABLE)}]", *lines]))
        changes.append(plan_edit(folder / "hooks.json", lambda text: entries.with_hooks(text, hooks)))
        return HostPlan(tuple(changes), ("Codex runs new hooks after you have trusted them: type /hooks in Codex.",))

    def plan_uninstall(self, machine: Machine, scope: InstallScope) -> HostPlan:
        folder = self._folder(machine, scope)
        removed = plan_removal(folder / "hooks.json", entries.without_hooks)
        return HostPlan((plan_block_removal(folder / "config.toml"), removed))

    def _hooks(self, request: InstallRequest) -> Mapping[str, object]:
        return grouped_hooks(self.name, request, _CLAUDE_EVENTS, TURN_TIMEOUT_S)

    def _folder(self, machine: Machine, scope: InstallScope) -> Path:
        return machine.folder("CODEX_HOME", ".codex") if scope == "user" else machine.project / ".codex"


class Cursor(JsonHost):
    """The editor, and its agent for the terminal."""

    name = "cursor"
    title = "Cursor"
    program = "cursor"
    nothing: ClassVar[tuple[object, ...]] = ({}, {"version": 1})

    def folder(self, machine: Machine) -> Path:
        return machine.home / ".cursor"

    def hooks_file(self, machine: Machine, scope: InstallScope) -> Path:
        return self._folder_of(machine, scope) / "hooks.json"

    def servers_file(self, machine: Machine, scope: InstallScope) -> Path:
        return self._folder_of(machine, scope) / "mcp.json"

    def hooks(self, request: InstallRequest) -> Mapping[str, object]:
        entry = {"command": shell_line(request.hook_command(self.name)), "timeout": TURN_TIMEOUT_S}
        return dict.fromkeys(_CURSOR_EVENTS, entry)

    def prepared(self, text: str) -> str:
        """Add the version that the file needs."""
        return text if json_text.find(text, ("version",)) else json_text.put(text, ("version",), 1)

    def notes(self, request: InstallRequest) -> tuple[str, ...]:
        """Say what older versions leave out."""
        return (*super().notes(request), "Versions of Cursor that ignore context of a prompt show memory at its start.")

    def _folder_of(self, machine: Machine, scope: InstallScope) -> Path:
        return self.folder(machine) if scope == "user" else machine.project / ".cursor"


class GeminiCli(JsonHost):
    """Google's agent for the terminal."""

    name = "gemini"
    title = "Gemini CLI"
    program = "gemini"

    def folder(self, machine: Machine) -> Path:
        return machine.home / ".gemini"

    def hooks_file(self, machine: Machine, scope: InstallScope) -> Path:
        folder = self.folder(machine) if scope == "user" else machine.project / ".gemini"
        return folder / "settings.json"

    def servers_file(self, machine: Machine, scope: InstallScope) -> Path:
        return self.hooks_file(machine, scope)

    def hooks(self, request: InstallRequest) -> Mapping[str, object]:
        """Give a group for each event. The turn tells all that compression could lose, so there is none for that."""
        return grouped_hooks(self.name, request, _GEMINI_EVENTS, TURN_TIMEOUT_S * 1_000)


class OpenCode(JsonHost):
    """An open agent for the terminal."""

    name = "opencode"
    title = "OpenCode"
    program = "opencode"
    servers_key = "mcp"

    def folder(self, machine: Machine) -> Path:
        return machine.folder("XDG_CONFIG_HOME", ".config") / "opencode"

    def hooks_file(self, machine: Machine, scope: InstallScope) -> None:  # noqa: ARG002 - there is none
        return

    def servers_file(self, machine: Machine, scope: InstallScope) -> Path:
        """Give the configuration of the user or the project, with comments if there is one with comments."""
        folder = self.folder(machine) if scope == "user" else machine.project
        with_comments = folder / "opencode.jsonc"
        return with_comments if with_comments.is_file() else folder / "opencode.json"

    def hooks(self, request: InstallRequest) -> Mapping[str, object]:  # noqa: ARG002 - there are none
        return {}

    def server(self, request: InstallRequest) -> object:
        """Give the entry with the command as one list."""
        return {"type": "local", "command": list(request.mcp_command), "enabled": True}

    def notes(self, request: InstallRequest) -> tuple[str, ...]:  # noqa: ARG002 - as above
        return ("OpenCode runs no programs around a turn, so it gets tools, and nothing is saved by itself.",)
