"""Who opens files and starts processes: a short list, so that no stored value becomes a path unseen."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.sources import place, source_files

# Folders and modules that may. Whoever is added has to be in the table of SECURITY.md.
OPENERS = (
    "adding", "cli/", "client/media", "disk/", "documents/", "encryption", "engine/carry/",
    "engine/drafts/kept_secrets", "geocoding/", "hook_client/", "hosts/", "http_client/", "importing/", "mcp/",
    "models/", "originals", "plugins", "private_folders", "service/", "settings/", "storage/", "text/tables/",
    "web/reference",
)  # fmt: skip
STARTERS = (
    "disk/reader_pool", "documents/extract", "geocoding/table_cache", "hook_client/start", "service/worker_processes",
    "storage/postgres/maintenance/dump",
)  # fmt: skip
_OPENS = frozenset({
    "open", "fdopen", "read_text", "read_bytes", "write_text", "write_bytes", "copyfile", "mkstemp",
    "NamedTemporaryFile", "TemporaryFile", "ZipFile", "scandir", "rmtree", "unlink",
})  # fmt: skip
_STARTS = frozenset({"Popen", "check_output", "system", "execv", "execve", "posix_spawn", "get_context"})
_NOT_OF_THE_DISK = frozenset(
    {"Memory", "AsyncMemory", "Client", "store", "self", "cls"}
)  # a store is opened by its own


def _calls(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name):
            yield node.func.id
        elif isinstance(node.func, ast.Attribute):
            owner = node.func.value
            if not (isinstance(owner, ast.Name) and owner.id in _NOT_OF_THE_DISK):
                yield f"subprocess.{node.func.attr}" if _is_subprocess(owner) else node.func.attr


def _is_subprocess(owner: ast.expr) -> bool:
    return isinstance(owner, ast.Name) and owner.id == "subprocess"


def _unlisted(names: frozenset[str], listed: tuple[str, ...]) -> list[str]:
    found = []
    for path in source_files():
        module = place(path).removesuffix(".py")
        calls = {call.rpartition(".")[2] if call != "subprocess.run" else "Popen" for call in _calls(path)}
        if not module.startswith(listed) and names & calls:
            found.append(f"{module} calls {', '.join(sorted(names & calls))}: say in SECURITY.md what stops its values")
    return found


def test_files_are_opened_where_it_is_known() -> None:
    assert _unlisted(_OPENS, OPENERS) == []


def test_processes_are_started_where_it_is_known() -> None:
    assert _unlisted(_STARTS, STARTERS) == []
