"""How well groups of similar memories are found, and what that takes for many memories.

Groups are compared with those that people would make by the adjusted Rand index: 1 is the same, 0 is chance. In
`things` a memory names what it is about, as memories should that are recalled alone; in `topics` most do not.
"""

import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.figures import Figure
from recollect.embedding.local import LocalEmbedder
from recollect.ranking.groups.grouping import TextGrouper
from recollect.text.terms import index_terms

_DATA = Path(__file__).parent / "data" / "clusters"
_BARS = {"things": 0.75, "topics": 0.35}
_CPU_BAR_S = 60.0
_MEMORY_BAR_MB = 500.0
_DIMENSIONS = 384
_CENTRES = 3_000
_PAGE = 2_000


class LabelledText(NamedTuple):
    """A memory, and the group that it belongs to."""

    group: str
    text: str


def measure(folder: Path, amount: int) -> Iterator[Figure]:
    """Give all figures."""
    del folder
    embedder = LocalEmbedder()
    for name, bar in _BARS.items():
        texts = load(name, "held back")
        index = adjusted_rand([text.group for text in texts], labels(embedder, texts))
        tuned = load(name, "tuning")
        flattered = adjusted_rand([text.group for text in tuned], labels(embedder, tuned))
        groups = len({text.group for text in texts})
        detail = f"{len(texts)} memories, {groups} groups, four languages; tuning half {flattered:.2f}"
        yield Figure(f"clusters of {name}, adjusted Rand index", index, bar, "at least", detail)
    embedder.close()
    yield from _large(amount)


def load(name: str, part: str) -> list[LabelledText]:
    """Read a half of a set: a group or `#`, a tab, and the text or the name of the half."""
    found: list[LabelledText] = []
    for path in sorted((_DATA / name).glob("*.tsv")):
        current = ""
        for line in path.read_text(encoding="utf-8").splitlines():
            group, text = line.split("\t")
            if group == "#":
                current = text
            elif current == part:
                found.append(LabelledText(group, text))
    return found


def labels(embedder: LocalEmbedder, texts: list[LabelledText]) -> list[int]:
    """Group texts as the engine does."""
    grouper = TextGrouper(_DIMENSIONS, lambda: None)
    grouper.add(embedder.embed([text.text for text in texts], "passage"), (index_terms(text.text) for text in texts))
    return [int(label) for label in grouper.group(1).labels]


def adjusted_rand(one: list[str], other: list[int]) -> float:
    """Compare two partitions: pairs that are together in both, beyond what chance would bring together."""
    ours, theirs = np.unique(one, return_inverse=True)[1], np.unique(other, return_inverse=True)[1]
    table = np.zeros((ours.max() + 1, theirs.max() + 1))
    np.add.at(table, (ours, theirs), 1)
    both, first, second = (float((counts * (counts - 1)).sum()) for counts in (table, table.sum(1), table.sum(0)))
    expected = first * second / (len(one) * (len(one) - 1))
    return (both - expected) / ((first + second) / 2 - expected)


def _large(amount: int) -> Iterator[Figure]:
    """Run in a process of its own, whose memory is that of grouping."""
    code = f"from benchmarks.clusters import group_many; group_many({amount})"
    output = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    cpu_s, peak_mb, groups = output.split()
    detail = f"{amount:,} memories in {groups} groups"
    yield Figure("clusters, processor time in s", float(cpu_s), _CPU_BAR_S, "at most", detail)
    yield Figure(
        "clusters, peak memory in MB", float(peak_mb), _MEMORY_BAR_MB, "at most", f"the whole process, {detail}"
    )


def _word(number: int) -> str:
    return f"{number * 7_919 % 1_000_003:06}"


def group_many(amount: int) -> None:
    """Group memories with vectors around some centres, of very different sizes, and words of these; print figures."""
    chance = np.random.default_rng(1)
    centres = chance.standard_normal((_CENTRES, _DIMENSIONS), np.float32) / np.float32(_DIMENSIONS**0.5)
    started, grouper = time.process_time(), TextGrouper(_DIMENSIONS, lambda: None)
    for start in range(0, amount, _PAGE):
        chosen = chance.zipf(1.3, min(_PAGE, amount - start)) % _CENTRES
        noise = chance.standard_normal((len(chosen), _DIMENSIONS), np.float32) / np.float32(_DIMENSIONS**0.5)
        vectors = 0.7 * centres[chosen] + 0.7 * noise
        words = chance.integers(_CENTRES, 40_000, (len(chosen), 8)).tolist()
        terms = [tuple(map(_word, (topic, *some))) for topic, some in zip(chosen.tolist(), words, strict=True)]
        grouper.add(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), terms)
    found = grouper.group(200)
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(time.process_time() - started, peak_mb, len(found.sizes))
