"""The stores that are measured: built once, with what building took, and used again."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import count, islice
from pathlib import Path

from benchmarks.figures import CpuTime
from benchmarks.quality.bench import store
from benchmarks.quality.others import of_one_user
from benchmarks.quality.sets import DATA, QualitySet, Query, load
from benchmarks.scale.texts import BLOCK, MadeMemories
from benchmarks.stores import open_memory
from recollect import Memory, NewMemory

GIANT = "me"
SETS = ("quality", "requests")
_FEWEST, _MOST, _MIDDLE = 10, 100, 1_000
MIDDLE_USER = "middle"

# Which stored item is which line of a set, and how many rows went in per second.
Filled = tuple[Mapping[str, Sequence[str]], float]


@dataclass(frozen=True, slots=True)
class BuiltStore:
    """A store, what building it took, and which stored item is which line of a set.

    `load_rows_per_s` is how many rows went in at last, per second of processor time.
    """

    path: Path
    rows: int
    load_rows_per_s: float
    maintain_cpu_s: float
    lines: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def bytes(self) -> int:
        """The size of the file."""
        return self.path.stat().st_size


def sets_of_the_giant() -> Mapping[str, QualitySet]:
    """Give the project's sets as if one user had said all of it, and asks."""
    return {name: _as_giant(name, of_one_user(load(DATA / name))) for name in SETS}


def _as_giant(name: str, chosen: QualitySet) -> QualitySet:
    lines = [replace(line, id=f"{name} {line.id}", user=GIANT) for line in chosen.lines]
    queries: list[Query] = []
    for query in chosen.queries:
        relevant = frozenset(f"{name} {line}" for line in query.relevant)
        queries.append(replace(query, id=f"{name} {query.id}", user=GIANT, relevant=relevant))
    return QualitySet(lines, queries)


def giant(folder: Path, made: MadeMemories, rows: int) -> BuiltStore:
    """Build a store of one user: the sets first, then made-up memories."""

    def fill(memory: Memory) -> Filled:
        stored, rate = store(memory, [line for chosen in sets_of_the_giant().values() for line in chosen.lines]), 0.0
        for start in range(0, rows, BLOCK):
            items, spent = _block(made, start // BLOCK)[: rows - start], CpuTime()
            with spent:
                memory.user(GIANT).remember_many(items)
            rate = len(items) / spent.seconds
        return dict(stored), rate

    return _built(folder / f"giant-{rows}.db", rows, fill)


def many_users(folder: Path, made: MadeMemories, users: int) -> BuiltStore:
    """Build a store of users with 10 to 100 memories each, and one with a thousand."""
    amounts = {f"user{number}": _FEWEST + number * 37 % (_MOST - _FEWEST + 1) for number in range(users)}
    amounts[MIDDLE_USER] = _MIDDLE

    def fill(memory: Memory) -> Filled:
        made_items = (item for number in count() for item in _block(made, number))
        spent = CpuTime()
        for user, amount in amounts.items():
            items = list(islice(made_items, amount))
            with spent:
                memory.user(user).remember_many(items)
        return {}, sum(amounts.values()) / spent.seconds

    return _built(folder / f"users-{users}.db", sum(amounts.values()), fill)


def _block(made: MadeMemories, number: int) -> list[NewMemory]:
    texts, vectors = made.texts(number), made.vectors(number)
    return [NewMemory(text, vector=vector) for text, vector in zip(texts, vectors, strict=True)]


def _built(path: Path, rows: int, fill: Callable[[Memory], Filled]) -> BuiltStore:
    notes = path.with_suffix(".json")
    if notes.exists():
        return BuiltStore(path, **json.loads(notes.read_text("utf-8")))
    path.unlink(missing_ok=True)
    tuning = CpuTime()
    with open_memory(str(path)) as memory:
        lines, rate = fill(memory)
        with tuning:
            memory.maintain()
    built = BuiltStore(path, rows, rate, tuning.seconds, lines)
    notes.write_text(json.dumps({name: value for name, value in asdict(built).items() if name != "path"}), "utf-8")
    return built
