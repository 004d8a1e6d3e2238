"""Runs the tests behind each promise and shows what they came to: `make reliability`.

    python -m tests.reliability.report [full | small] [--only 2,3] [--afresh] [--write]

A promise is kept when its tests pass and their figures reach what it names. Without a figure it was not run.

What each promise came to is noted in `build/reliability` as soon as its tests have ended. A run that was interrupted
goes on there with the next promise, unless the sources have changed meanwhile, or all of it is done.
"""

import argparse
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import apsw
import psycopg

from recollect import __version__
from tests.postgres_server import postgres_server
from tests.reliability.figures import FOLDER
from tests.reliability.promises import FURTHER, PROMISES, Promise

ROOT = Path(__file__).parents[2]
NOTES = ROOT / "build" / "reliability"
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


class Notes:
    """What the promises of one run came to so far, in a folder: one for each, with its figures and how it ended."""

    def __init__(self, folder: Path, size: str, sources: str) -> None:
        self._folder = folder / size
        self._sources = sources

    def begin(self, *, afresh: bool) -> None:
        """Go on with the run that is noted if it is of the same sources and was not completed, or begin another."""
        mark = self._folder / "sources"
        if afresh or not mark.exists() or mark.read_text() != self._sources or not self.missing():
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder.mkdir(parents=True)
            mark.write_text(self._sources)

    def missing(self) -> list[Promise]:
        """Give the promises whose tests have not ended."""
        return [promise for promise in (*PROMISES, *FURTHER) if self._ended(promise) is None]

    def clear(self, promise: Promise) -> Path:
        """Forget what a promise came to; gives the folder for its figures."""
        folder = self._of(promise)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def note(self, promise: Promise, *, passed: bool, minutes: float) -> None:
        """Note how the tests of a promise ended."""
        ended = json.dumps({"passed": passed, "minutes": minutes})
        unfinished = self._of(promise) / "unfinished"
        unfinished.write_text(ended)
        unfinished.rename(self._of(promise) / "ended.json")

    def runs(self) -> list[Run]:
        """Give all promises as they stand; tests of one may have figures for another."""
        files = [file for promise in (*PROMISES, *FURTHER) for file in sorted(self._of(promise).glob("*.jsonl"))]
        rows = [json.loads(line) for file in files for line in file.read_text().splitlines()]
        runs = []
        for promise in (*PROMISES, *FURTHER):
            ended = self._ended(promise)
            counts = summed(rows, promise.number) if ended else {}
            runs.append(Run(promise, counts, **(ended or {"passed": True})))
        return runs

    def _ended(self, promise: Promise) -> dict[str, Any] | None:
        noted = self._of(promise) / "ended.json"
        return json.loads(noted.read_text()) if noted.exists() else None

    def _of(self, promise: Promise) -> Path:
        return self._folder / f"{promise.number:02}"


def sources() -> str:
    """Give a hash of what is tested."""
    files = sorted((ROOT / "src").rglob("*.py")) + sorted((ROOT / "src").rglob("*.sql"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def run(notes: Notes, size: str, only: Sequence[int]) -> list[Run]:
    """Run what stands behind the promises that are missing or named, one after the other."""
    chosen = [promise for promise in (*PROMISES, *FURTHER) if promise.number in only] if only else notes.missing()
    for promise in chosen:
        _say(f"\n{promise.number}. {promise.text}")
        passed, minutes = run_tests(promise, size, notes.clear(promise))
        notes.note(promise, passed=passed, minutes=minutes)
    return notes.runs()


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
    parser.add_argument("--only", default="", help="numbers of promises, separated by commas; run again if noted")
    parser.add_argument("--afresh", action="store_true", help="do not go on with a run that was interrupted")
    parser.add_argument("--write", action="store_true", help=f"write the figures to docs/{PAGE.name} in any size")
    given = parser.parse_args()
    only = [int(number) for number in given.only.split(",") if number]
    notes = Notes(NOTES, given.size, sources())
    notes.begin(afresh=given.afresh)
    runs = run(notes, given.size, only)
    minutes = sum(one.minutes for one in runs)
    about = f"{datetime.now(UTC):%Y-%m-%d}, {given.size} size, {minutes:.0f} minutes on {machine()}."
    _say(f"\n{about}\n\n{table(runs)}")
    if given.write or (given.size == "full" and not notes.missing()):
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), about, runs), encoding="utf-8")
    return int(any("broken" in one.result for one in runs))


if __name__ == "__main__":
    sys.exit(main())
