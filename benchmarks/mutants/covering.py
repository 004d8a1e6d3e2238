"""A plugin for pytest that notes for each test which lines it ran, beside what `--cov` counts.

The contexts of pytest-cov would keep a row for each test and branch, which for thousands of tests are gigabytes. This
notes lines, only of the folders that are asked for, one JSON object a test in a file per process. What child processes
run is counted for the test's file: it is the context of the data that they leave to coverage. It imports nothing of
the project, so that it measures any tree.
"""

import base64
import json
import os
import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import coverage
import pytest

FOLDER = "COVERING_FOLDER"  # where the notes go
SOURCES = "COVERING_SOURCES"  # the folders whose lines are noted, relative to the tree, with colons between
_CHILDREN = "COVERAGE_PROCESS_CONFIG"  # what coverage passes to child processes


class Notes:
    """The lines that the running test ran; takes them on their way from the tracer to coverage's data."""

    def __init__(self) -> None:
        self._tree = Path.cwd()
        self._sources = tuple(str(self._tree / folder) + os.sep for folder in os.environ[SOURCES].split(":"))
        self._file = (Path(os.environ[FOLDER]) / f"{os.getpid()}.jsonl").open("a")
        self._lines: dict[str, set[int]] = {}
        self._passed = True
        self._watched: coverage.CoverageData | None = None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Note what this test ran, its fixtures included, and whether it passed."""
        running = coverage.Coverage.current()
        if running is None:
            return (yield)
        self._watch(running)
        _name_children(item.nodeid.partition("::")[0])
        running.switch_context("")  # hands over what ran before
        self._lines.clear()
        self._passed = True
        start = time.perf_counter()
        answer = yield
        seconds = round(time.perf_counter() - start, 3)
        running.switch_context("")
        if self._passed and self._lines:
            lines = {path: sorted(numbers) for path, numbers in self._lines.items()}
            self._file.write(json.dumps({"test": item.nodeid, "seconds": seconds, "lines": lines}) + "\n")
            self._file.flush()
        return answer

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember that a test failed or was skipped: it says nothing about a mutant."""
        self._passed = self._passed and report.passed

    def _watch(self, running: coverage.Coverage) -> None:
        data = running.get_data()
        if data is self._watched:
            return
        self._watched = data
        add_arcs = data.add_arcs

        def noting(arcs: Mapping[str, Collection[tuple[int, int]]]) -> None:
            for path, pairs in arcs.items():
                if path.startswith(self._sources):
                    numbers = self._lines.setdefault(os.path.relpath(path, self._tree), set())
                    numbers.update(line for pair in pairs for line in pair if line > 0)
            add_arcs(arcs)

        data.add_arcs = noting  # type: ignore[assignment,method-assign]


def _name_children(context: str) -> None:
    """Let the processes that this test starts say for which file of tests they ran."""
    passed_on = os.environ.get(_CHILDREN)
    if passed_on is None:
        return
    settings: dict[str, Any] = json.loads(base64.b64decode(passed_on))
    if settings.get("context") != context:
        settings["context"] = context
        os.environ[_CHILDREN] = base64.b64encode(json.dumps(settings).encode()).decode()


def pytest_configure(config: pytest.Config) -> None:
    """Take part wherever tests run: in the one process or in those of xdist."""
    if hasattr(config, "workerinput") or not getattr(config.option, "numprocesses", None):
        config.pluginmanager.register(Notes(), "notes-of-lines")
