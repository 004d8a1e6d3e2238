"""What is said about faults that tests notice: they are put where it is said, and it is told whether a test fails."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
from benchmarks.mutants.__main__ import Effort, cover, run
from benchmarks.mutants.covered import Covered
from benchmarks.mutants.faults import Fault, Tree, faults_of, sample

ENGINE = "src/recollect/engine"
CODE = b'''\
def is_old(days: int = 7, *, strict: bool) -> bool:
    """A text of 3 words stays."""
    if days > 30 and not strict:
        raise ValueError(f"{days + 1} days")
    return days >= 7
'''
TESTS = """\
from engine.age import is_old


def test_age() -> None:
    assert is_old(8, strict=True)
    assert not is_old(2, strict=True)
"""
SETTINGS = """\
[tool.coverage.run]
source = ["src"]
branch = true
parallel = true
"""


def written(tree: Path, code: bytes = CODE, file: str = f"{ENGINE}/age.py") -> Path:
    (tree / file).parent.mkdir(parents=True, exist_ok=True)
    (tree / file).write_bytes(code)
    return tree


def texts(code: bytes = CODE) -> set[tuple[str, str, str]]:
    return {(fault.kind, code[fault.start : fault.end].decode(), fault.text) for fault in faults_of("age.py", code)}


def test_each_kind_of_change_is_made_where_the_code_runs() -> None:
    assert texts() == {
        ("default", "7", "(8)"),
        ("default", "7", "(6)"),
        ("boolean", "days > 30 and not strict", "(days > 30 or not strict)"),
        ("condition", "days > 30 and not strict", "(not (days > 30 and (not strict)))"),
        ("boundary", "days > 30", "(days >= 30)"),
        ("comparison", "days > 30", "(days <= 30)"),
        ("constant", "30", "(31)"),
        ("constant", "30", "(29)"),
        ("negation", "not strict", "(strict)"),
        ("dropped", 'raise ValueError(f"{days + 1} days")', "pass"),
        ("return", "return days >= 7", "return None"),
        ("boundary", "days >= 7", "(days > 7)"),
        ("comparison", "days >= 7", "(days < 7)"),
        ("constant", "7", "(8)"),
        ("constant", "7", "(6)"),
    }


def test_a_place_is_found_behind_letters_of_several_bytes() -> None:
    code = "def first(name: str) -> bool:\n    return 'žluť' + name == 'kůň'\n".encode()
    assert ("arithmetic", "'žluť' + name", "('žluť' - name)") in texts(code)


def test_trees_are_compared_by_the_functions_they_have_in_common(tmp_path: Path) -> None:
    changed = CODE.replace(b"30", b"40").replace(b"is_old", b"is_new")
    before = Tree(written(tmp_path / "before", CODE + b"\n\n" + changed))
    moved = b"# moved\n" + CODE + b"\n\n" + changed.replace(b"40", b"50")
    after = Tree(written(tmp_path / "after", moved, f"{ENGINE}/ages/age.py"))
    drawn = sample(before, [after], 100, seed=1)
    assert {fault.function for fault in drawn} == {"is_old"}
    found = [after.find(fault) for fault in drawn]
    assert [one and (one.kind, one.text, moved[one.start : one.end]) for one in found] == [
        (one.kind, one.text, CODE[one.start : one.end]) for one in drawn
    ]
    assert drawn == sample(before, [after], 100, seed=1)


def test_tests_are_chosen_from_several_files_those_that_run_little_first(tmp_path: Path) -> None:
    notes = tmp_path / "notes.jsonl"
    lines = '{{"test": "{}", "seconds": {}, "lines": {{"age.py": [3]}}}}\n'
    notes.write_text(
        "".join(
            lines.format(*one)
            for one in [("a::slow", 5), ("a::quick", 1), ("b::fair", 2), ("b::long", 40), ("c::[postgresql]", 1)]
        )
    )
    fault = Fault("age.py", "is_old", "", 0, "boundary", 3, 3, 3, 0, 0, "")
    elsewhere = Fault("age.py", "is_old", "", 0, "boundary", 4, 4, 4, 0, 0, "")
    covered = Covered(tmp_path, [notes], tmp_path / ".coverage", [fault, elsewhere])
    assert [test.id for test in covered.tests(fault, 2, 100)] == ["a::quick", "b::fair"]
    assert [test.id for test in covered.tests(fault, 9, 10)] == ["a::quick", "a::slow", "b::fair"]
    assert covered.tests(elsewhere, 9, 10) == []


@pytest.mark.slow
def test_what_tests_run_and_notice_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree = written(tmp_path)
    (tree / "pyproject.toml").write_text(SETTINGS)
    (tree / "tests").mkdir()
    (tree / "tests/test_age.py").write_text(TESTS)
    (tree / "tests/conftest.py").write_text("import sys\n\nsys.path.insert(0, 'src/recollect')\n")
    (tree / ".venv").symlink_to(sys.prefix)
    assert cover(tree, [], workers=1) == 0
    assert "statements: 3 of 4, 75.00%\nbranches: 1 of 2, 50.00%" in capsys.readouterr().out
    chosen = [asdict(fault) for fault in Tree(tree).all() if fault.kind in {"return", "dropped"}]
    (tree / "sample.json").write_text(json.dumps(chosen))
    before = sorted(tree.rglob("src/**/*"))
    run(tree, [], tree / "sample.json", Effort(1))
    printed = capsys.readouterr().out
    assert sorted(tree.rglob("src/**/*")) == before
    assert (tree / f"{ENGINE}/age.py").read_bytes() == CODE
    assert "  src/recollect/engine: 1 of 2, 50.0% {" in printed
    assert 'untested src/recollect/engine/age.py:4 dropped: raise ValueError(f"{days + 1} days") -> pass' in printed
    run(tree, [], tree / "sample.json", Effort(1))
    assert capsys.readouterr().out in printed  # nothing was tried again
