"""How many small faults in the engine and the stores the tests notice, and how much of the code they run.

`cover` runs tests with coverage and notes which of them run which lines. `sample` draws faults in functions that all
named trees have word for word, so that two states of the project can be compared. `run` tries each with the tests that
run its lines, at most so many, and prints how many were noticed and which were not. Started again, it goes on where it
was, and tries what was not noticed with tests not yet run for it. Everything is kept in build/mutants of the tree.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue

from benchmarks.mutants import covering
from benchmarks.mutants.covered import Covered
from benchmarks.mutants.faults import FOLDERS, Fault, Tree, sample
from benchmarks.mutants.trial import UNTESTED, Copy, Verdict

_KEPT = Path("build/mutants")


@dataclass(frozen=True)
class Effort:
    """How many faults are tried at a time, and how many tests, for how long, run for each at most."""

    at_once: int = 2
    tests: int = 40
    seconds: float = 20.0


def cover(tree: Path, paths: Sequence[str], workers: int) -> int:
    """Run tests; gives the exit code of pytest."""
    kept = tree / _KEPT
    notes, plugin = kept / "notes", kept / "plugin"  # of its own, so that the tree's tests find nothing else of ours
    for folder in (notes, plugin):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    shutil.copy(covering.__file__, plugin)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    environment |= {"PYTHONPATH": str(plugin), covering.FOLDER: str(notes), covering.SOURCES: os.pathsep.join(FOLDERS)}
    command = [str(tree / ".venv/bin/python"), "-m", "pytest", "-q", "-n", str(workers), "--dist", "worksteal"]
    command += ["-p", "covering", "--cov", "--cov-report=term", f"--cov-report=json:{kept / 'coverage.json'}", *paths]
    code = subprocess.run(command, cwd=tree, env=environment, check=False).returncode
    totals = json.loads((kept / "coverage.json").read_text())["totals"]
    for what, count in (("statements", "covered_lines/num_statements"), ("branches", "covered_branches/num_branches")):
        covered, of = (totals[name] for name in count.split("/"))
        print(f"{what}: {covered:,} of {of:,}, {covered / of:.2%}")
    return code


def draw(tree: Path, also: Sequence[Path], amount: int, seed: int, file: Path) -> None:
    """Write a sample."""
    drawn = sample(Tree(tree), [Tree(other) for other in also], amount, seed)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps([asdict(fault) for fault in drawn], indent=1))
    print(f"{len(drawn)} faults in {file}: {dict(Counter(fault.kind for fault in drawn).most_common())}")


def run(tree: Path, also: Sequence[Path], file: Path, effort: Effort) -> None:
    """Try the faults of a sample that no test noticed yet with further tests, and print what became of all."""
    here, others = Tree(tree), [Tree(other) for other in also]
    faults = [here.find(Fault(**fields)) for fields in json.loads(file.read_text())]
    known = [fault for fault in faults if fault and all(other.find(fault) for other in others)]
    covered = Covered(tree, sorted((tree / _KEPT / "notes").glob("*.jsonl")), tree / ".coverage", known)
    results = tree / _KEPT / "results.jsonl"
    verdicts, tried = _read(results)
    copies: SimpleQueue[Copy] = SimpleQueue()

    def judge(fault: Fault) -> None:
        before = tried[fault.place]
        tests = [one for one in covered.tests(fault, effort.tests, effort.seconds) if one.id not in before]
        verdict = verdicts.get(fault.place, UNTESTED)
        if verdict.noticed or not tests:
            verdicts[fault.place] = verdict
            return
        copy = copies.get()
        try:
            verdicts[fault.place] = verdict = copy.judge(fault, tests)
        finally:
            copies.put(copy)
        entry = {"place": fault.place, "how": verdict.how, "test": verdict.test, "tests": [one.id for one in tests]}
        with results.open("a") as lines:
            lines.write(json.dumps(entry) + "\n")
        print(f"{len(verdicts)}: {verdict.how} {_shown(tree, fault)}", flush=True)

    made = [Copy(tree) for _ in range(effort.at_once)]
    try:
        for copy in made:
            copies.put(copy)
        with ThreadPoolExecutor(effort.at_once) as threads:
            list(threads.map(judge, known))
    finally:
        for copy in made:
            copy.close()
    _report(tree, known, verdicts)
    if len(known) < len(faults):
        print(f"{len(faults) - len(known)} faults of the sample are not in every tree")


def _read(results: Path) -> tuple[dict[str, Verdict], Mapping[str, set[str]]]:
    """Give what became of each fault, and the tests that were run for it."""
    entries = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
    tried: dict[str, set[str]] = defaultdict(set)
    for entry in entries:
        tried[entry["place"]].update(entry["tests"])
    return {entry["place"]: Verdict(entry["how"], entry["test"]) for entry in entries}, tried


def _report(tree: Path, faults: Sequence[Fault], verdicts: Mapping[str, Verdict]) -> None:
    print("\nNot noticed:")
    for fault in sorted(faults, key=lambda fault: (fault.path, fault.first_line)):
        if not verdicts[fault.place].noticed:
            print(f"  {verdicts[fault.place].how} {_shown(tree, fault)}")
    print("\nNoticed:")
    for part in (*FOLDERS, ""):
        found = [verdicts[fault.place] for fault in faults if fault.path.startswith(part)]
        noticed = sum(verdict.noticed for verdict in found)
        ways = dict(Counter(verdict.how for verdict in found).most_common())
        print(f"  {part or 'all'}: {noticed} of {len(found)}, {noticed / max(len(found), 1):.1%} {ways}")


def _shown(tree: Path, fault: Fault) -> str:
    before = (tree / fault.path).read_bytes()[fault.start : fault.end].decode()
    return f"{fault.path}:{fault.first_line} {fault.kind}: {' '.join(before.split())[:70]} -> {fault.text[:70]}"


def main() -> int:
    """Do one of the three steps."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__)
    parser.add_argument("--tree", type=Path, default=Path(), metavar="DIR", help="a working tree with its .venv (here)")
    steps = parser.add_subparsers(dest="step", required=True)
    covers = steps.add_parser("cover", help="run tests and note which lines each of them runs")
    covers.add_argument("paths", nargs="*", metavar="PATH", help="a part of the tests")
    covers.add_argument("--workers", type=int, default=4, metavar="N", help="how many processes (4)")
    draws = steps.add_parser("sample", help="draw faults")
    draws.add_argument("--amount", type=int, default=220, metavar="N", help="how many (220)")
    draws.add_argument("--seed", type=int, default=42, metavar="N")
    runs = steps.add_parser("run", help="try them")
    runs.add_argument(
        "--at-once", type=int, default=Effort.at_once, metavar="N", help="how many at a time (%(default)s)"
    )
    runs.add_argument(
        "--tests", type=int, default=Effort.tests, metavar="N", help="tests of a fault at most (%(default)s)"
    )
    runs.add_argument(
        "--seconds", type=float, default=Effort.seconds, metavar="N", help="what they took at most (%(default)s)"
    )
    for step in (draws, runs):
        step.add_argument(
            "--also", type=Path, action="append", default=[], metavar="DIR", help="a tree that has them too"
        )
        step.add_argument("--sample", type=Path, default=_KEPT / "sample.json", metavar="FILE", help="(%(default)s)")
    arguments = parser.parse_args()
    tree: Path = arguments.tree.resolve()
    if arguments.step == "cover":
        return cover(tree, arguments.paths, arguments.workers)
    if arguments.step == "sample":
        draw(tree, arguments.also, arguments.amount, arguments.seed, arguments.sample)
    else:
        effort = Effort(arguments.at_once, arguments.tests, arguments.seconds)
        run(tree, arguments.also, arguments.sample, effort)
    return 0


if __name__ == "__main__":
    sys.exit(main())
