"""What `recollect install` knows about a host: where it keeps its configuration, and which files change.

A host reads files and plans; it writes nothing. `changes` shows a plan, applies it and keeps backups. So each host is
a few plain functions, and a dry run is the same code as an installation.
"""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

InstallScope = Literal["user", "project"]


@dataclass(frozen=True, slots=True)
class Machine:
    """Where hosts are looked for: the user's home folder, the project's folder, and the environment."""

    home: Path
    project: Path
    environ: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def here(cls, project: Path | None = None) -> "Machine":
        """Describe this machine, for this user, with the working directory as the project."""
        return cls(Path.home(), (project or Path.cwd()).resolve(), dict(os.environ))

    def program(self, name: str) -> Path | None:
        """Find a program on the PATH."""
        found = shutil.which(name, path=self.environ.get("PATH"))
        return Path(found) if found else None

    def folder(self, variable: str, *default: str) -> Path:
        """Give a folder that an environment variable may name; by default it is beneath the home folder."""
        named = self.environ.get(variable)
        return Path(named).expanduser() if named else self.home.joinpath(*default)


@dataclass(frozen=True, slots=True)
class InstallRequest:
    """What is to be installed. `program` starts Recollect; `options` stand before a command, such as `--user anna`.
    `connection` is the file that tells the hook client where the service is, if it is not the usual one. `url`,
    `key_file` and `starts_service` are for hosts that ask the service themselves. `hook_program` starts a hook faster
    than `program` does, if there is one.
    """

    scope: InstallScope = "user"
    program: tuple[str, ...] = ("recollect",)
    options: tuple[str, ...] = ()
    connection: str = ""
    url: str = ""
    key_file: str = ""
    starts_service: bool = False
    hook_program: tuple[str, ...] = ()

    @property
    def mcp_command(self) -> tuple[str, ...]:
        """The command that serves the tools to an agent over standard input and output."""
        return (*self.program, *self.options, "mcp")

    def hook_command(self, host: str) -> tuple[str, ...]:
        """Give the command that the host runs around a turn; `hook` comes first, for the sake of a fast start."""
        named = ("--connection", self.connection) if self.connection else ()
        return (*(self.hook_program or (*self.program, "hook")), host, *named)


class FileChange(NamedTuple):
    """A file before and after; None: it is not there. A `private` file is for the owner's eyes only."""

    path: Path
    before: bytes | None
    after: bytes | None
    private: bool = False

    @property
    def has_effect(self) -> bool:
        """Whether anything changes."""
        return self.before != self.after


class HostPlan(NamedTuple):
    """The files to change, and what the user should know besides."""

    changes: tuple[FileChange, ...]
    notes: tuple[str, ...] = ()


class Host(Protocol):
    """A program that runs agents. Planning the same thing twice changes nothing the second time."""

    @property
    def name(self) -> str:
        """What is typed after `recollect install`."""
        ...

    @property
    def title(self) -> str:
        """The host's name for people."""
        ...

    @property
    def runs_hooks(self) -> bool:
        """Whether it runs `recollect hook`, which needs a connection to the service."""
        ...

    def find(self, machine: Machine) -> Path | None:
        """Give the program or the folder that shows that the host is used on this machine."""
        ...

    def installed_in(self, machine: Machine) -> tuple[Path, ...]:
        """List the files that hold something of Recollect."""
        ...

    def plan_install(self, machine: Machine, request: InstallRequest) -> HostPlan:
        """Plan what an installation changes. Raises InvalidInput for a file that cannot be understood."""
        ...

    def plan_uninstall(self, machine: Machine, scope: InstallScope) -> HostPlan:
        """Plan what takes everything of Recollect out again."""
        ...


def read_file(path: Path) -> bytes | None:
    """Read a file; None: it is not there."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
