"""What users install: wheels that hold all the code reads, which come together, and of which the core stands alone."""

import fcntl
import hashlib
import json
import os
import subprocess
import sys
import sysconfig
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hatchling.builders.wheel import WheelBuilder

from recollect import __version__
from recollect.models.bundled import ENCODER, READER, RERANKER
from tests.cli.reference import application
from tests.sizes import ALL
from tests.sources import BESIDE, ROOT

PLUGIN = "recollect_connect/hosts/openclaw_plugin/"
LIVE = """
from recollect import Memory
with Memory.open("memory.db") as memory:
    memory.me.remember("The spare key is under the blue pot")
    (hit,) = memory.me.recall("where is the key?").hits
    print(hit.content)
"""


# Runs commands one after the other, each in a process forked from one that has imported them.
COMMANDS = """
import json, os, sys
from pathlib import Path
from recollect.__main__ import main
ended = []
for typed in json.load(sys.stdin):
    if not (child := os.fork()):
        for number, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        sys.argv = ["recollect", *typed]
        sys.exit(main())
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    ended.append((code, Path("out").read_text(), Path("err").read_text()))
print(json.dumps(ended))
"""


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Mapping[str, Path]:
    """The wheels of the core and of the packages beside it, by the names of what they import as, built once a run."""
    base = tmp_path_factory.getbasetemp()
    outdir = (base.parent if hasattr(request.config, "workerinput") else base) / "wheels"
    outdir.mkdir(exist_ok=True)
    built = outdir / "built"
    with (outdir / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not built.exists():
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(zlib, "Z_DEFAULT_COMPRESSION", 0)  # models of 50 MB take long to pack
                for folder in (ROOT, *BESIDE):
                    list(WheelBuilder(str(folder)).build(directory=str(outdir)))
            built.touch()
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
            env={"HOME": str(self.home), "PATH": os.defpath, "RECOLLECT_DATABASE": str(self.home / "memory.db"),
                 "RECOLLECT_RECALL_DEADLINE_S": "600"},  # a busy machine leaves nothing out
        )  # fmt: skip
        return ran.returncode, ran.stdout, ran.stderr

    def ok(self, program: str, *typed: str, stdin: str = "") -> str:
        """Run what must succeed without a warning."""
        code, out, err = self.run(program, *typed, stdin=stdin)
        assert (code, err) == (0, ""), err
        return out

    def commands(self, *commands: tuple[str, ...]) -> list[tuple[int, str, str]]:
        """Run `recollect` with each of these, and give the exit code and what was said of each."""
        ended: list[list[Any]] = json.loads(self.ok("python", "-c", COMMANDS, stdin=json.dumps(commands)))
        return [(code, out, err) for code, out, err in ended]


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


def test_the_core_stands_alone_and_then_all_packages_work_as_one(wheels: Mapping[str, Path], tmp_path: Path) -> None:
    alone = environment(tmp_path / "alone")
    insist_core_alone(wheels, alone)
    insist_whole(wheels, environment(tmp_path / "whole") if ALL else alone)


def insist_core_alone(wheels: Mapping[str, Path], alone: Installation) -> None:
    """Insist that the core works without the packages beside it, and names the one that something needs."""
    alone.pip("install", "--no-index", "--no-deps", "--no-compile", str(wheels["recollect"]))
    assert alone.ok("python", "-c", LIVE) == "The spare key is under the blue pot\n"
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
    (_, helped, _), *refused = alone.commands(("--help",), *needing)
    assert " recall " in helped
    for (typed, package), (code, out, err) in zip(needing.items(), refused, strict=True):
        assert (code, out) == (2, ""), typed
        assert f"needs the package {package}, which is not installed: pip install {package}\n" in err, typed
    code, _, err = alone.run("python", "-c", "import recollect.integrations.langgraph")
    assert code == 1
    assert "recollect.integrations needs the package recollect-connect" in err.splitlines()[-1]


def insist_whole(wheels: Mapping[str, Path], whole: Installation) -> None:
    """Insist that the packages come with the core, and work with it as one."""
    whole.pip("install", "--no-compile", "--no-index", "--find-links", str(wheels["recollect"].parent), "recollect")
    if ALL:
        whole.pip("check")
    assert whole.ok("recollect", "--version") == f"recollect {__version__}\n"
    (whole.home / "notes").mkdir()
    (whole.home / "notes" / "garden.md").write_text("The ladder stands behind the shed.\n")
    asked = (("--help",), ("install", "--help"), ("sync", "notes"), ("search", "ladder", "--source", "file"))
    ended = whole.commands(*asked)
    assert [(code, err) for code, _, err in ended] == [(0, "")] * len(asked)
    helped, helped_to_install, _, found = (out for _, out, _ in ended)
    shown = [name for name, command in application().commands.items() if not command.hidden]
    assert [name for name in shown if f"\n  {name} " not in helped] == []
    assert "Usage: recollect install " in helped_to_install
    assert "garden.md" in found
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
