"""How many moments to kill a process at: enough to notice on every run, and more when the variable says so."""

import os
import random
import time
from dataclasses import dataclass, field
from typing import Any

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
        """Print the figures; they are a result."""
        store = "postgresql" if "://" in database else "sqlite"
        figures = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items())
        print(f"\n{store}, {what}: seed {SEED}, {self.points} points, {self.killed} killed at work, {figures}")  # noqa: T201
