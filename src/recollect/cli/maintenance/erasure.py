"""Commands about what forgetting leaves behind: purge."""

from typing import TYPE_CHECKING, Annotated, TypeAlias

from recollect.cli.errors import FAILED
from recollect.cli.formatting import sentence
from recollect.cli.options import flag
from recollect.cli.runner import CommandContext, CommandResult, CommandSet

if TYPE_CHECKING:
    from recollect.cli.view import View
    from recollect.model.stats import Purged

commands = CommandSet("The store")

PurgeOption: TypeAlias = Annotated[
    bool | None, flag("--purge", "Remove the last traces from the database's files as well, see `recollect purge`.")
]


@commands.command("admin", examples=("recollect purge", "recollect --user anna forget --everything --purge"))
def purge(context: CommandContext) -> "CommandResult[Purged]":
    """Remove the last traces of what was forgotten, of all users.

    What was forgotten is in no answer, but a database's files may hold remains of it: rows that were deleted, entries
    of indexes, statistics. This writes the tables anew, one after the other; nothing can use a table meanwhile, and as
    much room is needed as the largest takes. Safe to interrupt: the next purge goes on. What only an administrator can
    do is said at the end. Exits with 1 when something could not be purged yet.
    """
    purged = purge_store(context)
    return CommandResult(purged, show_purged, FAILED if purged.failed else 0)


def purge_store(context: CommandContext) -> "Purged":
    """Purge the store, and show how far it is."""
    with context.progress.steps() as step:
        return context.memory.purge(tell=lambda doing, done, total: step(sentence(doing).rstrip("."), done, total))


def show_purged(view: "View", purged: "Purged") -> None:
    """Say what was done, what is left, and what only an administrator can do."""
    for note in purged.notes:
        view.line(sentence(note))
    for failure in purged.failed:
        view.line(f"Not purged yet: {failure.rstrip('.')}. Run `recollect purge` again.", "yellow")
    for left in purged.administrator:
        view.line(sentence(left), "dim")
