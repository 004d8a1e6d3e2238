"""The command that repairs a damaged file."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

from recollect.cli.formatting import counted, sentence
from recollect.cli.json_output import fields_of
from recollect.cli.options import option
from recollect.cli.runner import CommandContext, CommandResult, CommandSet

if TYPE_CHECKING:
    from recollect.cli.view import View
    from recollect.model.backups import Repaired, TableSalvage

commands = CommandSet("The store")


class RepairOutcome(NamedTuple):
    """The file, and what was done to it; None when it is sound."""

    location: str
    repaired: "Repaired | None"

    def document(self) -> dict[str, object]:
        """Say whether the file was damaged, and what was saved."""
        done = {} if self.repaired is None else fields_of(self.repaired)
        return {"location": self.location, "damaged": self.repaired is not None, **done}


@commands.command(
    free="It works on the file itself; who can write it has its content already.",
    busy="Looking at all pages",
    examples=("recollect repair", "recollect repair --database ~/memory.db --json"),
)
def repair(
    context: CommandContext,
    *,
    database: Annotated[str | None, option("PATH", "The SQLite file; that of the settings without it.")] = None,
) -> CommandResult[RepairOutcome]:
    """Look at a SQLite file, and save what can be read.

    Nothing is done to a file that is sound. Stop all processes that use the store first. The rows of all sound pages go
    to a new file, which takes the place of the damaged one; words and codes of vectors are indexed anew, and lost
    vectors wait for the worker. The damaged file is kept beside it under a dated name: delete it when you no longer
    need it.
    """
    from recollect.api.memory import Memory

    settings = context.load_settings(database or context.typed.database)
    return CommandResult(RepairOutcome(settings.database, Memory.repair(settings=settings)), _show_outcome)


def _show_outcome(view: "View", outcome: RepairOutcome) -> None:
    repaired = outcome.repaired
    if repaired is None:
        view.line(f"{outcome.location} is sound; nothing was changed.", "green")
        return
    view.line(sentence(repaired.reason), "yellow")
    for table in repaired.tables:
        view.line(f"  {table.table}: {_counts(table)}", "yellow" if table.lost else "")
    for note in repaired.notes:
        view.line(sentence(note), "yellow")
    view.line(f"{repaired.location} is in order again.", soft_wrap=True)
    view.line(f"The damaged file is kept as {repaired.damaged_file}", soft_wrap=True)
    view.line("It still holds all that it held: delete it, and its -wal file, when you no longer need it.")
    if repaired.lost_rows:
        view.line("A backup may have what was lost: `recollect restore`.", "yellow")


def _counts(table: "TableSalvage") -> str:
    saved = f"{counted(table.saved, 'row', 'rows')} saved"
    return f"{saved}, {'about ' if table.estimated else ''}{table.lost:,} lost" if table.lost else saved
