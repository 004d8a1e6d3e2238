"""A process that imports an archive, and may be killed at it."""

from collections.abc import Callable
from itertools import count

from recollect.engine.carry import import_archive as bringing
from tests.reliability.link import Link
from tests.reliability.opening import open_memory

_FEW_ROWS = 5  # of one transaction: there are many moments to be killed at


def import_on(link: Link, database: str, archive: str, pause_at: int) -> None:
    """Import an archive, and wait at one of its steps to be killed or told to go on."""
    vars(bringing)["_MOST_ROWS"] = _FEW_ROWS
    steps = count(1)

    def tell(_what: str, _done: int, _total: int) -> None:
        if next(steps) == pause_at:
            link.say("paused")
            link.hear()

    with open_memory(database) as memory:
        memory.import_archive(archive, tell=tell)
    link.say("done")


TASKS: tuple[Callable[..., None], ...] = (import_on,)
