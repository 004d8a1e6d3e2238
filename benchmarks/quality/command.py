"""The command `python -m benchmarks.quality`, and the figures of the small set for `python -m benchmarks`."""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.figures import Figure
from benchmarks.quality.bench import CHANNELS, Bench, prepared
from benchmarks.quality.scores import Table, answerable, below_best, shown, tabulate
from benchmarks.quality.sets import OWN_SET, BadSet, QualitySet, load, spread
from recollect import RecollectError

_ABOUT = "How well what was stored is found again: `python -m benchmarks.quality`, with `--data` for a set of your own."


def measure() -> Iterator[Figure]:
    """The small set of the project, on SQLite: what is found, and whether both channels find more than one."""
    chosen = load(OWN_SET)
    with prepared(chosen, "sqlite", "local") as bench:
        fused = tabulate(chosen.queries, bench.ask({}))
        channels = {name: tabulate(chosen.queries, bench.ask(settings)) for name, settings in CHANNELS.items()}
    found = fused["all"]
    detail = f"{found['n']} questions; R@1 {found['R@1']} %, MRR {found['MRR']} %"
    yield Figure("answers among the first ten hits", found["R@10"] / 100, 0.9, "at least", detail)
    yield from below_best(fused, channels)


def report(bench: Bench, run_out: Path | None, reranker: Mapping[str, object] | None = None) -> bool:
    """Ask and print everything; says whether the fusion kept to its bar."""
    queries = bench.chosen.queries
    answers = bench.ask({})
    if run_out is not None:
        lines = (json.dumps({"id": name, "ranked": found.lines}, ensure_ascii=False) for name, found in answers.items())
        run_out.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    fused = tabulate(queries, answers)
    print(shown("fusion", fused), flush=True)
    channels: dict[str, Table] = {}
    for name, settings in CHANNELS.items():
        if name == "text" or bench.embedder != "none":
            channels[name] = tabulate(queries, bench.ask(settings))
            print(f"\n{shown(name, channels[name])}", flush=True)
    if reranker is not None:
        print(f"\n{shown('reranked', tabulate(queries, bench.ask(reranker)))}", flush=True)
    print()
    figures = list(below_best(fused, channels))
    for figure in figures:
        print(figure.line())
    if len(bench.chosen.users) > 1:
        print(answerable(answers, bench.ask({}, strangers=True)))
    return all(figure.reached for figure in figures)


def positive(text: str) -> int:
    """Read a number above 0 from the command line."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=_ABOUT)
    parser.add_argument("--data", type=Path, default=OWN_SET, metavar="DIR", help="the set (default: a small one here)")
    parser.add_argument("--store", choices=("sqlite", "postgres"), default="sqlite", help="where to store it")
    parser.add_argument("--embedder", choices=("local", "none"), default="local", help="who makes the vectors")
    parser.add_argument("--run-out", type=Path, metavar="FILE", help="write what the fusion found, a line per query")
    parser.add_argument("--rerank", choices=("auto", "always"), help="ask with the reranker as well")
    parser.add_argument("--budget", type=float, default=60.0, metavar="S", help="its time budget (default: plenty)")
    parser.add_argument("--limit-queries", type=positive, metavar="N", help="ask only N, from all over the set")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; the exit code says whether the fusion kept to its bar, and 2 that nothing was measured."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    if asked.run_out is not None and not asked.run_out.resolve().parent.is_dir():
        parser.error(f"--run-out: there is no folder {asked.run_out.resolve().parent}")
    try:
        whole = load(asked.data)
        chosen = QualitySet(whole.lines, spread(whole.queries, asked.limit_queries))
        with prepared(chosen, asked.store, asked.embedder) as bench:
            reranker = {"recall.rerank": asked.rerank, "rerank.budget_s": asked.budget} if asked.rerank else None
            reached = report(bench, asked.run_out, reranker)
    except (BadSet, RecollectError, OSError) as error:
        print(f"quality: {error}", file=sys.stderr)
        return 2
    return 0 if reached else 1
