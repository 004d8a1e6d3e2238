"""A progress bar, for people who watch long work at a terminal; elsewhere sentences have to do."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn
from rich.text import Text

from recollect.cli.screen import safe
from recollect.cli.watching import Steps, Tell
from recollect.cli.words import second
from recollect.clock import SystemClock
from recollect.model.stats import WorkReport


class OnScreen:
    """Shows people how far long work is."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def say(self, sentence: str) -> None:
        """Print a sentence now: whoever reads a log wants it when it is true. Above the bar, if there is one."""
        self._console.print(safe(sentence), soft_wrap=not self._console.is_terminal)
        self._console.file.flush()

    @contextmanager
    def work(self, doing: str, total: int) -> Iterator[Tell]:
        """Show a bar while the work lasts, at a terminal and if there is something to do."""
        if not total or not self._console.is_terminal:
            yield lambda _: None
            return
        with Progress(*_columns(), console=self._console, transient=True) as bar:
            task = bar.add_task(doing, total=total)

            def tell(worked: WorkReport) -> None:
                done = worked.embedded + worked.parked
                bar.update(task, completed=done, total=max(total, done))

            yield tell

    @contextmanager
    def steps(self) -> Iterator[Steps]:
        """Show a bar from the first step on, at a terminal."""
        if not self._console.is_terminal:
            yield lambda _doing, _done, _total: None
            return
        with Progress(*_columns(), console=self._console, transient=True) as bar:
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
        """Say it with the time, as in a log."""
        self.say(f"{second(SystemClock().now())}  {sentence}")


def _columns() -> tuple[ProgressColumn, ...]:
    return (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _Rate())


class _Rate(ProgressColumn):
    """How many items a second."""

    def render(self, task: Task) -> Text:
        """Say it once it is known."""
        return Text(f"{task.speed:,.0f}/s" if task.speed else "", "dim")
