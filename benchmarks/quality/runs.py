"""Runs: which cases there are for a set, and the measuring of those that no file has yet."""

import os
import platform
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import recollect
from benchmarks.quality.bench import CHANNELS, Bench, prepared
from benchmarks.quality.models import NO_MODEL, embedder_of
from benchmarks.quality.others import of_one_user, other_turns
from benchmarks.quality.results import (
    Case,
    Channel,
    Conditions,
    Rerank,
    Result,
    ResultFiles,
    answered,
    digest,
    digest_of_folder,
    digest_of_set,
)
from benchmarks.quality.sets import QualitySet, load, spread

# Order, not speed, is measured here: the reranker may always finish, or a busy machine would find less.
_UNHURRIED_S = 60.0
_SETTINGS: Mapping[Channel, Mapping[str, object]] = {
    "words": CHANNELS["text"],
    "vectors": CHANNELS["vector"],
    "fused": {},
}


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure: sets, models (the newest first), settings of the reranker, and sizes for some of the sets."""

    folders: Sequence[Path]
    models: Sequence[str]
    reranks: Sequence[Rerank]
    sizes: Sequence[int] = ()
    growing: Sequence[str] = ()
    others: Path | None = None
    store: str = "sqlite"
    limit_queries: int | None = None
    only: Callable[[str], bool] = lambda _name: True

    def cases(self, folder: Path) -> Sequence[Case]:
        """List the cases of a set, whether they are to be measured or not. Words are asked once, not for each model."""
        name, newest = folder.name, self.models[0]
        cases = [Case(name, newest, "words")]
        for model in self.models:
            cases += (Case(name, model, channel, rerank) for channel, rerank in self._searches(model))
        if name in self.growing:
            searches = (("words", "off"), *self._searches(newest))
            cases += (Case(name, newest, *search, size) for size in sorted(self.sizes) for search in searches)
        return cases

    def _searches(self, model: str) -> Sequence[tuple[Channel, Rerank]]:
        if model == NO_MODEL:
            return ()
        return (("vectors", "off"), *(("fused", rerank) for rerank in self.reranks))


class Runner:
    """Gives the results of a plan: saved ones, and measured ones where `measure` says so."""

    def __init__(self, plan: Plan, folder: Path, say: Callable[[str], None]) -> None:
        """Take note of the plan and of the folder with results and vectors."""
        self._plan = plan
        self._folder = folder
        self._files = ResultFiles(folder)
        self._say = say
        self._code = digest_of_folder(Path(recollect.__file__).parent)

    def results(self, *, measure: bool = True) -> Iterator[Result]:
        """Give what is saved for this code and these sets, after measuring what is missing."""
        for folder in self._plan.folders:
            cases = self._plan.cases(folder)
            keys = {case: self._key(folder, case) for case in cases}
            if measure:
                self._measure_missing(folder, keys)
            yield from (result for case in cases if (result := self._files.load(case, keys[case])))

    def _key(self, folder: Path, case: Case) -> str:
        plan = self._plan
        others = digest_of_set(plan.others) if case.others and plan.others else ""
        measured = (self._code, case.model, _settings(case), digest_of_set(folder), plan.limit_queries)
        return digest(*measured, case.others, others, plan.store)

    def _measure_missing(self, folder: Path, keys: Mapping[Case, str]) -> None:
        missing = [case for case in keys if self._plan.only(case.name) and self._files.load(case, keys[case]) is None]
        whole = load(folder)
        chosen = QualitySet(whole.lines, spread(whole.queries, self._plan.limit_queries))
        for model in self._plan.models:
            small = [case for case in missing if case.model == model and not case.others]
            large = [case for case in missing if case.model == model and case.others]
            if small:
                self._measure(chosen, small, keys)
            if large:
                self._measure(of_one_user(chosen), large, keys)

    def _measure(self, chosen: QualitySet, cases: Sequence[Case], keys: Mapping[Case, str]) -> None:
        """Store a set once and ask it in each way, with more and more other turns."""
        sizes = sorted({case.others for case in cases})
        others = other_turns(chosen, sizes[-1], self._plan.others)
        self._say(f"{cases[0].set_name}: storing {len(chosen.lines)} texts with {cases[0].model}")
        with (
            embedder_of(cases[0].model, self._folder) as embedder,
            prepared(chosen, self._plan.store, embedder) as small,
        ):
            bench, stored = small, 0
            for size in sizes:
                if size > stored:
                    self._say(f"{cases[0].set_name}: storing {size - stored} other turns")
                    bench, stored = bench.grown(others[stored:size]), size
                for case in cases:
                    if case.others == size:
                        self._files.save(self._ask(bench, case), keys[case])

    def _ask(self, bench: Bench, case: Case) -> Result:
        began = time.monotonic()
        found = bench.ask(_settings(case))
        result = Result(
            case=case,
            texts=len(bench.chosen.lines),
            users=len(bench.chosen.users),
            answered=[answered(query, found[query.id]) for query in bench.chosen.queries],
            conditions=conditions(self._plan.store),
            seconds=round(time.monotonic() - began, 1),
            other_source=self._plan.others.name if case.others and self._plan.others else "",
        )
        recall = ", ".join(f"{column} {result.interval(column).mean:.1f}" for column in ("R@1", "R@10", "R@50"))
        self._say(f"{case.name}: {recall} ({len(result.answered)} questions, {result.seconds:.0f} s)")
        return result


def _settings(case: Case) -> Mapping[str, object]:
    settings = {**_SETTINGS[case.channel], "recall.rerank": case.rerank}
    return settings if case.rerank == "off" else {**settings, "rerank.budget_s": _UNHURRIED_S}


def conditions(store: str) -> Conditions:
    """Say when, where and with what code something is measured."""
    return Conditions(
        date=f"{datetime.now(UTC):%Y-%m-%d}",
        version=recollect.__version__,
        revision=_revision(),
        machine=_machine(),
        store=store,
    )


def _revision() -> str:
    """Name the last commit that changed the package, and whether it has changed since; nothing in a source archive."""
    package = str(Path(recollect.__file__).parent)
    commit = _git("log", "-1", "--format=%h", "--", package)
    return f"{commit} and changes" if commit and _git("status", "--porcelain", "--", package) else commit


def _git(*arguments: str) -> str:
    command = ("git", "-C", str(Path(__file__).parent), *arguments)
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""


def _machine() -> str:
    """Say what it runs on, without a name or a path."""
    processor = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        models = [line.partition(":")[2].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        processor = models[0] if models else processor
    python = ".".join(platform.python_version_tuple()[:2])
    return f"{os.cpu_count()} cores of {processor}, {platform.system()}, Python {python}"
