"""Clients that generators make from the OpenAPI document store, recall and forget.

The generators come from the package index that pip uses, and the TypeScript compiler from that of npm; one of the
generators runs on Java, its TypeScript in Node.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from tests.service.conftest import Running

HERE: Final = Path(__file__).parent
GENERATORS: Final = ("openapi-python-client==0.29.1", "openapi-generator-cli==7.26.0")
RUNTIME: Final = ("python-dateutil", "urllib3>=2")  # of the Python client that openapi-generator makes
COMPILER: Final = ("typescript@5", "@types/node@20")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.parametrize("database", ["sqlite"], indirect=True),
]


def run(folder: Path, *command: str | Path, environ: Mapping[str, str] | None = None) -> str:
    """Run a command to its end, and give what it printed."""
    ran = subprocess.run(
        command, cwd=folder, env={**os.environ, **(environ or {})}, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, f"{command}:\n{ran.stdout[-4_000:]}\n{ran.stderr[-4_000:]}"
    return ran.stdout


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the generators; gives the folder of its commands."""
    folder = tmp_path_factory.mktemp("tools")
    run(folder, sys.executable, "-m", "venv", folder)
    run(folder, folder / "bin" / "pip", "install", "--quiet", *GENERATORS, *RUNTIME)
    return folder / "bin"


@pytest.fixture
def document(service: Running, tmp_path: Path) -> Path:
    """The document, as a client gets it."""
    path = tmp_path / "openapi.json"
    with service.client(service.key()) as client:
        path.write_text(json.dumps(client.get("/openapi.json").json()), encoding="utf-8")
    return path


def environment(service: Running) -> dict[str, str]:
    return {"SERVICE_URL": service.url, "SERVICE_KEY": service.key(), "NO_PROXY": "127.0.0.1"}


def test_openapi_python_client(service: Running, document: Path, tools: Path, tmp_path: Path) -> None:
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"  # it formats with ruff
    command = ("generate", "--meta", "none", "--path", document, "--output-path", tmp_path / "generated")
    run(tmp_path, tools / "openapi-python-client", *command, environ={"PATH": path})
    shutil.copy(HERE / "story_attrs.py", tmp_path)
    assert run(tmp_path, tools / "python", "story_attrs.py", environ=environment(service)) == "done\n"


@pytest.mark.skipif(shutil.which("java") is None, reason="openapi-generator needs Java")
def test_openapi_generator_for_python(service: Running, document: Path, tools: Path, tmp_path: Path) -> None:
    options = ("-g", "python", "-i", document, "-o", tmp_path, "--package-name", "generated")
    run(tmp_path, tools / "openapi-generator-cli", "generate", *options)
    shutil.copy(HERE / "story_pydantic.py", tmp_path)
    assert run(tmp_path, tools / "python", "story_pydantic.py", environ=environment(service)) == "done\n"


@pytest.mark.skipif(not all(map(shutil.which, ("java", "node", "npm"))), reason="needs Java, Node and npm")
def test_openapi_generator_for_typescript(service: Running, document: Path, tools: Path, tmp_path: Path) -> None:
    options = ("-g", "typescript-fetch", "-i", document, "-o", tmp_path / "generated")
    run(tmp_path, tools / "openapi-generator-cli", "generate", *options)
    shutil.copy(HERE / "story.ts", tmp_path)
    run(tmp_path, "npm", "install", "--no-audit", "--no-fund", "--no-save", *COMPILER)
    compiler = tmp_path / "node_modules" / ".bin" / "tsc"
    flags = ("--strict", "--target", "es2022", "--module", "commonjs", "--moduleResolution", "node10")
    run(tmp_path, compiler, *flags, "--types", "node", "--lib", "es2022,dom", "--outDir", "out", "story.ts")
    assert run(tmp_path, "node", "out/story.js", environ=environment(service)) == "done\n"
