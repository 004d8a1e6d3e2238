"""The client for JavaScript and TypeScript, run in Node against a service; `tests/surface` writes its types."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from recollect import __version__
from recollect.client.conversation import ServiceConversation
from recollect.client.user import ServiceUserMemory
from tests.clients.test_signatures import verbs
from tests.service.conftest import Running, Serve

ROOT: Final = Path(__file__).parents[2]
CLIENT: Final = ROOT / "clients" / "typescript"
LEAST_NODE: Final = (20, 3)
COMPILER: Final = ("typescript@5", "@types/node@20")

# Verbs of the Python client that this one lacks. A new verb needs a twin or a line here.
PYTHON_ONLY: Final = {"messages", "places", "user_id", "address"}

BUILT_IN: Final = {"AbortSignal", "ArrayBuffer", "Blob", "Iterable", "Promise", "Uint8Array"}
_EXAMPLE = re.compile(r"```js\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL)

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


@pytest.fixture(scope="module")
def node() -> str:
    """Node, as old as the client supports, or newer."""
    program = shutil.which("node")
    if program is None:
        pytest.skip("Node is not installed, so the client for JavaScript cannot be run")
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    if tuple(map(int, version.removeprefix("v").split(".")[:2])) < LEAST_NODE:
        pytest.skip(f"Node {version} is older than the client for JavaScript needs")
    return program


def run(folder: Path, *command: str | Path, environ: Mapping[str, str] | None = None) -> str:
    """Run a command to its end, and give what it printed."""
    ran = subprocess.run(
        command, cwd=folder, env={**os.environ, **(environ or {})}, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, f"{command}:\n{ran.stdout[-20_000:]}\n{ran.stderr[-4_000:]}"
    return ran.stdout


def installed(folder: Path) -> Path:
    """Put the client where Node finds it by its name."""
    modules = folder / "node_modules"
    modules.mkdir()
    (modules / "recollect-client").symlink_to(CLIENT, target_is_directory=True)
    return folder


def test_the_client_does_what_it_promises(serve: Serve, node: str) -> None:
    service, limited = serve(), serve(serve__burst=2, serve__requests_per_minute=1)
    environ = {
        "RECOLLECT_URL": service.url,
        "RECOLLECT_KEY": service.key(),
        "RECOLLECT_ADMIN_KEY": service.key(scopes=("admin",)),
        "RECOLLECT_LIMITED_URL": limited.url,
    }
    tests = sorted(map(str, (CLIENT / "test").glob("*.test.js")))
    printed = run(CLIENT, node, "--test", "--test-reporter=tap", *tests, environ=environ)
    assert re.search(r"^# pass \d\d$", printed, re.MULTILINE), printed


@pytest.mark.parametrize("page", [CLIENT / "README.md", ROOT / "docs" / "clients.md"], ids=lambda page: page.name)
def test_examples_print_what_they_show(service: Running, node: str, tmp_path: Path, page: Path) -> None:
    ((source, expected),) = _EXAMPLE.findall(page.read_text(encoding="utf-8"))
    (installed(tmp_path) / "example.mjs").write_text(source, encoding="utf-8")
    environ = {"RECOLLECT_URL": service.url, "RECOLLECT_KEY": service.key()}
    assert run(tmp_path, node, "example.mjs", environ=environ) == expected


def test_the_package_has_all_its_files_and_no_dependencies(database: str) -> None:
    package = json.loads((CLIENT / "package.json").read_text(encoding="utf-8"))
    assert package["version"] == __version__
    assert f'"{__version__}"' in (CLIENT / "src" / "version.js").read_text(encoding="utf-8")
    assert not {"dependencies", "devDependencies", "peerDependencies"} & set(package)
    left_out = {"package.json", "test"}  # npm always takes the one, and the other is for developers
    assert {path.name for path in CLIENT.iterdir()} - left_out == set(package["files"])
    assert (CLIENT / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_every_verb_of_the_python_client_has_a_twin_or_a_reason(database: str) -> None:
    declared = set(re.findall(r"^  (?:readonly )?(\w+)[(:]", declarations("index.d.ts"), re.MULTILINE))
    wanted = {*verbs(ServiceUserMemory), *verbs(ServiceConversation)} - PYTHON_ONLY
    assert {re.sub(r"_(\w)", lambda found: found[1].upper(), verb) for verb in wanted} <= declared


def test_the_declarations_import_the_types_that_they_name_and_no_others(database: str) -> None:
    imports, _, text = re.sub(r"/\*.*?\*/", "", declarations("index.d.ts"), flags=re.DOTALL).partition("export type *")
    imported = set(re.findall(r"\b[A-Z]\w+", imports))
    declared = set(re.findall(r"^export (?:class|interface|const) (\w+)", text, re.MULTILINE))
    assert set(re.findall(r"\b[A-Z]\w+", text)) - declared - BUILT_IN == imported


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("npm") is None, reason="the TypeScript compiler comes through npm, which is missing")
def test_the_types_hold_under_the_compiler(database: str, tmp_path: Path) -> None:
    installing = ("npm", "install", "--no-audit", "--no-fund", "--no-save", *COMPILER)
    npm = subprocess.run(installing, cwd=tmp_path, capture_output=True, text=True, check=False)
    if npm.returncode:
        pytest.skip(f"the TypeScript compiler cannot be installed: {npm.stderr[-300:]}")
    shutil.copytree(CLIENT, tmp_path / "node_modules" / "recollect-client")
    shutil.copy(CLIENT / "test" / "types.ts", tmp_path / "types.mts")
    flags = ("--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "es2022", "--types", "node")
    for resolution in (("--module", "nodenext"), ("--module", "esnext", "--moduleResolution", "bundler")):
        run(tmp_path, tmp_path / "node_modules" / ".bin" / "tsc", *flags, *resolution, "types.mts")


def declarations(name: str) -> str:
    return (CLIENT / name).read_text(encoding="utf-8")
