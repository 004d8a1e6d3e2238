"""What a small user pays for Citus: the same calls on a plain and on a distributed store, in turns.

`TEST_CITUS_PROGRAMS=FOLDER python -m benchmarks.citus` starts a coordinator and two workers (tests/citus.py).
Both stores are on the coordinator's server, and all servers share the machine.
"""

from collections.abc import Callable, Mapping
from statistics import median
from time import perf_counter
from typing import Final

from tests.citus import cluster
from tests.reliability.opening import WITH_QUICK_VECTORS, open_memory

from recollect import Memory, UserMemory

_USERS: Final = 10
_ROWS: Final = 100
_TURNS: Final = 60
_CALLS: Final[Mapping[str, Callable[[Memory, int], object]]] = {
    "recall": lambda memory, turn: _user(memory, turn).recall(
        f"lamp in room {turn % 7} thing {turn % 100}", limit=10, only_related=False
    ),
    "remember": lambda memory, turn: _user(memory, turn).remember(f"Something new number {turn}"),
    "append": lambda memory, turn: _user(memory, turn).conversation("c").append("user", f"Said number {turn}"),
    "window": lambda memory, turn: _user(memory, turn).conversation("c").window(),
    "list": lambda memory, turn: _user(memory, turn).list(limit=20),
    "remember_many": lambda memory, turn: _user(memory, turn).remember_many(
        [f"One of many: {turn} {number}" for number in range(100)]
    ),
}


def _user(memory: Memory, turn: int) -> UserMemory:
    return memory.user(f"user {turn % _USERS}")


def _filled(address: str) -> Memory:
    memory = open_memory(address, **WITH_QUICK_VECTORS)
    for user in range(_USERS):
        rows = [f"The lamp {user} {row} hangs in room {row % 7} near thing {row * 13 % 101}" for row in range(_ROWS)]
        memory.user(f"user {user}").remember_many(rows)
    memory.embed_waiting()
    return memory


def main() -> None:
    """Print a table."""
    with cluster() as running:
        addresses = running.fresh(), running.fresh()
        Memory.open(addresses[1]).close()
        Memory.distribute(addresses[1])
        with _filled(addresses[0]) as plain, _filled(addresses[1]) as distributed:
            print("| call | plain, p50 ms | distributed, p50 ms | ratio |\n|---|---|---|---|")
            for name, call in _CALLS.items():
                took_ms: tuple[list[float], list[float]] = ([], [])
                for turn in range(_TURNS):
                    for memory, times in zip((plain, distributed), took_ms, strict=True):
                        started = perf_counter()
                        call(memory, turn)
                        times.append((perf_counter() - started) * 1000)
                before, after = (median(times[_USERS:]) for times in took_ms)
                print(f"| {name} | {before:.1f} | {after:.1f} | {after / before:.2f} |", flush=True)


if __name__ == "__main__":
    main()
