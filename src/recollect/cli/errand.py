"""What every verb has to do with: the errand it is sent on, and the answer it comes back with."""

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from recollect.api.memory import Memory, UserMemory
from recollect.authorization import LOCAL
from recollect.cli.values import Asked
from recollect.cli.watching import Unwatched, Watch
from recollect.errors import InvalidInput, RecollectError
from recollect.model.files import FileRecord
from recollect.model.memories import Forgotten, MemoryRecord
from recollect.settings import Settings


@dataclass(frozen=True, slots=True)
class Loss:
    """What forgetting takes, or took: how much of what. `whole` names what goes as a whole, if anything does."""

    receipt: Forgotten
    whole: str = ""
    memories: int = 0
    versions: int = 0
    messages: int = 0
    files: int = 0


Confirm: TypeAlias = Callable[[Loss, MemoryRecord | FileRecord | None], bool]


@dataclass(frozen=True, slots=True)
class Errand:
    """What a verb works with: the open store, its user, what was asked and when, and the settings as they were given.

    `named` is the user that was typed before the command, if one was, and `actor` who is typing, for the log.
    `confirm` shows what would be forgotten and asks, and `agree` puts any other question; they are None when nobody is
    there to answer. `watch` is told how far long work is.
    """

    memory: Memory
    me: UserMemory
    asked: Asked
    now: datetime
    settings: Settings
    named: str = ""
    actor: str = LOCAL.id
    confirm: Confirm | None = None
    agree: Callable[[str], bool] | None = None
    watch: Watch = field(default_factory=Unwatched)


class Declined(RecollectError):
    """The person at the terminal said no."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a verb found, and the exit code that says so. None: all was told while it went on."""

    value: object
    exit_code: int = 0


VerbFunction: TypeAlias = Callable[[Errand], Answer]


def given_text(text: str) -> str:
    """Give a text as it was typed, or what standard input holds."""
    return standard_input() if text == "-" else text


def standard_input() -> str:
    """Read all of standard input."""
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"Standard input is not UTF-8: byte {error.start} cannot be read.") from None
