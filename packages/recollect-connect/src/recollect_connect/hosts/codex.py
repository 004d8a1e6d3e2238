"""Codex CLI: hooks in `hooks.json`, the server of tools in `config.toml`, between two marks."""

from collections.abc import Mapping
from pathlib import Path

from recollect_connect.hosts import entries
from recollect_connect.hosts.host import FileChange, HostPlan, InstallRequest, InstallScope, Machine
from recollect_connect.hosts.json_files import parsed, plan_edit, plan_removal
from recollect_connect.hosts.json_host import SCOPES, TURN_TIMEOUT_S, grouped_hooks
from recollect_connect.hosts.toml_text import (
    has_block,
    has_table,
    plan_block,
    plan_block_removal,
    toml_array,
    toml_string,
)

_EVENTS = {"SessionStart": "", "UserPromptSubmit": "", "Stop": "", "PreCompact": "", "SessionEnd": ""}
_TABLE = ("mcp_servers", entries.SERVER)


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
        """Plan to remove hooks and the server."""
        folder = self._folder(machine, scope)
        removed = plan_removal(folder / "hooks.json", entries.without_hooks)
        return HostPlan((plan_block_removal(folder / "config.toml"), removed))

    def _hooks(self, request: InstallRequest) -> Mapping[str, object]:
        return grouped_hooks(self.name, request, _EVENTS, TURN_TIMEOUT_S)

    def _folder(self, machine: Machine, scope: InstallScope) -> Path:
        return machine.folder("CODEX_HOME", ".codex") if scope == "user" else machine.project / ".codex"
