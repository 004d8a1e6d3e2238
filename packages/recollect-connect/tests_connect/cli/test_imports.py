"""Imports from other products on the command line, on both stores."""

import re
from pathlib import Path

from tests.cli.conftest import Cli


def rows(shown: str) -> dict[str, str]:
    """Give what stands behind the names in a table for people."""
    return dict(re.findall(r"^ *(\w+(?: \w+)?)  +(\S.*)$", shown, re.MULTILINE))


def test_an_export_is_brought_once_and_what_was_left_out_is_told(cli: Cli, tmp_path: Path) -> None:
    export = tmp_path / "mem0.json"
    export.write_text('[{"id": "1", "memory": "Prefers tea"}, {"id": "2", "memory": ""}]', encoding="utf-8")
    assert rows(cli.ok("import", str(export), "--dry-run"))["would bring"] == "memories 1"
    assert cli.json("count") == {"count": 0}
    assert rows(cli.ok("import", str(export)))["brought"] == "memories 1"
    again = cli.json("import", str(export), "--format", "mem0")
    assert (again["format"], again["brought"]) == ("mem0", {})
    assert {"what": "memories", "reason": "already there", "amount": 1} in again["skipped"]
    assert cli.json("recall", "tea")["hits"][0]["trust"] == 0
    assert cli("import", str(export), "--format", "diary").exit_code == 2
    assert cli("import", str(tmp_path / "nowhere.zip")).exit_code == 2


def test_an_export_may_be_trusted(cli: Cli, tmp_path: Path) -> None:
    export = tmp_path / "mem0.json"
    export.write_text('[{"id": "1", "memory": "Prefers tea"}]', encoding="utf-8")
    cli.ok("import", str(export), "--trusted")
    assert cli.json("recall", "tea")["hits"][0]["trust"] == 3


def test_a_folder_of_openclaw_is_brought_and_kept_in_step(cli: Cli, tmp_path: Path) -> None:
    claw = tmp_path / "claw"
    (claw / "memory").mkdir(parents=True)
    (claw / "MEMORY.md").write_text("- Likes tea\n", encoding="utf-8")
    (claw / "SOUL.md").write_text("Be kind.\n", encoding="utf-8")
    (claw / "memory" / "2026-01-31.md").write_text("Bought a kettle.\n", encoding="utf-8")
    assert cli.json("import-openclaw", str(claw), "--dry-run")["dry_run"] is True
    assert cli.json("stats")["files"] == 0
    shown = cli.ok("import-openclaw", str(claw))
    assert rows(shown)["brought"] == "files 2"
    assert "instructions for the agent, not memory" in shown
    again = cli.json("import-openclaw", str(claw), "--wait")
    assert (again["brought"], again["waiting"]) == ({}, 0)
    (claw / "MEMORY.md").write_text("- Likes coffee\n", encoding="utf-8")
    assert cli.json("sync")["folders"][0]["changed"] == 1
    assert cli("import-openclaw", str(claw / "nowhere")).exit_code == 2
