"""What may import what, and what must not be loaded before it is needed."""

import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from tests.rows import every
from tests.sources import ROOT, SOURCES, outline, place, source_files

HEAVY = (
    "apsw",
    "asyncio",
    "fastapi",
    "httpx2",
    "mcp",
    "numpy",
    "onnxruntime",
    "pgvector",
    "platformdirs",
    "prometheus_client",
    "psycopg",
    "rich",
    "snowballstemmer",
    "starlette",
    "tokenizers",
    "typer",
    "uvicorn",
)


def test_the_contracts_are_kept() -> None:
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))",
    ]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_core_names_a_package_beside_it_only_where_it_finds_them() -> None:
    named = re.compile(r"\brecollect_(?:connect|files)\.|\b(?:from|import) recollect_(?:connect|files)\b")
    found = [place(path) for path in sorted(SOURCES[0].rglob("*.py")) if named.search(path.read_text("utf-8"))]
    assert found == ["plugins.py"]


def loaded_by(program: str, *arguments: str) -> set[str]:
    """Run a program in a fresh interpreter and give the names of the modules it loaded."""
    shown = f"{program}\nimport sys; print(' '.join(sys.modules))"
    command = [sys.executable, "-c", shown, *arguments]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert loaded_by("import recollect").isdisjoint(HEAVY)


def test_errors_and_settings_load_neither_numpy_nor_a_driver() -> None:
    loaded = loaded_by("import recollect; recollect.StoreError, recollect.Trust, recollect.load_settings(environ={})")
    assert loaded.isdisjoint(set(HEAVY) - {"platformdirs"})


def test_a_file_needs_no_server_driver_and_no_model_until_it_is_asked(tmp_path: Path) -> None:
    loaded = loaded_by(
        "import sys; from recollect import Memory\nwith Memory.open(sys.argv[1]) as memory: memory.stats()",
        str(tmp_path / "memory.db"),
    )
    assert "apsw" in loaded
    assert loaded.isdisjoint({"psycopg", "pgvector", "onnxruntime", "tokenizers", "httpx2", "typer", "rich"})


CLOCK_READINGS = {
    ("datetime", "now"),
    ("datetime", "today"),
    ("datetime", "utcnow"),
    ("date", "today"),
    ("time", "time"),
    ("time", "time_ns"),
}


def clock_readings(path: Path) -> Iterator[str]:
    for owner, name, line in outline(path).attributes:
        if (owner, name) in CLOCK_READINGS:
            yield f"{place(path)}:{line}"


def test_one_module_reads_the_machines_clock() -> None:
    """And one more, for it compares the time of a file with now: no other clock than that of the disk would do."""
    found = [reading for path in source_files() for reading in clock_readings(path)]
    assert [reading.split(":")[0] for reading in found] == ["clock.py", "disk/file_reader.py"]


@every("path", list(source_files("*.sql")))
def test_no_query_asks_the_database_for_the_time(path: Path) -> None:
    """But the searches that people call from psql, where no other clock is at hand."""
    ours = re.sub(r"CREATE FUNCTION search_.*?\nEND \$\$;", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    statements = "\n".join(line.split("--")[0] for line in ours.lower().splitlines())
    words = statements.replace("(", " ( ").split()
    assert not {"current_timestamp", "current_date", "current_time", "localtimestamp", "'now'"} & set(words)
    assert not any(pair == ("now", "(") for pair in pairwise(words))
