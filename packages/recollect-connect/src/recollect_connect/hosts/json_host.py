"""Hosts that keep hooks and servers of tools in JSON files, which are most of them; and changes of such files."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar

from recollect.errors import InvalidInput
from recollect_connect.hosts import entries, json_text
from recollect_connect.hosts.changes import backup_of
from recollect_connect.hosts.host import FileChange, HostPlan, InstallRequest, InstallScope, Machine, read_file

JsonEdit = Callable[[str], str]

_BOM = "\ufeff"
_EMPTY: tuple[object, ...] = ({}, [])

SCOPES: tuple[InstallScope, ...] = ("user", "project")
TURN_TIMEOUT_S = 15  # more than a hook takes by itself: the host's limit is for a machine that is stuck


def plan_edit(path: Path, edit: JsonEdit) -> FileChange:
    """Plan an edit of a file; one that is not there, or is empty, begins as an empty object."""
    before = read_file(path)
    text = _decoded(path, before)
    return FileChange(path, before, _encoded(_edited(path, text if text.strip() else "{}\n", edit), before))


def plan_removal(path: Path, edit: JsonEdit, *, nothing: tuple[object, ...] = _EMPTY) -> FileChange:
    """Plan an edit that takes out what `plan_edit` put in.

    If the file then says what its backup says, it gets the bytes of the backup. A file that had no backup, because an
    installation made it, is deleted when nothing is left in it, or what counts as `nothing`.
    """
    before = read_file(path)
    text = _decoded(path, before)
    if before is None or not text.strip():
        return FileChange(path, before, before)
    edited = _edited(path, text, edit)
    if edited == text:
        return FileChange(path, before, before)
    saved = read_file(backup_of(path))
    if saved is None:
        return FileChange(path, before, None if json_text.parse(edited) in nothing else _encoded(edited, before))
    return FileChange(path, before, saved if _says_the_same(saved, edited) else _encoded(edited, before))


def parsed(path: Path) -> object:
    """Give what a file says; None if it is not there or cannot be read."""
    try:
        return json_text.parse(_decoded(path, read_file(path)))
    except (json_text.InvalidJson, InvalidInput):
        return None


def _says_the_same(saved: bytes, edited: str) -> bool:
    try:
        return _without_empty(json_text.parse(saved.decode("utf-8-sig"))) == _without_empty(json_text.parse(edited))
    except ValueError:
        return False


def _without_empty(value: object) -> object:
    """Leave out empty objects and lists, which say nothing."""
    if isinstance(value, dict):
        pruned = {key: _without_empty(member) for key, member in value.items()}
        return {key: member for key, member in pruned.items() if member not in _EMPTY}
    if isinstance(value, list):
        return [_without_empty(item) for item in value]
    return value


def _decoded(path: Path, content: bytes | None) -> str:
    try:
        return (content or b"").decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8: byte {error.start} cannot be read. It is left as it is.") from None


def _encoded(text: str, before: bytes | None) -> bytes:
    mark = _BOM if before and before.startswith(_BOM.encode()) else ""
    return (mark + text).encode()


def _edited(path: Path, text: str, edit: JsonEdit) -> str:
    try:
        return edit(text)
    except json_text.InvalidJson as error:
        raise InvalidInput(
            f"{path}, line {error.line}: not the JSON that was expected there. It is left as it is; mend it and try "
            "again."
        ) from None


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
