"""Long work and whoever watches it: what a verb may say while it is at it, and how it is asked to stop."""

import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import Event, Thread
from types import FrameType
from typing import Protocol, TypeAlias

from recollect.model.stats import WorkReport

Tell: TypeAlias = Callable[[WorkReport], None]
Steps: TypeAlias = Callable[[str, int, int], None]  # what is being done, how much of it is, and how much there is

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_NOTICEABLE_S = 1.0  # an end that takes longer wants a word
_FINISHING = "Finishing what is under way; once more ends it at once, and nothing is lost."


class Watch(Protocol):
    """Whoever watches."""

    def say(self, sentence: str) -> None:
        """Tell something at once."""
        ...

    def work(self, doing: str, total: int) -> AbstractContextManager[Tell]:
        """Show how far the work is; gives whom to tell."""
        ...

    def steps(self) -> AbstractContextManager[Steps]:
        """Show how far work is that comes in several parts; gives whom to tell."""
        ...

    def announce(self, sentence: str, value: object) -> None:
        """Tell of something as it happens, while the work goes on: people in a sentence, programs by its value."""
        ...


class Unwatched:
    """Nobody watches: a program reads what came of it in the end."""

    def say(self, sentence: str) -> None:
        """Keep it to itself."""

    def work(self, doing: str, total: int) -> AbstractContextManager[Tell]:  # noqa: ARG002 - as a watch takes it
        """Show nothing."""
        return nullcontext(_ignore)

    def steps(self) -> AbstractContextManager[Steps]:
        """Show nothing."""
        return nullcontext(_ignore_step)

    def announce(self, sentence: str, value: object) -> None:
        """Keep it to itself."""


def _ignore(worked: WorkReport) -> None:
    pass


def _ignore_step(doing: str, done: int, total: int) -> None:
    pass


@contextmanager
def until_asked_to_stop(watch: Watch) -> Iterator[Event]:
    """Give an event that Ctrl-C and SIGTERM set, so that what is under way is finished; asked again, it all ends."""
    stop, over = Event(), Event()

    def finish() -> None:
        stop.set()
        if not over.wait(_NOTICEABLE_S):
            watch.say(_FINISHING)

    def asked(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - as signals call it
        for one in _SIGNALS:
            signal.signal(one, signal.SIG_DFL)
        # In a thread of its own: the one that is interrupted here may hold the lock of the event, and would wait for
        # itself.
        Thread(target=finish, daemon=True).start()

    before = {one: signal.signal(one, asked) for one in _SIGNALS}
    try:
        yield stop
    finally:
        over.set()
        for one, handler in before.items():
            signal.signal(one, handler)
