"""What the views have in common: the sheet they write on, and how figures and failures look on it."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, NamedTuple, TypeAlias

from rich.console import Console
from rich.table import Table

from recollect.cli.values import Asked


class Sheet(NamedTuple):
    """Where a view writes, and what it may need to know."""

    console: Console
    asked: Asked
    now: datetime


View: TypeAlias = Callable[[Sheet, Any], None]


def figures() -> Table:
    """Make a table of names and values."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    return table


def show_degraded(sheet: Sheet, failed: Sequence[str], so_what: str) -> None:
    """Say what failed, if anything did."""
    if failed:
        sheet.console.print(
            f"Without {' and '.join(failed)} search: it failed or took too long. {so_what}", style="yellow"
        )
