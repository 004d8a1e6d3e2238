"""The OpenClaw plugin against a small host double, in Node; `make openclaw` runs it in the real host."""

import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from recollect import __version__, load_settings
from recollect.model.literals import MEMORY_TYPES, TYPE_ALIASES
from recollect.service.requests import LONGEST_CONTENT, LONGEST_QUERY, MOST_ITEMS
from tests.service.conftest import Running, serve, service

__all__ = ["serve", "service"]

PLUGIN = Path(__file__).parents[2] / "plugins" / "openclaw"
LEAST_NODE = 20


@pytest.fixture(scope="module")
def node() -> str:
    """Node, as old as the plugin supports, or newer."""
    program = shutil.which("node")
    if program is None:
        pytest.skip("Node is not installed, so the OpenClaw plugin cannot be run")
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    if int(version.removeprefix("v").partition(".")[0]) < LEAST_NODE:
        pytest.skip(f"Node {version} is older than {LEAST_NODE}, which the OpenClaw plugin needs")
    return program


def test_the_plugin_does_what_its_host_expects(node: str) -> None:
    tests = sorted(map(str, (PLUGIN / "test").glob("*.test.js")))
    done = subprocess.run([node, "--test", *tests], check=False, capture_output=True, text=True, cwd=PLUGIN)
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr


def test_the_plugin_does_what_its_tools_and_commands_say(node: str, service: Running) -> None:
    environ = {
        "RECOLLECT_URL": service.url,
        "RECOLLECT_KEY": service.key(),
        "RECOLLECT_ADMIN_KEY": service.key(scopes=("admin",)),
    }
    command = [node, "--test", str(PLUGIN / "test" / "service.test.js")]
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, cwd=PLUGIN, env={**os.environ, **environ}
    )
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr
    assert "skipped 0" in done.stdout, done.stdout


def test_the_tools_take_what_the_service_takes(node: str) -> None:
    script = "import { TOOLS } from './src/tools.js'; console.log(JSON.stringify(TOOLS))"
    command = [node, "--input-type=module", "--eval", script]
    printed = subprocess.run(command, check=True, capture_output=True, text=True, cwd=PLUGIN).stdout
    fields = {tool["name"]: tool["parameters"]["properties"] for tool in json.loads(printed)}
    for name in ("memory_recall", "memory_store"):
        assert fields[name]["type"]["enum"] == [*MEMORY_TYPES, *TYPE_ALIASES]
    assert fields["memory_store"]["content"]["maxLength"] == LONGEST_CONTENT
    for name in ("memory_recall", "search_context"):
        assert (fields[name]["query"]["maxLength"], fields[name]["limit"]["maximum"]) == (LONGEST_QUERY, MOST_ITEMS)


def test_the_plugin_is_published_with_all_its_files_and_without_dependencies() -> None:
    package = json.loads((PLUGIN / "package.json").read_text())
    assert package["version"] == __version__
    assert f'"{__version__}"' in (PLUGIN / "src" / "version.js").read_text(encoding="utf-8")
    assert not {"dependencies", "devDependencies", "peerDependencies"} & set(package)
    left_out = {"package.json", "test"}  # npm always takes the one, and the other is for developers
    assert {path.name for path in PLUGIN.iterdir()} - left_out == set(package["files"])
    for folder in ("", "beside/"):
        manifest = json.loads((PLUGIN / f"{folder}openclaw.plugin.json").read_text())
        assert (manifest["version"], manifest["configSchema"]["additionalProperties"]) == (__version__, False)


def test_a_service_that_the_plugin_starts_gets_the_settings_as_they_are_written(node: str, tmp_path: Path) -> None:
    """What reaches the service in its environment means what the same settings mean in a file."""
    given = {
        "database": {
            "host": "db", "port": 5433, "database": "a b", "user": "u@x", "password": "p/@:${SECRET}", "ssl": True
        },
        "embedding": {"provider": "e5-local", "model": "m", "apiKey": "${SECRET}", "e5Endpoint": "http://127.0.0.1:9"},
        "zaiApiKey": "z", "autoCapture": False, "autoRecall": True, "sessionSummaries": True,
    }  # fmt: skip
    file = tmp_path / "service.json"
    file.write_text(json.dumps(given))
    script = (
        "import { serviceEnvironment } from './src/config.js'; import { readFileSync } from 'node:fs';"
        "console.log(JSON.stringify(serviceEnvironment(JSON.parse(readFileSync(process.argv[1])), {SECRET: 's#'})))"
    )
    command = [node, "--input-type=module", "--eval", script, str(file)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True, cwd=PLUGIN).stdout
    started = load_settings(environ=json.loads(printed))
    written = load_settings(file, environ={"SECRET": "s#"})
    assert replace(started, sources={}) == replace(written, sources={})
