"""Commands that find memories and compare them: recall, search, get, list, timeline, history, count; similar, merge."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias, cast

from recollect import plugins
from recollect.cli import options
from recollect.cli.formatting import amounts, clock, counted, percent, shortened
from recollect.cli.json_output import fields_of, hit_document
from recollect.cli.memories import show_record
from recollect.cli.options import flag, option
from recollect.cli.places import search_location
from recollect.cli.runner import CommandContext, CommandResult, CommandSet
from recollect.cli.verb_options import Given
from recollect.model.calibration import KNOWN

if TYPE_CHECKING:
    from recollect.cli.view import View
    from recollect.model.insights import Clusters
    from recollect.model.memories import MemoryRecord, Page
    from recollect.model.messages import Message
    from recollect.model.places import Located
    from recollect.model.readings import MemoryOrigin
    from recollect.model.search import Recall
    from recollect.model.stats import TimelineBucket, TimelineUnit

commands = CommandSet("Memories")

NodeSearch: TypeAlias = Callable[[CommandContext, str, int, str, Mapping[str, object]], CommandResult[Any]]
_LONGEST = 300
_EXAMPLE = 100
_WRITTEN = {"hour": "%Y-%m-%d %H:%M", "day": "%Y-%m-%d", "month": "%Y-%m", "year": "%Y"}
STILL_WORKS = "The answer comes from what still works; `recollect doctor` may know why."
_ID = "019a8c31-62e0-7f05-9c4b-3f1d2a7b8e90"


class FoundHits(NamedTuple):
    """What a search found, and for each message what was said around it, if that was wanted.

    `near` is the place that was taken for the name that was typed.
    """

    answer: "Recall"
    around: "Mapping[str, tuple[Message, ...]] | None" = None
    near: "Located | None" = None

    def document(self) -> dict[str, object]:
        """Give the hits; each with what was said around it, itself included, if that was wanted."""
        near = {"near": self.near} if self.near else {}
        unused = () if self.answer.reranking else ("reranking",)
        if self.around is None:
            return {**fields_of(self.answer, *unused), **near}
        hits = [{**hit_document(hit), "surroundings": self.around.get(hit.id, ())} for hit in self.answer.hits]
        return {**fields_of(self.answer, "hits", *unused), "hits": hits, **near}


@commands.command(
    "read",
    verb="verbs:MemoryVerbs.recall",
    sets=("only_related",),
    examples=(
        'recollect recall "which theme do I like?"',
        'recollect recall "what did we decide about the roof?" --type decision --since 90d',
        'recollect recall "where is the office light?" --as-of 2026-03-01 --explain',
        'recollect recall "how is the router set up?" --files',
        """recollect recall 'roof "wood fibre" -price'""",
        'recollect recall "what do I order here?" --near 49.1951,16.6068',
        'recollect recall "what should I buy?" --at supermarket',
        'recollect recall "where did we eat?" --near Brno --radius-km 10',
    ),
)
def recall(
    context: CommandContext,
    /,
    query: str,
    *,
    files: bool = False,
    location: options.LocationOptions,
    everything: options.Everything = False,
    explain: options.Explain = False,
    **given: Given,
) -> CommandResult[FoundHits]:
    """Find memories by meaning and by words, best first.

    When nothing has to do with the query, nothing is shown; --all and --min-score show what comes closest.
    """
    where = search_location(context, location, given)
    related = not everything and "min_score" not in given
    answer = context.me.recall(query, files=files, only_related=related, location=where.location, **given)
    nothing = "No relevant memories found. `recollect list` shows what there is."
    if files:
        nothing = "Nothing relevant was found, neither in memories nor in files."
    show = partial(_show_hits, nothing=nothing, explain=explain)
    return CommandResult(FoundHits(answer, near=where.taken), show)


def _show_hits(view: "View", found: FoundHits, *, nothing: str, explain: bool, sources: bool = False) -> None:
    from recollect.cli.render_memories import ranked_hits

    answer = found.answer
    if found.near is not None:
        view.line(f"near {found.near.address or found.near.name}", "dim")
    if not answer.hits:
        view.line(nothing)
    if answer.hits and answer.answerable < KNOWN:
        view.line("Nothing known clearly answers that. This comes closest:")
    if answer.hits:
        view.print(ranked_hits(answer.hits, view.now, explain=explain, sources=sources, around=found.around))
    if explain:
        view.line(f"answerable {answer.answerable:.2f}", "dim")
        if answer.reranking is not None:
            done, model = answer.reranking, answer.reranking.model
            how = f"skipped ({done.skipped})" if done.skipped else f"the first {done.scored} scored by {model}"
            view.line(f"reranker {how}", "dim")
    view.degraded(answer.degraded, STILL_WORKS)


@commands.command(
    "read",
    verb="verbs:MemoryVerbs.search_context",
    sets=("only_related",),
    examples=(
        'recollect search "the colour of the roof"',
        'recollect search "what did you suggest?" --source response --since "last night"',
        'recollect search "what happened last week?"',
        'recollect search "when does the plumber come?" --around 2',
        'recollect search "how is the router set up?" --source file',
        'recollect search "the colour of the roof" --nodes all',
    ),
)
def search(
    context: CommandContext,
    /,
    query: str,
    *,
    limit: int = 10,
    location: options.LocationOptions,
    around: Annotated[int, option("N", "Show this many turns before and after each message.", min=0, max=50)] = 0,
    nodes: options.Nodes = "none",
    everything: options.Everything = False,
    explain: options.Explain = False,
    **given: Given,
) -> CommandResult[Any]:
    """Search memories, all that was said, and files.

    Each hit names its source: a memory, a user's request, an assistant's response, its reasoning, a tool's result, a
    file with its lines, which `recollect read` shows.
    System prompts and summaries are searched when --source names them.
    When nothing has to do with the query, nothing is shown; --all and --min-score show what comes closest.
    """
    if nodes != "none":
        typed = {"source": given.pop("sources", None), **given}
        narrowing = {**typed, "around": around, "all": everything, "explain": explain, **location._asdict()}
        search_nodes: NodeSearch = plugins.find("commands", "search --nodes", "recollect-connect")
        return search_nodes(context, query, limit, nodes, narrowing)
    where = search_location(context, location, given)
    related = not everything and "min_score" not in given
    answer = context.me.search_context(query, limit=limit, only_related=related, location=where.location, **given)
    found = FoundHits(answer, _messages_around(context, answer, around) if around else None, where.taken)
    nothing = "Nothing was found, neither in memories nor in what was said, nor in files."
    return CommandResult(found, partial(_show_hits, nothing=nothing, explain=explain, sources=True))


def _messages_around(context: CommandContext, answer: "Recall", reach: int) -> "dict[str, tuple[Message, ...]]":
    from recollect.model.messages import Message

    said = [hit.id for hit in answer.hits if isinstance(hit.record, Message)]
    return {item: context.me.messages.around(item, before=reach, after=reach) for item in said}


class ExplainedMemory(NamedTuple):
    """A memory, and the messages that it was captured from."""

    record: "MemoryRecord"
    origins: "tuple[MemoryOrigin, ...]"

    def document(self) -> dict[str, object]:
        return {**fields_of(self.record), "origins": self.origins}


@commands.command(
    "read",
    verb="verbs:MemoryVerbs.get",
    examples=tuple(f"recollect get {_ID}{how}" for how in ("", " --explain", " --reveal")),
)
def get(
    context: CommandContext,
    /,
    id: str,
    *,
    explain: Annotated[
        bool, flag("--explain", "Show what captured it, and the words of the message it comes from.")
    ] = False,
    **given: Given,
) -> "CommandResult[MemoryRecord] | CommandResult[ExplainedMemory]":
    """Show one memory with all its fields; old versions, too."""
    record = context.me.get(id, **given)
    if not explain:
        return CommandResult(record, show_record)
    return CommandResult(ExplainedMemory(record, context.me.messages.origins(id)), _show_explained)


def _show_explained(view: "View", explained: ExplainedMemory) -> None:
    from recollect.cli.render_memories import marked_origin
    from recollect.model.readings import CAPTURED_BY

    record, origins = explained
    show_record(view, record)
    rule = str(record.metadata.get(CAPTURED_BY) or "")
    if rule:
        view.line(f"\nCaptured {_found_by(rule)}, {percent(record.confidence)} sure.")
    elif not origins:
        view.line("\nNot captured from a message: it was stored as it is.")
    if rule and not origins:
        view.line("Its message is not there: it was forgotten, or only its text was given to capture.", "yellow")
    for origin in origins:
        said = origin.message
        view.line(f"From {said.conversation}, {clock(said.said_at, view.now)} ({said.id}):")
        view.print(view.indent(marked_origin(origin, coloured=view.coloured)))


def _found_by(rule: str) -> str:
    """Say what found a memory."""
    pattern = rule.removeprefix("own ")
    if pattern != rule:
        return f"by the pattern {pattern} of the settings"
    known = {"asked": "because the user asked to remember it", "exact": "by an exact phrase"}
    return known.get(rule, f"by {rule}")


@commands.command(
    "read",
    name="list",
    verb="verbs:MemoryVerbs.list",
    examples=("recollect list", "recollect list --type fact --subject light.office", "recollect list --since 7d"),
)
def list_memories(context: CommandContext, /, **given: Given) -> "CommandResult[Page]":
    """List what is held true, newest first."""
    narrowed = bool(given.keys() - {"limit", "cursor"})
    return CommandResult(context.me.list(**given), partial(_show_page, narrowed=narrowed))


def _show_page(view: "View", page: "Page", *, narrowed: bool) -> None:
    from recollect.cli.render_memories import memory_list

    if not page.items:
        view.line("Nothing matches." if narrowed else "Nothing here yet. `recollect store TEXT` remembers something.")
        return
    view.print(memory_list(page.items, view.now))
    if page.cursor:
        view.line(f"There is more: add --cursor {page.cursor}", "yellow")


class Timeline(NamedTuple):
    """What there is about each hour, day, month or year."""

    unit: "TimelineUnit"
    buckets: "tuple[TimelineBucket, ...]"


@commands.command(
    "read",
    verb="facts:UserEvents.timeline",
    examples=("recollect timeline", "recollect timeline --unit hour --since yesterday"),
)
def timeline(context: CommandContext, /, *, unit: str = "day", **given: Given) -> CommandResult[Timeline]:
    """Count what there is about each day, in order.

    Events, other memories, messages and files are counted by the time that they are about.
    """
    chosen = cast("TimelineUnit", unit)
    return CommandResult(Timeline(chosen, context.me.events.timeline(unit=chosen, **given)), _show_timeline)


def _show_timeline(view: "View", found: Timeline) -> None:
    shown = _WRITTEN[found.unit]
    for bucket in found.buckets:
        counts = amounts(
            (bucket.events, "event", "events"),
            (bucket.memories, "memory", "memories"),
            (bucket.messages, "message", "messages"),
            (bucket.files, "file", "files"),
        )
        view.line(f"{bucket.start.astimezone(view.now.tzinfo):{shown}}  {counts}")
    if not found.buckets:
        view.line("Nothing here yet. `recollect store TEXT` remembers something.")


@commands.command("read", verb="verbs:MemoryVerbs.history", examples=(f"recollect history {_ID}",))
def history(context: CommandContext, /, id: str) -> "CommandResult[tuple[MemoryRecord, ...]]":
    """Show all versions of a memory, oldest first.

    Any of their ids will do.
    """
    return CommandResult(context.me.history(id), _show_history, under="versions")


def _show_history(view: "View", versions: "tuple[MemoryRecord, ...]") -> None:
    from recollect.cli.render_memories import memory_versions

    view.print(memory_versions(versions, view.now))


@commands.command(
    "read", verb="verbs:MemoryVerbs.count", examples=("recollect count", "recollect count --type preference")
)
def count(context: CommandContext, /, **given: Given) -> CommandResult[int]:
    """Count what is held true."""
    found = context.me.count(**given)
    return CommandResult(found, lambda view, _: view.line(counted(found, "memory", "memories")), under="count")


@commands.command(
    "read",
    verb="verbs:MemoryVerbs.similar",
    examples=(f"recollect similar {_ID}", f"recollect similar {_ID} --limit 10"),
)
def similar(
    context: CommandContext, /, *, explain: options.Explain = False, **given: Given
) -> CommandResult[FoundHits]:
    """Find the memories nearest in meaning to a memory.

    They are compared by their vectors, without a model.
    """
    return CommandResult(FoundHits(context.me.similar(**given)), partial(_show_similar, explain=explain))


def _show_similar(view: "View", found: FoundHits, *, explain: bool) -> None:
    from recollect.cli.render_memories import ranked_hits

    answer = found.answer
    if answer.hits:
        view.print(ranked_hits(answer.hits, view.now, explain=explain))
    else:
        view.line("There are no vectors to compare." if answer.degraded else "There are no other memories.")
    view.degraded(answer.degraded, "`recollect worker --once` makes vectors that are missing.")


@commands.command(
    "read",
    verb="verbs:MemoryVerbs.clusters",
    examples=("recollect clusters", "recollect clusters --limit 50 --examples 3", "recollect clusters --duplicates"),
)
def clusters(
    context: CommandContext,
    /,
    *,
    examples: int = 2,
    duplicates: Annotated[
        bool, flag("--duplicates", "Show memories that say the same, and how to merge them.")
    ] = False,
    **given: Given,
) -> "CommandResult[Clusters]":
    """Show groups of similar memories, the largest first.

    Each with the words that tell it from others. Memories are compared by their vectors and words, without a model; of
    100,000 that takes up to a minute.
    """
    found = context.me.clusters(examples=examples, **given)
    return CommandResult(found, _show_duplicates if duplicates else _show_clusters)


def _show_clusters(view: "View", found: "Clusters") -> None:
    if not found.clusters:
        view.line("There are no groups of similar memories.")
    table = view.grid("number", "text", expand=True)
    for cluster in found.clusters:
        table.add_row(str(cluster.size), view.text(" · ".join(cluster.terms) or "(no common word)", "bold"))
        for member in cluster.members:
            table.add_row("", view.text(shortened(member.content, _EXAMPLE), "dim"))
    if found.clusters:
        view.print(table)
        shown = f", the {len(found.clusters)} largest shown" if found.total > len(found.clusters) else ""
        view.line(f"{found.grouped} of {counted(found.memories, 'memory', 'memories')} in {found.total} groups{shown}.")
    if found.duplicates:
        pairs = counted(len(found.duplicates), "pair says", "pairs say")
        view.line(f"{pairs} the same: see `recollect clusters --duplicates`.", "yellow")
    view.degraded(found.degraded, "`recollect worker --once` makes vectors that are missing.")


def _show_duplicates(view: "View", found: "Clusters") -> None:
    if not found.duplicates:
        view.line("No two memories say the same.")
    for pair in found.duplicates:
        view.line(f"keep    {shortened(pair.keep.content, _LONGEST)}")
        view.line(f"repeat  {shortened(pair.repeat.content, _LONGEST)}")
        view.line(f"        recollect merge {pair.repeat.id} --into {pair.keep.id}", "dim", soft_wrap=True)
    view.degraded(found.degraded, "`recollect worker --once` makes vectors that are missing.")


@commands.command(
    "write", "read", creates=False, examples=(f"recollect merge {_ID} --into 019a8c31-7c11-7d02-8e35-2b9c4d6f1a07",)
)
def merge(
    context: CommandContext,
    id: options.IdArgument,
    *,
    into: Annotated[str, option("ID", "The memory to keep, which says the same.")],
) -> "CommandResult[MemoryRecord]":
    """Merge a memory into another that says the same.

    Nothing is deleted: it is no longer found, and is in the history of the other, which is shown.
    """
    return CommandResult(context.me.merge(id, into=into), show_record)
