"""Commands for knowledge: facts, preferences, events and lessons, and what is known about a topic."""

from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, TypeAlias

from recollect.cli import options
from recollect.cli.errors import NOT_FOUND
from recollect.cli.formatting import ago, day, hour, listing, percent, shortened
from recollect.cli.memories import StoredMemory, show_record, stored
from recollect.cli.options import argument, flag, option
from recollect.cli.runner import CommandContext, CommandResult, CommandSet, given_text
from recollect.cli.values import past_moment
from recollect.cli.verb_options import Given

if TYPE_CHECKING:
    from datetime import datetime

    from rich.console import RenderableType
    from rich.text import Text

    from recollect.cli.view import View
    from recollect.model.memories import Doubt, MemoryRecord
    from recollect.model.search import About

commands = CommandSet("Knowledge")

Known: TypeAlias = "tuple[MemoryRecord, ...]"

_LONGEST = 300
_SURE = 1.0
_NOTE = ("context", "confidence", "source", "keep_secret")  # what all notes have: when they hold, how sure they are


@commands.command(
    "read",
    verb="verbs:MemoryVerbs.about",
    examples=("recollect about garage", 'recollect about "the office light" --limit 3'),
)
def about(context: CommandContext, /, **given: Given) -> "CommandResult[About]":
    """Tell all that is known about a topic, in one answer.

    Facts, preferences, events and lessons of the things that the topic names, and what else speaks of it.
    """
    known = context.me.about(**given)
    return CommandResult(known, _show_about, 0 if known else NOT_FOUND)


@commands.command(
    "write",
    verb="facts:UserFacts.set",
    takes=(*_NOTE, "many", "valid_until"),
    examples=(
        'recollect fact light.office location "home office"',
        "recollect fact jana language Czech --many",
        "recollect fact car tyres winter --valid-until 2027-03-15 --source inferred",
    ),
)
def fact(
    context: CommandContext,
    /,
    subject: Annotated[str, argument("SUBJECT", "What it is about, such as light.office.")],
    key: Annotated[str, argument("KEY", "Which property: location, purpose, nickname, schedule, or any other.")],
    value: Annotated[str, argument("VALUE", "What is so. It replaces the value from before.")],
    **given: Given,
) -> CommandResult[StoredMemory]:
    """Note a fact about a thing; a new value replaces the old."""
    return stored(context, lambda: context.me.facts.set(subject, key, value, **given))


@commands.command(
    "read", verb="facts:UserFacts.__call__", examples=("recollect facts", "recollect facts light.office --key location")
)
def facts(
    context: CommandContext,
    /,
    subject: str | None = None,
    *,
    doubts: Annotated[bool, flag("--doubts", "List pairs of facts that contradict each other instead.")] = False,
    **given: Given,
) -> "CommandResult[Known] | CommandResult[tuple[Doubt, ...]]":
    """List facts, by what they are about."""
    if doubts:
        return CommandResult(context.me.facts.doubts(subject), _show_doubts)
    nothing = "No facts yet. `recollect fact SUBJECT KEY VALUE` notes one."
    found = _by_first_subject(context.me.facts(subject, **given))
    return _listed(found, _by_subject, nothing, {"subject": subject, **given})


def _show_doubts(view: "View", doubts: "tuple[Doubt, ...]") -> None:
    if not doubts:
        view.line("No facts contradict each other.")
    for doubt in doubts:
        for said, record in (("known", doubt.memory), ("also said", doubt.contradicted_by)):
            view.line(f"{said}: {record.content}")
            details = (
                day(record.occurred_at or record.created_at, view.now),
                f"{record.confidence:.0%} sure",
                record.source,
            )
            view.line("  ".join((record.id, *details)), "dim")
    if doubts:
        view.line("Settle one with the id of what is right: recollect settle ID", "dim")


@commands.command("write", "read", creates=False, examples=("recollect settle 019a8c31-7c11-7d02-8e35-2b9c4d6f1a07",))
def settle(
    context: CommandContext, id: Annotated[str, argument("ID", "The one of the two memories that is right.")]
) -> "CommandResult[MemoryRecord]":
    """Say which of two contradicting memories is right.

    Nothing is deleted: the other one is in the history of what holds, which is shown.
    """
    return CommandResult(context.me.facts.settle(id), show_record)


