"""Files on the command line: folders kept in step, documents, reading them back and forgetting them, on both stores."""

import re
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Cli

from recollect.model.files import SkippedFile, SyncReport
from recollect_files.cli.folders import sync_line

HOME = "# Home\n\n## Network\n\nThe network for guests is called larks-nest.\n"
ROSES = "# Roses\n\nCut them back in March.\n"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder with two notes, and some of what is left out."""
    folder = tmp_path / "notes"
    (folder / "garden").mkdir(parents=True)
    (folder / "home.md").write_text(HOME, encoding="utf-8")
    (folder / "garden" / "roses.md").write_text(ROSES, encoding="utf-8")
    (folder / "photo.raw").write_bytes(b"\0")
    (folder / ".draft.md").write_text("not yet", encoding="utf-8")
    (folder / "link.md").symlink_to(folder / "home.md")
    return folder


def synced(cli: Cli, *typed: str) -> Any:
    """Sync a folder and give the report for programs."""
    (report,) = cli.json("sync", *typed)["folders"]
    return report


def rows(shown: str) -> dict[str, str]:
    """Give what stands behind the names in a table for people."""
    return dict(re.findall(r"^ *(\w+(?: \w+)?)  +(\S.*)$", shown, re.MULTILINE))


def test_a_folder_is_synced_and_its_summary_adds_up(cli: Cli, notes: Path) -> None:
    shown = cli.ok("sync", str(notes))
    assert shown.splitlines()[0] == str(notes)
    assert rows(shown) == {
        "files": "2 seen, 0 unchanged",
        "changes": "2 added",
        "chunks": "2 written",
        "left out": "symlink 1, hidden 1, not wanted by the rules 1",
        "for example": "link.md: symlink",
    }
    report = synced(cli)
    assert (report["root"], report["state"], report["seen"], report["unchanged"]) == (str(notes), "synced", 2, 2)
    assert report["skipped"] == {"ignored": 1, "hidden": 1, "symlink": 1}
    assert report["trouble"] == [{"path": "link.md", "reason": "symlink"}]
    assert rows(cli.ok("sync"))["changes"] == "nothing to do"


def test_changes_are_told_and_a_dry_run_only_tells(cli: Cli, notes: Path) -> None:
    synced(cli, str(notes))
    (notes / "home.md").write_text(f"{HOME}\nAnd a line.\n", encoding="utf-8")
    (notes / "garden" / "roses.md").rename(notes / "roses.md")
    (notes / "new.txt").write_text("New.\n", encoding="utf-8")
    assert rows(cli.ok("sync", "--dry-run"))["changes"] == "would be 2 added, 1 changed, 1 removed"
    assert cli.json("stats")["files"] == 2
    assert rows(cli.ok("sync"))["changes"] == "1 added, 1 changed, 1 renamed"
    (notes / "new.txt").unlink()
    assert synced(cli)["removed"] == 1
    assert (cli.json("stats")["files"], cli.json("stats")["chunks"]) == (2, 2)


def test_a_folder_that_looks_wrong_loses_nothing_and_is_a_failure(cli: Cli, notes: Path) -> None:
    synced(cli, str(notes))
    notes.rename(notes.with_name("away"))
    missing = cli("sync")
    assert (missing.exit_code, missing.stderr) == (1, "")
    assert "There is no such folder now. Nothing was removed" in missing.stdout
    notes.mkdir()
    empty = cli("sync")
    assert (empty.exit_code, empty.stderr) == (1, "")
    assert "Nothing was removed. `recollect sync PATH --even-if-empty` believes it." in " ".join(empty.stdout.split())
    as_json = cli("sync", "--json")
    assert (as_json.exit_code, as_json.document["folders"][0]["state"]) == (1, "empty")
    assert cli.json("stats")["files"] == 2
    assert synced(cli, str(notes), "--even-if-empty")["removed"] == 2
    assert cli.json("stats")["files"] == 0


def test_rules_hold_until_others_are_given(cli: Cli, notes: Path) -> None:
    assert synced(cli, str(notes), "--exclude", "garden/")["added"] == 1
    assert synced(cli)["seen"] == 1
    assert synced(cli, str(notes), "--exclude", "", "--hidden")["added"] == 2
    assert synced(cli)["seen"] == 3
    assert synced(cli, str(notes), "--include", "roses.*", "--no-hidden")["removed"] == 2
    assert cli.json("files")["folders"][0]["rules"]["include"] == ["roses.*"]


def test_what_cannot_be_synced_is_bad_usage(cli: Cli, notes: Path) -> None:
    for typed, expected in (
        ((), "none has been synced before"),
        ((str(notes / "home.md"),), f"recollect add {notes / 'home.md'}"),
        ((str(notes), "--source", "documents"), "`memory` or `sessions`"),
        ((str(notes), "--watch", "--dry-run"), "do not go together"),
    ):
        outcome = cli("sync", *typed)
        assert (outcome.exit_code, outcome.stdout) == (2, "")
        assert expected in outcome.stderr


def test_hits_say_where_they_stand(cli: Cli, notes: Path) -> None:
    synced(cli, str(notes))
    assert "larks-nest" not in cli.ok("recall", "network for guests")
    for typed in (("recall", "--files"), ("search", "--source", "file"), ("search",)):
        shown = cli.ok(*typed, "network for guests")
        assert re.search(r"^ +home\.md:1-5  markdown · Home", shown, re.MULTILINE)
    (hit,) = cli.json("search", "network for guests", "--source", "file")["hits"]
    places = ("source", "type", "path", "start_line", "end_line", "root")
    assert [hit[name] for name in places] == ["file", "markdown", "home.md", 1, 5, str(notes)]
    assert {item["id"]: item["path"] for item in cli.json("files")["items"]}[hit["file_id"]] == "home.md"
    (notes / "home.md").write_text(f"{HOME}\nAnd a line.\n", encoding="utf-8")
    assert "the file has changed on disk since it was read" in cli.ok("search", "network for guests")
    (notes / "home.md").unlink()
    assert "the file is no longer on disk" in cli.ok("recall", "--files", "network for guests")
    assert cli.json("search", "network for guests", "--source", "file")["hits"][0]["on_disk"] == "gone"
    assert cli.ok("recall", "zebra", "--files") == "Nothing relevant was found, neither in memories nor in files.\n"


def test_lines_are_read_back(cli: Cli, notes: Path) -> None:
    synced(cli, str(notes))
    line = "The network for guests is called larks-nest.\n"
    assert cli.ok("read", "home.md") == HOME
    for typed in (
        ("home.md", "--lines", "5"),
        ("home.md:5",),
        (str(notes / "home.md"), "--lines", "5-"),
        ("home.md:5-6",),
    ):
        assert cli.ok("read", *typed) == line
    found = cli.json("read", "home.md", "--lines", "3-5")
    assert (found["place"], found["text"], found["origin"]) == ("home.md:3-5", f"## Network\n\n{line}"[:-1], "disk")
    (notes / "home.md").unlink()
    assert cli.json("read", "home.md")["origin"] == "store"
    assert cli("read", "nowhere.md").exit_code == 3
    past = cli("read", "roses.md", "--lines", "99")
    assert (past.exit_code, "has the lines 1 to 4" in past.stderr) == (2, True)
    for wrong in ("x", "0", "5-3", "-"):
        assert cli("read", "roses.md", "--lines", wrong).exit_code == 2


def test_documents_are_added_and_one_bad_one_keeps_out_no_other(cli: Cli, tmp_path: Path) -> None:
    good, bad, last = (tmp_path / name for name in ("boiler.txt", "noise.bin", "last.md"))
    good.write_text("F28 means that no gas arrives.\n", encoding="utf-8")
    bad.write_bytes(bytes(range(256)))
    last.write_text("# Last\n", encoding="utf-8")
    outcome = cli("add", str(good), str(bad), str(tmp_path / "missing"), str(last), "--json")
    assert (outcome.exit_code, outcome.stderr) == (1, "")
    became = outcome.document["files"]
    assert [one["action"] for one in became] == ["created", "failed", "failed", "created"]
    assert [one["error"]["type"] for one in became if "error" in one] == ["InvalidDocument", "InvalidDocument"]
    known = f"boiler.txt: known already; nothing was added. {became[0]['id']}"
    told = cli.ok("add", str(good))
    assert "".join(known.split()) in "".join(told.split())  # a long path is broken where the line ends
    shown = cli("add", str(bad))
    assert (shown.exit_code, shown.stderr) == (1, "")
    assert "noise.bin:notadded." in "".join(shown.stdout.split())
    assert cli.json("search", "F28", "--source", "file")["hits"][0]["path"] == "boiler.txt"
    under_another_name = cli.json("add", str(good), "--name", "heating.txt")["files"][0]
    assert (under_another_name["path"], under_another_name["action"]) == ("heating.txt", "duplicate")
    assert "boiler" not in cli.ok("add", str(good), "--name", "heating.txt")


def test_a_document_comes_from_standard_input_under_a_name(cli: Cli, tmp_path: Path) -> None:
    assert cli.ok("add", "-", "--name", "a.txt", standard_input="One.\n").startswith("a.txt: added.\n")
    again = cli.ok("add", "-", "--name", "a.txt", "--replace", standard_input="Two.\n")
    assert again.startswith("a.txt: added, replacing what had its name.\n")
    assert cli.ok("read", "a.txt") == "Two.\n"
    for typed in (("-",), ("x", "y", "--name", "z")):
        outcome = cli("add", *typed, standard_input="Three.\n")
        assert (outcome.exit_code, outcome.stdout) == (2, "")


@pytest.mark.usefixtures("steady_clock")
def test_files_are_listed_page_by_page_with_their_folders(cli: Cli, notes: Path) -> None:
    assert cli.ok("files").startswith("No files yet. `recollect sync FOLDER`")
    synced(cli, str(notes))
    cli.ok("add", "-", "--name", "a.txt", standard_input="One.\n")
    first = cli.json("files", "--limit", "1")
    assert [(item["path"], item["kind"], item["original"]) for item in first["items"]] == [("a.txt", "text", True)]
    rest = cli.json("files", "--cursor", first["cursor"], "--no-look")
    assert {item["path"] for item in rest["items"]} == {"home.md", "garden/roses.md"}
    (folder,) = rest["folders"]
    assert (folder["root"], folder["files"], folder["chunks"], folder["drift"]) == (str(notes), 2, 2, None)
    (notes / "garden" / "tulips.md").write_text("# Tulips\n", encoding="utf-8")
    shown = cli.ok("files", "--source", "document").replace("\n", " ")
    assert "a.txt  just now" in shown
    assert "2 files and 2 chunks · synced just now · 1 file differs now not read: symlink 1" in shown
    assert "differs" not in cli.ok("files", "--no-look")
    assert cli("files", "--source", "memories").exit_code == 2


@pytest.mark.usefixtures("steady_clock")
def test_status_and_stats_speak_of_files(cli: Cli, notes: Path) -> None:
    synced(cli, str(notes))
    (folder,) = cli.json("status")["folders"]
    assert (folder["root"], folder["files"], folder["drift"]) == (str(notes), 2, 0)
    assert "2 files and 2 chunks · synced just now · in step" in cli.ok("status")
    assert re.search(r"^files +2\n +chunks +2$", cli.ok("stats"), re.MULTILINE)


def test_a_forgotten_file_stays_away_and_a_forgotten_folder_too(cli: Cli, notes: Path) -> None:
    synced(cli, str(notes))
    roses = next(item["id"] for item in cli.json("files")["items"] if item["path"] == "garden/roses.md")
    assert cli.ok("forget", roses, "--dry-run").startswith("Would forget 1 file.\n")
    gone = cli.json("forget", roses)
    assert (gone["action"], gone["files"], gone["memories"], gone["versions"]) == ("deleted", 1, 0, 0)
    shown = rows(cli.ok("sync"))
    assert (shown["changes"], shown["forgotten"]) == (
        "nothing to do",
        "1 before, and left alone; `recollect add` brings a file back",
    )
    assert cli("forget", "--folder", str(notes)).exit_code == 2
    assert cli.ok("forget", "--folder", str(notes), "--yes") == "Forgotten for good: 1 file.\n  file home.md\n"
    assert (notes / "home.md").exists()
    assert cli("forget", "--folder", str(notes), "--yes").exit_code == 3
    assert cli("sync").exit_code == 2
    assert synced(cli, str(notes))["added"] == 1


def test_an_original_that_says_it_is_named_until_it_is_forgotten(cli: Cli, tmp_path: Path) -> None:
    letter, receipt = tmp_path / "letter.md", tmp_path / "erased.json"
    letter.write_text("# Keys\n\nThe spare key lies under the third pot. Yours, Tom.\n", encoding="utf-8")
    cli.ok("add", str(letter))
    query = ("--query", "The spare key lies under the third pot")
    told = " ".join(cli.ok("forget", *query, "--receipt", str(receipt)).split())
    assert "The original of letter.md says it still. To forget it: recollect forget " in told
    assert "Not covered: The original of letter.md is kept as it was added" in told
    checked = cli("verify-erasure", str(receipt))
    assert checked.exit_code == 1
    assert "The original of letter.md says it still, as the receipt tells." in checked.stdout
    assert cli("forget", *query, "--documents", "forget").exit_code == 3, "the text that is searched has lost it"
    cli.ok("forget", cli.json("files")["items"][0]["id"], "--yes")
    assert cli.ok("verify-erasure", str(receipt)).startswith("Nothing of what")


def test_everything_takes_files_along(cli: Cli, notes: Path) -> None:
    synced(cli, str(notes))
    cli.store("Something else")
    assert cli.ok("forget", "--everything", "--yes").startswith("Forgotten for good: 1 memory and 2 files.\n")


def test_a_sync_is_told_in_one_line() -> None:
    trouble = (SkippedFile("a\nb.md", "unreadable"), SkippedFile("c", "fifo"))
    report = SyncReport("/n", "incomplete", seen=3, added=1, changed=2, written=1, trouble=trouble)
    assert sync_line(report) == (
        "/n: 1 added, 2 changed, 1 chunk written; not read: a\ufffdb.md (unreadable), c (fifo); "
        "not all of it could be looked into, so nothing was removed."
    )
    assert "not read: c (fifo);" in sync_line(report, trouble[:1])
    assert sync_line(SyncReport("/n", "synced")) == "/n: no files to sync"
    assert sync_line(SyncReport("/n", "missing")).startswith("/n: there is no such folder now. Nothing was removed")
