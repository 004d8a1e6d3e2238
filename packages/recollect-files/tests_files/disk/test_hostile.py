"""A tree of two thousand entries made to do harm: all of it is counted, nothing is read that lies outside."""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator

import pytest
from tests.rows import every
from tests.waiting import PATIENCE_S

from recollect.model.files import KnownFile, SkippedFile
from recollect.ports import ChunkingRecipe, FileReading
from recollect.settings.sections import USUAL_FILES
from recollect_files.disk import LocalDisk, skip_reasons
from recollect_files.disk.safe_open import named
from recollect_files.documents import detect
from recollect_files.ports import ReadFile, ReadRequest, SyncRules
from tests_files.disk.hostile import LONG_LINE, SECRET, Hostile, hostile_tree

# Reads a whole tree with a hook in the interpreter that is told of every file that is opened.
WATCHED = """
import os, sys
from recollect_files.disk import LocalDisk
from recollect_files.disk.safe_open import named
from recollect_files.documents import detect
from recollect.ports import ChunkingRecipe
from recollect_files.ports import ReadFile, SyncRules, ReadRequest
import encodings.utf_32_le, encodings.utf_32_be, encodings.utf_16_le, encodings.utf_16_be
import recollect_files.chunks, recollect_files.disk.local, recollect_files.documents.extract
root, own = sys.argv[1], frozenset(tuple(map(int, pair.split(":"))) for pair in sys.argv[2].split(","))
opened = []
watching = [True]
def hook(event, args):
    if watching[0] and event == "open":
        opened.append((args[0], args[2]))
disk = LocalDisk(detect=detect, extract=lambda data, name, recipe: None, hands=0)
def look():
    walk = disk.walk(named(root), SyncRules(include=("*.md", "*.txt"), exclude=("long.md",)), own)
    answers = disk.read(named(root), [ReadRequest(s.path) for s in walk.seen], ChunkingRecipe())
    return [a for a in answers if isinstance(a, ReadFile)]
look()  # what is loaded at its first use, such as word lists, is loaded now
sys.addaudithook(hook)
read = look()
watching[0] = False
absolute = {path for path, _ in opened if str(path).startswith("/")}
assert absolute == {root}, absolute
for path, flags in opened:
    assert flags & os.O_NOFOLLOW, path
    assert path == root or ("/" not in path and path not in (".", "..")), path
    assert path not in ("memory.db", "memory.db-wal", "copy.md"), path
    assert not path.startswith(("pipe", "socket", "zero", "sparse", "secret")), path
print(len(read), len(opened))
"""


def no_extract(data: bytes, name: str, recipe: ChunkingRecipe) -> FileReading:
    """Refuse, because nothing in these trees is a document."""
    raise AssertionError(name)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hostile]:
    """Give the tree, which nothing here changes."""
    with hostile_tree(tmp_path_factory.mktemp("hostile")) as tree:
        yield tree


def test_all_of_a_hostile_tree_is_counted_and_none_of_it_hangs(built: Hostile) -> None:
    """Every entry is read, refused or left out for the reason it was made for; the secret outside is never seen."""
    disk = LocalDisk(detect=detect, extract=no_extract, hands=0)
    assert built.entries > 1_900
    walk = disk.walk(named(str(built.root)), SyncRules(include=USUAL_FILES), built.own)
    assert walk.exists
    assert walk.complete
    assert {seen.path for seen in walk.seen} == built.readable | built.refused
    assert dict(walk.skipped) == dict(built.skipped)
    assert 0 < len(walk.trouble) <= 100
    answers = list(disk.read(named(str(built.root)), [ReadRequest(seen.path) for seen in walk.seen], ChunkingRecipe()))
    contents = {answer.path: answer for answer in answers if isinstance(answer, ReadFile)}
    assert contents.keys() == built.readable
    assert {answer for answer in answers if isinstance(answer, SkippedFile)} == {
        SkippedFile(path, skip_reasons.NO_TEXT) for path in built.refused
    }
    assert SECRET not in repr(answers)
    check_notes(contents)


def check_notes(contents: dict[str, ReadFile]) -> None:
    """Look at what was said about the strange texts."""
    readings = {path: content.reading for path, content in contents.items() if content.reading}
    notes = Counter(note for reading in readings.values() for note in reading.notes)
    assert notes == {"invalid UTF-8": 60, "NUL characters": 60}
    long = readings["texts/long.md"]
    assert sum(len(piece.piece.content) for piece in long.pieces) >= LONG_LINE
    assert long.lines == 1
    assert not readings["texts/empty.md"].pieces


def test_nothing_is_opened_that_lies_outside_or_is_ours(built: Hostile) -> None:
    """Every open is one of the root itself, or of a bare name in an open folder that may not be a link."""
    own = ",".join(f"{device}:{inode}" for device, inode in built.own)
    run = subprocess.run(
        [sys.executable, "-c", WATCHED, str(built.root), own],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    read, opened = map(int, run.stdout.split())
    assert read == len(built.readable) - 1
    assert opened > read


@every(
    ("path", "reason"),
    [
        ("odd/pipe0.md", skip_reasons.FIFO),
        ("odd/socket0.md", skip_reasons.SOCKET),
        ("odd/sparse0.md", skip_reasons.TOO_LARGE),
        ("odd/folder0.md", skip_reasons.NO_FILE),
        ("links/secret0.md", skip_reasons.SYMLINK),
        ("links/self0.md", skip_reasons.SYMLINK),
        ("links/outside0/secret.md", skip_reasons.SYMLINK),
        ("copy.md", skip_reasons.OWN),
        ("nowhere.md", skip_reasons.VANISHED),
        ("../outside/secret.md", skip_reasons.OUTSIDE),
        ("/etc/hostname", skip_reasons.OUTSIDE),
        ("texts/./empty.md", skip_reasons.OUTSIDE),
        ("texts/empty.md/", skip_reasons.OUTSIDE),
        ("texts/\0", skip_reasons.OUTSIDE),
    ],
)
def test_what_took_a_file_s_place_since_the_walk_is_refused(built: Hostile, path: str, reason: str) -> None:
    """A wish is no promise that there is a file; reading lines back is held to the same."""
    disk = LocalDisk(detect=detect, extract=no_extract, hands=0)
    root = str(built.root)
    disk.walk(named(root), SyncRules(include=("nothing",)), built.own)
    assert list(disk.read(named(root), [ReadRequest(path)], ChunkingRecipe())) == [SkippedFile(path, reason)]
    with pytest.raises(OSError, match=r"."):
        disk.text(named(root), KnownFile(path, "", 0, 0, 1, 1, "", 0), ChunkingRecipe(), built.own)
