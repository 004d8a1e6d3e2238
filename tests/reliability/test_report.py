"""The page of promises lists all twelve with tests that exist, and the report calls none kept that was not run."""

import json
import re
from pathlib import Path

import pytest

from tests.reliability.promises import FURTHER, PROMISES, Promise
from tests.reliability.report import BEGIN, END, PAGE, ROOT, Notes, Run, summed, table, written

_FILE = re.compile(r"`(tests/[\w/]+\.py)`")
_PROMISE = Promise(
    1, "Nothing is lost", {"points": 10}, ("lost",), ("tests/reliability/test_report.py",), ("processes",)
)


def test_the_page_lists_twelve_promises_and_their_tests() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert [promise.number for promise in PROMISES] == list(range(1, 13))
    sections = re.findall(r"^### (\d+)\. (.+?)\n(.*?)(?=^###? |\Z)", page, re.DOTALL | re.MULTILINE)
    listed = (*PROMISES, *FURTHER)
    assert [(int(number), text) for number, text, _ in sections] == [(one.number, one.text) for one in listed]
    for promise, (_, _, section) in zip(listed, sections, strict=True):
        named = _FILE.findall(section)
        assert named
        assert promise.tests
        for path in (*named, *(test.partition("::")[0] for test in promise.tests)):
            assert (ROOT / path).exists(), path
    assert page.count(BEGIN) == page.count(END) == 1


@pytest.mark.parametrize(
    ("counts", "passed", "result"),
    [
        ({}, True, "not run"),
        ({"points": 10}, True, "not run"),  # what was lost is not known
        ({"points": 9, "lost": 0}, True, "kept, in small"),
        ({"points": 10, "lost": 0}, True, "kept"),
        ({"points": 10, "lost": 1}, True, "**broken**"),
        ({"points": 10, "lost": 0}, False, "**broken**"),
    ],
    ids=str,
)
def test_the_result(counts: dict[str, int], passed: bool, result: str) -> None:  # noqa: FBT001 - a table
    assert Run(_PROMISE, counts, passed).result == result


def test_figures_are_put_together() -> None:
    rows = [
        {"promise": 1, "what": "a", "counts": {"points": 4, "lost": 0, "processes": 8}},
        {"promise": 1, "what": "b", "counts": {"points": 1_200, "lost": 0, "processes": 2}},
        {"promise": 2, "what": "c", "counts": {"points": 7}},
    ]
    found = summed(rows, 1)
    assert found == {"points": 1_204, "lost": 0, "processes": 8}
    run = Run(_PROMISE, found, passed=True, minutes=1.26)
    assert table([run]).splitlines()[-1] == (
        "| 1 | Nothing is lost | 1,204 points, 8 processes, 0 lost | 10 points; 0 lost | kept | 1.3 |"
    )
    page = f"Before\n{BEGIN}\nold figures\n{END}\nAfter\n"
    new = written(page, "on a machine", [run])
    assert new == f"Before\n{BEGIN}\non a machine\n\n{table([run])}\n{END}\nAfter\n"


def test_an_interrupted_run_goes_on_with_what_is_missing(tmp_path: Path) -> None:
    first, second, *_ = PROMISES
    notes = Notes(tmp_path, "small", "these sources")
    notes.begin(afresh=False)
    row = {"promise": second.number, "what": "by another", "counts": {"images": 3}}
    (notes.clear(first) / "1.jsonl").write_text(json.dumps(row) + "\n")
    notes.note(first, passed=True, minutes=2.5)
    (notes.clear(second) / "1.jsonl").write_text(json.dumps({**row, "counts": {"images": 4, "lost": 0}}) + "\n")

    again = Notes(tmp_path, "small", "these sources")
    again.begin(afresh=False)
    assert first not in again.missing()
    assert again.missing()[0] == second
    assert again.runs()[1].counts == {}  # its tests were interrupted
    again.note(second, passed=False, minutes=1)
    run_first, run_second, *rest = again.runs()
    assert (run_first.passed, run_first.minutes, run_second.passed) == (True, 2.5, False)
    assert run_second.counts == {"images": 7, "lost": 0}
    assert {run.result for run in rest} == {"not run"}
    assert list(again.clear(second).iterdir()) == []
    assert again.missing()[0] == second


@pytest.mark.parametrize("why", ["afresh", "sources", "complete"])
def test_a_run_begins_anew(why: str, tmp_path: Path) -> None:
    notes = Notes(tmp_path, "small", "these sources")
    notes.begin(afresh=False)
    for promise in (*PROMISES, *FURTHER) if why == "complete" else PROMISES[:1]:
        notes.clear(promise)
        notes.note(promise, passed=True, minutes=0)
    other = Notes(tmp_path, "small", "other sources" if why == "sources" else "these sources")
    other.begin(afresh=why == "afresh")
    assert len(other.missing()) == len(PROMISES) + len(FURTHER)
