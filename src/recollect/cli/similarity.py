"""Commands that compare memories with each other: similar, clusters, merge."""

from functools import partial
from typing import TYPE_CHECKING, Annotated

from recollect.cli import options
from recollect.cli.formatting import counted, shortened
from recollect.cli.memories import show_record
from recollect.cli.options import flag, option
from recollect.cli.runner import CommandContext, CommandResult, CommandSet
from recollect.cli.search import FoundHits
from recollect.cli.verb_options import Given

if TYPE_CHECKING:
    from recollect.cli.view import View
    from recollect.model.insights import Clusters
    from recollect.model.memories import MemoryRecord

commands = CommandSet("Memories")

_LONGEST = 300
_EXAMPLE = 100
_ID = "019a8c31-62e0-7f05-9c4b-3f1d2a7b8e90"


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
    "write",
    "read",
    creates=False,
    examples=(f"recollect merge {_ID} --into 019a8c31-7c11-7d02-8e35-2b9c4d6f1a07",),
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
