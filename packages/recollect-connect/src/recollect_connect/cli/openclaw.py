"""The command that brings what OpenClaw remembers."""

from typing import TYPE_CHECKING, Annotated

from recollect.cli.files import reporting, show_import, with_waiting
from recollect.cli.options import argument, flag
from recollect.cli.progress import say_what_waits, waiting_texts
from recollect.cli.runner import CommandContext, CommandResult, CommandSet

if TYPE_CHECKING:
    from recollect.model.backups import ImportReport

commands = CommandSet("Files")


@commands.command(
    "write",
    examples=("recollect import-openclaw ~/.openclaw --dry-run", "recollect import-openclaw ~/.openclaw"),
)
def import_openclaw(
    context: CommandContext,
    path: Annotated[str, argument("PATH", "The folder of OpenClaw, one of its workspaces, or a copy of either.")],
    *,
    dry_run: Annotated[bool, flag("--dry-run", "Say what would be brought, and store nothing.")] = False,
    wait: Annotated[bool, flag("--wait", "Wait until all of it has its vectors.")] = False,
) -> "CommandResult[ImportReport]":
    """Bring all that OpenClaw remembers.

    MEMORY.md, USER.md, notes and session logs are synced where they lie, so `recollect sync` keeps them in step from
    then on. From its index comes what is nowhere else, with vectors that can be used. Nothing there is changed. Doing
    so again brings only what is new.
    """
    from recollect_connect.importing import import_openclaw as bring

    with say_what_waits(context):
        with context.progress.steps() as step:
            report = bring(context.me, path, dry_run=dry_run, tell=reporting(step))
        if wait and not dry_run:
            with context.progress.work("Making vectors", waiting_texts(context)) as tell:
                context.memory.embed_waiting(tell=tell)
    return CommandResult(with_waiting(context, report), show_import)
