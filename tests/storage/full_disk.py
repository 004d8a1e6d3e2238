"""A store on a disk that is full to the last block: what `python -m tests.storage.full_disk FOLDER` finds.

FOLDER is a small disk of its own. Printed is what happened, as JSON; `test_reserve.py` judges it.
"""

import json
import os
import shutil
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from recollect import Memory, load_settings
from recollect.errors import StoreFull
from tests.sizes import ALL

WORD = "qvintessa"
WAYS = ("everything", "session", "folder", "query") if ALL else ("everything",)
SECRET = f"The wine cellar of grandmother opens with {WORD}"


def open_store(path: Path, reserve_mb: int = 32) -> Memory:
    """Open a store without vectors."""
    overrides = {"database": str(path), "embedding.provider": "none", "sqlite.reserve_mb": reserve_mb}
    return Memory.open(settings=load_settings(os.devnull, environ={}, overrides=overrides))


def fill_store(memory: Memory) -> list[str]:
    """Store what is to be forgotten, and what is not; gives the ids of the former."""
    memory.user("other").remember_many([f"The ferry {number} leaves at seven" for number in range(50)])
    me = memory.user("me")
    said = me.conversation("talk")
    said.append("user", f"Tell me about {WORD}99. The weather is fine.")
    made = me.remember_many([f"The password of locker {number} is {WORD}{number}" for number in range(59)])
    me.remember(SECRET)
    return [result.id for result in made]


def fill_disk(folder: Path) -> None:
    """Write until not one byte more fits."""
    with (folder / "ballast").open("ab", buffering=0) as ballast:
        for size in (2**16, 2**12, 1):
            try:
                while True:
                    ballast.write(bytes(size))
            except OSError:
                continue


def attempt(work: Callable[[], object]) -> str:
    """Say how a call ended."""
    try:
        work()
    except StoreFull:
        return "full"
    return "done"


def left_of(folder: Path, word: str) -> int:
    """Count a word in the bytes of the database's files, which no process has open."""
    return sum(path.read_bytes().count(word.encode()) for path in folder.glob("memory.db*"))


def with_reserve(folder: Path) -> dict[str, Any]:
    """Forget by id, by query and everything, each on a full disk."""
    path = folder / "memory.db"
    told: dict[str, Any] = {}
    reserve = folder / "memory.db-reserve"
    with open_store(path) as memory:
        ids = fill_store(memory)
        memory.maintain()
        status = reserve.stat()
        told["mode"], told["allocated"] = stat.S_IMODE(status.st_mode), status.st_blocks * 512 >= status.st_size > 0
        me = memory.user("me")
        fill_disk(folder)
        told["store"] = attempt(lambda: me.remember("x" * 100_000))
        forgotten = me.forget(ids[1])
        told["by id"] = (forgotten.action, forgotten.pending, me.count())
        fill_disk(folder)
        forgotten = me.forget(query=SECRET)
        told["by query"] = (forgotten.action, forgotten.pending, me.count())
    fill_disk(folder)
    with open_store(path) as memory:
        me = memory.user("me")
        told["opened"] = me.count()
        fill_disk(folder)
        told["others"] = memory.user("other").recall("When does the ferry 7 leave?").hits[0].content
        forgotten = me.forget(everything=True)
        told["everything"] = (forgotten.action, forgotten.pending, me.count())
    told["bytes"] = left_of(folder, WORD)
    (folder / "ballast").unlink()
    with open_store(path) as memory:
        memory.maintain()
        told["afterwards"] = [problem.check for problem in memory.doctor()]
        told["others left"] = memory.user("other").count()
        told["restocked"] = reserve.stat().st_size
    return told


def without_reserve(folder: Path) -> dict[str, Any]:
    """Do the same without a reserve."""
    path = folder / "memory.db"
    told: dict[str, Any] = {}
    with open_store(path, 0) as memory:
        fill_store(memory)
        told["reserve"] = (folder / "memory.db-reserve").exists()
    fill_disk(folder)
    told["open"] = attempt(lambda: open_store(path, 0).close())
    (folder / "ballast").unlink()
    with open_store(path, 0) as memory:
        fill_disk(folder)
        told["forget"] = attempt(lambda: memory.user("me").forget(everything=True))
        told["count"] = memory.user("me").count()
        told["advice"] = [advice for advice in memory.status().advice if "full disk" in advice]
    (folder / "ballast").unlink()
    with open_store(path, 0) as memory:
        told["whole"] = (memory.user("me").count(), len(memory.doctor()))
    return told


def more_than_the_reserve(folder: Path) -> dict[str, Any]:
    """Forget what changes twice as many pages as the reserve has room for, in each way that reaches many items."""
    return {way: _forgotten_in_parts(folder, way) for way in WAYS}


def _forgotten_in_parts(disk: Path, way: str) -> dict[str, Any]:
    folder = disk / way
    folder.mkdir()
    path, notes = folder / "memory.db", folder / "notes"
    with open_store(path, 1) as memory:
        memory.user("other").remember_many([f"The ferry {number} leaves at seven" for number in range(50)])
        me, long = memory.user("me"), "la" * 8_000
        texts = [f"The cellar {number} opens with {WORD}{number}. {long}" for number in range(120)]
        if way == "session":
            me.conversation("talk").extend([{"role": "user", "content": text} for text in texts])
        elif way == "folder":
            notes.mkdir()
            for start in range(0, len(texts), 30):
                (notes / f"{start}.md").write_text("\n\n".join(texts[start : start + 30]))
            me.files.sync(notes)
        else:
            me.remember_many(texts)
    named: dict[str, dict[str, Any]] = {
        "everything": {"everything": True},
        "session": {"session": "talk"},
        "folder": {"folder": notes},
        "query": {"query": "cellar", "all": True},
    }
    with open_store(path, 1) as memory:
        fill_disk(disk)
        forgotten = memory.user("me").forget(**named[way], receipt=True)
        stats = memory.user("me").stats()
        counts = forgotten.receipt.counts if forgotten.receipt else {}
        told: dict[str, Any] = {
            "action": forgotten.action,
            "left": [stats.memories, stats.messages, stats.chunks, memory.user("other").count()],
            "counted": max(counts.values()),
        }
    (disk / "ballast").unlink()
    with open_store(path, 1) as memory:
        memory.maintain()
        told["doctor"] = [problem.check for problem in memory.doctor()]
    told["bytes"] = left_of(folder, WORD)
    shutil.rmtree(folder)
    return told


def main() -> None:
    """Run both."""
    print(json.dumps({name: run(_made(Path(sys.argv[1], name))) for name, run in _RUNS.items()}))  # noqa: T201


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


_RUNS: dict[str, Callable[[Path], dict[str, Any]]] = {
    "with": with_reserve,
    "without": without_reserve,
    "parts": more_than_the_reserve,
}

if __name__ == "__main__":
    main()
