"""What the bundled encoder costs, in processor time: against the first encoder, opened, and shared out among threads.

    python -m benchmarks.encoders

It needs no store. Processor time is what a busy machine changes least; the two encoders take turns.
"""

import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from threading import get_ident

from benchmarks.figures import Figure
from recollect.embedding import LocalEmbedder
from recollect.embedding.known_models import ENCODERS, BundledEncoder
from recollect.embedding.onnx import Encoder
from recollect.model.memories import Vector
from recollect.models.runtime import Graph

_LATEST, _FIRST = ENCODERS[0], ENCODERS[-1]
_ROUNDS = 7
_OPENINGS = 5
_TEXTS = 60
_PIECES = {12: 1.8, 40: 1.25}  # with the least that is wanted of each
_MOST_OPENING = 0.5
_THREADS = 2
_LEAST_SHARED = 1.2
_MARKS = 2
_WORDS = ("tea", "river", "garden", "ladder", "piano", "violin", "train", "coast", "coffee", "parcel", "bridge")
_OPEN = """
import sys, time
import recollect.embedding.onnx
from recollect.embedding import LocalEmbedder
from recollect.embedding.known_models import encoder_named
embedder = LocalEmbedder(threads=1, encoder=encoder_named(sys.argv[1]))
started = time.process_time()
embedder._loaded()
print(time.process_time() - started)
"""


def measure() -> Iterator[Figure]:
    """Give all figures."""
    latest, first = (LocalEmbedder(threads=1, encoder=encoder) for encoder in (_LATEST, _FIRST))
    for pieces, bar in _PIECES.items():
        yield _speed(latest, first, pieces, bar)
    yield _opening()
    yield _shared_out()


def texts_of(pieces: int, amount: int = _TEXTS) -> list[str]:
    """Make texts of as many word pieces, the marks around them included: each of the words is one."""
    chance = random.Random(pieces)
    return [" ".join(chance.choice(_WORDS) for _ in range(pieces - _MARKS)) for _ in range(amount)]


def _speed(latest: LocalEmbedder, first: LocalEmbedder, pieces: int, bar: float) -> Figure:
    texts = texts_of(pieces)
    mine, peer = _in_turn(lambda: latest.embed(texts, "passage"), lambda: first.embed(texts, "passage"), _ROUNDS)
    amount = pieces * len(texts)
    detail = f"{amount / mine:,.0f} against {amount / peer:,.0f} pieces/s on a core"
    name = f"{_LATEST.name} against {_FIRST.name}, pieces a second in texts of {pieces}"
    return Figure(name, peer / mine, bar, "at least", detail)


def _in_turn(ours: Callable[[], object], peer: Callable[[], object], rounds: int) -> tuple[float, float]:
    """Give the processor seconds of both, each the least of some rounds, after one that is not measured."""
    ours(), peer()
    times = [(_processor_s(ours), _processor_s(peer)) for _ in range(rounds)]
    return min(mine for mine, _ in times), min(other for _, other in times)


def _processor_s(action: Callable[[], object]) -> float:
    started = time.process_time()
    action()
    return time.process_time() - started


def _opening() -> Figure:
    """Open each in processes of their own, with the libraries imported."""
    times = [(_opened_s(_LATEST), _opened_s(_FIRST)) for _ in range(_OPENINGS)]
    mine, peer = (statistics.median(column) for column in zip(*times, strict=True))
    detail = f"{mine:.3f} against {peer:.3f} s of CPU, the check of the files and the vocabulary included"
    return Figure(f"opening {_LATEST.name} against {_FIRST.name}", mine / peer, _MOST_OPENING, "at most", detail)


def _opened_s(encoder: BundledEncoder) -> float:
    command = [sys.executable, "-c", _OPEN, encoder.space.model]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def _shared_out() -> Figure:
    """Compare the busiest thread when each has texts of its own with that when all work on one text.

    It bounds how soon the work can be done on cores of its own, and is the same on a busy machine.
    """
    texts = [text for pieces in (10, 14, 20, 40) for text in texts_of(pieces, _TEXTS // 3)]
    encoder = LocalEmbedder(threads=_THREADS)._loaded()  # noqa: SLF001
    encoder.embed(texts)
    shared = min(_busiest_s(encoder, [texts]) for _ in range(_ROUNDS))
    together = min(_busiest_s(encoder, [[text] for text in texts]) for _ in range(_ROUNDS))
    detail = f"{shared:.3f} against {together:.3f} s of CPU in the busiest of {_THREADS} threads"
    name = f"many texts shared out among {_THREADS} threads against all threads on one text"
    return Figure(name, together / shared, _LEAST_SHARED, "at least", detail)


def _busiest_s(encoder: Encoder, calls: Sequence[Sequence[str]]) -> float:
    """Give the processor seconds of the thread that computed most, of those that call the graph."""
    spent: dict[int, float] = {}
    run = encoder._run  # noqa: SLF001

    def timed(pieces: Sequence[Sequence[int]], graph: Graph | None = None) -> Vector:
        started = time.thread_time()
        try:
            return run(pieces, graph)
        finally:
            spent[get_ident()] = spent.get(get_ident(), 0.0) + time.thread_time() - started

    encoder._run = timed  # type: ignore[method-assign]  # noqa: SLF001
    try:
        for call in calls:
            encoder.embed(call)
    finally:
        del encoder._run  # noqa: SLF001
    return max(spent.values())


if __name__ == "__main__":
    for figure in measure():
        print(figure.line(), flush=True)
