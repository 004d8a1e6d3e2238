"""How much is generated, and what came of it."""

import logging
from collections import Counter
from typing import Final

from tests.reliability.figures import figure
from tests.sizes import ALL

SLOW_S: Final = 2.0
LOG: Final = logging.getLogger(__name__)
LOG.setLevel(logging.INFO)  # `pytest -rP` shows what was counted


def times(usual: int) -> int:
    """Say how many examples a test makes in this run."""
    return usual * 25 if ALL else usual


class Tally:
    """Counts requests and what came of them."""

    def __init__(self) -> None:
        self.statuses: Counter[int] = Counter()
        self.slow: list[tuple[str, float]] = []

    def note(self, request: str, status: int, took_s: float) -> None:
        """Count an answer."""
        self.statuses[status] += 1
        if took_s > SLOW_S:
            self.slow.append((request, took_s))

    @property
    def requests(self) -> int:
        """How many were sent."""
        return self.statuses.total()

    def settle(self, at_least: int) -> None:
        """Insist that there were enough and that the server never failed. Slow answers are only shown."""
        LOG.info("%d requests: %s; slow: %s", self.requests, dict(sorted(self.statuses.items())), self.slow)
        failed = sum(amount for status, amount in self.statuses.items() if status >= 500)
        figure(10, "generated requests", requests=self.requests, answers_5xx=failed)
        assert self.requests >= at_least
        assert not failed
