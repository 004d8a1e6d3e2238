# ruff: noqa: A005 -- imported as benchmarks.secrets only
"""Secrets: how many are taken out, how much else is touched, and what it costs on ordinary and on hostile text."""

import statistics
from collections.abc import Iterator
from functools import partial

from tests.text.secrets.hostile import hostile
from tests.text.secrets.ordinary import sentences
from tests.text.secrets.shapes import is_gone, planted

from benchmarks.figures import Figure, seconds
from recollect.text.secrets import redact
from recollect.text.secrets.redact import hinted, kinds, look_for

_SENTENCE = "The meeting with Anna was moved to Thursday at ten in Prague"
_LIMIT_S = 0.05
_LIMIT_US = 3.0


def measure(seed: int = 7, size: int = 1_000_000) -> Iterator[Figure]:
    """Measure what redacting finds, what it touches wrongly, and its time."""
    cases = list(planted(seed, rounds=3))
    gone = sum(is_gone(case.secret, redact(case.text).text) for case in cases)
    yield Figure("secrets redacted", gone / len(cases), 0.97, "at least", f"{gone:,} of {len(cases):,}")
    ordinary = sentences(2_000, seed)
    touched = sum(bool(redact(text).found) for text in ordinary)
    yield Figure(
        "ordinary sentences touched", touched / len(ordinary), 0.005, "at most", f"{touched} of {len(ordinary):,}"
    )
    yield _per_sentence(ordinary)
    yield _slowest(size)


def _per_sentence(ordinary: list[str], repeats: int = 20_000) -> Figure:
    def many() -> None:
        for _ in range(repeats):
            redact(_SENTENCE)

    def tricky() -> None:
        for text in ordinary:
            redact(text)

    spent = statistics.median(seconds(many) for _ in range(5)) / repeats * 1e6
    others = statistics.median(seconds(tricky) for _ in range(5)) / len(ordinary) * 1e6
    detail = f"{spent:.2f} µs for {len(_SENTENCE)} characters, {others:.1f} µs on average for the tricky ones"
    return Figure("redacting an ordinary sentence against 3 µs", spent / _LIMIT_US, 1, "at most", detail)


def _slowest(size: int) -> Figure:
    """Time every pattern with its check on every text that hints at it; the whole of redacting is told besides."""
    patterns: dict[str, float] = {}
    whole: dict[str, float] = {}
    for name, text in hostile(size).items():
        data = text.encode()
        for kind in hinted(data):
            spent = seconds(partial(look_for, data, kind))
            patterns[f"{kinds()[kind].name} in {name}"] = spent
        whole[name] = seconds(partial(redact, text))
    worst, longest = max(patterns, key=patterns.__getitem__), max(whole, key=whole.__getitem__)
    detail = (
        f"{worst}: {patterns[worst] * 1e3:.0f} ms; all patterns together at most {whole[longest] * 1e3:.0f} ms "
        f"({longest}), median {statistics.median(whole.values()) * 1e3:.0f} ms; texts of {size:,} characters"
    )
    return Figure("slowest pattern for secrets against 50 ms", patterns[worst] / _LIMIT_S, 1, "at most", detail)
