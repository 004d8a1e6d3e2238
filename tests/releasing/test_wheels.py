"""What users install: wheels that hold all the code reads, which come together, and of which the core stands alone."""

import hashlib
import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from recollect import __version__
from recollect.models.bundled import ENCODER, READER, RERANKER
from tests.sources import BESIDE, ROOT

PLUGIN = "recollect_connect/hosts/openclaw_plugin/"
LIVE = """
from recollect import Memory
with Memory.open("memory.db") as memory:
    memory.me.remember("The spare key is under the blue pot")
    (hit,) = memory.me.recall("where is the key?").hits
    print(hit.content)
"""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """The wheels of the core and of the packages beside it, by the names of what they import as."""
    outdir = tmp_path_factory.mktemp("wheels")
    for folder in (ROOT, *BESIDE):
        command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(outdir)]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return {wheel.name.partition("-")[0]: wheel for wheel in outdir.glob("*.whl")}


class Installation(NamedTuple):
    """An environment of its own with what Recollect needs of others, and a home in which nothing is yet."""

    home: Path
    python: Path

    def pip(self, *typed: str) -> None:
        """Install something without a network."""
        command = [sys.executable, "-m", "pip", "--python", str(self.python), "--disable-pip-version-check"]
        ran = subprocess.run([*command, *typed], capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr

    def run(self, program: str, *typed: str, stdin: str = "") -> tuple[int, str, str]:
        """Run a program of the environment, and give its exit code and what it said."""
        ran = subprocess.run(
            [str(self.python.with_name(program)), *typed],
            input=stdin, capture_output=True, text=True, check=False, cwd=self.home,
            env={"HOME": str(self.home), "PATH": os.defpath, "RECOLLECT_DATABASE": str(self.home / "memory.db")},
        )  # fmt: skip
        return ran.returncode, ran.stdout, ran.stderr

    def ok(self, program: str, *typed: str, stdin: str = "") -> str:
        """Run what must succeed without a warning."""
        code, out, err = self.run(program, *typed, stdin=stdin)
        assert (code, err) == (0, ""), err
        return out


def environment(folder: Path) -> Installation:
    """Make an environment that sees the installed packages of others, but nothing of this project."""
    others = folder / "others"
    others.mkdir(parents=True)
    for installed in Path(sysconfig.get_path("purelib")).iterdir():
        if not installed.name.startswith(("recollect", "_editable")) and installed.suffix != ".pth":
            (others / installed.name).symlink_to(installed)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "venv")], check=True)
    (packages,) = folder.glob("venv/lib/python*/site-packages")
    (packages / "others.pth").write_text(f"{others}\n")
    (folder / "home").mkdir()
    return Installation(folder / "home", folder / "venv" / "bin" / "python")


def test_the_core_stands_alone_and_names_the_package_that_something_needs(
    wheels: Mapping[str, Path], tmp_path: Path
) -> None:
    alone = environment(tmp_path)
    alone.pip("install", "--no-index", "--no-deps", str(wheels["recollect"]))
    assert alone.ok("python", "-c", LIVE) == "The spare key is under the blue pot\n"
    found = json.loads(alone.ok("recollect", "recall", "where is the key?", "--json"))
    assert (found["hits"][0]["content"], found["degraded"]) == ("The spare key is under the blue pot", [])
    assert " recall " in alone.ok("recollect", "--help")
    (alone.home / "conversations.json").write_text("[]")
    needing = {
        ("install", "claude-code"): "recollect-connect",
        ("slack", "--port", "0"): "recollect-connect",
        ("e5-server",): "recollect-connect",
        ("hook", "claude-code"): "recollect-connect",
        ("search", "key", "--nodes", "all"): "recollect-connect",
        ("import", "conversations.json"): "recollect-connect",
        ("import-openclaw", "."): "recollect-connect",
        ("sync", "."): "recollect-files",
        ("add", "conversations.json"): "recollect-files",
    }
    for typed, package in needing.items():
        code, out, err = alone.run("recollect", *typed)
        assert (code, out) == (2, ""), typed
        assert f"needs the package {package}, which is not installed: pip install {package}\n" in err, typed
    code, _, err = alone.run("python", "-c", "import recollect.integrations.langgraph")
    assert code == 1
    assert "recollect.integrations needs the package recollect-connect" in err.splitlines()[-1]


def test_all_packages_come_together_and_work_as_one(wheels: Mapping[str, Path], tmp_path: Path) -> None:
    whole = environment(tmp_path)
    whole.pip("install", "--no-index", "--find-links", str(wheels["recollect"].parent), "recollect")
    whole.pip("check")
    assert whole.ok("python", "-c", LIVE) == "The spare key is under the blue pot\n"
    here = subprocess.run([sys.executable, "-m", "recollect", "--help"], capture_output=True, text=True, check=True)
    assert whole.ok("recollect", "--help") == here.stdout
    assert "Usage: recollect install " in whole.ok("recollect", "install", "--help")
    assert whole.ok("recollect", "--version") == f"recollect {__version__}\n"
    (whole.home / "notes").mkdir()
    (whole.home / "notes" / "garden.md").write_text("The ladder stands behind the shed.\n")
    whole.ok("recollect", "sync", "notes")
    assert "garden.md" in whole.ok("recollect", "search", "ladder", "--source", "file")
    event = json.dumps({"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": "Hello?"})
    connection = whole.home / "hook.json"
    connection.write_text(json.dumps({"url": "http://127.0.0.1:1", "spool_folder": str(whole.home / "spool")}))
    for program, *typed in (("recollect-hook",), ("recollect", "hook")):
        assert whole.ok(program, *typed, "claude-code", "--connection", str(connection), stdin=event) == ""
    older_names = (
        "from recollect.integrations.langgraph import RecollectStore as A\n"
        "from recollect_connect.integrations.langgraph import RecollectStore as B\n"
        "from recollect_connect.hosts.openclaw import plugin_folder\n"
        "print(A is B, (plugin_folder() / 'index.js').is_file())"
    )
    assert whole.ok("python", "-c", older_names) == "True True\n"


def test_the_wheels_hold_the_models_the_types_the_sql_the_tables_and_the_plugin(wheels: Mapping[str, Path]) -> None:
    models = {"recollect/models/files/": {**ENCODER, **READER, **RERANKER}}
    source = ROOT / "src"
    read = [*source.rglob("*.sql"), *source.glob("recollect/text/tables/*/*.txt")]
    data = {path.relative_to(source).as_posix() for path in read}
    assert {path.suffix for path in read} == {".sql", ".txt"}
    expected = {folder + name: file.sha256 for folder, files in models.items() for name, file in files.items()}
    with zipfile.ZipFile(wheels["recollect"]) as archive:
        names = set(archive.namelist())
        sums = {name: hashlib.sha256(archive.read(name)).hexdigest() for name in expected}
    assert sums == expected
    about = {folder + name for folder in models for name in ("ENCODER_CARD.md", "MODEL_CARD.md", "NOTICE")}
    assert about | {"recollect/py.typed"} | data <= names
    beside = {name for one in BESIDE for name in zipfile.ZipFile(wheels[one.name.replace("-", "_")]).namelist()}
    assert {"recollect_connect/py.typed", "recollect_files/py.typed"} <= beside
    plugin = {name.removeprefix(PLUGIN) for name in beside if name.startswith(PLUGIN)}
    published = {
        path.relative_to(ROOT / "plugins" / "openclaw") for path in (ROOT / "plugins" / "openclaw").rglob("*.*")
    }
    assert plugin - {"LICENSE"} == {path.as_posix() for path in published if path.parts[0] != "test"}
