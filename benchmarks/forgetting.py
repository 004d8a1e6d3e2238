"""How much writers notice when another process forgets, also while a reader keeps the log from being emptied."""

import multiprocessing
import os
import statistics
from collections.abc import Iterator
from contextlib import closing, contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

import apsw

from benchmarks.figures import Figure, seconds
from recollect import Memory, load_settings

_ROUNDS = 5
_WRITES = 40
_FORGETTABLE = 1_000
_TEXT = "In the year {number} the harbour of {place} had {number} cranes, and the ferries left at seven. " * 3


def measure(folder: Path, address: str, amount: int) -> Iterator[Figure]:
    """Compare writes while another process forgets with writes in quiet, in turn."""
    rows = max(amount // 20, 400)
    for name, database in (("sqlite", str(folder / "forgetting.db")), ("postgresql", address)):
        with _open(database) as memory:
            _fill(memory, rows)
            yield _figure(f"write p50 while another process forgets, {name}", memory, database)
            if name == "sqlite":
                with closing(apsw.Connection(database)) as reader, reader:
                    reader.execute("SELECT count(*) FROM memories").fetchall()
                    yield _figure("the same while a reader holds a snapshot", memory, database)
    database = str(folder / "vectors.db")
    with _open(database, embedder="local") as memory:
        _fill(memory, min(rows, _FORGETTABLE))
        yield _figure("write p50 while another process forgets, sqlite with vectors", memory, database)


def _open(database: str, embedder: str = "none") -> Memory:
    """Open a store, usually without vectors: what is measured is the store."""
    overrides = {"database": database, "embedding.provider": embedder}
    return Memory.open(settings=load_settings(os.devnull, environ={}, overrides=overrides))


def _fill(memory: Memory, rows: int) -> None:
    memory.user("other").remember_many([_TEXT.format(number=number, place="Hull") for number in range(rows)])
    memory.maintain()


def _figure(name: str, memory: Memory, database: str) -> Figure:
    me, forgotten = memory.user("me"), 0
    quiet: list[float] = []
    disturbed: list[float] = []
    number = memory.stats().memories
    with _forgetting(database) as forgetter:
        for _ in range(_ROUNDS):
            for times in (quiet, disturbed):
                if times is disturbed:
                    forgetter.send("go")
                for _ in range(_WRITES):
                    number += 1
                    text = _TEXT.format(number=number, place="Dover")
                    times.append(seconds(lambda text=text: me.remember(text)))  # type: ignore[misc]
                if times is disturbed:
                    forgetter.send("stop")
                    forgotten += forgetter.recv()
    ratio = statistics.median(disturbed) / statistics.median(quiet)
    detail = (
        f"{statistics.median(disturbed) * 1e3:.2f} ms, quiet {statistics.median(quiet) * 1e3:.2f} ms; longest "
        f"{max(disturbed) * 1e3:.0f} and {max(quiet) * 1e3:.0f} ms; {forgotten} forgotten"
    )
    return Figure(name, ratio, 2.0, "at most", detail)


@contextmanager
def _forgetting(database: str) -> Iterator["Connection[str, int]"]:
    """Run a process that forgets between `go` and `stop`."""
    start = multiprocessing.get_context("spawn")
    ours, theirs = start.Pipe()
    process = start.Process(target=_forget_on_demand, args=(database, theirs))
    process.start()
    ours.recv()
    yield ours
    ours.send("end")
    process.join()


def _forget_on_demand(database: str, told: "Connection[int, str]") -> None:
    """Forget one memory after the other while told to; says how many."""
    with _open(database) as memory:
        other = memory.user("other")
        ids = iter([record.id for record in other.list(limit=_FORGETTABLE).items])
        told.send(0)
        while told.recv() == "go":
            forgotten = 0
            while not told.poll():
                other.forget(next(ids))
                forgotten += 1
            told.recv()
            told.send(forgotten)
