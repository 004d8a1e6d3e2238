"""Which tests run a line, and which of them are worth running for a fault there."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import coverage

from benchmarks.mutants.faults import Fault

_FILES = 8  # collecting a file costs as much as running some of its tests
_WHOLE_FILES = 2  # of lines that only child processes run, where nobody knows which test did
_ON_A_SERVER = "postgresql"  # starting a server costs more than most tests
_LINES_A_SECOND = 2_000  # a test that runs fewer lines says more about each


@dataclass(frozen=True)
class Test:
    """A test that ran a line; without seconds it is a whole file."""

    id: str
    seconds: float = 0.0
    cost: float = 0.0

    @property
    def file(self) -> str:
        """The file it is in."""
        return self.id.partition("::")[0]


class Covered:
    """What the tests of a tree ran, of the lines that were asked for."""

    def __init__(self, tree: Path, notes: Iterable[Path], data: Path, faults: Sequence[Fault]) -> None:
        self._tests: dict[tuple[str, int], list[Test]] = defaultdict(list)
        wanted: dict[str, set[int]] = defaultdict(set)
        for fault in faults:
            wanted[fault.path] |= {*range(fault.first_line, fault.last_line + 1), fault.statement_line}
        for file in notes:
            with file.open() as lines:
                for line in lines:
                    self._note(json.loads(line), wanted)
        self._files: dict[tuple[str, int], set[str]] = defaultdict(set)
        if data.exists():
            self._read_children(tree, data, wanted)

    def tests(self, fault: Fault, most: int, seconds: float) -> list[Test]:
        """Choose tests: in turn from several files, those that run little first; on a server if no others run it."""
        found = {
            test.id: test for line in range(fault.first_line, fault.last_line + 1) for test in self._of(fault, line)
        }
        found = found or {test.id: test for test in self._of(fault, fault.statement_line)}
        if not found:
            lines = {*range(fault.first_line, fault.last_line + 1), fault.statement_line}
            files = {file for line in lines for file in self._files[fault.path, line]}
            return [Test(file) for file in sorted(files)[:_WHOLE_FILES]]
        without = [test for test in found.values() if _ON_A_SERVER not in test.id]
        by_file: dict[str, list[Test]] = defaultdict(list)
        for test in sorted(without or found.values(), key=lambda test: (test.cost, test.id)):
            by_file[test.file].append(test)
        queues = list(by_file.values())[:_FILES]
        chosen: list[Test] = []
        for turn in range(max(map(len, queues))):
            for queue in queues:
                spent = sum(test.seconds for test in chosen)
                if turn < len(queue) and len(chosen) < most and (not chosen or spent + queue[turn].seconds <= seconds):
                    chosen.append(queue[turn])
        order = list(by_file)
        return sorted(chosen, key=lambda test: order.index(test.file))

    def _of(self, fault: Fault, line: int) -> list[Test]:
        return self._tests.get((fault.path, line), [])

    def _note(self, note: dict[str, object], wanted: dict[str, set[int]]) -> None:
        lines, seconds = note["lines"], note["seconds"]
        assert isinstance(lines, dict)  # noqa: S101
        assert isinstance(seconds, float | int)  # noqa: S101
        cost = seconds + sum(map(len, lines.values())) / _LINES_A_SECOND
        test = Test(str(note["test"]), seconds, cost)
        for path, numbers in lines.items():
            for number in wanted.get(path, set()).intersection(numbers):
                self._tests[path, number].append(test)

    def _read_children(self, tree: Path, data: Path, wanted: dict[str, set[int]]) -> None:
        counted = coverage.CoverageData(str(data))
        counted.read()
        for path, numbers in wanted.items():
            found = counted.contexts_by_lineno(str(tree / path))
            for number in numbers:
                self._files[path, number] |= {context for context in found.get(number, []) if context}
