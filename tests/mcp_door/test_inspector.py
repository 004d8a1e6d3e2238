"""The inspector of the protocol's authors, from npm: a client that shares no line with the SDK we serve with.

In full size only, as npm takes longer than all other tests of the door: by day `test_json_lines.py` and
`test_stdio.py` write lines of their own without that SDK.

It is installed once into build/. Without Node.js, or without a registry to install it from, there is
nothing to test with.
"""

import fcntl
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect import Memory
from tests.fixtures import OpenMemory
from tests.mcp_door.conftest import command, listening, somebody

pytestmark = pytest.mark.slow

PACKAGE = "@modelcontextprotocol/inspector"
VERSION = "2.12.0"
INSTALL_S = 300
CALL_S = 300


@pytest.fixture(scope="session")
def inspector() -> Path:
    """The program, installed on demand; test processes that run side by side wait for the one that installs it."""
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("the inspector needs node and npm")
    build = Path(__file__).parents[2] / "build"  # the cache folder of the tests is emptied after each run
    home = build / f"inspector-{VERSION}"
    program = home / "node_modules" / ".bin" / "mcp-inspector"
    build.mkdir(exist_ok=True)
    with (build / "inspector.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not program.exists():
            _install(home)
    tried = subprocess.run(["node", str(program), "--cli", "--help"], capture_output=True, text=True, check=False)
    if tried.returncode:
        pytest.skip(f"this Node.js cannot run the inspector {VERSION}")
    return program


def _install(home: Path) -> None:
    """Install next to where it belongs, and put it there whole."""
    fresh = home.with_suffix(".new")
    shutil.rmtree(fresh, ignore_errors=True)
    shutil.rmtree(home, ignore_errors=True)
    quietly = ["--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=1", "--loglevel=error"]
    asked = ["npm", "install", "--prefix", str(fresh), *quietly, f"{PACKAGE}@{VERSION}"]
    try:
        ended = subprocess.run(asked, capture_output=True, timeout=INSTALL_S, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip("the inspector could not be installed in time")
    if ended.returncode:
        pytest.skip("the inspector could not be installed: npm reaches no registry that has it")
    fresh.rename(home)


class Inspector:
    """Asks one server."""

    def __init__(self, program: Path, environment: dict[str, str], *server: str, era: str) -> None:
        self._typed = [
            "node",
            str(program),
            "--cli",
            "--format",
            "json",
            "--quiet",
            "--connect-timeout",
            "120000",
            "--protocol-era",
            era,
        ]
        self._server = server
        self._environment = environment

    def __call__(self, method: str, *more: str) -> Any:
        """Ask, and give the result."""
        asked = [*self._typed, "--method", method, *more, *self._server]
        ended = subprocess.run(
            asked, env=self._environment, capture_output=True, text=True, timeout=CALL_S, check=False
        )
        assert ended.returncode == 0, ended.stderr
        assert "Warning" not in ended.stderr, ended.stderr
        return json.loads(ended.stdout)["result"]

    def call(self, tool: str, **given: object) -> Any:
        """Call a tool."""
        return self("tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(given))


@pytest.fixture
def surroundings(environment: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """What the inspector gets: a home of its own, where it may leave its files."""
    return {**environment, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1", "HOME": str(tmp_path)}


def _uses(inspect: Inspector) -> None:
    stored = inspect.call("memory_store", content="User prefers TypeScript", type="preference")
    assert stored["structuredContent"]["action"] == "created"
    recalled = inspect.call("memory_recall", query="TypeScript", limit=3)
    assert recalled["content"][0]["text"].startswith("Found 1 memory:\n\n1. [preference] User prefers TypeScript (")
    assert recalled["structuredContent"]["memories"][0]["id"] == stored["structuredContent"]["id"]


def test_it_lists_and_calls_over_standard_input_and_output(
    inspector: Path, surroundings: dict[str, str], tmp_path: Path
) -> None:
    typed = command("--database", str(tmp_path / "memory.db"), "mcp")
    inspect = Inspector(inspector, surroundings, "--", *typed, era="legacy")
    listed = inspect("tools/list", "--strict")["tools"]  # fails on schemas that some models cannot take
    assert [tool["name"] for tool in listed] == [
        "memory_recall",
        "memory_store",
        "memory_forget",
        "search_context",
        "memory_about",
        "memory_places",
        "memory_rate",
        "memory_get",
        "memory_list",
        "memory_update",
        "memory_facts",
        "memory_similar",
        "memory_clusters",
    ]
    assert all(tool["annotations"]["openWorldHint"] is False for tool in listed)
    _uses(inspect)


@pytest.fixture
def url(open_memory: OpenMemory) -> Iterator[str]:
    """The address of the door over HTTP."""
    memory: Memory = open_memory(embedding__provider="none")
    with listening(memory, {"anna": (somebody("anna", "read", "write"), "")}) as address:
        yield address


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_it_calls_over_http(inspector: Path, surroundings: dict[str, str], url: str) -> None:
    server = ("--transport", "http", "--server-url", url, "--header", "Authorization: Bearer anna")
    inspect = Inspector(inspector, surroundings, *server, era="modern")
    _uses(inspect)
    assert {one["uri"] for one in inspect("resources/list")["resources"]} >= {"memory://recent", "memory://stats"}
    read = inspect("resources/read", "--uri", "memory://preferences")
    assert "User prefers TypeScript" in read["contents"][0]["text"]
    shown = inspect("prompts/get", "--prompt-name", "memory", "--prompt-args", "question=TypeScript")
    assert "User prefers TypeScript" in shown["messages"][0]["content"]["text"]
