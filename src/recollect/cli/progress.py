"""Progress of long work: sentences and bars on a terminal, JSON lines for programs, and a graceful shutdown."""

import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from threading import Event, Thread
from types import FrameType
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from recollect.cli.formatting import counted

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from recollect.cli.runner import CommandContext
    from recollect.cli.view import View
    from recollect.model.stats import WorkReport

WorkCallback: TypeAlias = "Callable[[WorkReport], None]"
StepCallback: TypeAlias = Callable[[str, int, int], None]  # what is being done, how much of it is, how much there is

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_FAST = 10  # items a second, of which no fraction is shown
_NOTICEABLE_S = 1.0  # a shutdown that takes longer is explained
_FINISHING = "Finishing what is under way; once more ends it at once, and nothing is lost."


class ProgressReporter(Protocol):
    """Reports how far long work is."""

    def say(self, sentence: str) -> None:
        """Report a sentence at once."""

    def work(self, doing: str, total: int) -> AbstractContextManager[WorkCallback]:
        """Show how far the work of a worker is."""

    def steps(self) -> AbstractContextManager[StepCallback]:
        """Show how far work in several parts is."""

    def announce(self, sentence: str, value: object) -> None:
        """Report an event while the work goes on: people read the sentence, programs the value."""


class JsonProgress:
    """Reports to a program: only what is announced, as a JSON document on a line of its own."""

    def say(self, sentence: str) -> None:
        """Report nothing."""

    def work(self, doing: str, total: int) -> AbstractContextManager[WorkCallback]:  # noqa: ARG002 - as declared
        """Show nothing."""
        return nullcontext(lambda _: None)

    def steps(self) -> AbstractContextManager[StepCallback]:
        """Show nothing."""
        return nullcontext(lambda _doing, _done, _total: None)

    def announce(self, sentence: str, value: object) -> None:  # noqa: ARG002 - programs get the value
        """Write the value now."""
        import sys

        from recollect.cli.json_output import print_document

        print_document(value, indent=None)
        sys.stdout.flush()


class TerminalProgress:
    """Reports to people: bars on a terminal, sentences elsewhere."""

    def __init__(self, console: "Console", now: Callable[[], datetime]) -> None:
        self._console = console
        self._now = now

    def say(self, sentence: str) -> None:
        """Print a sentence now, above the bar if there is one: a log should show it when it is true."""
        from recollect.cli.view import safe

        self._console.print(safe(sentence), soft_wrap=not self._console.is_terminal)
        self._console.file.flush()

    @contextmanager
    def work(self, doing: str, total: int) -> Iterator[WorkCallback]:
        """Show a bar while the work lasts, on a terminal and if there is something to do."""
        if not total or not self._console.is_terminal:
            yield lambda _: None
            return
        with _bar(self._console) as bar:
            task = bar.add_task(doing, total=total)

            def report(worked: "WorkReport") -> None:
                done = worked.embedded + worked.parked
                bar.update(task, completed=done, total=max(total, done))

            yield report

    @contextmanager
    def steps(self) -> Iterator[StepCallback]:
        """Show a bar from the first step on, on a terminal."""
        if not self._console.is_terminal:
            yield lambda _doing, _done, _total: None
            return
        with _bar(self._console) as bar:
            task = bar.add_task("", total=None, visible=False)
            doing_now = ""

            def step(doing: str, done: int, total: int) -> None:
                nonlocal doing_now
                if doing != doing_now:
                    bar.reset(task)
                    doing_now = doing
                bar.update(task, description=doing, completed=done, total=total, visible=True)

            yield step

    def announce(self, sentence: str, value: object) -> None:  # noqa: ARG002 - people get the sentence
        """Print the sentence with the time, as in a log."""
        self.say(f"{self._now():%H:%M:%S}  {sentence}")


def _bar(console: "Console") -> "Progress":
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        """Items a second, once that is known."""

        def render(self, task: Task) -> Text:
            digits = 0 if task.speed and task.speed >= _FAST else 1
            return Text(f"{task.speed:,.{digits}f}/s" if task.speed else "", "dim")

    left = TimeRemainingColumn(compact=True)
    columns: tuple[Any, ...] = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Rate(), left)
    return Progress(*columns, console=console, transient=True)


@contextmanager
def stop_on_signal(progress: ProgressReporter) -> Iterator[Event]:
    """Graceful shutdown: Ctrl-C and SIGTERM set an event, so that current work is finished; a second one ends it."""
    stop, over = Event(), Event()

    def finish() -> None:
        stop.set()
        if not over.wait(_NOTICEABLE_S):
            progress.say(_FINISHING)

    def request_stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - as signals call it
        for signal_number in _SIGNALS:
            signal.signal(signal_number, signal.SIG_DFL)
        # In a thread of its own: the one that is interrupted here may hold the lock of the event, and would wait for
        # itself.
        Thread(target=finish, daemon=True).start()

    handlers = {signal_number: signal.signal(signal_number, request_stop) for signal_number in _SIGNALS}
    try:
        yield stop
    finally:
        over.set()
        for signal_number, handler in handlers.items():
            signal.signal(signal_number, handler)


def waiting_texts(context: "CommandContext") -> int:
    """Count the user's texts that wait for a vector."""
    return 0 if context.settings.embedding.provider == "none" else context.me.stats().pending_jobs


@contextmanager
def say_what_waits(context: "CommandContext") -> Iterator[None]:
    """When work is interrupted, say what of it is left, and how it is finished."""
    try:
        yield
    except KeyboardInterrupt:
        waiting = counted(waiting_texts(context), "text waits for its vector", "texts wait for their vectors")
        context.progress.say(f"Interrupted: {waiting}. The same command again, or `recollect worker`, does the rest.")
        raise


def show_waiting(view: "View", waiting: int) -> None:
    """Say how many texts wait for a vector."""
    if waiting:
        amount = counted(waiting, "text waits for its vector", "texts wait for their vectors")
        view.line(f"{amount}; `recollect worker` makes them. Words find everything at once.", "dim")
