"""Commands that show how a memory is used, and what could be tidied up: insights, tidy."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from recollect.cli import options
from recollect.cli.errors import Declined
from recollect.cli.formatting import ago, amounts, counted, day, percent, shortened
from recollect.cli.options import flag, one_of, option
from recollect.cli.runner import CommandContext, CommandResult, CommandSet
from recollect.cli.verb_options import Given
from recollect.errors import InvalidInput

if TYPE_CHECKING:
    from recollect.cli.view import View
    from recollect.model.insights import Insights, Tidying, TidySuggestion

commands = CommandSet("The store")

_LONGEST = 80
_MOST_SHOWN = 50
_WIDEST_BAR = 24
_WHY = {
    "noise": "says nothing",
    "short": "too short",
    "system": "a line of a system",
    "old_chat": "silent for a year",
}


@commands.command(
    "read",
    verb="verbs:MemoryVerbs.insights",
    examples=("recollect insights", "recollect --user anna insights --days 7 --limit 20"),
)
def insights(context: CommandContext, /, **given: Given) -> CommandResult["Insights"]:
    """Show what is asked of the memory, and what it holds.

    Popular queries, questions without an answer, what is recalled often or never, and which programs ask: all from the
    search log, if `serve.search_log` is on. Then how much of each type can be found by meaning, and how it grew.
    """
    return CommandResult(context.me.insights(**given), _show_insights)


def _show_insights(view: "View", found: "Insights") -> None:
    if found.log == "off":
        view.line(
            "Searches are not recorded. `serve.search_log` set to `queries` keeps what is asked, per user.", "dim"
        )
    else:
        _show_searches(view, found)
    _table(
        view,
        "What it holds",
        "type",
        ("items", "by meaning"),
        [(f"{one.kind} {one.type}", f"{one.items:,}", percent(one.vectors / one.items), "") for one in found.coverage],
    )
    waiting = amounts((found.waiting, "text waits", "texts wait"), (found.parked, "is given up on", "are given up on"))
    view.line(f"Model: {found.model or 'none'}. {waiting or 'Nothing waits'}.", "dim")
    _show_growth(view, found)


def _show_searches(view: "View", found: "Insights") -> None:
    total = sum(one.searches for one in found.searches)
    degraded = ", ".join(f"{amount:,} without {part}" for part, amount in found.degraded.items())
    told = f"{counted(total, 'search', 'searches')} since {day(found.since, view.now)}"
    view.line(f"{told}; degraded: {degraded or 'none'}.")
    for heading, queries in (("Asked most", found.popular), ("Without an answer", found.unanswered)):
        rows = [
            (shortened(one.query, _LONGEST), f"{one.searches:,}", f"{one.unanswered:,}", ago(one.last_at, view.now))
            for one in queries
        ]
        _table(view, heading, "query", ("asked", "unanswered"), rows)
    _table(
        view,
        "Recalled most",
        "content",
        ("times",),
        [
            (shortened(one.content, _LONGEST), f"{one.times:,}", ago(one.last_at, view.now) if one.last_at else "")
            for one in found.often
        ],
    )
    if found.unrecalled:
        _heading(view, f"Never recalled: {counted(found.unrecalled, 'memory', 'memories')}")
        for item in found.never:
            view.line(f"  {shortened(item.content, _LONGEST)}")
    agents = [
        (one.agent or "a program without a name", f"{one.searches:,}", ago(one.last_at, view.now))
        for one in found.agents
    ]
    _table(view, "Asked by", "program", ("searches",), agents)


def _show_growth(view: "View", found: "Insights") -> None:
    _heading(view, "Stored by month")
    most = max((one.memories + one.messages + one.chunks for one in found.growth), default=1)
    grid = view.grid("label", "number", "text")
    for one in found.growth:
        total = one.memories + one.messages + one.chunks
        grid.add_row(one.month, f"{total:,}", view.text("#" * max(1, round(_WIDEST_BAR * total / most)), "cyan"))
    view.print(grid)


def _heading(view: "View", text: str) -> None:
    view.line("")
    view.line(text, "bold")


def _table(view: "View", heading: str, first: str, figures: Sequence[str], rows: Sequence[tuple[str, ...]]) -> None:
    _heading(view, heading)
    if not rows:
        view.line("  -", "dim")
        return
    table = view.headed(first, figures, "")
    for name, *others in rows:
        table.add_row(view.text(name), *others)
    view.print(table)


@commands.command(
    "read",
    when_given={"apply": "forget"},
    examples=("recollect tidy", "recollect tidy --rule system --rule noise", "recollect tidy --rule short --apply"),
)
def tidy(
    context: CommandContext,
    *,
    rule: Annotated[
        list[str] | None,
        option("RULE", f"Only by this rule, may be repeated: {', '.join(_WHY)}.", autocompletion=one_of(_WHY)),
    ] = None,
    limit: Annotated[int, option("N", "At most so many suggestions.")] = 100,
    apply: Annotated[bool | None, flag("--apply", "Forget or archive what is suggested, after you were asked.")] = None,
    yes: options.Yes = False,
) -> CommandResult["Tidying"]:
    """Suggest what could go, and tidy it up if you say so.

    Texts that say nothing or too little, lines of systems, and conversations in which nothing was said for a year.
    Nothing goes unless --apply is given, and then you are shown what would go, and asked; without a terminal --apply
    needs --yes. Memories and messages are forgotten for good, as `recollect forget` does it; of a conversation a
    summary is made, and its messages stay. What has a subject, was rated up or has taught something is not suggested.
    """
    rules: Any = tuple(rule or ())
    found = context.me.tidy(rules=rules, limit=limit)
    if not apply or not found.suggestions:
        return CommandResult(found, partial(_show_suggestions, applied=bool(apply)))
    if not (yes or context.can_ask):
        raise InvalidInput("Tidying up needs --yes when there is no terminal to ask on.")
    if not yes:
        from recollect.cli.view import safe

        context.console.print(safe("\n".join(_lines(found.suggestions))))
        if not context.ask(f"Forget or archive {_amount(found.suggestions)}?"):
            raise Declined("Nothing was changed.")
    done = context.me.tidy(rules=rules, apply=[one.id for one in found.suggestions])
    return CommandResult(replace(done, suggestions=found.suggestions), partial(_show_suggestions, applied=True))


def _show_suggestions(view: "View", tidying: "Tidying", *, applied: bool) -> None:
    if not tidying.suggestions:
        view.line("Nothing to tidy up.")
    elif applied:
        told = amounts(
            (len(tidying.forgotten), "item forgotten for good", "items forgotten for good"),
            (len(tidying.archived), "conversation archived", "conversations archived"),
        )
        view.line(f"{told or 'Nothing was left to do'}.")
        if tidying.pending:
            view.line(f"Erasure pending: {tidying.pending}", "yellow")
    else:
        view.line("\n".join(_lines(tidying.suggestions)))
        view.line(f"{_amount(tidying.suggestions)} could go. Nothing was changed: `recollect tidy --apply` does it.")


def _lines(suggestions: "Sequence[TidySuggestion]") -> list[str]:
    """List what could go, by rule: what would become of it, and what it says."""
    lines = []
    for one in suggestions[:_MOST_SHOWN]:
        content = shortened(" ".join(one.content.split()), _LONGEST)
        named = f"{one.source} {one.id}" if one.action == "archive" else one.source
        lines.append(f"  {one.action:7}  {_WHY[one.rule]}: {named} {content!r}")
    if len(suggestions) > _MOST_SHOWN:
        lines.append(f"  ... and {len(suggestions) - _MOST_SHOWN:,} more; --json gives all.")
    return lines


def _amount(suggestions: "Sequence[TidySuggestion]") -> str:
    sources = [one.source for one in suggestions]
    return amounts(
        (sources.count("memory"), "memory", "memories"),
        (sources.count("message"), "message", "messages"),
        (sources.count("conversation"), "conversation", "conversations"),
    )
