"""How many moments to kill a process at: enough to notice on every run, and more when the variable says so."""

import os
import random
import time
from dataclasses import dataclass, field
from typing import Any

from tests.reliability.figures import figure
from tests.reliability.zygote import Child, was_killed

SEED = 20260301
_VARIABLE = "KILL_POINTS"  # for example 2500, for a run of hours


def points(usual: int) -> int:
    """Give the number of points on each store."""
    return int(os.environ.get(_VARIABLE, usual))


@dataclass
class Kills:
    """Kills processes, and counts what came of it."""

    chance: random.Random = field(default_factory=lambda: random.Random(SEED))
    points: int = 0
    killed: int = 0

    def at_work(self, children: list[Child], words: int, moment_s: float) -> list[list[Any]]:
        """Kill children after they have said a few words and a moment more; gives all that each had said."""
        for child in children:
            assert child.hear() == "ready"
        heard = [[children[0].hear() for _ in range(self.chance.randrange(words))], *([] for _ in children[1:])]
        time.sleep(self.chance.uniform(0, moment_s))
        for child in children:
            child.kill()
        for child, said in zip(children, heard, strict=True):
            said.extend(child.rest())
            self.points += 1
            self.killed += was_killed(child.end())
        return [[word for word in said if word != "done"] for said in heard]

    def show(self, what: str, database: str, **counts: int) -> None:
        """Give the figures; what was lost or half done has failed the test before."""
        store = "postgresql" if "://" in database else "sqlite"
        at_work = {"killed_at_work": self.killed, **counts}
        figure(1, f"{store}, {what}, seed {SEED}", **{"kill_points": self.points, "lost": 0, "half_done": 0, **at_work})
