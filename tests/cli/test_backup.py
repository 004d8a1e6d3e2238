"""Backups from the command line: written, listed by status, checked, restored, encrypted, and refused with reasons."""

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import PLAIN_ENVIRONMENT, Cli
from tests.program import Program


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli("--database", str(tmp_path / "store" / "memory.db"))


def unwrapped(text: str) -> str:
    return " ".join(text.split())


def test_a_backup_is_written_checked_and_restored(cli: Cli, tmp_path: Path) -> None:
    cli.store("The ladder stands behind the shed")
    dest, new = str(tmp_path / "backups"), str(tmp_path / "new" / "memory.db")
    made = cli.json("backup", dest, "--keep", "1")
    again = unwrapped(cli.ok("backup", dest, "--keep", "1"))
    assert "Wrote and verified the backup" in again
    assert "1 memory and 1 user" in again
    assert "Removed 1 older backup" in again
    assert not Path(made["folder"]).exists()
    assert "is as it was written" in unwrapped(cli.ok("restore", dest, "--check"))
    assert "It was checked and is sound." in unwrapped(cli.ok("restore", dest, "--database", new))
    assert "ladder" in Cli("--database", new).ok("list")
    refused = cli("restore", dest, "--database", new)
    assert (refused.exit_code, "is there already" in refused.stderr) == (2, True)
    database = next(path for path in Path(dest).rglob("database.sqlite"))
    database.write_bytes(b"x")
    damaged = cli("restore", dest, "--check", "--json")
    assert (damaged.exit_code, damaged.document["error"]["type"]) == (1, "BackupDamaged")
    assert "1 bytes instead of" in damaged.document["error"]["message"]


def test_a_key_is_made_and_used(cli: Cli, tmp_path: Path) -> None:
    cli.store("The ladder stands behind the shed")
    key, dest, new = str(tmp_path / "key.txt"), str(tmp_path / "backups"), str(tmp_path / "new.db")
    public = cli.json("new-key", key)["public_key"]
    assert public.startswith("age1")
    assert "age1" in cli.ok("new-key", f"{key}2")
    assert "encrypted backup" in unwrapped(cli.ok("backup", dest, "--encrypt-to", public))
    assert cli("restore", dest, "--database", new).exit_code == 2
    cli.ok("restore", dest, "--database", new, "--identity", key)
    assert "ladder" in Cli("--database", new).ok("list")


def test_settings_name_the_folder_and_status_and_doctor_tell(cli: Cli, tmp_path: Path) -> None:
    cli.store("The ladder stands behind the shed")
    nowhere = cli("backup")
    assert (nowhere.exit_code, "backup.folder" in nowhere.stderr) == (2, True)
    cli.environment |= {"RECOLLECT_BACKUP_FOLDER": str(tmp_path / "backups"), "RECOLLECT_BACKUP_EVERY": "2h"}
    overdue = cli("doctor")
    assert (overdue.exit_code, "there is none yet" in unwrapped(overdue.stdout)) == (1, True)
    for number in range(3):
        made = cli.json("backup")
        assert len(made["removed"]) == (number == 2)
        cli.environment["RECOLLECT_BACKUP_KEEP"] = "2"
    assert "All is well" in cli.ok("doctor")
    status = cli.json("status")
    assert (status["backup"]["amount"], status["backup"]["overdue"]) == (2, False)
    assert "backups 2 in " in unwrapped(cli.ok("status"))
    for value in ("soon", "-1h", "0"):
        cli.environment["RECOLLECT_BACKUP_EVERY"] = value
        assert cli("backup").exit_code == 2


def test_every_goes_on_until_it_is_stopped(tmp_path: Path, empty_file: Path) -> None:
    database, dest = str(shutil.copy(empty_file, tmp_path / "memory.db")), str(tmp_path / "backups")
    typed = ("--database", database, "backup", dest, "--every", "1s", "--json")
    environment = {**os.environ, **PLAIN_ENVIRONMENT}
    with Program(*typed, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        folders = {json.loads(process.stdout.readline())["folder"] for _ in range(2)}
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    assert len(folders) == 2
    assert folders <= {str(path) for path in Path(dest).iterdir()}
    assert Cli("--database", database)("backup", dest, "--every", "often").exit_code == 2


def test_the_forgotten_stays_forgotten(cli: Cli, tmp_path: Path) -> None:
    dest, new = str(tmp_path / "backups"), str(tmp_path / "new.db")
    cli.store("The ladder stands behind the shed")
    secret = cli.store("The door code is 58203917")
    cli.ok("backup", dest)
    cli.ok("forget", secret)
    said = cli.ok("restore", dest, "--database", new, "--forgotten-since", str(tmp_path / "store" / "memory.db"))
    assert "1 item(s) that were forgotten after the backup were forgotten again" in unwrapped(said)
    listed = Cli("--database", new).ok("list")
    assert "ladder" in listed
    assert "58203917" not in listed
