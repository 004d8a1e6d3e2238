"""Folders that are watched: what changes in them is told, soon and not too often, and they may come and go."""

import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.waiting import PATIENCE_S, eventually

from recollect.ports import ChunkingRecipe, FileReading
from recollect_files.disk import LocalDisk
from recollect_files.disk.folder_watch import SOON_S, STORM, ChangeDebounce
from recollect_files.disk.safe_open import named
from recollect_files.documents import detect
from recollect_files.ports import FolderWatch, SyncRules

DEBOUNCE_S = 0.05
QUIET_S = 0.4


# In a namespace of its own, a process may lower the limit for itself.
LIMITED = ["unshare", "-Ur", "sh", "-c", 'echo 5 > /proc/sys/user/max_inotify_watches && exec "$0" -c "$@"']
FEW_WATCHES = (
    bool(shutil.which("unshare"))
    and not subprocess.run([*LIMITED, sys.executable, "pass"], capture_output=True, check=False).returncode
)
POLLED = """
import pathlib, shutil, sys
from recollect_files.disk import LocalDisk
from recollect_files.disk.safe_open import named
from recollect_files.documents import detect
root = pathlib.Path(sys.argv[1])
note = root / "7" / "a.md"
with LocalDisk(detect=detect, extract=print).watch([named(str(root))], 0.05) as watched:
    print(watched.trouble)
    for change in (lambda: note.write_text("x"), lambda: shutil.rmtree(root)):
        change()
        assert watched.wait(60) == {str(root)}, change
"""


def extracted(data: bytes, name: str, recipe: ChunkingRecipe) -> FileReading:
    raise AssertionError(name)


def local_disk() -> LocalDisk:
    return LocalDisk(detect=detect, extract=extracted, hands=0)


def settle(watched: FolderWatch) -> None:
    """Wait until nothing is told any more."""
    while watched.wait(QUIET_S):
        continue


def is_told(watched: FolderWatch, root: Path, change: Callable[[], object]) -> bool:
    change()
    return eventually(lambda: str(root) in watched.wait(PATIENCE_S))


def test_a_change_after_quiet_is_told_soon() -> None:
    """It does not wait for the whole of a long debounce."""
    unrest = ChangeDebounce()
    assert unrest.due_s(1.5) == float("inf")
    unrest.note(100.0)
    unrest.note(100.2)
    assert unrest.due_s(1.5) == 100.0 + SOON_S
    assert unrest.due_s(0.1) == 100.1


def test_changes_that_follow_are_told_once_it_is_quiet_or_it_lasts_too_long() -> None:
    """A storm is told now and then, not with every drop."""
    unrest = ChangeDebounce()
    unrest.note(100.0)
    unrest.tell(100.3)
    unrest.note(101.0)
    assert unrest.due_s(1.5) == 102.5
    for tenth in range(1, 200):
        unrest.note(101.0 + tenth / 10)
    assert unrest.due_s(1.5) == 101.0 + STORM * 1.5
    unrest.tell(108.5)
    unrest.note(120.0)
    assert unrest.due_s(1.5) == 120.0 + SOON_S


def test_writing_replacing_renaming_and_removing_are_told(tmp_path: Path) -> None:
    """As are changes in folders that were made only just before."""
    note, other = tmp_path / "a.md", tmp_path / "b.md"
    deep = tmp_path / "new" / "deep"

    def replace() -> None:
        (tmp_path / ".a.md.swp").write_text("new")
        (tmp_path / ".a.md.swp").replace(note)

    with local_disk().watch([named(str(tmp_path))], DEBOUNCE_S) as watched:
        assert is_told(watched, tmp_path, lambda: note.write_text("one"))
        assert is_told(watched, tmp_path, replace)
        assert is_told(watched, tmp_path, lambda: note.rename(other))
        assert is_told(watched, tmp_path, lambda: deep.mkdir(parents=True))
        settle(watched)
        assert is_told(watched, tmp_path, lambda: (deep / "c.md").write_text("deep"))
        assert is_told(watched, tmp_path, other.unlink)
        settle(watched)


