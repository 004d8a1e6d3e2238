"""`recollect repair`, and what other commands say after a file was repaired."""

from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.cli.test_backup import unwrapped
from tests.storage.repair.damaging import damage, kept_aside, pages_of


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    Cli("--database", str(path)).ok("store", "The pump is in the attic")
    return path


def test_a_sound_file(database: Path) -> None:
    assert "is sound; nothing was changed" in unwrapped(Cli().ok("repair", "--database", str(database)))
    assert Cli("--database", str(database)).json("repair") == {"location": str(database), "damaged": False}


def test_a_damaged_file(database: Path) -> None:
    damage(database, [1])
    said = unwrapped(Cli("--database", str(database)).ok("repair"))
    assert "memories: 1 row saved" in said
    assert f"The damaged file is kept as {kept_aside(database)[0]}" in said
    cli = Cli("--database", str(database))
    assert "The pump is in the attic" in cli.ok("list")
    assert "was damaged and was repaired" in unwrapped(cli.ok("status"))
    assert "repaired: 0" in cli("doctor").stdout


def test_what_programs_get(database: Path) -> None:
    for number in range(60):
        Cli("--database", str(database)).ok("store", f"Tool {number} hangs on a hook. " * 20)
    damage(database, pages_of(database, 13, "memories")[2:3])
    document = Cli("--database", str(database)).json("repair")
    (memories,) = [table for table in document["tables"] if table["table"] == "memories"]
    assert document["damaged"] is True
    assert document["damaged_file"] == str(kept_aside(database)[0])
    assert memories["saved"] + memories["lost"] == 61
    assert memories["lost"] > 0


def test_a_command_that_finds_the_file_damaged_goes_on(database: Path) -> None:
    damage(database, [1])
    outcome = Cli("--database", str(database))("list")
    assert outcome.exit_code == 0
    assert "The pump is in the attic" in outcome.stdout
    assert len(kept_aside(database)) == 1


def test_a_server_is_not_repaired(database: Path) -> None:
    refused = Cli("--database", "postgresql://localhost/memories")("repair")
    assert refused.exit_code == 2
    assert "repaired by its server" in unwrapped(refused.stderr)