@commands.command(
    "write",
    verb="facts:UserPreferences.set",
    takes=(*_NOTE, "many"),
    examples=(
        "recollect prefer lighting evening_brightness 40% --context after_sunset",
        "recollect prefer food breakfast porridge",
    ),
)
def prefer(
    context: CommandContext,
    /,
    category: Annotated[str, argument("CATEGORY", "What it is about, such as lighting or food.")],
    key: Annotated[str, argument("KEY", "Which part of it, such as evening_brightness.")],
    value: Annotated[str, argument("VALUE", "What is preferred. It replaces the value from before.")],
    **given: Given,
) -> CommandResult[StoredMemory]:
    """Note what the user prefers."""
    return stored(context, lambda: context.me.preferences.set(category, key, value, **given))


@commands.command(
    "read", verb="facts:UserPreferences.__call__", examples=("recollect preferences", "recollect preferences lighting")
)
def preferences(context: CommandContext, /, **given: Given) -> "CommandResult[Known]":
    """List what the user prefers, the surest first."""
    nothing = "No preferences yet. `recollect prefer CATEGORY KEY VALUE` notes one."
    return _listed(_by_first_subject(context.me.preferences(**given)), _by_subject, nothing, given)


@commands.command(
    "write",
    verb="facts:UserEvents.log",
    takes=("kind", "entity", "details", "participants", "keep_secret"),
    examples=(
        'recollect event "The garage door was opened" --entity cover.garage --at 2h',
        'recollect event "Smoke in the kitchen" --kind alert --importance 0.9 --details "for 40 seconds"',
    ),
)
def event(
    context: CommandContext,
    /,
    summary: Annotated[str, argument("SUMMARY", "What happened.")],
    *,
    at: options.At = None,
    importance: Annotated[float | None, option("0..1", "How much it matters; 0.5 when nothing is said.")] = None,
    **given: Given,
) -> CommandResult[StoredMemory]:
    """Note that something happened, now or at another time."""
    if importance is not None:
        given["importance"] = importance
    if at is not None:
        given["occurred_at"] = past_moment(at, "at", context.now)
    return stored(context, lambda: context.me.events.log(summary, **given))


@commands.command(
    "read",
    verb="facts:UserEvents.__call__",
    examples=(
        'recollect events --when "last night"',
        "recollect events --since 7d --min-importance 0.7",
        "recollect events --entity cover.garage --when 2026-12-03",
    ),
)
def events(context: CommandContext, /, **given: Given) -> "CommandResult[Known]":
    """Tell what happened, in order.

    When there is more than the limit, the newest are shown.
    """
    nothing = "Nothing has happened yet. `recollect event SUMMARY` notes that something did."
    return _listed(context.me.events(**given), _by_day, nothing, given)


@commands.command(
    "write",
    verb="facts:UserLessons.add",
    takes=_NOTE,
    examples=('recollect lesson "Restart the router before calling the provider" --context internet --confidence 0.8',),
)
def lesson(
    context: CommandContext,
    /,
    lesson: Annotated[str, argument("TEXT", "What was learned; - reads it from standard input.")],
    **given: Given,
) -> CommandResult[StoredMemory]:
    """Note what was learned."""
    return stored(context, lambda: context.me.lessons.add(given_text(lesson), **given))


@commands.command(
    "read", verb="facts:UserLessons.__call__", examples=("recollect lessons", "recollect lessons --context internet")
)
def lessons(context: CommandContext, /, **given: Given) -> "CommandResult[Known]":
    """List what was learned, the surest first."""
    nothing = "Nothing was learned yet. `recollect lesson TEXT` notes something."
    return _listed(context.me.lessons(**given), _lessons, nothing, given)


@commands.command(
    "write",
    verb="facts:UserInstructions.add",
    takes=_NOTE,
    examples=('recollect instruct "Always answer in lower case"',),
)
def instruct(
    context: CommandContext,
    /,
    instruction: Annotated[
        str, argument("TEXT", "How the assistant shall always behave; - reads it from standard input.")
    ],
    **given: Given,
) -> CommandResult[StoredMemory]:
    """Note how the assistant shall always behave.

    An agent sees it before every prompt.
    """
    return stored(context, lambda: context.me.instructions.add(given_text(instruction), **given))


@commands.command("read", verb="facts:UserInstructions.__call__", examples=("recollect instructions",))
def instructions(context: CommandContext, /, **given: Given) -> "CommandResult[Known]":
    """List how the assistant shall behave, newest first. `forget ID` takes one back."""
    nothing = "No instructions yet. `recollect instruct TEXT` notes one."
    return _listed(context.me.instructions(**given), _lessons, nothing, {})


def _by_first_subject(records: "tuple[MemoryRecord, ...]") -> "tuple[MemoryRecord, ...]":
    """Put what has one subject together, and otherwise leave the order as it is."""
    subjects = {record.subject: None for record in records}
    return tuple(record for subject in subjects for record in records if record.subject == subject)


