"""The guided tour as people see it."""

from collections.abc import Callable
from itertools import groupby

from rich.console import Console
from rich.table import Table
from rich.text import Text

from recollect.cli.demo import Step, Tour
from recollect.errors import RecollectError

_PYTHON = """\
>>> from recollect import Memory
>>> with Memory.open() as memory:
...     me = memory.user("me")
...     me.remember("Prefers dark mode in all applications", type="preference")
...     me.recall("which theme do I like?").hits"""


def show_tour(console: Console, tour: Tour, view: Callable[[Step], None]) -> None:
    """Show each step as it is typed, with what it printed; `view` shows results as their commands do."""
    console.print("A tour of Recollect: everything below is typed and answered for real.")
    for number, (title, steps) in enumerate(groupby(tour.steps, key=lambda step: step.chapter), start=1):
        _show_title(console, f"{number}. {title}")
        _show_chapter(console, list(steps), view)
    _show_title(console, "The same from Python")
    console.print(Text(_PYTHON))
    _show_end(console, tour)


def _show_chapter(console: Console, steps: list[Step], view: Callable[[Step], None]) -> None:
    for step in steps:
        if step.shown:
            console.print(Text.assemble(("$ ", "dim"), (_folded(step.typed, console.width), "cyan")), soft_wrap=True)
            if isinstance(step.result, RecollectError):
                console.print(f"Error: {step.result}", soft_wrap=True)
            else:
                view(step)
    hidden = [step for step in steps if not step.shown]
    if hidden:
        console.print(f"... and {len(hidden)} more:")
        console.print(_texts(hidden))


def _folded(typed: str, width: int) -> str:
    """Continue a long command on the next line, as a shell lets one do."""
    if len(typed) + len("$ ") <= width:
        return typed
    first, *options = typed.split(" --")
    lines = [first]
    for option in options:
        longer = f"{lines[-1]} --{option}"
        if len(longer) + len("$  \\") <= width:
            lines[-1] = longer
        else:
            lines.append(f"    --{option}")
    return " \\\n".join(lines)


def _texts(steps: list[Step]) -> Table:
    table = Table.grid(padding=(0, 2))
    for step in steps:
        table.add_row(Text(f"  {step.asked['type']}", "dim"), step.asked["text"])
    return table


def _show_title(console: Console, title: str) -> None:
    console.print()
    console.print(Text(title, "bold"))


def _show_end(console: Console, tour: Tour) -> None:
    console.print()
    if tour.kept:
        console.print("The store of this tour was kept. Look around with:")
        console.print(f"recollect --database {tour.kept} --user default list", soft_wrap=True)
    else:
        console.print("The store of this tour is deleted. Yours starts with: recollect store TEXT")
