# ruff: noqa: T201 -- the figures are the point
import time

import pytest

from recollect.text.secrets import redact
from tests.secrets.hostile import hostile

SIZE = 1_000_000


def spent(text: str) -> float:
    start = time.process_time()
    redact(text)
    return time.process_time() - start


@pytest.mark.parametrize("name", hostile(1))
def test_twice_the_text_is_not_four_times_the_work(name: str) -> None:
    text = hostile(SIZE)[name]
    redact(text[:10_000])
    half, whole = spent(text[: len(text) // 2]), spent(text)
    print(f"{name:20} {half * 1e3:8.1f} ms {whole * 1e3:8.1f} ms")
    assert whole < 3.5 * half + 0.2
