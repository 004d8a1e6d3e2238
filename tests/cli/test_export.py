"""Exporting and importing at the command line: whose memory it is, and what a key may take along."""

import json
import zipfile
from pathlib import Path

from tests.archives import with_rows
from tests.cli.conftest import Cli


def test_from_one_store_to_another(cli: Cli, tmp_path: Path) -> None:
    cli.ok("--user", "anna", "store", "Prefers tea")
    forgotten = cli.json("--user", "anna", "store", "The code is 4711")["id"]
    cli.ok("--user", "anna", "forget", forgotten, "--yes")
    cli.ok("--user", "bob", "store", "Owns a boat")
    archive = str(tmp_path / "anna.zip")
    shown = cli.ok("--user", "anna", "export", archive)
    assert "memories 1" in shown
    assert "tombstones 2" in shown
    refused = cli("--user", "anna", "export", archive)
    assert refused.exit_code == 2
    assert "exists already" in refused.stderr
    report = cli.json("export", str(tmp_path / "all.zip"), "--all-users", "--vectors")
    assert report["users"] == ["anna", "bob"]
    other = Cli("--database", str(tmp_path / "other.db"))
    tried = other.json("import", archive, "--dry-run")
    assert (tried["format"], tried["brought"]["memories"], tried["dry_run"]) == ("recollect", 1, True)
    assert "memories 1" in other.ok("import", archive)
    assert other.json("--user", "anna", "count")["count"] == 1
    other.ok("import", archive, "--as", "carl")
    other.ok("--user", "dora", "import", str(tmp_path / "all.zip"), "--of-user", "bob")
    assert [other.json("--user", name, "count")["count"] for name in ("anna", "carl", "dora", "bob")] == [1, 1, 1, 0]
    again = other.json("import", str(tmp_path / "all.zip"))
    assert again["brought"]["memories"] == 1  # bob's
    assert other("--user", "dora", "import", str(tmp_path / "all.zip")).exit_code == 2
    assert other("import", str(tmp_path / "all.zip"), "--of-user", "eve").exit_code == 2
    assert "import" in other.ok("--user", "carl", "audit")


def test_a_users_key_takes_no_secret_along(cli: Cli, tmp_path: Path) -> None:
    gone = cli.json("--user", "anna", "store", "The code is 4711")["id"]
    cli.ok("--user", "anna", "store", "Prefers tea")
    cli.ok("--user", "anna", "forget", gone, "--yes")
    archive = tmp_path / "whole.zip"
    cli.ok("--user", "anna", "export", str(archive))
    cli.environment["RECOLLECT_KEY"] = cli.json("keys", "create", "--user", "anna", "--name", "phone")["secret"]
    own = tmp_path / "own.zip"
    cli.ok("export", str(own))
    with zipfile.ZipFile(own) as bundle:
        assert bundle.read("secrets.jsonl") == bundle.read("tombstones.jsonl") == b""
        assert json.loads(bundle.read("memories.jsonl"))["content"] == "Prefers tea"
    assert cli("export", str(tmp_path / "all.zip"), "--all-users").exit_code == cli("keys", "list").exit_code != 0
    assert cli("import", str(own), "--as", "bob").exit_code != 0
    brought = cli.json("import", str(archive))
    assert [part["reason"] for part in brought["skipped"]] == [
        "already there",
        "only an administrator brings tombstones",
    ]


def test_encrypted_and_readable(cli: Cli, tmp_path: Path) -> None:
    cli.ok("--user", "anna", "store", "Prefers tea")
    public = cli.json("new-key", str(tmp_path / "key.txt"))["public_key"]
    closed, open_to_all = str(tmp_path / "anna.zip.age"), str(tmp_path / "anna.zip")
    cli.ok("--user", "anna", "export", closed, "--encrypt-to", public)
    cli.ok("--user", "anna", "export", open_to_all, "--readable")
    refused = cli("import", closed)
    assert refused.exit_code == 2
    assert "--identity" in refused.stderr
    assert cli.json("import", closed, "--identity", str(tmp_path / "key.txt"), "--as", "bob")["brought"] == {
        "memories": 1
    }
    assert cli("import", open_to_all).exit_code == 2
    with zipfile.ZipFile(open_to_all) as bundle:
        assert b"> Prefers tea" in bundle.read("memories/other.md")


def test_load_stores_rows_of_many_users(cli: Cli, tmp_path: Path) -> None:
    lines = tmp_path / "lines.jsonl"
    lines.write_text(
        '{"user": "anna", "content": "Owns a kayak", "occurred_at": "2026-01-01"}\n\n'
        '{"user": "ben", "content": "Owns a lamp"}\n'
    )
    assert "2 rows of 2 users." in cli.ok("load", str(lines))
    assert cli.json("load", str(lines))["actions"] == {"duplicate": 2}
    assert "Owns a lamp" in cli.ok("--user", "ben", "list")
    lines.write_text('{"user": "anna", "content": "Owns an oven"}\n{"content": "Owns a sofa"}\n')
    refused = cli("load", str(lines))
    assert refused.exit_code != 0
    assert "Line 2 is not an object with" in refused.stderr


def test_a_folder_of_an_archive_is_not_opened_until_it_is_named(cli: Cli, tmp_path: Path) -> None:
    notes, archive = tmp_path / "notes", tmp_path / "anna.zip"
    notes.mkdir()
    (notes / "a.md").write_text("The key is under the mat.\n")
    cli.ok("--user", "anna", "sync", str(notes))
    cli.ok("--user", "anna", "export", str(archive))
    (notes / "b.md").write_text("The spare one too.\n")
    cli.ok("import", str(archive), "--as", "ben")
    outcome = cli("--user", "ben", "sync")
    assert (outcome.exit_code, "was not named on this machine" in outcome.stdout) == (1, True)
    watched = cli("--user", "ben", "sync", "--watch")  # with nothing to watch it ends
    assert "Watching" not in watched.stdout + watched.stderr
    assert "seen, 0 unchanged" in cli.ok("--user", "ben", "sync", str(notes))
    archive.write_bytes(with_rows(archive.read_bytes(), lambda lines: lines["files"][0].update(kind="evil")))
    refused = cli("import", str(archive), "--as", "eve")
    assert (refused.exit_code, "line 1 of files.jsonl: kind is 'evil'" in refused.stderr) == (2, True)
