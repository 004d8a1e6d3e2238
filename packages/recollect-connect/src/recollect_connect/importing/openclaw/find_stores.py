"""Finds what OpenClaw keeps beneath a folder: workspaces, session logs, databases. It only ever looks.

A workspace is known by the files that OpenClaw puts there; state and workspaces may lie in one folder, or
apart, or one in the other.
"""

import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Final, NamedTuple

from recollect.errors import InvalidDocument

FORMAT: Final = "openclaw"
ARCHIVED: Final = "put away by a reset, a deletion or a repair"
SESSION_INDEX: Final = "an index of sessions, not what was said"
TRACE: Final = "a trace of a session, which the session's own log tells better"
INSTRUCTIONS: Final = "instructions for the agent, not memory"
NOT_MEMORY: Final = "not part of OpenClaw's memory"
LINKED: Final = "a link, which is not followed"
UNREADABLE: Final = "it cannot be read"

NOTES: Final = ("/MEMORY.md", "/memory.md", "/USER.md", "/memory/**/*.md")
LOGS: Final = ("/*.jsonl",)
TRACES: Final = ("*.trajectory.jsonl", "*.checkpoint.*.jsonl")

_SIGNS: Final = frozenset({"MEMORY.md", "memory.md", "USER.md", "SOUL.md"})
NOTES_AT_THE_TOP: Final = frozenset({"MEMORY.md", "memory.md", "USER.md"})
_INSTRUCTIONS: Final = frozenset(
    {"SOUL.md", "AGENTS.md", "TOOLS.md", "IDENTITY.md", "HEARTBEAT.md", "BOOTSTRAP.md", "BOOT.md"}
)
_HOMES: Final = (".openclaw", ".clawdbot", ".moltbot", ".moldbot")
_NOT_ENTERED: Final = frozenset({"node_modules", "__pycache__", "venv", "sandboxes", "credentials", "browser", "media"})
_DATED: Final = re.compile(r"\d{4}-\d{2}-\d{2}.*\.md")
_TRACE: Final = re.compile(r".*\.(?:trajectory|checkpoint\..*)\.jsonl")
_DEEPEST: Final = 8
_STATE: Final = "openclaw-agent.sqlite"


class LeftOut(NamedTuple):
    """Something that was found and is not brought."""

    what: str
    reason: str
    path: str


@dataclass(slots=True)
class OpenClawStores:
    """What lies beneath a folder."""

    root: Path
    workspaces: list[Path] = field(default_factory=list)
    session_folders: list[Path] = field(default_factory=list)
    databases: list[Path] = field(default_factory=list)
    logs: set[str] = field(default_factory=set)  # the names of session logs
    left_out: list[LeftOut] = field(default_factory=list)

    def leave_out(self, what: str, reason: str, path: Path) -> None:
        """Note something that is not brought."""
        self.left_out.append(LeftOut(what, reason, path.relative_to(self.root).as_posix()))

    def counted_in(self, folder: Path) -> int:
        """Count the files in a folder that are noted already."""
        place = folder.relative_to(self.root)
        return sum(one.what == "files" and Path(one.path).parent == place for one in self.left_out)


def find(given: str | PathLike[str]) -> OpenClawStores:
    """Look through a folder. Raises InvalidDocument when nothing of OpenClaw is in it."""
    try:
        root = Path(given).expanduser().resolve(strict=True)
        names = sorted(one.name for one in root.iterdir())
    except (OSError, RuntimeError, ValueError) as error:
        raise InvalidDocument(f"{given} cannot be looked into: {error}. Pass the folder of OpenClaw.") from error
    found = OpenClawStores(root)
    for folder, folders, files in _walk(found):
        _look(found, folder, folders, files)
    if not (found.workspaces or found.session_folders or found.databases):
        raise InvalidDocument(
            f"{root} holds nothing of OpenClaw: no workspace (MEMORY.md, USER.md, memory/2026-01-31.md), no session "
            f"logs (sessions/*.jsonl), no index (*.sqlite). Found: {', '.join(names[:8]) or 'nothing'}."
        )
    return found


def agent_of(database: Path) -> str:
    """Say whose database it is: `memory/<agent>.sqlite`, or `agents/<agent>/agent/openclaw-agent.sqlite`."""
    if database.name != _STATE:
        return database.stem
    above = database.parent.parent if database.parent.name == "agent" else database.parent
    return above.name or "main"


def newest_first(databases: Sequence[Path]) -> list[Path]:
    """Sort what newer releases keep before what older ones left behind."""
    return sorted(databases, key=lambda path: (path.name != _STATE, path))


def _walk(found: OpenClawStores) -> Iterator[tuple[Path, list[str], list[str]]]:
    def unreadable(error: OSError) -> None:
        found.leave_out("folders", UNREADABLE, Path(error.filename or found.root))

    for place, folders, files in os.walk(found.root, onerror=unreadable):
        folder = Path(place)
        for name in [name for name in folders if (folder / name).is_symlink()]:
            found.leave_out("folders", LINKED, folder / name)
            folders.remove(name)
        deep = len(folder.relative_to(found.root).parts) >= _DEEPEST
        folders[:] = [] if deep else sorted(name for name in folders if _is_entered(name))
        yield folder, folders, sorted(name for name in files if _is_file(folder / name))


def _is_entered(name: str) -> bool:
    return name not in _NOT_ENTERED and (not name.startswith(".") or name.startswith(_HOMES))


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _look(found: OpenClawStores, folder: Path, folders: Sequence[str], files: Sequence[str]) -> None:
    if _SIGNS.intersection(files) or ("memory" in folders and _has_dated_notes(folder / "memory")):
        found.workspaces.append(folder)
        for name in files:
            if name in _INSTRUCTIONS:
                found.leave_out("files", INSTRUCTIONS, folder / name)
            elif name.endswith(".md") and name not in NOTES_AT_THE_TOP:
                found.leave_out("files", NOT_MEMORY, folder / name)
    if folder.name == "sessions":
        _look_at_sessions(found, folder, files)
    found.databases.extend(folder / name for name in files if name.endswith(".sqlite"))


def _look_at_sessions(found: OpenClawStores, folder: Path, files: Sequence[str]) -> None:
    logs = [name for name in files if name.endswith(".jsonl") and not _TRACE.fullmatch(name)]
    if logs:
        found.session_folders.append(folder)
        found.logs.update(logs)
    for name in files:
        if name == "sessions.json":
            found.leave_out("files", SESSION_INDEX, folder / name)
        elif _TRACE.fullmatch(name):
            found.leave_out("session logs", TRACE, folder / name)
        elif ".jsonl." in name and not name.endswith(".lock"):
            found.leave_out("session logs", ARCHIVED, folder / name)


def _has_dated_notes(folder: Path) -> bool:
    try:
        return any(_DATED.fullmatch(one.name) for one in folder.iterdir())
    except OSError:
        return False
