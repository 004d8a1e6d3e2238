"""What a walk tells about a folder that is not there, not whole, or changes under its feet."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from recollect_files.disk import skip_reasons
from recollect_files.disk.folder_walk import MOST_EXAMPLES, walk
from recollect_files.disk.safe_open import named
from recollect_files.ports import FolderWalk, SeenFile, SyncRules

NOTES = SyncRules(include=("*.md",))


def test_a_walk_gives_path_size_times_and_inode(tmp_path: Path) -> None:
    """They are what the file says."""
    note = tmp_path / "a" / "b.md"
    note.parent.mkdir()
    note.write_text("words")
    os.utime(note, ns=(1, 1_700_000_000_123_456_789))
    now = note.stat()
    seen = SeenFile("a/b.md", 5, 1_700_000_000_123_456_789, now.st_ctime_ns, now.st_ino)
    assert walk(named(str(tmp_path)), NOTES, frozenset()) == FolderWalk([seen])


@pytest.mark.parametrize("name", ["missing", "file.md", "link", "file.md/below"])
def test_a_root_that_is_no_folder_is_said_to_be_missing(tmp_path: Path, name: str) -> None:
    """Nothing follows from it about what was in it."""
    (tmp_path / "file.md").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path)
    assert walk(named(str(tmp_path / name)), NOTES, frozenset()) == FolderWalk([], exists=False, complete=False)


def test_an_empty_folder_is_one(tmp_path: Path) -> None:
    """It exists and was seen to its end."""
    assert walk(named(str(tmp_path)), NOTES, frozenset()) == FolderWalk([])


def test_a_folder_that_cannot_be_opened_makes_the_walk_incomplete(tmp_path: Path) -> None:
    """What is in it is unknown, so nothing may be taken for gone. Descriptors run out even for root."""
    (tmp_path / "/".join("d" * 60)).mkdir(parents=True)
    (tmp_path / "note.md").write_text("x")
    walked = (
        "import resource, sys\n"
        "from recollect_files.disk.folder_walk import walk\n"
        "from recollect_files.disk.safe_open import named\n"
        "from recollect_files.ports import SyncRules\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (30, 30))\n"
        "found = walk(named(sys.argv[1]), SyncRules(), frozenset())\n"
        "print([seen.path for seen in found.seen], found.exists, found.complete, dict(found.skipped))\n"
    )
    run = subprocess.run([sys.executable, "-c", walked, tmp_path], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == f"['note.md'] True False {{{skip_reasons.UNREADABLE_FOLDER!r}: 1}}"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_root_that_may_not_be_read_exists_but_is_unknown(tmp_path: Path) -> None:
    """It is not taken for missing."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    try:
        found = walk(named(str(closed)), NOTES, frozenset())
    finally:
        closed.chmod(0o700)
    assert found == FolderWalk([], complete=False, skipped={skip_reasons.UNREADABLE_FOLDER: 1}, trouble=found.trouble)


def test_examples_of_trouble_are_few_but_all_of_it_is_counted(tmp_path: Path) -> None:
    """A tree full of trouble does not fill the report."""
    for number in range(MOST_EXAMPLES + 50):
        (tmp_path / f"{number}.md").symlink_to("x")
    found = walk(named(str(tmp_path)), NOTES, frozenset())
    assert found.skipped == {skip_reasons.SYMLINK: MOST_EXAMPLES + 50}
    assert len(found.trouble) == MOST_EXAMPLES


def test_own_files_are_known_by_what_they_are_not_by_their_names(tmp_path: Path) -> None:
    """A number of another device is no reason to leave a file out."""
    note, other = tmp_path / "note.md", tmp_path / "other.md"
    for file in (note, other):
        file.write_text("x")
    mine, foreign = note.stat(), other.stat()
    own = frozenset({(mine.st_dev, mine.st_ino), (foreign.st_dev + 1, foreign.st_ino)})
    found = walk(named(str(tmp_path)), NOTES, own)
    assert [seen.path for seen in found.seen] == ["other.md"]
    assert found.skipped == {skip_reasons.OWN: 1}


def test_what_vanishes_while_it_is_walked_is_no_trouble(tmp_path: Path) -> None:
    """Files and folders come and go in another thread; those that stay are found each time."""
    for number in range(20):
        folder = tmp_path / f"stays{number}"
        folder.mkdir()
        (folder / "note.md").write_text("x")
    ended = threading.Event()

    def come_and_go() -> None:
        while not ended.is_set():
            for number in range(20):
                folder = tmp_path / f"goes{number}"
                folder.mkdir()
                (folder / "note.md").touch()
                (tmp_path / f"stays{number}" / "brief.md").touch()
            for number in range(20):
                (tmp_path / f"goes{number}" / "note.md").unlink()
                (tmp_path / f"goes{number}").rmdir()
                (tmp_path / f"stays{number}" / "brief.md").unlink()

    thread = threading.Thread(target=come_and_go)
    thread.start()
    try:
        for _ in range(100):
            found = walk(named(str(tmp_path)), NOTES, frozenset())
            assert found.complete
            assert not found.skipped
            assert {f"stays{number}/note.md" for number in range(20)} <= {seen.path for seen in found.seen}
    finally:
        ended.set()
        thread.join()
