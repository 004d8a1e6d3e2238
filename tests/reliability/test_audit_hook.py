"""Python never opens the database's own files while SQLite has them open."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[2]


def _watched(database: Path, *words: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.reliability.audited", str(database), *words]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout)
    return seen


def test_no_verb_opens_the_database(tmp_path: Path) -> None:
    seen = _watched(tmp_path / "memory.db")
    assert seen["opened"] > 0
    assert seen["violations"] == []


def test_the_watch_would_have_noticed(tmp_path: Path) -> None:
    database = tmp_path / "memory.db"
    assert _watched(database, "control")["violations"] == [str(database), str(database), str(tmp_path / "link")]
