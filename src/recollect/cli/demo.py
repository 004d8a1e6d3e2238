"""The guided tour: real commands on a real store that lives as long as the tour does."""

import re
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from inspect import signature
from pathlib import Path
from typing import Any

from recollect.api.memory import Memory
from recollect.cli import finding, writing
from recollect.cli.errand import Errand
from recollect.cli.script import Chapter, Line, chapters
from recollect.cli.values import Asked
from recollect.cli.verbs import VERBS
from recollect.errors import NotFound
from recollect.settings import Settings

_DECLARED: Mapping[str, Callable[..., None]] = {
    "store": writing.store,
    "recall": finding.recall,
    "get": finding.get,
    "history": finding.history,
    "forget": writing.forget,
}
_POSITIONAL = {"store": "text", "recall": "query", "get": "id", "history": "id"}
_NEEDS_NO_QUOTES = re.compile(r"[\w.%,:-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Step:
    """A command as it is typed, and what came of it. `shown` says whether people see it in full."""

    chapter: str
    typed: str
    command: str
    asked: Asked
    result: object
    shown: bool


@dataclass(frozen=True, slots=True)
class Tour:
    """All steps, and where the store is if it was kept."""

    steps: tuple[Step, ...]
    kept: str | None


def tour(now: datetime, *, keep: bool) -> Tour:
    """Walk through everything, with the encoder of this package whatever the settings say."""
    folder = Path(tempfile.mkdtemp(prefix="recollect-demo-"))
    database = folder / "memories.db"
    try:
        with Memory.open(settings=Settings(database=str(database))) as memory:
            guide = _Guide(memory, now)
            steps = tuple(step for chapter in chapters(now) for step in guide.walk(chapter))
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
    return Tour(steps, str(database) if keep else None)


class _Guide:
    """Types lines, and remembers the ids that later lines refer to."""

    def __init__(self, memory: Memory, now: datetime) -> None:
        self._memory = memory
        self._now = now
        self._ids: dict[str, str] = {}

    def walk(self, chapter: Chapter) -> list[Step]:
        shown = [self._step(chapter.title, line, shown=True) for line in chapter.lines]
        return shown + [self._step(chapter.title, line, shown=False) for line in chapter.more]

    def _step(self, title: str, line: Line, *, shown: bool) -> Step:
        options = {name: self._filled_in(value) for name, value in line.options.items()}
        asked = _asked(line.command, options)
        settings = self._memory.settings
        errand = Errand(self._memory, self._memory.user(settings.user), asked, self._now, settings)
        try:
            result = VERBS[line.command](errand).value
        except NotFound as error:
            result = error
        if line.name:
            self._ids[line.name] = getattr(result, "id", "")
        return Step(title, _typed(line.command, options), line.command, asked, result, shown)

    def _filled_in(self, value: object) -> object:
        return value.format(**self._ids) if isinstance(value, str) and value.startswith("{") else value


def _asked(command: str, options: Mapping[str, object]) -> Asked:
    """Give what typer would give for these options."""
    parameters = signature(_DECLARED[command]).parameters.values()
    defaults: dict[str, Any] = {parameter.name: parameter.default for parameter in parameters}
    return {**defaults, **options}


def _typed(command: str, options: Mapping[str, object]) -> str:
    words = ["recollect", command]
    for name, value in options.items():
        if _POSITIONAL.get(command) != name:
            words.append(f"--{name.replace('_', '-')}")
        if value is not True:
            words.append(_quoted(str(value)))
    return " ".join(words)


def _quoted(word: str) -> str:
    return word if _NEEDS_NO_QUOTES.fullmatch(word) else f'"{word}"'
