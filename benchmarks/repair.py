"""How long a repair takes and how much memory it needs: `python -m benchmarks.repair [MEMORIES]`.

Makes a store of 50,000 memories with vectors, zeroes its header and changes a byte on 20 pages, and repairs it in a
process of its own. The time is also given as a ratio to that of `PRAGMA integrity_check` on the sound file.
"""

import sys
from pathlib import Path

if not __package__:  # run as a file: our neighbours here have names of the standard library
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

import json
import subprocess
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

from recollect import Memory, load_settings
from recollect.model.backups import Repaired
from recollect.storage.sqlite.connection import open_connection

_MEMORIES = 50_000
_DIMENSIONS = 384
_DAMAGED_PAGES = 20
_PAGE_BYTES = 8192
_BATCH = 5_000


def fill(path: Path, memories: int) -> None:
    """Store memories of some twenty words, with vectors of chance."""
    chance, vectors = Random(25), np.random.default_rng(25)
    words = [f"word{number}" for number in range(5_000)]
    settings = load_settings(environ={}, overrides={"database": str(path), "embedding.worker": False})
    with Memory.open(settings=settings) as memory:
        for first in range(0, memories, _BATCH):
            texts = [f"Note {first + at}: {' '.join(chance.choices(words, k=20))}" for at in range(_BATCH)]
            made = vectors.standard_normal((_BATCH, _DIMENSIONS)).tolist()
            batch = [{"content": text, "vector": vector} for text, vector in zip(texts, made, strict=True)]
            memory.user("me").remember_many(batch[: memories - first])


def damage(path: Path) -> None:
    """Zero the header, and change a byte on each of some pages."""
    chance = Random(26)
    with path.open("r+b") as file:
        size = path.stat().st_size
        for page in chance.sample(range(1, size // _PAGE_BYTES), _DAMAGED_PAGES):
            place = page * _PAGE_BYTES + chance.randrange(_PAGE_BYTES)
            file.seek(place)
            byte = file.read(1)[0]
            file.seek(place)
            file.write(bytes([byte ^ 0x55]))
        file.seek(0)
        file.write(bytes(100))


def checked_s(path: Path) -> float:
    """Time SQLite's own check of all pages."""
    started = perf_counter()
    connection = open_connection(path, 10)
    connection.execute("PRAGMA integrity_check").fetchall()
    connection.close()
    return perf_counter() - started


def main(memories: int) -> None:
    """Print the figures."""
    with TemporaryDirectory(prefix="recollect-repair-") as folder:
        path = Path(folder) / "memory.db"
        fill(path, memories)
        size_mb, check_s = path.stat().st_size / 1e6, checked_s(path)
        damage(path)
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.repair", "--child", str(path)],
            capture_output=True,
            text=True,
            check=True,
        )
        told = json.loads(done.stdout)
        print(f"{memories:,} memories, {size_mb:.0f} MB, {_DAMAGED_PAGES} damaged pages and the header")
        print(f"repaired in {told['s']:.1f} s, {told['s'] / check_s:.1f} times an integrity check ({check_s:.1f} s)")
        print(f"peak memory {told['peak_mb']:.0f} MB")
        for table, saved, lost in told["tables"]:
            print(f"  {table}: {saved:,} saved, {lost:,} lost")


def child(path: str) -> None:
    """Repair, and print what it took."""
    started = perf_counter()
    repaired: Repaired | None = Memory.repair(path)
    tables = [(table.table, table.saved, table.lost) for table in repaired.tables] if repaired else []
    status = Path("/proc/self/status").read_text(encoding="ascii")  # what getrusage tells includes the parent's
    peak_mb = int(status.partition("VmHWM:")[2].split()[0]) / 1024
    print(json.dumps({"s": perf_counter() - started, "peak_mb": peak_mb, "tables": tables}))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2])
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else _MEMORIES)
