"""Runs the tests behind each promise and shows what they came to: `make reliability`.

    python -m tests.reliability.report [full | small] [--only 2,3] [--write]

A promise is kept when its tests pass and their figures reach what it names. Without a figure it was not run.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import psycopg

from recollect import __version__
from tests.postgres_server import postgres_server
from tests.reliability.figures import FOLDER
from tests.reliability.promises import FURTHER, PROMISES, Promise

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reliability.md"
BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"
_LARGEST = frozenset({"processes", "seconds", "healed_ms"})  # all other figures of a promise are added up
_NO_TESTS = 5  # how pytest ends when it found none
_MINUTE_S = 60


@dataclass(frozen=True)
class Run:
    """What the tests behind a promise came to."""

    promise: Promise
    counts: Mapping[str, int]
    passed: bool
    minutes: float = 0.0

    @property
    def result(self) -> str:
        """Say in a word or two whether the promise was kept."""
        named = (*self.promise.at_least, *self.promise.none_of)
        if not self.passed:
            return "**broken**"
        if any(name not in self.counts for name in named):
            return "not run"
        if any(self.counts[name] for name in self.promise.none_of):
            return "**broken**"
        if any(self.counts[name] < amount for name, amount in self.promise.at_least.items()):
            return "kept, in small"
        return "kept"

    @property
    def figures(self) -> str:
        """Give the figures in words."""
        names = (*self.promise.at_least, *self.promise.shown, *self.promise.none_of)
        return ", ".join(_told(name, self.counts[name]) for name in names if name in self.counts) or "none"


def _told(name: str, amount: int) -> str:
    return f"{amount:,} {name.replace('_', ' ')}"


def summed(rows: Sequence[Mapping[str, object]], promise: int) -> dict[str, int]:
    """Put the figures of a promise together."""
    found: Counter[str] = Counter()
    for row in rows:
        counts = row["counts"]
        if row["promise"] != promise or not isinstance(counts, dict):
            continue
        for name, amount in counts.items():
            found[name] = max(found[name], amount) if name in _LARGEST else found[name] + amount
    return dict(found)


def run_tests(promise: Promise, size: str, folder: Path) -> tuple[bool, float]:
    """Run the tests of a promise; gives whether they passed, and the minutes it took."""
    if not promise.tests:
        return True, 0.0
    environment = {**os.environ, FOLDER: str(folder)}
    environment.pop("TESTS", None)
    if size == "full":
        environment["TESTS"] = "all"
    hands = str(min(4, os.cpu_count() or 1))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", hands, "--dist", "worksteal"]
    began = time.monotonic()
    ended = subprocess.run([*command, *promise.tests], cwd=ROOT, env=environment, check=False)
    return ended.returncode in {0, _NO_TESTS}, (time.monotonic() - began) / _MINUTE_S


def run(size: str, only: Sequence[int]) -> list[Run]:
    """Run what stands behind the promises, one after the other."""
    done: dict[int, tuple[bool, float]] = {}
    with TemporaryDirectory(prefix="recollect-figures-") as name:
        folder = Path(name)
        for promise in (*PROMISES, *FURTHER):
            if not only or promise.number in only:
                _say(f"\n{promise.number}. {promise.text}")
                done[promise.number] = run_tests(promise, size, folder)
        rows = [json.loads(line) for file in folder.glob("*.jsonl") for line in file.read_text().splitlines()]
    return [
        Run(promise, summed(rows, promise.number) if promise.number in done else {}, *done.get(promise.number, (True,)))
        for promise in (*PROMISES, *FURTHER)
    ]


def table(runs: Sequence[Run]) -> str:
    """Lay the figures out."""
    rows = ["| # | promise | figures | to reach | result | minutes |", "|---|---|---|---|---|---|"]
    for one in runs:
        bar = ", ".join(_told(name, amount) for name, amount in one.promise.at_least.items())
        zero = " and ".join(f"0 {name.replace('_', ' ')}" for name in one.promise.none_of)
        cells = (one.promise.number, one.promise.text, one.figures, f"{bar}; {zero}", one.result, f"{one.minutes:.1f}")
        rows.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(rows)


def machine() -> str:
    """Say what it ran on, without a name or a path."""
    processor = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        models = [line.partition(":")[2].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        processor = models[0] if models else processor
    with TemporaryDirectory(prefix="recollect-version-") as folder:
        server = postgres_server(Path(folder))
        with psycopg.connect(server.get_uri()) as connection:
            postgresql = connection.info.parameter_status("server_version") or "?"
        server.cleanup()
    return (
        f"{os.cpu_count()} cores of {processor}, {platform.system()} {platform.release()}, "
        f"Python {platform.python_version()}, SQLite {apsw.sqlite_lib_version()}, "
        f"PostgreSQL {postgresql.split()[0]}, Recollect {__version__}"
    )


def written(page: str, about: str, runs: Sequence[Run]) -> str:
    """Put figures into a page, in the place of those that stand there."""
    head, _, rest = page.partition(BEGIN)
    return f"{head}{BEGIN}\n{about}\n\n{table(runs)}\n{END}{rest.partition(END)[2]}"


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - this is a program


def main() -> int:
    """Run, print, and write the page when told to or when all was run in full."""
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.report", description=__doc__)
    parser.add_argument("size", nargs="?", choices=("full", "small"), default="full")
    parser.add_argument("--only", default="", help="numbers of promises, separated by commas")
    parser.add_argument("--write", action="store_true", help=f"write the figures to docs/{PAGE.name} in any size")
    given = parser.parse_args()
    only = [int(number) for number in given.only.split(",") if number]
    runs = run(given.size, only)
    minutes = sum(one.minutes for one in runs)
    about = f"{datetime.now(UTC):%Y-%m-%d}, {given.size} size, {minutes:.0f} minutes on {machine()}."
    _say(f"\n{about}\n\n{table(runs)}")
    if given.write or (given.size == "full" and not only):
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), about, runs), encoding="utf-8")
    return int(any("broken" in one.result for one in runs))


if __name__ == "__main__":
    sys.exit(main())
