"""A folder of basic-memory: its notes are synced as files, and what they observe becomes memories."""

from pathlib import Path

import pytest

from recollect import UserMemory
from recollect.errors import InvalidDocument
from recollect_connect.importing import import_file
from tests_connect.importing.exports import skipped
from tests_connect.importing.openclaw_folder import fingerprint, note

OVEN = """---
title: The Oven
type: note
permalink: kitchen/oven
---

# The Oven

The oven came with the flat and squeaks.

- [preference] Bread goes in at 240 degrees #bread
- [lesson] Never open it in the first ten minutes (two flat loaves)
- stands_in [[Kitchen]]
- heats [[Kitchen]]
- heats [[Hallway]]
"""


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "basic-memory"
    note(folder / "kitchen" / "The Oven.md", OVEN)
    note(folder / "plain.md", "# Plain\n\nNo observation in here, only quiet prose.\n")
    note(folder / "picture.png", "png")
    note(folder / ".obsidian" / "workspace.md", "- [fact] hidden")
    return folder


def test_notes_become_files_and_memories(me: UserMemory, notes: Path) -> None:
    before = fingerprint(notes)
    report = import_file(me, notes, trust=1)
    assert fingerprint(notes) == before
    assert report.format == "basic-memory"
    assert (report.brought["notes"], report.brought["memories"], report.brought["files"]) == (2, 5, 2)
    assert skipped(report)["files", "not what conversations or memories are in"] == 1
    assert {(fact.key, fact.value) for fact in me.facts("The Oven")} == {
        ("stands_in", "Kitchen"),
        ("heats", "Kitchen"),
        ("heats", "Hallway"),
    }
    assert [memory.content for memory in me.list(type="lesson").items] == ["Never open it in the first ten minutes"]
    assert me.recall("how hot for bread?").hits[0].trust == 1
    found = " | ".join(hit.content for hit in me.search_context("quiet prose", sources=["file"]).hits)
    assert "only quiet prose" in found


def test_bringing_them_again_brings_nothing(me: UserMemory, notes: Path) -> None:
    import_file(me, notes)
    again = import_file(me, notes)
    assert again.brought == {"notes": 2}
    assert skipped(again)["memories", "already there"] == 5
    assert skipped(again)["files", "already there"] == 2
    assert me.count() == 5


def test_a_dry_run_stores_nothing(me: UserMemory, notes: Path) -> None:
    assert import_file(me, notes, dry_run=True).brought["memories"] == 5
    assert me.count() == 0
    assert me.files.list().items == ()


def test_other_folders_are_told_apart(me: UserMemory, tmp_path: Path) -> None:
    note(tmp_path / "plain" / "a.md", "# Only prose")
    with pytest.raises(InvalidDocument, match=r"Markdown without observations or relations \(use sync for it\)"):
        import_file(me, tmp_path / "plain")
    note(tmp_path / "claw" / "MEMORY.md", "- [fact] x")
    with pytest.raises(InvalidDocument, match=r"workspace of OpenClaw. Use import-openclaw"):
        import_file(me, tmp_path / "claw")
    with pytest.raises(InvalidDocument, match="notes of basic-memory are a folder"):
        import_file(me, tmp_path / "plain" / "a.md", format="basic-memory")
