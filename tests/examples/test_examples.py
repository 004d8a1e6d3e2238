"""Each program in examples/ prints what its docstring shows: in this process, and in full size in one of its own."""

import ast
import io
import os
import runpy
import subprocess
import sys
import warnings
from collections.abc import Mapping
from contextlib import redirect_stdout
from pathlib import Path
from textwrap import dedent

import pytest

from tests.fixtures import OpenMemory
from tests.service.conftest import UNHURRIED, serving
from tests.sizes import ALL

EXAMPLES = Path(__file__).parents[2] / "examples"
MOST_LINES = 40
ARGUMENTS = {"assistant": ["today"], "notes": ["notes", "what is the guest wifi called?"]}
INPUT = {"assistant": "My name is Anna. I moved to Brno last week.\nWhich city do I live in now?\n"}
NOTES = {
    "home.md": "# Home\n\n## Network\n\nThe guest network is called larks-nest.\n",
    "garden.md": "# Roses\n\nCut them back in March.\n",
}
UNHURRIED_ENVIRONMENT = {
    "RECOLLECT_PLACES_GEOCODER": "none",
    "RECOLLECT_RECALL_DEADLINE_S": "600",  # a busy machine leaves nothing out
    "RECOLLECT_HOOKS_BUDGET_S": "60",
}
PROGRAMS = sorted(EXAMPLES.glob("*.py"))
NEEDED = {"llamaindex_memory": "llama_index"}  # large packages, which are not installed for the tests


def shown_output(program: Path) -> str:
    docstring = ast.get_docstring(ast.parse(program.read_text(encoding="utf-8")), clean=False) or ""
    return dedent("\n".join(line for line in docstring.splitlines() if line.startswith("    "))) + "\n"


def run(program: Path, folder: Path, **environment: str) -> str:
    environment |= {"RECOLLECT_DATABASE": str(folder / "examples.db"), "RECOLLECT_CONFIG": os.devnull}
    run_it = run_alone if ALL else run_here
    return run_it(program, folder, UNHURRIED_ENVIRONMENT | environment)


def run_alone(program: Path, folder: Path, environment: Mapping[str, str]) -> str:
    ran = subprocess.run(
        [sys.executable, program, *ARGUMENTS.get(program.stem, [])],
        cwd=folder,
        env={**os.environ, **environment},
        input=INPUT.get(program.stem, ""),
        capture_output=True,
        text=True,
        check=False,
    )
    assert not ran.returncode, ran.stderr
    return ran.stdout


def run_here(program: Path, folder: Path, environment: Mapping[str, str]) -> str:
    with (
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(io.StringIO()) as printed,
        warnings.catch_warnings(action="ignore"),
    ):
        for name, value in environment.items():
            patch.setenv(name, value)
        patch.setattr(sys, "argv", [str(program), *ARGUMENTS.get(program.stem, [])])
        patch.setattr(sys, "stdin", io.StringIO(INPUT.get(program.stem, "")))
        patch.chdir(folder)
        runpy.run_path(str(program), run_name="__main__")
    return printed.getvalue()


@pytest.mark.parametrize("program", [one for one in PROGRAMS if one.stem != "client"], ids=lambda program: program.stem)
def test_an_example_prints_what_its_docstring_shows(program: Path, tmp_path: Path) -> None:
    pytest.importorskip(NEEDED.get(program.stem, "recollect"), reason="needs an extra")
    (tmp_path / "notes").mkdir()
    for name, text in NOTES.items():
        (tmp_path / "notes" / name).write_text(text, encoding="utf-8")
    assert run(program, tmp_path) == shown_output(program)


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_client_example_prints_what_its_docstring_shows(open_memory: OpenMemory, tmp_path: Path) -> None:
    program = EXAMPLES / "client.py"
    with serving(open_memory(**UNHURRIED)) as service:
        printed = run(program, tmp_path, RECOLLECT_URL=service.url, RECOLLECT_KEY=service.key())
    assert printed == shown_output(program)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_an_example_is_short_and_listed(program: Path) -> None:
    assert len(program.read_text(encoding="utf-8").splitlines()) <= MOST_LINES
    assert f"]({program.name})" in (EXAMPLES / "README.md").read_text(encoding="utf-8")
