"""Runs tests against a fault, in a copy of the tree that nothing else uses."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Literal

import psutil
import pytest

from benchmarks.mutants.covered import Test
from benchmarks.mutants.faults import Fault

_LEFT_OUT = (".git", ".venv", "build", ".cache", ".mypy_cache", ".ruff_cache", ".hypothesis", "dist", ".coverage*")
_START_S, _SLOWER = 120.0, 5.0  # how long a run may take: to start, and how much longer than noted the tests may
_ENDING_S = 20.0
_DOUBTS = 3  # a test that fails without the fault too is left out; after so many the fault counts as not noticed

How = Literal["failed", "broken", "endless", "survived", "untested"]


@dataclass(frozen=True)
class Verdict:
    """What became of a fault: noticed by a failing test, by tests that cannot start or do not end, or by none."""

    how: How
    test: str = ""

    @property
    def noticed(self) -> bool:
        """Whether the tests noticed it."""
        return self.how in {"failed", "broken", "endless"}


UNTESTED = Verdict("untested")


class Copy:
    """A copy of a tree, in which one fault at a time is tried."""

    def __init__(self, tree: Path) -> None:
        self._tree = tree
        self.folder = Path(mkdtemp(prefix="recollect-mutants-", dir=tree / "build"))
        self._code = self.folder / "tree"
        shutil.copytree(tree, self._code, symlinks=True, ignore=shutil.ignore_patterns(*_LEFT_OUT))
        (self._code / ".venv").symlink_to(tree / ".venv")
        self._changes = 0
        self._sound: dict[str, bool] = {}

    def close(self) -> None:
        """Remove the copy."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def judge(self, fault: Fault, tests: Sequence[Test]) -> Verdict:
        """Try a fault; a failure counts when the same test passes without the fault."""
        left = list(tests)
        for _ in range(_DOUBTS):
            if not left:
                break
            with self._changed(fault):
                how, test = self._run(left)
            if how != "failed" or self._is_sound(test):
                return Verdict(how, test)
            left = [one for one in left if one.id != test]
        return Verdict("survived")

    def _is_sound(self, test: str) -> bool:
        if test not in self._sound:
            self._sound[test] = self._run([Test(test)])[0] == "survived"
        return self._sound[test]

    @contextmanager
    def _changed(self, fault: Fault) -> Iterator[None]:
        file = self._code / fault.path
        before, times = file.read_bytes(), file.stat()
        file.write_bytes(fault.applied_to(before))
        self._changes += 1
        os.utime(file, (self._changes, self._changes))  # by seconds and size Python tells whether bytecode is old
        try:
            yield
        finally:
            file.write_bytes(before)
            os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))

    def _run(self, tests: Sequence[Test]) -> tuple[How, str]:
        limit = _START_S + _SLOWER * sum(test.seconds for test in tests)
        temporary = Path(mkdtemp(prefix="mutant-"))
        output = self.folder / "output.txt"
        command = [str(self._code / ".venv/bin/python"), "-m", "pytest", "-x", "-q", "-rfE", "-p", "no:cacheprovider"]
        command += ["--no-header", "--tb=line", f"--basetemp={temporary / 't'}", *(test.id for test in tests)]
        try:
            with output.open("w") as file:
                running = subprocess.Popen(
                    command, cwd=self._code, env=self._environment(), stdin=subprocess.DEVNULL, stdout=file,
                    stderr=subprocess.STDOUT, start_new_session=True,
                )  # fmt: skip
                try:
                    code = running.wait(limit)
                except subprocess.TimeoutExpired:
                    _interrupt(running)
                    return "endless", ""
        finally:
            _end_leftovers(temporary)
            shutil.rmtree(temporary, ignore_errors=True)
        if code == pytest.ExitCode.OK:
            return "survived", ""
        return _reason(output.read_text(errors="replace"), tests)

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("COV", "PYTEST", "TEST"))}
        sources = [self._code / "src", *sorted(self._code.glob("packages/*/src"))]
        return {
            **kept,
            "PYTHONPATH": os.pathsep.join(map(str, sources)),
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "",
        }


def _reason(output: str, tests: Sequence[Test]) -> tuple[How, str]:
    lines = [line for line in output.splitlines() if line.startswith(("FAILED", "ERROR", "SUBFAILED"))]
    named = [test.id for test in tests for line in lines if test.id in line]
    return ("failed", max(named, key=len)) if named else ("broken", "")


def _interrupt(running: subprocess.Popen[bytes]) -> None:
    """End a run that takes too long: politely, so that it stops its servers, then not."""
    for number in (signal.SIGINT, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(running.pid, number)
        with suppress(subprocess.TimeoutExpired):
            running.wait(_ENDING_S)
            return


def _end_leftovers(folder: Path) -> None:
    """End the servers that a killed run left: those who work in its folder."""
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if Path(process.cwd()).is_relative_to(folder):
                process.kill()