def _listed(
    records: "Known", render: "Callable[..., RenderableType]", nothing: str, given: Mapping[str, object]
) -> "CommandResult[Known]":
    """Give a list with its view: `nothing` is said when there is none, unless options narrowed the question."""
    narrowed = any(value is not None for name, value in given.items() if name != "limit")

    def show(view: "View", records: "Known") -> None:
        if records:
            view.print(render(view, records, ids=True))
        else:
            view.line("Nothing matches." if narrowed else nothing)

    return CommandResult(records, show, under="items")


def _show_about(view: "View", known: "About") -> None:
    from recollect.cli.render_memories import ranked_hits

    named = f": {listing(known.subjects)}" if known.subjects else ""
    view.line(f"About {known.topic}{named}" if known else f"Nothing is known about {known.topic}.")
    chapters = (
        ("Facts", known.facts, _by_subject),
        ("Preferences", known.preferences, _by_subject),
        ("Events", known.events, _by_day),
        ("Lessons", known.lessons, _lessons),
    )
    for title, records, render in chapters:
        if records:
            view.line(title, "bold")
            view.print(view.indent(render(view, records, ids=False)))
    if known.hits:
        view.line("Also related", "bold")
        view.print(view.indent(ranked_hits(known.hits, view.now)))
    view.degraded(known.degraded, "The answer comes from what still works; `recollect doctor` may know why.")


def _by_subject(view: "View", records: "Iterable[MemoryRecord]", *, ids: bool) -> "RenderableType":
    shown: list[RenderableType] = []
    for subject, members in groupby(records, key=lambda record: record.subject):
        shown.append(view.text(subject or "(about nothing in particular)", "cyan"))
        for record in members:
            details = [*_doubts(record), ago(record.created_at, view.now)]
            shown.append(view.indent(_entry(view, _property(view, record), record.id if ids else "", details)))
    return view.stack(*shown)


def _property(view: "View", record: "MemoryRecord") -> "Text":
    """Show a key with its value, and the sentence besides if it was stated in one."""
    when = f" ({record.context})" if record.context else ""
    if not (record.key and record.value):
        return view.text(f"{shortened(record.content, _LONGEST)}{when}")
    text = view.text(f"{record.key}: {shortened(record.value, _LONGEST)}{when}")
    if not record.content.startswith(record.subject):
        text.append_text(view.text(f"  {shortened(record.content, _LONGEST)}", "dim"))
    return text


def _by_day(view: "View", records: "Iterable[MemoryRecord]", *, ids: bool) -> "RenderableType":
    shown: list[RenderableType] = []
    for date, members in groupby(records, key=lambda record: day(_moment(record), view.now)):
        shown.append(view.text(date, "cyan"))
        table = view.grid("label", "text")
        for record in members:
            table.add_row(hour(_moment(record), view.now), _happened(view, record, ids=ids))
        shown.append(view.indent(table))
    return view.stack(*shown)


def _moment(record: "MemoryRecord") -> "datetime":
    return record.occurred_at or record.created_at


def _happened(view: "View", record: "MemoryRecord", *, ids: bool) -> "Text":
    from recollect.model.memories import participants_of

    text = view.text(shortened(record.content, _LONGEST))
    if record.subject:
        text.append_text(view.text(f" ({record.subject})", "dim"))
    if present := participants_of(record.metadata):
        text.append_text(view.text(f" with {listing(present)}", "dim"))
    if record.value:
        text.append("\n").append_text(view.text(shortened(record.value, _LONGEST), "dim"))
    details = [record.key or "event", f"importance {record.importance:g}"]
    return _entry(view, text, record.id if ids else "", details)


def _lessons(view: "View", records: "Iterable[MemoryRecord]", *, ids: bool) -> "RenderableType":
    shown = []
    for record in records:
        when = f" ({record.context})" if record.context else ""
        text = view.text(f"{shortened(record.content, _LONGEST)}{when}")
        details = [*_doubts(record), ago(record.created_at, view.now)]
        shown.append(_entry(view, text, record.id if ids else "", details))
    return view.stack(*shown)


def _doubts(record: "MemoryRecord") -> list[str]:
    return [f"{percent(record.confidence)} sure"] if record.confidence < _SURE else []


def _entry(view: "View", text: "Text", id: str, details: Iterable[str]) -> "Text":
    """Put id and details below a text, or nothing when the id is not wanted."""
    return text.append("\n").append_text(view.text(f"{id}  {' · '.join(details)}", "dim")) if id else text
