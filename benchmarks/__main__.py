"""Runs all measurements, or the ones named, as in `python -m benchmarks ingest conversations`; `--help` lists them."""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from benchmarks import (
    capture,
    clusters,
    conversations,
    corrections,
    embedding,
    fairness,
    filing,
    forgetting,
    hook,
    hybrid,
    ingest,
    moving,
    need,
    page,
    places,
    precision,
    quality,
    reading,
    recall,
    reranking,
    scale,
    searching,
    secrets,
    service,
    startup,
    summaries,
    writers,
)
from benchmarks.figures import Figure
from benchmarks.stores import server

Measurement = Callable[[Path, str, int], Iterator[Figure]]

MEASUREMENTS: Mapping[str, Measurement] = {
    "ingest": ingest.measure,
    "writers": writers.measure,
    "large": lambda folder, _address, amount: recall.one_large_user(folder / "recall.db", amount),
    "giant": lambda _folder, address, amount: recall.large_user_on_a_server(address, recall.made_up(amount)),
    "small": lambda folder, address, amount: recall.many_small_users(folder, address, 1_000, amount // 1_000),
    "hybrid": lambda folder, _address, amount: hybrid.measure(folder, amount),
    "cold": lambda folder, _address, amount: startup.cold_recall(folder, amount),
    "floor": lambda folder, _address, _amount: startup.recall_against_the_floor(folder),
    "help": lambda _folder, _address, _amount: startup.help_text(),
    "hook": lambda folder, _address, _amount: hook.measure(folder),
    "footprint": lambda folder, _address, _amount: startup.footprint(folder),
    "conversations": conversations.measure,
    "corrections": lambda _folder, _address, _amount: corrections.measure(),
    "searching": lambda folder, _address, _amount: searching.measure(folder),
    "embedding": embedding.measure,
    "service": service.measure,
    "fairness": fairness.measure,
    "files": filing.measure,
    "forgetting": forgetting.measure,
    "moving": moving.measure,
    "capture": lambda _folder, _address, _amount: capture.measure(),
    "need": lambda _folder, _address, _amount: need.measure(),
    "reranking": lambda folder, _address, _amount: reranking.measure(folder),
    "reading": lambda _folder, _address, _amount: reading.measure(),
    "secrets": lambda _folder, _address, _amount: secrets.measure(),
    "summaries": lambda _folder, _address, _amount: summaries.measure(),
    "places": places.measure,
    "precision": lambda _folder, _address, _amount: precision.measure(),
    "page": page.measure,
    "clusters": lambda folder, _address, amount: clusters.measure(folder, amount),
    "quality": lambda _folder, _address, _amount: quality.measure(),
    "scale": lambda folder, _address, _amount: scale.Scale().measure(folder),
}


def _sizes(text: str) -> list[int]:
    """Read numbers of memories such as 1e5."""
    try:
        sizes = sorted({int(float(size)) for size in text.split(",")})
    except (ValueError, OverflowError) as error:
        raise argparse.ArgumentTypeError(f"{text!r} has something that is no number; write 1e4,1e5") from error
    if sizes[0] < 1:
        raise argparse.ArgumentTypeError(f"{sizes[0]} memories cannot be measured; write 1e4,1e5")
    return sizes


def main() -> int:
    """Measure and print; the exit code says whether every bar was reached."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"what to measure: {', '.join(MEASUREMENTS)}")
    parser.add_argument("--memories", type=int, default=100_000, help="how many memories (default 100,000)")
    growing = parser.add_argument_group("scale")
    growing.add_argument("--sizes", type=_sizes, default=scale.SIZES, metavar="N,…", help="memories, as in 1e4,1e5,1e6")
    growing.add_argument("--stores", type=Path, metavar="DIR", help="where stores are kept and found again")
    growing.add_argument("--write", action="store_true", help="write docs/scale.md")
    real = parser.add_argument_group("giant")
    real.add_argument("--set", type=Path, metavar="DIR", help="corpus.jsonl and queries.jsonl, not made-up memories")
    real.add_argument("--vectors", type=Path, metavar="DIR", help="where their vectors are kept and found again")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(MEASUREMENTS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(MEASUREMENTS)}")
    growth = scale.Scale(arguments.sizes, arguments.stores, arguments.write)
    measurements: dict[str, Measurement] = {
        **MEASUREMENTS,
        "scale": lambda folder, _address, _amount: growth.measure(folder),
    }
    if arguments.set:
        measurements["giant"] = lambda folder, address, amount: recall.large_user_on_a_server(
            address, recall.of_a_set(arguments.set, amount, arguments.vectors or folder)
        )
    reached = True
    for name in arguments.names or MEASUREMENTS:
        with tempfile.TemporaryDirectory() as folder, server(Path(folder) / "postgresql") as address:
            for figure in measurements[name](Path(folder), address, arguments.memories):
                print(figure.line(), flush=True)
                reached = reached and figure.reached
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
