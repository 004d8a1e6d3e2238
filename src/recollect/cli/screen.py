"""The terminal, for people: what is written there can do nothing but be read."""

import re
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from rich.console import Console
from rich.text import Text

# Characters that terminals obey, and marks that let text run backwards. Line feeds and tabs do no harm.
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def open_console() -> Console:
    """Give standard output to rich. Texts are shown as they are: no markup, no emoji codes, no guessed colours."""
    return Console(markup=False, emoji=False, highlight=False)


@contextmanager
def print_plainly(console: Console) -> Iterator[None]:
    """Leave out the spaces with which rich fills lines, when what is printed goes to a file or a program."""
    if console.is_terminal:
        yield
        return
    with console.capture() as captured:
        yield
    sys.stdout.write("".join(f"{line.rstrip()}\n" for line in captured.get().splitlines()))


def safe(text: str, style: str = "") -> Text:
    """Take out of a text, which may come from anybody, what is not for reading."""
    return Text(_OBEYED.sub("", text), style)


def busy(console: Console, doing: str) -> AbstractContextManager[object]:
    """Show that something is going on, when somebody is there to see it."""
    return console.status(f"{doing}…") if console.is_terminal else nullcontext()


def ask(question: str) -> bool:
    """Ask at the terminal; anything but a yes is a no. Standard output stays free for the answer."""
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
