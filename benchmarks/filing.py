"""Folders of notes: how fast 200 MB of Markdown are taken in, looked through again, and found after an edit.

The peer of a first sync reads and hashes the same tree and writes the very rows that a sync writes, terms ready-made,
into the same tables and the same index of words. What is left is what we do besides: walking by rules, cutting,
analysing, comparing. The peer of a sync that finds nothing new is a bare walk that asks each file for size and time.
"""

import hashlib
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Event, Thread
from typing import Any

import apsw
import psutil

from benchmarks.figures import Figure, alternate, seconds
from benchmarks.lifelike import sentences
from recollect import Memory, load_settings
from recollect.storage.base.statements import load_migrations

FILES = 10_000
MEGABYTES = 200
_FOLDERS = 100
_BATCH = 1_000
_LOOK_S = 0.05
_COLUMNS = 15


def measure(folder: Path, _address: str, amount: int) -> Iterator[Figure]:
    """Measure with a tenth as many files as memories are asked for."""
    files = min(FILES, amount // 10)
    tree, database = folder / "notes", folder / "ours.db"
    size = make_tree(tree, files, files * MEGABYTES * 10**6 // FILES)
    yield from _first_sync(tree, database, size)
    with _open(database) as memory:
        yield from _unchanged(memory, tree)
        yield _one_line(memory, tree)
        yield _found_soon(memory, tree)


def _open(database: Path) -> Memory:
    overrides = {"database": str(database), "embedding.provider": "none"}
    return Memory.open(settings=load_settings(os.devnull, environ={}, overrides=overrides))


def make_tree(root: Path, files: int, size: int) -> int:
    """Write Markdown files of lifelike sizes in folders; gives their bytes."""
    chance = random.Random(7)
    told = sentences(50_000)
    shares = [chance.lognormvariate(0, 1) for _ in range(files)]
    total = 0
    for number, share in enumerate(shares):
        place = root / f"{number % _FOLDERS:02d}" / f"note-{number}.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        text = _note(chance, told, int(size * share / sum(shares)), number)
        place.write_text(text, encoding="utf-8")
        os.utime(place, ns=(10**18 + number, 10**18 + number))
        total += len(text.encode())
    return total


def _note(chance: random.Random, told: Sequence[str], size: int, number: int) -> str:
    parts, length = [f"# Note {number}\n"], 0
    while length < size:
        kind = chance.random()
        if kind < 0.12:
            part = f"## {' '.join(chance.choice(told).split()[:5])}\n"
        elif kind < 0.3:
            part = "".join(f"- {chance.choice(told)}\n" for _ in range(chance.randrange(2, 7)))
        elif kind < 0.35:
            part = (
                "```python\n"
                + "".join(f"total_{chance.randrange(99)} = price * {chance.randrange(99)}\n" for _ in range(8))
                + "```\n"
            )
        else:
            part = ".\n".join(chance.choice(told) for _ in range(chance.randrange(1, 6))) + ".\n"
        parts.append(part)
        length += len(part) + 1
    return "\n".join(parts)


def _first_sync(tree: Path, database: Path, size: int) -> Iterator[Figure]:
    _warm(tree)
    took, rss = _synced_apart(tree, database)
    rows = _rows(database)
    bare = seconds(lambda: _bare(tree, database.with_name("bare.db"), rows, words=True))
    plain = seconds(lambda: _bare(tree, database.with_name("plain.db"), rows, words=False))
    detail = (
        f"{size / took / 1e6:.1f} MB/s, {len(rows):,} chunks in {took:.1f} s; the peer {bare:.1f} s, "
        f"{plain:.1f} s without an index of words"
    )
    yield Figure("first sync, speed against reading, hashing and bare inserts", bare / took, 0.5, "at least", detail)
    yield Figure(
        "memory of a first sync, all processes together", rss / 2**20 / 250, 1, "at most", f"{rss / 2**20:.0f} MiB"
    )


def _warm(tree: Path) -> None:
    for place in tree.rglob("*.md"):
        place.read_bytes()


_SYNC = """
import sys, time
from pathlib import Path
from benchmarks.filing import _open
begun = time.perf_counter()
with _open(Path(sys.argv[2])) as memory:
    memory.user("me").sync(sys.argv[1])
print(time.perf_counter() - begun)
"""


def _synced_apart(tree: Path, database: Path) -> tuple[float, int]:
    """Sync in a process of its own; gives its seconds, and the most memory that it and its helpers held together."""
    child = subprocess.Popen([sys.executable, "-c", _SYNC, str(tree), str(database)], stdout=subprocess.PIPE, text=True)
    most = 0
    family = psutil.Process(child.pid)
    while child.poll() is None:
        try:
            members = [family, *family.children(recursive=True)]
            most = max(most, sum(_memory(one) for one in members))
        except psutil.NoSuchProcess:
            pass
        time.sleep(_LOOK_S)
    printed, _ = child.communicate()
    return float(printed), most


def _memory(process: psutil.Process) -> int:
    """Give what a process holds for itself: pages that it shares are counted where they came from."""
    try:
        return int(process.memory_full_info().pss)
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return 0


def _rows(database: Path) -> list[tuple[Any, ...]]:
    connection = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)
    found = list(connection.execute("SELECT * FROM chunks ORDER BY seq"))
    connection.close()
    return found


def _bare(tree: Path, database: Path, rows: Sequence[tuple[Any, ...]], *, words: bool) -> None:
    """Read and hash the tree, and write the rows to the same tables."""
    connection = apsw.Connection(str(database))
    connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    connection.execute(load_migrations("sqlite")[0].sql)
    for place in tree.rglob("*.md"):
        hashlib.sha256(place.read_bytes()).hexdigest()
    marks = ", ".join("?" * _COLUMNS)
    for start in range(0, len(rows), _BATCH):
        part = rows[start : start + _BATCH]
        with connection:
            connection.executemany(f"INSERT INTO chunks VALUES ({marks})", part)  # noqa: S608
            if words:
                connection.execute(
                    "INSERT INTO chunk_terms (rowid, user_token, terms) "
                    "SELECT seq, hex(user_id), terms FROM chunks WHERE seq BETWEEN ? AND ?",
                    (part[0][0], part[-1][0]),
                )
    connection.close()


def _unchanged(memory: Memory, tree: Path) -> Iterator[Figure]:
    me = memory.user("me")
    ours, bare = alternate(lambda: me.files.sync(tree), lambda: _walk(str(tree)), rounds=7)
    _, unasked = alternate(lambda: None, lambda: _walk(str(tree), ask=False), rounds=3)
    detail = f"{ours * 1e3:.0f} ms against {bare * 1e3:.0f} ms, {unasked * 1e3:.0f} ms without asking for size and time"
    yield Figure("a sync that finds nothing new, time against a bare walk", ours / bare, 2, "at most", detail)
    before = _writes(memory)
    me.files.sync(tree)
    yield Figure("writes of a sync that finds nothing new", _writes(memory) - before, 0, "at most", "of the user")


def _walk(path: str, *, ask: bool = True) -> None:
    with os.scandir(path) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                _walk(entry.path, ask=ask)
            elif ask:
                entry.stat(follow_symlinks=False)


def _writes(memory: Memory) -> int:
    """Give the number that grows with every write of the user."""
    connection = apsw.Connection(memory.settings.database, flags=apsw.SQLITE_OPEN_READONLY)
    ((writes,),) = connection.execute("SELECT generation FROM users")
    connection.close()
    return int(writes)


def _one_line(memory: Memory, tree: Path) -> Figure:
    """Edit lines of a file of 1 MB, one after the other; counts the chunks that must be embedded again."""
    chance, me = random.Random(3), memory.user("me")
    large = tree / "large.md"
    lines = _note(chance, sentences(5_000), 10**6, 1).split("\n")
    large.write_text("\n".join(lines), encoding="utf-8")
    me.files.sync(tree)
    plain = [number for number, line in enumerate(lines) if line.endswith(".") and len(line) > 40]
    most = 0
    for edit in range(20):
        lines[chance.choice(plain)] += f" Edited {edit}."
        large.write_text("\n".join(lines), encoding="utf-8")
        (report,) = me.files.sync(tree)
        most = max(most, report.written)
    return Figure("chunks embedded again after an edit in 1 MB", most, 3, "at most", "the most of 20 edits")


def _found_soon(memory: Memory, tree: Path) -> Figure:
    """Edit a file of a watched folder, and ask until it is found."""
    me, stop, ready = memory.user("me"), Event(), Event()
    keeper = Thread(target=lambda: me.files.watch(tree, stop=stop, tell=lambda _report: ready.set()))
    keeper.start()
    ready.wait()
    took = []
    for number in range(5):
        time.sleep(2)
        word = f"zyxw{number}qv"
        begun = time.perf_counter()
        (tree / "large.md").write_text(f"# Found\n\nThe word is {word}.\n", encoding="utf-8")
        while not me.search_context(word, sources=("file",), limit=1, min_score=0.3).hits:
            time.sleep(0.01)
        took.append(time.perf_counter() - begun)
    stop.set()
    keeper.join()
    shutil.rmtree(tree, ignore_errors=True)
    return Figure(
        "an edit in a watched folder is found by words", max(took) / 2, 1, "at most", f"{max(took):.2f} s of 2 s"
    )
