"""The command behind `make quality`: measures sets in every way to search, and writes docs/quality.md with its plots.

    python -m benchmarks.quality.publish [DIR ...] [--only PATTERN] [--sizes 1000,10000] [--grow NAME] [--report]

Each result is saved in build/quality, and each vector: an interrupted run goes on, and a finished one is only read.
"""

import argparse
import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import get_args

from benchmarks.quality.command import positive
from benchmarks.quality.models import NO_MODEL, installed_models
from benchmarks.quality.page import page, results_table, sizes_table
from benchmarks.quality.results import Rerank
from benchmarks.quality.runs import Plan, Runner
from benchmarks.quality.sets import DATA, BadSet
from recollect import RecollectError

ROOT = Path(__file__).resolve().parents[2]
OWN_SETS = tuple(DATA / name for name in ("quality", "requests", "requests-2", "in-common"))
SIZES = (1_000, 10_000, 100_000)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what is missing, print the tables and write the page; 2 says that it could not."""
    parser = _parser()
    given = parser.parse_args(arguments)
    folders = [one.resolve() for one in given.sets] or list(OWN_SETS)
    problem = _problem(given, folders)
    if problem:
        parser.error(problem)
    plan = Plan(
        folders=folders,
        models=given.models,
        reranks=given.rerank,
        sizes=given.sizes,
        growing=given.grow if given.grow is not None else [folders[0].name],
        others=given.others,
        store=given.store,
        limit_queries=given.limit_queries,
        only=lambda name: not given.only or any(fnmatchcase(name, pattern) for pattern in given.only),
    )
    try:
        results = list(Runner(plan, given.cache, _say).results(measure=not given.report))
    except (BadSet, RecollectError, OSError) as error:
        print(f"quality: {error}", file=sys.stderr)
        return 2
    if not any(not one.case.others for one in results):
        print("quality: there are no results; run without --report or with another --only.", file=sys.stderr)
        return 2
    _say(f"\n{results_table([one for one in results if not one.case.others])}")
    if any(one.case.others for one in results):
        _say(f"\n{sizes_table([one for one in results if one.case.others])}")
    if given.write or not (given.only or given.limit_queries):
        for name, content in page(results, _command(folders, given)).items():
            (given.docs / name).write_text(content, encoding="utf-8")
        _say(f"\nWritten: {given.docs / 'quality.md'}")
    return 0


def _problem(given: argparse.Namespace, folders: Sequence[Path]) -> str:
    """Say what is wrong with the arguments; nothing when all is well."""
    names = [folder.name for folder in folders]
    unknown = [model for model in given.models if model not in (*installed_models(), NO_MODEL)]
    strangers = [name for name in given.grow or () if name not in names]
    if len(set(names)) < len(names):
        return f"two sets have the same folder name ({', '.join(names)}); results are told apart by it"
    if unknown:
        return f"--models: {unknown[0]} is not installed; there are {', '.join(installed_models())} and {NO_MODEL}"
    if strangers:
        return f"--grow: {strangers[0]} is none of the sets ({', '.join(names)})"
    if not given.docs.is_dir():
        return f"--docs: there is no folder {given.docs}"
    return ""


def _command(folders: Sequence[Path], given: argparse.Namespace) -> str:
    """Give the command without the paths of this machine: only the sets' names."""
    if tuple(folders) == OWN_SETS:
        return "make quality"
    grown = f' QUALITY="--grow {",".join(given.grow)}"' if given.grow else ""
    return f'make quality SETS="{" ".join(folder.name for folder in folders)}"{grown}'


def _say(text: str) -> None:
    print(text, flush=True)


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def _reranks(text: str) -> list[str]:
    unknown = [name for name in _names(text) if name not in get_args(Rerank)]
    if unknown:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(get_args(Rerank))}")
    return _names(text)


def _sizes(text: str) -> list[int]:
    wrong = [size for size in _names(text) if not size.isdecimal() or int(size) < 1]
    if wrong:
        raise argparse.ArgumentTypeError(f"{wrong[0]!r} is not a whole number above 0")
    return [int(size) for size in _names(text)]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.quality.publish", description=__doc__.partition("\n")[0]
    )
    parser.add_argument(
        "sets", nargs="*", type=Path, metavar="DIR", help="folders of sets (default: those of the project)"
    )
    parser.add_argument(
        "--only", type=_names, default=[], metavar="PATTERN,…", help="measure only cases such as 'requests/*/fused*'"
    )
    parser.add_argument("--models", type=_names, default=list(installed_models()), help="encoders, the newest first")
    parser.add_argument(
        "--rerank", type=_reranks, default=["off", "auto"], help="settings of the reranker (default off,auto)"
    )
    parser.add_argument("--sizes", type=_sizes, default=list(SIZES), metavar="N,…", help="numbers of other turns")
    parser.add_argument(
        "--grow", type=_names, metavar="NAME,…", help="sets to ask among other turns (default: the first)"
    )
    parser.add_argument("--others", type=Path, metavar="DIR", help="a set whose texts are the other turns")
    parser.add_argument("--store", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument("--limit-queries", type=positive, metavar="N", help="ask only N of each set; writes no page")
    parser.add_argument("--report", action="store_true", help="measure nothing; use what is saved for this code")
    parser.add_argument("--write", action="store_true", help="write the page although only a part was measured")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs", help="where the page goes")
    parser.add_argument(
        "--cache", type=Path, default=ROOT / "build" / "quality", help="where results and vectors are saved"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
