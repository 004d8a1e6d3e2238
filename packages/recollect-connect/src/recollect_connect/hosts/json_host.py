"""Hosts that keep hooks and servers of tools in JSON files, which are most of them."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from recollect_connect.hosts import entries
from recollect_connect.hosts.host import FileChange, HostPlan, InstallRequest, InstallScope, Machine
from recollect_connect.hosts.json_files import parsed, plan_edit, plan_removal

SCOPES: tuple[InstallScope, ...] = ("user", "project")
TURN_TIMEOUT_S = 15  # more than a hook takes by itself: the host's limit is for a machine that is stuck


class JsonHost(ABC):
    """A host with JSON files. A host without hooks gives no file for them."""

    name: ClassVar[str]
    title: ClassVar[str]
    runs_hooks: ClassVar[bool] = True
    program: ClassVar[str]
    servers_key: ClassVar[str] = "mcpServers"
    nothing: ClassVar[tuple[object, ...]] = ({},)  # what a file says that holds nothing of use

    @abstractmethod
    def folder(self, machine: Machine) -> Path:
        """Give the folder of the user's configuration."""

    @abstractmethod
    def hooks_file(self, machine: Machine, scope: InstallScope) -> Path | None:
        """Give the file of the hooks."""

    @abstractmethod
    def servers_file(self, machine: Machine, scope: InstallScope) -> Path:
        """Give the file of the servers of tools."""

    @abstractmethod
    def hooks(self, request: InstallRequest) -> Mapping[str, object]:
        """Give an entry for each event."""

    def server(self, request: InstallRequest) -> object:
        """Give the entry of the server of tools."""
        command, *arguments = request.mcp_command
        return {"command": command, "args": arguments}

    def notes(self, request: InstallRequest) -> tuple[str, ...]:  # noqa: ARG002 - most hosts need no word
        """Say what the user should know after an installation."""
        return ()

    def find(self, machine: Machine) -> Path | None:
        """Give the program, or else the folder of the user's configuration."""
        folder = self.folder(machine)
        return machine.program(self.program) or (folder if folder.is_dir() else None)

    def installed_in(self, machine: Machine) -> tuple[Path, ...]:
        """List the files with hooks or a server of ours."""
        files = dict.fromkeys(file for scope in SCOPES for file in self._files(machine, scope))
        return tuple(file for file in files if self._holds_ours(parsed(file)))

    def plan_install(self, machine: Machine, request: InstallRequest) -> HostPlan:
        """Plan to add hooks and the server. A server of the same name that is there already stays."""
        hooks_file, servers_file = self.hooks_file(machine, request.scope), self.servers_file(machine, request.scope)
        hooks, server = self.hooks(request), self.server(request)

        def add_server(text: str) -> str:
            return entries.with_server(text, self.servers_key, server)

        def add_hooks(text: str) -> str:
            return entries.with_hooks(self.prepared(text), hooks)

        if hooks_file is None:
            changes: list[FileChange] = [plan_edit(servers_file, add_server)]
        elif hooks_file == servers_file:
            changes = [plan_edit(servers_file, lambda text: add_hooks(add_server(text)))]
        else:
            changes = [plan_edit(servers_file, add_server), plan_edit(hooks_file, add_hooks)]
        return HostPlan(tuple(changes), self.notes(request))

    def prepared(self, text: str) -> str:
        """Give the text of the file of hooks with what the host wants to see in it."""
        return text

    def plan_uninstall(self, machine: Machine, scope: InstallScope) -> HostPlan:
        """Plan to remove hooks and the server."""

        def remove(text: str) -> str:
            return entries.without_hooks(entries.without_server(text, self.servers_key))

        files = self._files(machine, scope)
        return HostPlan(tuple(plan_removal(file, remove, nothing=self.nothing) for file in files))

    def _files(self, machine: Machine, scope: InstallScope) -> tuple[Path, ...]:
        hooks = self.hooks_file(machine, scope)
        return tuple(dict.fromkeys((self.servers_file(machine, scope), *([hooks] if hooks else []))))

    def _holds_ours(self, document: object) -> bool:
        return entries.has_server(document, self.servers_key) or entries.has_hooks(document)


def grouped_hooks(host: str, request: InstallRequest, events: Mapping[str, str], timeout: int) -> dict[str, object]:
    """Give hooks as Claude Code has them, in groups with a matcher; the matcher is left out where it is empty."""
    command = {"type": "command", "command": entries.shell_line(request.hook_command(host)), "timeout": timeout}
    return {
        event: {**({"matcher": matcher} if matcher else {}), "hooks": [command]} for event, matcher in events.items()
    }
