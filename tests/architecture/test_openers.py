"""Who opens files and starts processes: a short list, so that no stored value becomes a path unseen."""

from pathlib import Path

from tests.sources import outline, place, source_files

# Folders and modules that may. Whoever is added has to be in the table of SECURITY.md.
OPENERS = (
    "adding", "cli/", "client/media", "disk/", "documents/", "encryption", "engine/carry/",
    "engine/drafts/kept_secrets", "geocoding/", "hook_client/", "hosts/", "http_client/", "importing/", "mcp/",
    "models/", "originals", "plugins", "private_folders", "service/", "settings/", "storage/", "text/tables/",
    "web/reference",
)  # fmt: skip
STARTERS = (
    "disk/reader_pool", "documents/extract", "geocoding/table_cache", "hook_client/start", "service/worker_processes",
    "storage/postgres/dump",
)  # fmt: skip
_OPENS = frozenset({
    "open", "fdopen", "read_text", "read_bytes", "write_text", "write_bytes", "copyfile", "mkstemp",
    "NamedTemporaryFile", "TemporaryFile", "ZipFile", "scandir", "rmtree", "unlink",
})  # fmt: skip
_STARTS = frozenset({"Popen", "check_output", "system", "execv", "execve", "posix_spawn", "get_context"})
_NOT_OF_THE_DISK = frozenset(
    {"Memory", "AsyncMemory", "Client", "store", "self", "cls"}
)  # a store is opened by its own


def _calls(path: Path) -> set[str]:
    return {
        "Popen" if (owner, name) == ("subprocess", "run") else name
        for owner, name in outline(path).calls
        if owner not in _NOT_OF_THE_DISK
    }


def _unlisted(names: frozenset[str], listed: tuple[str, ...]) -> list[str]:
    found = []
    for path in source_files():
        module = place(path).removesuffix(".py")
        calls = _calls(path)
        if not module.startswith(listed) and names & calls:
            found.append(f"{module} calls {', '.join(sorted(names & calls))}: say in SECURITY.md what stops its values")
    return found


def test_files_are_opened_where_it_is_known() -> None:
    assert _unlisted(_OPENS, OPENERS) == []


def test_processes_are_started_where_it_is_known() -> None:
    assert _unlisted(_STARTS, STARTERS) == []
