"""Builds a folder with everything in it that folders should not have, and says what must come of it."""

import os
import stat
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from recollect_files.disk import skip_reasons

SECRET: Final = "the canary that lives outside of the folder"  # noqa: S105 -- no password
LEVELS: Final = 1_000
SPARSE_BYTES: Final = 2 * 2**30
LONG_LINE: Final = 1_000_000


@dataclass(slots=True)
class Hostile:
    """What was built: the root, the paths that can be read, how many must be left out and why, and what is ours."""

    root: Path
    readable: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    skipped: Counter[str] = field(default_factory=Counter)
    own: frozenset[tuple[int, int]] = frozenset()

    @property
    def entries(self) -> int:
        """Count what was built, apart from folders."""
        return len(self.readable) + len(self.refused) + self.skipped.total()


@contextmanager
def hostile_tree(base: Path) -> Iterator[Hostile]:
    """Build the tree, and take its deepest part down again, which is too deep for others to remove."""
    built = Hostile(base / "root")
    outside = base / "outside"
    for folder in (built.root, outside):
        folder.mkdir()
    (outside / "secret.md").write_text(SECRET)
    for add in (_notes, _links, _specials, _texts, _names, _ours):
        add(built, outside)
    with _nested(built):
        yield built


def _put(built: Hostile, path: str, data: bytes) -> None:
    target = built.root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    built.readable.add(path)


def _notes(built: Hostile, _outside: Path) -> None:
    for number in range(1_400):
        _put(built, f"area{number % 14}/topic{number % 7}/note{number}.md", f"# Note {number}\n\nA line.\n".encode())


def _links(built: Hostile, outside: Path) -> None:
    links = built.root / "links"
    links.mkdir()
    (links / "one.md").symlink_to("two.md")
    (links / "two.md").symlink_to("one.md")
    for number in range(30):
        (links / f"self{number}.md").symlink_to(f"self{number}.md")
        (links / f"up{number}").symlink_to("..")
        (links / f"secret{number}.md").symlink_to(outside / "secret.md")
        (links / f"outside{number}").symlink_to(outside)
        (links / f"dangling{number}.md").symlink_to("nowhere.md")
        (links / f"note{number}.md").symlink_to("../area0/topic0/note0.md")
    (links / "all").symlink_to("/")
    built.skipped[skip_reasons.SYMLINK] += 6 * 30 + 3


def _specials(built: Hostile, _outside: Path) -> None:
    odd = built.root / "odd"
    odd.mkdir()
    for number in range(50):
        os.mkfifo(odd / f"pipe{number}.md")
        os.mknod(odd / f"socket{number}.md", stat.S_IFSOCK | 0o600)
        (odd / f"folder{number}.md").mkdir()
    built.skipped[skip_reasons.FIFO] += 50
    built.skipped[skip_reasons.SOCKET] += 50
    with suppress(PermissionError):
        for number in range(10):
            os.mknod(odd / f"zero{number}.md", stat.S_IFCHR | 0o666, os.makedev(1, 5))
            built.skipped[skip_reasons.DEVICE] += 1
    for number in range(5):
        with (odd / f"sparse{number}.md").open("wb") as file:
            file.truncate(SPARSE_BYTES)
    built.skipped[skip_reasons.TOO_LARGE] += 5


def _texts(built: Hostile, _outside: Path) -> None:
    for number in range(60):
        _put(built, f"texts/invalid{number}.md", b"# Bytes\n\nbefore \xff\xfe\x80 after\n")
        _put(built, f"texts/nul{number}.txt", b"one\0two\r\nthree\n")
    _put(built, "texts/long.md", b"x" * LONG_LINE)
    _put(built, "texts/empty.md", b"")
    for number in range(20):
        _put(built, f"texts/program{number}.md", b"\x7fELF" + bytes(range(32)) * 300)
        built.readable.discard(f"texts/program{number}.md")
        built.refused.add(f"texts/program{number}.md")


def _names(built: Hostile, _outside: Path) -> None:
    for number in range(20):
        _put(built, f"names/line\nfeed\n{number}.md", b"a name with line feeds")
        _put(built, f"names/\N{GRINNING FACE}\u200d\u202e{number}.md", b"a name with emoji and marks of direction")
        path = os.fsencode(built.root) + b"/names/" + b"\xff\xfe%d.md" % number
        Path(os.fsdecode(path)).write_bytes(b"no name at all")
    built.skipped[skip_reasons.NAME] += 20
    _put(built, f"names/{'n' * 250}.md", b"a long name")


def _ours(built: Hostile, outside: Path) -> None:
    database = built.root / "memory.db"
    database.write_bytes(b"SQLite format 3\0 our own")
    os.link(database, built.root / "copy.md")
    (built.root / "memory.db-wal").write_bytes(b"the log of our own")
    os.link(database, outside / "kept.db")
    built.skipped[skip_reasons.OWN] += 3
    found = [(built.root / name).stat() for name in ("memory.db", "memory.db-wal")]
    built.own = frozenset((status.st_dev, status.st_ino) for status in found)


@contextmanager
def _nested(built: Hostile) -> Iterator[None]:
    """Nest folders, one step at a time, because the path to the last of them is very long."""
    folder = os.open(built.root, os.O_RDONLY)
    for _ in range(LEVELS):
        os.mkdir("deep", dir_fd=folder)
        folder = _step(folder, "deep")
    built.skipped[skip_reasons.TOO_DEEP] += 1
    try:
        yield
    finally:
        for _ in range(LEVELS):
            folder = _step(folder, "..")
            os.rmdir("deep", dir_fd=folder)
        os.close(folder)


def _step(folder: int, name: str) -> int:
    try:
        return os.open(name, os.O_RDONLY | os.O_DIRECTORY, dir_fd=folder)
    finally:
        os.close(folder)
