"""The guided tour: real commands on a real store that lives as long as the tour does."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from recollect.cli.memories import forget, store
from recollect.cli.options import LocationOptions, MediaOptions, flag
from recollect.cli.runner import CommandContext, CommandResult, CommandSet
from recollect.cli.search import get, history, recall
from recollect.cli.verb_options import arguments, verb_of
from recollect.errors import NotFound, RecollectError

if TYPE_CHECKING:
    from recollect.api.memory import Memory
    from recollect.cli.view import View

commands = CommandSet("The store")

_POSITIONAL = {"store": "text", "recall": "query", "get": "id", "history": "id"}
_NEEDS_NO_QUOTES = re.compile(r"[\w.%,:-]+", re.ASCII)
_PYTHON = """\
>>> from recollect import Memory
>>> with Memory.open() as memory:
...     me = memory.user("me")
...     me.remember("Prefers dark mode in all applications", type="preference")
...     me.recall("which theme do I like?").hits"""


class DemoLine(NamedTuple):
    """A command with its options. `name` is what later lines call the memory it made, as in `{light}`."""

    command: str
    options: Mapping[str, Any]
    name: str = ""


class Chapter(NamedTuple):
    """Some lines under one title. Of `more` only the texts are shown."""

    title: str
    lines: tuple[DemoLine, ...]
    more: tuple[DemoLine, ...] = ()


class DemoStep(NamedTuple):
    """A command as it is typed, and its result or error. `shown` says whether people see it in full."""

    chapter: str
    typed: str
    options: Mapping[str, Any]
    result: CommandResult[Any] | NotFound
    shown: bool

    def document(self) -> dict[str, object]:
        value = self.result if isinstance(self.result, NotFound) else self.result.document()
        return {"chapter": self.chapter, "typed": self.typed, "result": value}


class Tour(NamedTuple):
    """All steps, and where the store is if it was kept."""

    steps: tuple[DemoStep, ...]
    kept: str | None


@commands.command(
    free="It works on a store of its own.", busy="Taking the tour", examples=("recollect demo", "recollect demo --keep")
)
def demo(
    context: CommandContext,
    *,
    keep: Annotated[bool, flag("--keep", "Keep the store of the tour, and say where it is.")] = False,
) -> CommandResult[Tour]:
    """Take a guided tour of a few seconds.

    It works on a store of its own, whatever --database says, and deletes it afterwards.
    """
    import shutil
    import tempfile
    from pathlib import Path

    from recollect.api.memory import Memory
    from recollect.settings import Settings

    folder = Path(tempfile.mkdtemp(prefix="recollect-demo-"))
    database = folder / "memories.db"
    try:
        with Memory.open(settings=Settings(database=str(database))) as memory:  # with the bundled encoder
            steps = _steps(memory, context.now)
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
    return CommandResult(Tour(steps, str(database) if keep else None), _show_tour)


def _steps(memory: "Memory", now: datetime) -> tuple[DemoStep, ...]:
    """Type all lines, and remember the ids that later lines refer to."""
    context = CommandContext.for_memory(memory, now)
    ids: dict[str, str] = {}
    steps = []
    for chapter in chapters(now):
        for line in (*chapter.lines, *chapter.more):
            refers = {name for name, value in line.options.items() if str(value).startswith("{")}
            options = {name: value.format(**ids) if name in refers else value for name, value in line.options.items()}
            try:
                result: CommandResult[Any] | NotFound = _type(context, line.command, options)
            except NotFound as error:
                result = error
            if line.name and not isinstance(result, NotFound):
                ids[line.name] = result.value.id
            shown = line in chapter.lines
            steps.append(DemoStep(chapter.title, _typed(line.command, options), options, result, shown))
    return tuple(steps)


def _type(context: CommandContext, command: str, options: Mapping[str, Any]) -> CommandResult[Any]:
    """Call a command as if it had been typed."""
    rest = {name: value for name, value in options.items() if name != _POSITIONAL.get(command)}
    match command:
        case "store":
            if "occurred" in rest:
                rest["occurred_at"] = rest.pop("occurred")
            given = arguments(verb_of("verbs:MemoryVerbs.remember"), rest, (), lambda: context.now)
            return store(context, options["text"], pictured=MediaOptions(), **given)
        case "recall":
            given = arguments(verb_of("verbs:MemoryVerbs.recall"), rest, (), lambda: context.now)
            return recall(context, options["query"], location=LocationOptions(), **given)
        case "forget":
            return forget(context, **rest)
        case "history":
            return history(context, options["id"])
        case _:
            return get(context, options["id"])


def _typed(command: str, options: Mapping[str, object]) -> str:
    words = ["recollect", command]
    for name, value in options.items():
        if _POSITIONAL.get(command) != name:
            words.append(f"--{name.replace('_', '-')}")
        if value is not True:
            word = str(value)
            words.append(word if _NEEDS_NO_QUOTES.fullmatch(word) else f'"{word}"')
    return " ".join(words)


def _show_tour(view: "View", tour: Tour) -> None:
    """Show each step as it is typed, with what its command printed."""
    view.line("A tour of Recollect: everything below is typed and answered for real.")
    for number, (title, steps) in enumerate(groupby(tour.steps, key=lambda step: step.chapter), start=1):
        view.line(f"\n{number}. {title}", "bold")
        _show_chapter(view, list(steps))
    view.line("\nThe same from Python", "bold")
    view.line(f"{_PYTHON}\n")
    if tour.kept:
        view.line("The store of this tour was kept. Look around with:")
        view.line(f"recollect --database {tour.kept} --user default list", soft_wrap=True)
    else:
        view.line("The store of this tour is deleted. Yours starts with: recollect store TEXT")


def _show_chapter(view: "View", steps: list[DemoStep]) -> None:
    for step in steps:
        if step.shown:
            prompt = view.text("$ ", "dim").append(_folded(step.typed, view.console.width), "cyan")
            view.console.print(prompt, soft_wrap=True)
            if isinstance(step.result, RecollectError):
                view.line(f"Error: {step.result}", soft_wrap=True)
            else:
                step.result.show(view, step.result.value)
    hidden = [step for step in steps if not step.shown]
    if hidden:
        view.line(f"... and {len(hidden)} more:")
        table = view.grid("text", "text")
        for step in hidden:
            table.add_row(view.text(f"  {step.options['type']}", "dim"), step.options["text"])
        view.print(table)


def _folded(typed: str, width: int) -> str:
    """Continue a long command on the next line, as a shell allows."""
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


def chapters(now: datetime) -> tuple[Chapter, ...]:
    """Write the tour, with dates that fit today."""
    where = "where is the office light?"
    return (
        Chapter("Remember what was said, in any of its languages", (_store(_DARK_MODE, "preference"),), _life(now)),
        Chapter("Say it again, a little differently: it is kept once", (_store(_DARK_MODE_AGAIN, "preference"),)),
        Chapter(
            "Ask in other words: not one is shared with the answer",
            (_recall("which restaurant was noisy?", explain=True),),
        ),
        Chapter("Ask in another language", (_recall("where is the spare key for the garage?"),)),
        Chapter("Ask for something exact, and see how the score is made", (_recall("VTX-4471-C", explain=True),)),
        Chapter(
            "The truth changes, and what was true before can still be asked for",
            (
                _store("The office light is in the garage now", "fact", name="light", **_LIGHT),
                _recall(where),
                _recall(where, as_of=_day(now, 100)),
                DemoLine("history", {"id": "{light}"}),
            ),
        ),
        Chapter(
            "Forget for good",
            (
                DemoLine("forget", {"query": "My sister Jana is allergic to peanuts", "yes": True}),
                DemoLine("get", {"id": "{allergy}"}),
                _recall("Jana's peanut allergy", min_score=0.3),
            ),
        ),
    )


_DARK_MODE = "Prefers dark mode in all applications"
_DARK_MODE_AGAIN = "Prefers the dark mode in all applications"
_LIGHT = {"subject": "light.office", "key": "location"}


def _life(now: datetime) -> tuple[DemoLine, ...]:
    evening = {"subject": "lighting", "key": "brightness", "value": "40%", "context": "after_sunset"}
    boiler = {"subject": "boiler", "key": "serial_number", "value": "VTX-4471-C"}
    return (
        _store("Ráno pije zázvorový čaj, kávu nikdy", "preference"),
        _store("Lights at 40 % in the evening", "preference", **evening),
        _store("We decided to insulate the attic with wood fibre", "decision"),
        _store("Die Mülltonne wird jeden zweiten Dienstag geleert", "fact"),
        _store("Запасной ключ от гаража лежит под синим горшком", "fact"),
        _store("The boiler's serial number is VTX-4471-C", "fact", **boiler),
        _store("The office light is in the home office", "fact", **_LIGHT, valid_from=_day(now, 200)),
        _store("My sister Jana is allergic to peanuts", "fact", name="allergy"),
        _store("The garage door stayed open all night", "event", occurred=_day(now, 3)),
        _store("The pasta place by the river was too loud to talk", "experience"),
        _store("Restarting the router helps before calling the provider", "lesson"),
    )


def _store(text: str, type: str, *, name: str = "", **options: str) -> DemoLine:
    return DemoLine("store", {"text": text, "type": type, **options}, name)


def _recall(query: str, **options: Any) -> DemoLine:  # noqa: ANN401 - of any type, as options are
    return DemoLine("recall", {"query": query, "limit": 1, **options})


def _day(now: datetime, days_ago: int) -> str:
    return (now - timedelta(days=days_ago)).strftime("%Y-%m-%d")
