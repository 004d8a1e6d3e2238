"""The terminal for people: control characters are taken out. Commands use rich through this module alone."""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Literal, TypeAlias

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from recollect.model.literals import together_with, without

if TYPE_CHECKING:
    from recollect.model.memories import MemoryRecord, Remembered

# Characters that terminals obey, and marks that let text run backwards. Line feeds and tabs do no harm.
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

ColumnKind: TypeAlias = Literal["text", "dim", "label", "name", "mark", "number"]


def open_console() -> Console:
    """Give standard output to rich. Texts are shown as they are: no markup, no emoji codes, no guessed colours."""
    return Console(markup=False, emoji=False, highlight=False)


def safe(text: str, style: str = "") -> Text:
    """Take control characters out of a text, which may come from any source."""
    return Text(_OBEYED.sub("", text), style)


class View:
    """Where a command shows its value, and the moment at which it does."""

    text = staticmethod(safe)

    def __init__(self, console: Console, now: datetime) -> None:
        self.console = console
        self.now = now

    @classmethod
    @contextmanager
    def on(cls, console: Console, now: datetime) -> Iterator["View"]:
        """Open a view; without a terminal the spaces with which rich fills lines are left out."""
        if console.is_terminal:
            yield cls(console, now)
            return
        with console.capture() as captured:
            yield cls(console, now)
        sys.stdout.write("".join(f"{line.rstrip()}\n" for line in captured.get().splitlines()))

    @property
    def coloured(self) -> bool:
        """Whether colours are seen."""
        return self.console.color_system is not None and not self.console.no_color

    def line(self, text: str, style: str = "", *, soft_wrap: bool | None = None) -> None:
        """Print a text, made safe."""
        self.console.print(safe(text, style), soft_wrap=soft_wrap)

    def print(self, *shown: RenderableType) -> None:
        """Print what was rendered."""
        self.console.print(*shown)

    def fields(self, rows: Iterable[tuple[str, str]]) -> None:
        """Print names and values; rows without a value are left out."""
        table = self.grid("label", "text")
        for name, text in rows:
            if text:
                table.add_row(name, safe(text))
        self.console.print(table)

    def grid(self, *columns: ColumnKind, expand: bool = False) -> Table:
        """Make a table without lines. Texts fold; labels, marks and numbers stay on one line."""
        table = Table.grid(padding=(0, 2), expand=expand)
        for column in columns:
            style = "dim" if column in ("dim", "label", "number") else ""
            if column in ("text", "dim"):
                table.add_column(style=style, overflow="fold", ratio=1 if expand else None)
            else:
                right = column in ("number", "mark")
                table.add_column(style=style, justify="right" if right else "left", no_wrap=True)
        return table

    def headed(self, first: str, figures: Sequence[str], last: str) -> Table:
        """Make a table with headings: a name, figures, and a time."""
        table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
        table.add_column(first, overflow="fold")
        for figure in figures:
            table.add_column(figure, justify="right", no_wrap=True)
        table.add_column(last, no_wrap=True)
        return table

    def stack(self, *shown: RenderableType) -> RenderableType:
        """Put one thing below the other."""
        return Group(*shown)

    def indent(self, shown: RenderableType) -> RenderableType:
        """Move something two columns to the right."""
        return Padding(shown, (0, 0, 0, 2))

    def degraded(self, failed: Sequence[str], consequence: str) -> None:
        """Say which parts of a search failed, if any did."""
        if failed:
            told = f"Without {' and '.join(failed)} search: it failed or took too long. {consequence}"
            self.line(told, "yellow")

    def secrets(self, memory: "Remembered | MemoryRecord") -> None:
        """Say which secrets a memory keeps, and which were left out of it."""
        if memory.kept_secret:
            how = f"`recollect get {memory.id} --reveal` shows it. Without its key no one can: keep a copy of the key."
            self.line(f"It was kept {together_with(memory.kept_secret)}, encrypted: {how}", soft_wrap=True)
        self.left_out(memory.left_out, " To keep it, say it again with --keep-secret.")

    def left_out(self, kinds: Sequence[str], how: str = "") -> None:
        """Say which secrets were not kept, and perhaps how to keep them."""
        if kinds:
            self.line(f"It was kept {without(kinds)}: secrets are left out.{how}", "yellow", soft_wrap=True)
