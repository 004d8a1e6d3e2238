"""Measures stores of several sizes, one after the other."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.figures import CpuTime, Figure
from benchmarks.quality.bench import Bench
from benchmarks.quality.intervals import Interval, bootstrap
from benchmarks.quality.scores import score
from benchmarks.recall import nearest
from benchmarks.scale.page import page
from benchmarks.scale.probe import Probe, Times
from benchmarks.scale.results import Measured, MeasuredUsers, Results
from benchmarks.scale.stores import GIANT, MIDDLE_USER, BuiltStore, giant, many_users, sets_of_the_giant
from benchmarks.scale.texts import BLOCK, MadeMemories
from benchmarks.stores import open_memory
from recollect.model.memories import Vector

SIZES = (10_000, 100_000)
_SMALLEST = 1_000
_QUESTIONS = 100
_FEW_USERS, _MANY_USERS = 100, 10_000
_ASKING_USERS = 20
_COMPARED, _ROUNDING = 50, 1e-5
_DOCS = Path(__file__).resolve().parents[2] / "docs"


@dataclass(frozen=True, slots=True)
class Scale:
    """A run: which sizes, where stores are kept, and whether the page is written."""

    sizes: Sequence[int] = SIZES
    stores: Path | None = None
    write: bool = False

    def measure(self, folder: Path) -> Iterator[Figure]:
        """Build what is missing, measure, and compare the sizes with each other."""
        run = _Run(self.stores or folder)
        sizes = sorted(self.sizes)
        results = Results(
            [run.giant(size) for size in sorted({_SMALLEST, *sizes})],
            [run.users(amount) for amount in (_FEW_USERS, _MANY_USERS)],
        )
        yield from results.figures()
        print(results.table(), flush=True)
        if self.write:
            command = f"python -m benchmarks scale --sizes {','.join(map(str, sizes))} --write"
            for name, content in page(results, command).items():
                (_DOCS / name).write_text(content, encoding="utf-8")


class _Run:
    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._made = MadeMemories(folder)
        self._questions, self._vectors = folder / "questions.json", folder / "questions.npy"
        usual, vectors = self._made.questions(_QUESTIONS)
        questions = {"usual": usual, "common": self._made.common_questions(_QUESTIONS)}
        self._questions.write_text(json.dumps(questions), "utf-8")
        np.save(self._vectors, vectors)

    def giant(self, rows: int) -> Measured:
        """Measure a store of one user."""
        built = giant(self._folder, self._made, rows)
        probe, backup_cpu_s = self._probe(built, [GIANT]), _backup_cpu_s(built, self._folder)
        return Measured(built, probe, backup_cpu_s, _quality(built), self._agreement(built))

    def _agreement(self, built: BuiltStore) -> float:
        """Give the share of the nearest ten memories that a search finds as a product with all vectors would."""
        queries: Vector = np.load(self._vectors)[:_COMPARED]
        best = np.full((len(queries), 10), -1.0, np.float32)
        for start in range(0, built.rows, BLOCK):
            cosines = queries @ self._made.vectors(start // BLOCK)[: built.rows - start].T
            best = np.sort(np.concatenate((best, cosines), axis=1), axis=1)[:, -10:]
        with open_memory(str(built.path)) as memory:
            ours = [[one.cosine for one in nearest(memory, query)[:10]] for query in queries]
        return float(np.mean([[cosine >= row[0] - _ROUNDING for cosine in ours[n]] for n, row in enumerate(best)]))

    def users(self, amount: int) -> MeasuredUsers:
        """Measure a store of many users."""
        built = many_users(self._folder, self._made, amount)
        asking = [f"user{number * amount // _ASKING_USERS}" for number in range(_ASKING_USERS)]
        return MeasuredUsers(built, amount, self._probe(built, asking), self._probe(built, [MIDDLE_USER]))

    def _probe(self, built: BuiltStore, users: Sequence[str]) -> Probe:
        arguments = [str(built.path), ",".join(users), str(self._questions), str(self._vectors)]
        command = [sys.executable, "-m", "benchmarks.scale.probe", *arguments]
        entry = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        return Probe(**{**entry, **{name: Times(**entry[name]) for name in ("usual", "common")}})


def _backup_cpu_s(built: BuiltStore, folder: Path) -> float:
    spent = CpuTime()
    with tempfile.TemporaryDirectory(dir=folder) as target, open_memory(str(built.path)) as memory, spent:
        memory.backup(target)
    return spent.seconds


def _quality(built: BuiltStore) -> Mapping[str, Interval]:
    """Ask the questions of the sets, and give R@10 in percent."""
    found: dict[str, Interval] = {}
    for name, chosen in sets_of_the_giant().items():
        answers = Bench(str(built.path), "local", chosen, built.lines, among_others=True).ask({})
        scores = [score(answers[query.id].lines, query.relevant) for query in chosen.queries]
        found[name] = bootstrap([100 * row["R@10"] for row in scores])
    return found
