"""A hook runs at each turn of an agent, so it imports next to nothing."""

import json
import os
import subprocess
import sys
from pathlib import Path

import platformdirs
import pytest
from tests.constraints import declared
from tests.service.conftest import Running

from recollect_connect.hook_client import folders
from tests_connect.hook_client.conftest import Connect, context_of, event

PACKAGE = Path(__file__).parents[2]
SCRIPT = PACKAGE / "scripts" / "recollect-hook"
HEAVY = {
    "apsw", "asyncio", "fastapi", "httpx2", "mcp", "numpy", "onnxruntime", "pgvector", "platformdirs", "psycopg",
    "pydantic", "rich", "starlette", "tokenizers", "typer", "uvicorn",
}  # fmt: skip
SLOW = {
    "argparse", "dataclasses", "email", "enum", "http", "importlib", "inspect", "json", "logging", "pathlib", "re",
    "socket", "subprocess", "typing", "urllib",
}  # fmt: skip
# The command ends its process without further ado, so its modules are listed at that moment.
LISTED = "import os, sys; os._exit = lambda code: sys.exit(sys.stderr.write(' '.join(sys.modules)) * code); "


def run(content: bytes, connection: Path) -> tuple[str, set[str]]:
    """Run the command in a Python of its own, and give what it printed and the modules that it imported."""
    typed = [sys.executable, "-c", f"{LISTED}exec({SCRIPT.read_text()!r})", "claude-code"]
    typed += ["--connection", str(connection)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    ended = subprocess.run(typed, input=content, capture_output=True, check=True, env=environment)
    return ended.stdout.decode(), set(ended.stderr.decode().split())


@pytest.mark.parametrize("name", ["SessionStart", "UserPromptSubmit", "Stop"])
def test_a_hook_imports_nothing_heavy(running: Running, connect: Connect, tmp_path: Path, name: str) -> None:
    running.memory.user("default").remember("The webshop uses the database PostgreSQL 16", type="fact")
    made = connect()
    file = tmp_path / "hook.json"
    file.write_text(json.dumps({"url": made.url, "key": made.key, "spool_folder": made.spool_folder}))
    question = "Which database does the webshop use?"
    printed, modules = run(event(name, prompt=question, last_assistant_message="PostgreSQL."), file)
    if name != "Stop":
        assert "PostgreSQL 16" in context_of(printed)
    assert not modules & HEAVY
    assert not modules & SLOW
    ours = {module for module in modules if module.startswith("recollect.")}
    assert {module.split(".")[1] for module in ours} == {"_version", "plugins"}


def test_a_hook_without_a_service_imports_nothing_heavy_either(tmp_path: Path) -> None:
    file = tmp_path / "hook.json"
    file.write_text(json.dumps({"url": "http://127.0.0.1:1", "spool_folder": str(tmp_path / "spool")}))
    printed, modules = run(event("UserPromptSubmit", prompt="Hello?"), file)
    assert printed == ""
    assert not modules & (HEAVY | SLOW)


def test_scripts_go_past_the_command_line_for_a_hook() -> None:
    assert declared()["project"]["scripts"]["recollect"] == "recollect.__main__:main"
    scripts = declared(PACKAGE)["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-scripts"]
    assert scripts == {str(SCRIPT.relative_to(PACKAGE)): SCRIPT.name}
    assert SCRIPT.read_text().startswith("#!python\n"), "which installers replace by the Python of the environment"


def test_folders_are_those_of_platformdirs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for _ in range(2):
        config = platformdirs.user_config_dir("recollect", appauthor=False)
        assert folders.config_file() == str(Path(config) / "hook.json")
        assert folders.data_folder() == platformdirs.user_data_dir("recollect", appauthor=False)
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
