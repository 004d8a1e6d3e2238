"""Memory moved from SQLite to PostgreSQL and back: how long it takes, how much memory it needs, whether it is whole.

Each step runs in a process of its own, whose peak is its own.
"""

import os
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from benchmarks.figures import Figure
from recollect import Memory, load_settings

_MOST_MB = 300
_TALKS = 50
_TEXT = "In the year {0} the harbour had {0} cranes, and the ferry to the island of {1} left at seven. "


class _Step(NamedTuple):
    seconds: float
    peak_mb: int


def measure(folder: Path, address: str, amount: int) -> Iterator[Figure]:
    """Move memories, messages and chunks there and back."""
    first, last, archives = str(folder / "first.db"), str(folder / "last.db"), [folder / f"{n}.zip" for n in (1, 2, 3)]
    _alone(_fill, first, str(folder / "notes"), amount)
    steps = {
        "export from sqlite": _alone(_export, first, str(archives[0])),
        "import into postgresql": _alone(_import, address, str(archives[0])),
        "export from postgresql": _alone(_export, address, str(archives[1])),
        "import into sqlite": _alone(_import, last, str(archives[1])),
        "export again": _alone(_export, last, str(archives[2])),
    }
    size = archives[0].stat().st_size
    for name, step in steps.items():
        detail = (
            f"{amount:,} rows in {step.seconds:.1f} s, {amount / step.seconds:,.0f} a second, archive {size:,} bytes"
        )
        yield Figure(f"{name}, peak memory in MB", step.peak_mb, _MOST_MB, "at most", detail)
    whole = archives[0].read_bytes()
    same = sum(archive.read_bytes() == whole for archive in archives)
    yield Figure("identical archives of 3", same, 3, "at least", "sqlite, postgresql, sqlite")


def _alone(work: Callable[..., object], *arguments: object) -> _Step:
    """Run a step in a fresh process."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(_timed, work, *arguments).result()


def _timed(work: Callable[..., object], *arguments: object) -> _Step:
    start = perf_counter()
    work(*arguments)
    peak = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text(encoding="ascii"))
    return _Step(perf_counter() - start, int(peak[1]) // 1024 if peak else 0)


def _open(database: str) -> Memory:
    """Open a store without vectors, as if nothing else were set."""
    overrides = {"database": database, "embedding.provider": "none", "places.geocoder": "none"}
    return Memory.open(settings=load_settings(os.devnull, environ={}, overrides=overrides))


def _fill(database: str, notes: str, amount: int) -> None:
    """Store as many rows: seven tenths memories, two messages, one chunks of files."""
    with _open(database) as memory:
        me = memory.user("anna")
        me.remember_many(_TEXT.format(number, number * 7) for number in range(amount * 7 // 10))
        said = amount * 2 // 10 // _TALKS
        for talk in range(_TALKS):
            turns = ({"role": ("user", "assistant")[n % 2], "content": _TEXT.format(n, talk)} for n in range(said))
            me.conversation(f"talk {talk}").import_messages(list(turns))
        Path(notes).mkdir()
        for file in range(10):
            parts = (f"## Part {part}\n\n{_TEXT.format(part, file)}\n" for part in range(amount // 10 // 10))
            Path(notes, f"{file}.md").write_text("\n".join(parts), encoding="utf-8")
        me.files.sync(notes)


def _export(database: str, archive: str) -> None:
    with _open(database) as memory:
        memory.export(archive)


def _import(database: str, archive: str) -> None:
    with _open(database) as memory:
        memory.import_archive(archive)
