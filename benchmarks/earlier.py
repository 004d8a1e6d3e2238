"""How the start of a command compares with an earlier commit: `python -m benchmarks.earlier COMMIT`.

Both run in this environment, in turns, and what counts is the time of the processor: the least of all rounds. The code
of the commit is taken out of the repository.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.figures import Figure
from benchmarks.startup import cpu_seconds
from benchmarks.stores import open_memory

_ROOT = Path(__file__).resolve().parent.parent


def start_of_commands(commit: str, rounds: int) -> Sequence[Figure]:
    """Give for some commands what they cost here, as a ratio to what they cost then."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        archive = subprocess.run(["git", "archive", commit], cwd=_ROOT, check=True, capture_output=True)
        subprocess.run(["tar", "--extract", "--directory", temporary], input=archive.stdout, check=True)
        database = folder / "one.db"
        with open_memory(str(database)) as memory:
            memory.user("default").remember("The red bicycle of Anna is in the cellar")
        recall = ["--database", str(database), "recall", "where is the red bicycle of Anna?"]
        return [_compared(typed, folder, rounds) for typed in (["--help"], recall)]


def _compared(typed: Sequence[str], then: Path, rounds: int) -> Figure:
    command = [sys.executable, "-m", "recollect", *typed]
    now, before = _environment(_ROOT), _environment(then)
    cpu_seconds(command, now), cpu_seconds(command, before)  # compiles
    times = [(cpu_seconds(command, now), cpu_seconds(command, before)) for _ in range(rounds)]
    mine, theirs = (min(column) for column in zip(*times, strict=True))
    name = next(word for word in typed if word in ("--help", "recall"))
    detail = f"{mine * 1e3:.0f} ms of CPU against {theirs * 1e3:.0f} ms"
    return Figure(f"recollect {name} against then", mine / theirs, 1.05, "at most", detail)


def _environment(root: Path) -> Mapping[str, str]:
    """Give an environment in which the code of a tree is found before what is installed."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RECOLLECT_", "PYTHON"))}
    sources = [root / "src", *root.glob("packages/*/src")]
    return {**kept, "PYTHONPATH": os.pathsep.join(map(str, sources))}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.earlier", description=__doc__)
    parser.add_argument("commit")
    parser.add_argument("--rounds", type=int, default=15)
    asked = parser.parse_args()
    for figure in start_of_commands(asked.commit, asked.rounds):
        print(figure.line())