def test_a_burst_of_a_thousand_files_is_told_a_few_times(tmp_path: Path) -> None:
    """A thousand files in fifty folders are not a thousand changes."""
    with local_disk().watch([named(str(tmp_path))], 0.3) as watched:
        for number in range(50):
            (tmp_path / str(number)).mkdir()
            for file in range(20):
                (tmp_path / str(number) / f"{file}.md").touch()
        assert watched.wait(PATIENCE_S)
        told = 1
        while watched.wait(2 * QUIET_S):
            told += 1
        assert told < 200
        assert is_told(watched, tmp_path, (tmp_path / "49" / "last.md").touch)


def test_a_folder_may_be_missing_come_vanish_and_come_back(tmp_path: Path) -> None:
    """Each of it is told, and what happens in it afterwards."""
    root = tmp_path / "notes"
    with local_disk().watch([named(str(root))], DEBOUNCE_S) as watched:
        assert is_told(watched, root, root.mkdir)
        settle(watched)
        assert is_told(watched, root, lambda: (root / "a.md").write_text("x"))
        assert is_told(watched, root, lambda: shutil.rmtree(root))
        settle(watched)
        assert is_told(watched, root, root.mkdir)
        settle(watched)
        assert is_told(watched, root, lambda: (root / "b.md").write_text("x"))


def test_roots_that_overlap_are_both_told(tmp_path: Path) -> None:
    """And one that has nothing to do with it is not."""
    inner, apart = tmp_path / "outer" / "inner", tmp_path / "apart"
    inner.mkdir(parents=True)
    apart.mkdir()
    roots = [str(inner.parent), str(inner), str(apart)]
    told: set[str] = set()
    with local_disk().watch([*map(named, roots)], DEBOUNCE_S) as watched:
        (inner / "a.md").write_text("x")
        while not told.issuperset(roots[:2]):
            told |= watched.wait(PATIENCE_S)
        told |= watched.wait(QUIET_S)
    assert told == set(roots[:2])


def test_what_links_lead_to_is_not_watched(tmp_path: Path) -> None:
    """A link to the root of the disk would be the end of it."""
    root, outside = tmp_path / "root", tmp_path / "outside"
    for folder in (root, outside):
        folder.mkdir()
    (root / "all").symlink_to("/")
    (root / "outside").symlink_to(outside)
    with local_disk().watch([named(str(root))], DEBOUNCE_S) as watched:
        (outside / "a.md").write_text("x")
        assert watched.wait(QUIET_S) == frozenset()
        assert is_told(watched, root, lambda: (root / "a.md").write_text("x"))


def test_our_own_database_hidden_files_and_git_are_no_changes(tmp_path: Path) -> None:
    """Otherwise noting a sync would be a reason for the next."""
    database = tmp_path / "memory.db"
    database.write_text("ours")
    (tmp_path / ".git").mkdir()
    status = database.stat()
    disk = local_disk()
    disk.walk(named(str(tmp_path)), SyncRules(), frozenset({(status.st_dev, status.st_ino)}))
    with disk.watch([named(str(tmp_path))], DEBOUNCE_S) as watched:
        database.write_text("more")
        (tmp_path / "memory.db-wal").write_text("log")
        (tmp_path / "memory.db-wal").unlink()
        (tmp_path / ".hidden").write_text("x")
        (tmp_path / ".git" / "index").write_text("x")
        assert watched.wait(QUIET_S) == frozenset()
        assert is_told(watched, tmp_path, lambda: (tmp_path / "a.md").write_text("x"))


def test_whoever_waits_is_let_go(tmp_path: Path) -> None:
    """From another thread, at once, and for good."""
    with local_disk().watch([named(str(tmp_path))], DEBOUNCE_S) as watched:
        threading.Timer(0.05, watched.stop).start()
        assert watched.wait(PATIENCE_S * 10) == frozenset()
        assert watched.wait(PATIENCE_S * 10) == frozenset()


@pytest.mark.skipif(not FEW_WATCHES, reason="the system lets nobody lower their own limit of watches")
def test_when_watches_run_out_folders_are_looked_through(tmp_path: Path) -> None:
    """It is slower, and it says so."""
    for number in range(10):
        (tmp_path / str(number)).mkdir()
    run = subprocess.run(
        [*LIMITED, sys.executable, POLLED, tmp_path],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S * 4,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "watch limit" in run.stdout
